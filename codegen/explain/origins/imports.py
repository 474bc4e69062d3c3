"""The script's imports: whose they are, and what needs them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..marks import Marked
from ..parts import Part, Place, Reason
from ..statements import last_line, name_of, used_by


@dataclass(frozen=True)
class Imports:
    """Reads parts off the script's imports."""

    marked: Marked
    files: Mapping[str, list[str]]
    tree: ast.Module
    lines: list[str]

    def parts(self) -> Iterator[Part]:
        """A part for each, and for what tells Python where the project's modules are."""
        bound = _imports_of(self.files)
        for node in self.tree.body:
            piece = self.marked.pieces.get(node.lineno)
            if piece is not None and piece.name == "imports":
                names = _bound_by(node)
                asked = dict.fromkeys(
                    place for name in names for place in bound.get((_module(node), name), ())
                )
                reason = Reason("Your code imports it.", tuple(asked)) if asked else self._needed(names)
                name = ", ".join(sorted(names)) or "sys.path"
                yield Part(node.lineno, last_line(node), "import", name, None, reason)

    def _needed(self, names: frozenset[str]) -> Reason:
        """Which of the script's definitions use the names."""
        others = [node for node in self.tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
        users = [name_of(node) for node in others if used_by(node, self.lines) & names]
        needing = [f"`{user}`" for user in dict.fromkeys(users) if user]
        if not needing:
            return Reason("From there the script imports your project's modules.")
        return Reason(f"For {', '.join(needing[:4])}{' and others' if len(needing) > 4 else ''}.")


def _bound_by(node: ast.stmt) -> frozenset[str]:
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return frozenset()
    return frozenset(alias.asname or alias.name.partition(".")[0] for alias in node.names)


def _module(node: ast.stmt) -> str:
    return (node.module or "") if isinstance(node, ast.ImportFrom) else ""


def _imports_of(files: Mapping[str, list[str]]) -> dict[tuple[str, str], list[Place]]:
    """Where the user's files import what, by module and name."""
    found: dict[tuple[str, str], list[Place]] = {}
    for path, lines in files.items():
        if path.endswith(".py"):
            for node in ast.walk(ast.parse("\n".join(lines))):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    place = Place(path, node.lineno, last_line(node))
                    for name in _bound_by(node):
                        found.setdefault((_module(node), name), []).append(place)
    return found
