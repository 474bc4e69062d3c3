"""What parsers give: namespaces, and the objects that jsonargparse's make of the classes they take arguments for."""

from __future__ import annotations

from typing import TypeGuard

import libcst as cst

from ..abstract import Dict, External, Instance, Literal, Member, Option, Value
from ..flow import ANY_NAME, ANY_NAMES, OTHER, Arguments
from ..solver import Cell
from .configurations import Configurations
from .library import NAMESPACES

PARSERS = frozenset({"jsonargparse.ArgumentParser", "jsonargparse.core.ArgumentParser"})
OF_LIGHTNING = "LightningArgumentParser"

ADDING = {"add_class_arguments": "theclass", "add_lightning_class_args": "lightning_class"}
"""Methods that take a class, each with the name of that argument."""

KEY = "nested_key"
MAKING = frozenset({"instantiate_classes", "instantiate"})
MADE_TRAINER = External("jsonargparse.made")
"""What makes a Trainer of which the code says nothing more."""

FROM_COMMAND_LINE = "the command line may give it"

HELD = "**"
"""The attribute under which a namespace keeps the mappings that it is made of."""

METHODS = frozenset("copy get pop setdefault update".split())
"""Those of `vars(...)`."""


def is_parsed(value: Value) -> TypeGuard[Option]:
    """Whether it is all that a parser gives, or a dict of that."""
    return isinstance(value, Option) and value.name == "args" and isinstance(value.node, cst.Call)


def is_namespace(value: Value) -> TypeGuard[Instance]:
    return isinstance(value, Instance) and isinstance(value.cls, External) and value.cls.name in NAMESPACES


def is_parser(value: Value) -> bool:
    """Whether a value is a parser that makes objects of classes."""
    made = value.cls if isinstance(value, Instance) else None
    return isinstance(made, External) and (made.name in PARSERS or made.lightning == OF_LIGHTNING)


def maker(value: Value) -> Value | None:
    """The parser that has made what `instantiate_classes` gives; None: it is something else."""
    made = value.cls if isinstance(value, Instance) else None
    return (
        made.receiver
        if isinstance(made, Member) and made.name in MAKING and is_parser(made.receiver)
        else None
    )


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
            self._read_set(value, name, result, node)
        elif is_parsed(value) and name in METHODS:
            self.add(result, Member(value, name))
            super().read(value, name, result, node)
        else:
            super().read(value, name, result, node)

    def _read_set(self, value: Instance, name: str, result: Cell, node: cst.CSTNode) -> None:
        """What code has just set; where it also sets attributes under names that are not known, what others set too."""
        given = self.reaching.set_above(node) if isinstance(node, cst.Attribute) else None
        if given is None:
            self._read_namespace(value, name, result, node)
            return
        self.flow(self.evaluate(given), result)
        for each in ANY_NAMES:
            self.watch(self.attribute(value, each), lambda _: self._read_once(value, name, result, node))

    def _read_once(self, value: Instance, name: str, result: Cell, node: cst.CSTNode) -> None:
        if self.once("read of namespace", value, name, node):
            self._read_namespace(value, name, result, node)

    def _read_namespace(self, value: Instance, name: str, result: Cell, node: cst.CSTNode) -> None:
        found, key = Cell(), Literal(name, node)
        self.flow(found, result)
        for each in (name, *ANY_NAMES):
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


class Parsers(Namespaces):
    """Parsers, and what they make."""

    def call_member(self, callee: Member, arguments: Arguments, result: Cell) -> None:
        parser = callee.receiver
        if not is_parser(parser):
            super().call_member(callee, arguments, result)
        elif callee.name in ADDING:
            self._add(parser, arguments, ADDING[callee.name])
        else:
            super().call_member(callee, arguments, result)

    def _add(self, parser: Value, arguments: Arguments, name: str) -> None:
        """The objects are made once, by the parser that has the keys."""
        cls, key = arguments.cell(0, name), arguments.cell(1, KEY)
        if cls and key and self.once("added", parser, arguments):
            opened = Arguments(arguments.node, (), FROM_COMMAND_LINE)
            made = self.each(cls, lambda value, result: self._object(value, opened, result))

            def put(value: Value) -> None:
                if isinstance(value, Literal) and isinstance(value.value, str):
                    self.flow(made, self.attribute(parser, value.value))

            self.watch(key, put)

    def _object(self, cls: Value, arguments: Arguments, result: Cell) -> None:
        if isinstance(cls, External) and cls.lightning == "Trainer":
            self.add(result, Instance(MADE_TRAINER, arguments.node))
        else:
            self.call(cls, arguments, result)

    def read(self, value: Value, name: str, result: Cell, node: cst.CSTNode) -> None:
        if (parser := maker(value)) is None:
            super().read(value, name, result, node)
        elif self.once("read of parser", value, name, node):
            self.flow(self.attribute(parser, name), result)
            self.postponed.append(lambda: self._unless_made(parser, value, name, result, node))

    def _unless_made(self, parser: Value, value: Value, name: str, result: Cell, node: cst.CSTNode) -> None:
        """What no class was added for is the command line's."""
        if not self.attribute(parser, name).values:
            super().read(value, name, result, node)

    def get_item(self, owner: Value, key: Value, result: Cell, node: cst.CSTNode) -> None:
        if maker(owner) and isinstance(key, Literal):
            self.read(owner, f"{key.value}", result, node)
        else:
            super().get_item(owner, key, result, node)
