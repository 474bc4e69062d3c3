"""Definitions of ddpgen's runtime: from which file, and what needs them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from ...runtime.definitions import load_runtime
from ...source.source_text import first_line
from ..marks import Marked
from ..parts import Part, Place, Reason
from ..statements import last_line, name_of, used_by
from .places import Asked

BY_MEMBER = frozenset({"TrainModule", "DataModule"})
"""Classes of which a script has those members that the user's code uses."""


@dataclass(frozen=True)
class RuntimeCode:
    """Reads parts off the runtime's definitions."""

    asked: Asked
    marked: Marked
    tree: ast.Module
    lines: list[str]

    def parts(self) -> Iterator[Part]:
        """A part for each definition; those that the user's classes are made of, member by member."""
        for node in self.tree.body:
            piece = self.marked.pieces.get(node.lineno)
            if piece is not None and piece.kind == "runtime":
                first = first_line(node)
                if piece.name in BY_MEMBER and isinstance(node, ast.ClassDef):
                    yield from self._members(piece.name, node, first)
                else:
                    reason = self._needed(name_of(node))
                    yield Part(first, last_line(node), "runtime", piece.name, origin(piece.name), reason)

    def _members(self, name: str, node: ast.ClassDef, first: int) -> Iterator[Part]:
        members = [each for each in node.body if name_of(each)]
        head = min([first_line(each) for each in members], default=last_line(node) + 1) - 1
        while head > first and not self.lines[head - 1].strip():
            head -= 1
        yield Part(first, head, "runtime", name, origin(name), self._needed(node.name))
        for each in members:
            member = f"{name}.{name_of(each)}"
            yield Part(
                first_line(each),
                last_line(each),
                "runtime",
                member,
                origin(member),
                self._asks(name_of(each)),
            )

    def _asks(self, member: str) -> Reason:
        """Who calls a member of the module's."""
        usages = (self.asked.facts.usage, self.asked.facts.data_usage)
        nodes = [
            node for usage in usages for node in (*usage.reads.get(member, ()), *usage.supers.get(member, ()))
        ]
        if nodes:
            return Reason(f"Your code uses `self.{member}`.", tuple(map(self.asked.place, nodes)))
        return Reason("Other members need it.")

    # ---- who needs what ----------------------------------------------------------------------------------

    def _needed(self, name: str) -> Reason:
        """The shortest way from what is the user's, or the loop's, to the definition."""
        uses = {name_of(node): node for node in self.tree.body if name_of(node)}
        waiting: list[tuple[str, ...]] = [(name,)]
        seen = {name}
        while waiting:
            way = waiting.pop(0)
            for user in [
                each for each in uses if each not in seen and way[-1] in used_by(uses[each], self.lines)
            ]:
                seen.add(user)
                kind = self.marked.pieces[uses[user].lineno].kind
                if kind != "runtime":
                    return self._told((*way, user), is_users=kind == "user")
                waiting.append((*way, user))
        return Reason("What runs the training needs it.")

    def _told(self, way: tuple[str, ...], is_users: bool) -> Reason:
        needs = [f"`{name}`" for name in way[1:]]
        needs[-1] = f"your {needs[-1]}" if is_users else needs[-1]
        classes = (cls for cls in self.asked.facts.served if cls.name == way[-1])
        places = tuple(self.asked.class_place(cls) for cls in classes)
        return Reason(
            f"{needs[0][0].upper()}{needs[0][1:]} needs it" + "".join(f", for {n}" for n in needs[1:]) + ".",
            places,
        )


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(resources.files("ddpgen.strategies").joinpath(f"{module}.py").read_text("utf-8"))


def origin(name: str) -> Place:
    """Where the runtime has a definition, or a member of one."""
    top, _, member = name.partition(".")
    module = load_runtime().definitions[top].module
    node = next(each for each in _tree(module).body if name_of(each) == top)
    if member and isinstance(node, ast.ClassDef):
        node = next((each for each in node.body if name_of(each) == member), node)
    return Place(f"ddpgen/strategies/{module}.py", first_line(node), last_line(node))
