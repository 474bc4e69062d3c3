"""jsonargparse's parsers: of the classes that they take arguments for, `instantiate_classes` makes the objects."""

from __future__ import annotations

import libcst as cst

from ..abstract import External, Instance, Literal, Member, Value
from ..flow import Arguments
from ..solver import Cell
from .namespaces import Namespaces

PARSERS = frozenset({"jsonargparse.ArgumentParser", "jsonargparse.core.ArgumentParser"})
OF_LIGHTNING = "LightningArgumentParser"

ADDING = {"add_class_arguments": "theclass", "add_lightning_class_args": "lightning_class"}
"""Methods that take a class, each with the name of that argument."""

KEY = "nested_key"
MAKING = frozenset({"instantiate_classes", "instantiate"})
MADE_TRAINER = External("jsonargparse.made")
"""What makes a Trainer of which the code says nothing more."""

FROM_COMMAND_LINE = "the command line may give it"


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
