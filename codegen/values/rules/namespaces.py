"""Namespaces: what a parser parses, what code adds to that by `vars`, and those that are made of mappings."""

from __future__ import annotations

from typing import TypeGuard

import libcst as cst

from ..abstract import Dict, External, Instance, Literal, Member, Option, Value
from ..flow import ANY_NAME, OTHER, Arguments
from ..solver import Cell
from .configurations import Configurations
from .library import NAMESPACES

HELD = "**"
"""The attribute under which a namespace keeps the mappings that it is made of."""

METHODS = frozenset("copy get pop setdefault update".split())
"""Those of `vars(...)`."""


def is_parsed(value: Value) -> TypeGuard[Option]:
    """Whether it is all that a parser gives, or a dict of that."""
    return isinstance(value, Option) and value.name == "args" and isinstance(value.node, cst.Call)


def is_namespace(value: Value) -> TypeGuard[Instance]:
    return isinstance(value, Instance) and isinstance(value.cls, External) and value.cls.name in NAMESPACES


class Namespaces(Configurations):
    """Reads and writes what namespaces hold, as attributes and as elements."""

    # ---- those that code makes ---------------------------------------------------------------------------

    def call_external(self, callee: External, arguments: Arguments, result: Cell) -> None:
        mappings = [each for each in arguments.given if each.star == "**"]
        if callee.name in NAMESPACES and mappings:
            for each in mappings:
                self.watch(each.cell, lambda value: self._hold_mapping(callee, value, arguments, result))
        else:
            super().call_external(callee, arguments, result)

    def _hold_mapping(self, callee: External, value: Value, arguments: Arguments, result: Cell) -> None:
        """A namespace with all that a mapping holds; of what a parser gives it is as good as that itself."""
        made = value if is_parsed(value) else Instance(callee, arguments.node)
        if isinstance(value, Dict) and value in self.open:
            super().call_external(callee, arguments, result)
        elif self.once("held", made, arguments):
            self.add(result, made)
            for each in arguments.given:
                if each.keyword:
                    self.write(made, each.keyword, each.cell, arguments.node)
        if isinstance(made, Instance):
            self.add(self.attribute(made, HELD), value)

    def read(self, value: Value, name: str, result: Cell, node: cst.CSTNode) -> None:
        if is_namespace(value) and not name.startswith("_"):
            self._read_namespace(value, name, result, node)
        elif is_parsed(value) and name in METHODS:
            self.add(result, Member(value, name))
            super().read(value, name, result, node)
        else:
            super().read(value, name, result, node)

    def _read_namespace(self, value: Instance, name: str, result: Cell, node: cst.CSTNode) -> None:
        found, key = Cell(), Literal(name, node)
        self.flow(found, result)
        for each in (name, ANY_NAME):
            self.flow(self.attribute(value, each), found)
        self.watch(self.attribute(value, HELD), lambda held: self.get_item(held, key, found, node))
        self.postponed.append(lambda: self._unless_held(found, value, name, node))

    def _unless_held(self, found: Cell, value: Instance, name: str, node: cst.CSTNode) -> None:
        """What code has set that is not read."""
        if not found.values or value in self.escaped:
            super().read(value, name, found, node)

    # ---- what a parser gives, as a dict ------------------------------------------------------------------

    def get_item(self, owner: Value, key: Value, result: Cell, node: cst.CSTNode) -> None:
        if is_parsed(owner) and isinstance(key, Literal) and isinstance(key.value, str):
            self.read(owner, key.value, result, node)
        else:
            super().get_item(owner, key, result, node)

    def set_item(
        self, owner: Value, key: Value, cell: Cell, node: cst.CSTNode, written: cst.BaseExpression | None
    ) -> None:
        if is_parsed(owner):
            is_named = isinstance(key, Literal) and isinstance(key.value, str)
            self.write(owner, str(key.value) if is_named else ANY_NAME, cell, node)  # type: ignore[union-attr]
        else:
            super().set_item(owner, key, cell, node, written)

    def call_member(self, callee: Member, arguments: Arguments, result: Cell) -> None:
        owner = callee.receiver
        if not is_parsed(owner) or callee.name not in METHODS:
            super().call_member(callee, arguments, result)
        elif callee.name == "copy":
            self.add(result, owner)
        elif callee.name == "update":
            self._update(owner, arguments)
            self.add(result, self.none(arguments.node))
        else:
            self._get_parsed(owner, callee.name, arguments, result)

    def _get_parsed(self, owner: Option, name: str, arguments: Arguments, result: Cell) -> None:
        keys, default, node = arguments.cell(0) or Cell(), arguments.cell(1), arguments.node
        if default:
            self.flow(default, result)
        elif name != "pop":
            self.add(result, self.none(node))
        self.watch(keys, lambda key: self.get_item(owner, key, result, node))
        if default and name == "setdefault":
            self.watch(keys, lambda key: self.set_item(owner, key, default, node, None))

    def _update(self, owner: Option, arguments: Arguments) -> None:
        for each in arguments.given:
            if each.keyword:
                self.write(owner, each.keyword, each.cell, arguments.node)
            else:
                self.watch(each.cell, lambda value: self._update_from(owner, value, arguments.node))

    def _update_from(self, owner: Option, value: Value, node: cst.CSTNode) -> None:
        if not isinstance(value, Dict) or value.is_alias:
            values = Cell()
            self.value_in(value, values, node)
            self.write(owner, ANY_NAME, values, node)
            return

        def put(key: Value) -> None:
            self.set_item(owner, key, self.element(value, self.key_of(value, key)), node, None)

        self.watch(self.any_key(value), put)
        self.write(owner, ANY_NAME, self.element(value, OTHER), node)
