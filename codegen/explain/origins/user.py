"""The user's own code: which lines of which file, and what had to change in them."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...lightning import api
from ...source.definitions import Definition, Lowered
from ...source.source_text import first_line
from ..marks import Marked
from ..parts import Part, Place, Reason
from ..statements import last_line
from .places import Asked

CALLED = api.HOOKS | api.STEPS | {"configure_optimizers", "train_dataloader", "val_dataloader", "setup"}


@dataclass(frozen=True)
class UserCode:
    """Reads parts off the user's definitions, and the lines that each of their lines came from."""

    asked: Asked
    lowered: Lowered
    marked: Marked
    files: Mapping[str, list[str]]
    tree: ast.Module

    def parts(self) -> Iterator[Part]:
        """A part for each definition; a class's methods have their own."""
        for number, definition in enumerate(self.lowered.all_definitions):
            lines = self.marked.lines_of("user", str(number))
            if lines and _is_of_settings(definition):
                yield self._of_settings(definition, lines)
            elif lines:
                yield from self._of_definition(definition, lines)

    def lines(self) -> dict[int, Place]:
        """For lines of the script, the user's line that each was."""
        found: dict[int, Place] = {}
        for number, definition in enumerate(self.lowered.all_definitions):
            if _is_of_settings(definition):
                continue
            same = self._same(definition, self.marked.lines_of("user", str(number)))
            path = definition.origin.path
            found |= {line: Place(path, source, source) for line, source in same.items()}
        return found

    def _of_settings(self, definition: Definition, lines: list[int]) -> Part:
        """All of what settings are written out as."""
        path, name = definition.origin.path, ", ".join(definition.names)
        place = Place(path, 1, len(self.files.get(path, [""])))
        reason = Reason("Settings, written out as code: your code goes on with it.")
        return Part(lines[0], lines[-1], "rewritten", name, place, reason)

    def _of_definition(self, definition: Definition, lines: list[int]) -> Iterator[Part]:
        same = self._same(definition, lines)
        for name, first, last in _split(self.tree, lines, definition):
            if described := self._described(name):
                yield Part(
                    first, last, "rewritten", name, described, Reason("The spec describes the optimizer.")
                )
                continue
            own = [line for line in lines if first <= line <= last]
            sources = [same[line] for line in own if line in same]
            is_head = first == lines[0] and last < lines[-1]
            place = self._head(definition, sources) if is_head else self._whole(definition, name, sources)
            changed = [
                self.marked.raw[self.marked.raw_line[line] - 1].strip() for line in own if line not in same
            ]
            reason = self._reason(definition, name, changed)
            yield Part(first, last, "rewritten" if changed else "yours", name, place, reason)

    def _described(self, name: str) -> Place | None:
        """Where the spec describes the model's optimizer, if the method of that name returns it."""
        facts = self.asked.facts
        described = facts.project.spec_optimizer
        is_it = described is not None and name == f"{facts.model.name}.configure_optimizers"
        return self.asked.place(described.node) if described and is_it else None

    def _head(self, definition: Definition, sources: list[int]) -> Place:
        """A class up to its first method."""
        origin = definition.origin
        return Place(origin.path, origin.first_line, max(sources, default=origin.first_line))

    def _whole(self, definition: Definition, name: str, sources: list[int]) -> Place:
        """The user's statement of that name, a method's or one that stands alone."""
        origin = definition.origin
        for node in ast.walk(ast.parse("\n".join(self.files[origin.path]))):
            if isinstance(node, ast.FunctionDef) and node.name == name.rpartition(".")[2]:
                first, last = first_line(node), last_line(node)
                if any(first <= line <= last for line in sources):
                    return Place(origin.path, first, last)
        if "." in name and sources:
            return Place(origin.path, min(sources), max(sources))
        return Place(origin.path, origin.first_line, origin.last_line)

    def _same(self, definition: Definition, lines: list[int]) -> dict[int, int]:
        """For those of the script's lines that are the user's word for word, the line in the user's file."""
        raw = sorted({self.marked.raw_line[line] for line in lines})
        origin = definition.origin
        source = self.files[origin.path][origin.first_line - 1 : origin.last_line]
        written = [self.marked.raw[number - 1].strip() for number in raw]
        matcher = difflib.SequenceMatcher(None, [each.strip() for each in source], written, autojunk=False)
        found = {
            raw[block.b + offset]: origin.first_line + block.a + offset
            for block in matcher.get_matching_blocks()
            for offset in range(block.size)
        }
        return {
            line: found[self.marked.raw_line[line]] for line in lines if self.marked.raw_line[line] in found
        }

    def _reason(self, definition: Definition, name: str, changed: list[str]) -> Reason:
        sentence = self._role(definition, name)
        if changed:
            listed = ", ".join(f"`{line}`" for line in list(dict.fromkeys(changed))[:3])
            more = " and others" if len(set(changed)) > 3 else ""
            return Reason(f"{sentence} Rewritten, as Lightning is gone: {listed}{more}.")
        return Reason(f"{sentence} Word for word.")

    def _role(self, definition: Definition, name: str) -> str:
        facts, (top, _, method) = self.asked.facts, name.partition(".")
        if method:
            return "Lightning calls it, and so does the script." if method in CALLED else "A method of yours."
        if definition in self.lowered.own_main:
            return "What runs the training stays yours."
        for cls in facts.served:
            if cls.name == top:
                return "The model that is trained." if cls in facts.served.models else "What gives the data."
        for cls in facts.served:
            if any(part.name == top for part in cls.lineage):
                return f"A base of `{cls.name}`."
        return (
            "Other code of yours needs it." if definition.names else "It does something when it is reached."
        )


def _is_of_settings(definition: Definition) -> bool:
    return definition.origin.path.endswith((".yaml", ".yml"))


def _split(tree: ast.Module, lines: list[int], definition: Definition) -> Iterator[tuple[str, int, int]]:
    """Names of stretches of the script: a whole statement, or a class's head and each of its methods."""
    nodes = [node for node in tree.body if lines[0] <= node.lineno <= lines[-1]]
    cls = nodes[0] if len(nodes) == 1 and isinstance(nodes[0], ast.ClassDef) else None
    methods = [each for each in cls.body if isinstance(each, ast.FunctionDef)] if cls else []
    name = cls.name if cls else ", ".join(definition.names) or "statement"
    if cls is None or not methods:
        yield name, lines[0], lines[-1]
        return
    starts = [first_line(each) for each in methods]
    if starts[0] > lines[0]:
        yield name, lines[0], max(line for line in lines if line < starts[0])
    for each, start in zip(methods, starts, strict=True):
        yield f"{name}.{each.name}", start, last_line(each)
    others = [each for each in cls.body if each not in methods and each.lineno > starts[0]]
    for other in others:
        yield name, other.lineno, last_line(other)
