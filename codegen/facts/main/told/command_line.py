"""What the code's own options are on the command line that a build is told."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import libcst as cst

from ....index import Index
from ....index import patterns as m
from ....values import Option

ELEMENT = "[...]"
"""What the name of an option ends with, of which any of several values is asked for."""

ADD_ARGUMENT = m.Attribute(attr=m.Name("add_argument"))

SWITCHES = frozenset({"store_true", "store_false"})
TAKING = SWITCHES | {"store", "append", "extend", "count"}
"""Actions that say by themselves what they make of an option."""

EITHER_WAY = "BooleanOptionalAction"


class NotParsed(Exception):
    """The code's parser would not take these arguments, as far as it is read."""


class _Parser(argparse.ArgumentParser):
    """One that says so instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise NotParsed(message)


@dataclass(frozen=True)
class CommandLine:
    """Reads arguments as the code's parsers would, by what it adds to them."""

    index: Index
    arguments: tuple[str, ...]

    def told(self, option: Option) -> list[str]:
        """The texts that the command line has for an option; none: it does not say."""
        name = option.name.removesuffix(ELEMENT).rpartition(".")[2]
        if isinstance(option.node, cst.Param):
            return self._told_parameter(option.node, name)
        found = self.parsed.get(name)
        texts = found if isinstance(found, list) else [found]
        given = [each for each in texts if isinstance(each, str)]
        return given if option.name.endswith(ELEMENT) else given[:1]  # an option of several values is a list

    def default(self, option: Option) -> cst.BaseExpression | None:
        """What it is by default, as the code has it."""
        name = option.name.removesuffix(ELEMENT).rpartition(".")[2]
        node = option.node
        if isinstance(node, cst.Param) and node.default:
            return node.default
        calls = self._decorating(node, name) if isinstance(node, cst.Param) else self.adding(name)
        return next((named(call).get("default") for call in calls), None)

    def at(self, place: int) -> str | None:
        """`sys.argv[1]`; None: there are not so many."""
        return self.arguments[place - 1] if 0 < place <= len(self.arguments) else None

    # ---- parsers -----------------------------------------------------------------------------------------

    def adding(self, name: str) -> list[cst.Call]:
        """The calls that add an option of that name."""
        return [call for call in self._calls if name in destinations(call)]

    @cached_property
    def _calls(self) -> list[cst.Call]:
        return [each for each in self.index.of_kind(cst.Call) if m.matches(each.func, ADD_ARGUMENT)]

    @cached_property
    def parsed(self) -> Mapping[str, object]:
        """What the command line says: a text, several, or what an option that takes none is made of it."""
        if not self.arguments:
            return {}
        try:
            return self._parse(self._calls)
        except NotParsed:  # for want of arguments that stand by their places, perhaps
            options = [each for each in self._calls if all(text.startswith("-") for text in flags(each))]
        try:
            return self._parse(options)
        except NotParsed:
            return {}

    def _parse(self, calls: list[cst.Call]) -> dict[str, object]:
        """Raises NotParsed."""
        parser = _Parser(
            add_help=False,
            argument_default=argparse.SUPPRESS,
            conflict_handler="resolve",
            exit_on_error=False,
        )
        for call in calls:
            _add(parser, call)
        try:
            return vars(parser.parse_known_args([*self.arguments])[0])
        except (argparse.ArgumentError, TypeError, ValueError) as error:
            raise NotParsed from error

    # ---- functions that the command line gives their arguments -------------------------------------------

    def _told_parameter(self, parameter: cst.Param, name: str) -> list[str]:
        names = [f"--{name}", f"--{name.replace('_', '-')}"]
        names += [flag for call in self._decorating(parameter, name) for flag in flags(call)]
        return next((found for each in names if (found := self._behind(each))), [])

    def _decorating(self, parameter: cst.Param, name: str) -> list[cst.Call]:
        """The decorators of a function, which may be click's and say what it is given."""
        function = self.index.ancestor(parameter, cst.FunctionDef)
        found = [each.decorator for each in function.decorators] if function else []
        return [each for each in found if isinstance(each, cst.Call) and name in destinations(each)]

    def _behind(self, flag: str) -> list[str]:
        after = zip(self.arguments, (*self.arguments[1:], ""), strict=False)
        found = [each.partition("=")[2] or value for each, value in after if each.partition("=")[0] == flag]
        return found[-1:]


def _add(parser: argparse.ArgumentParser, call: cst.Call) -> None:
    """Add what a call does, as far as it is written out; texts stay texts."""
    names, settings = flags(call), dict(_settings(call))
    if names and not any(each.star for each in call.args):
        try:
            parser.add_argument(*names, **settings)
        except (argparse.ArgumentError, TypeError, ValueError):
            return  # as the code's own would say


def _settings(call: cst.Call) -> Iterator[tuple[str, Any]]:
    given = named(call)
    action = _plain(given.get("action"))
    if action in TAKING:
        yield "action", action
    elif m.matches(given.get("action"), m.Attribute(attr=m.Name(EITHER_WAY)) | m.Name(EITHER_WAY)):
        yield "action", argparse.BooleanOptionalAction
    elif action in ("store_const", "append_const"):
        yield from (("action", action), ("const", given.get("const")))
    for name in ("nargs", "dest"):
        if (value := _plain(given.get(name))) is not None:
            yield name, value
    if _plain(given.get("nargs")) == "?":
        yield "const", given.get("const")


def _plain(node: cst.BaseExpression | None) -> object:
    return node.evaluated_value if isinstance(node, cst.SimpleString | cst.Integer) else None


def named(call: cst.Call) -> dict[str, cst.BaseExpression]:
    """The arguments that a call gives by their names."""
    return {each.keyword.value: each.value for each in call.args if each.keyword}


def flags(call: cst.Call) -> list[str]:
    """The names that a call adds an option by, as they are on the command line."""
    texts = (_plain(each.value) for each in call.args if not each.keyword)
    return [each for each in texts if isinstance(each, str)]


def destinations(call: cst.Call) -> list[str]:
    """The names under which an option may be asked for."""
    texts = (*flags(call), _plain(named(call).get("dest")))
    return [each.lstrip("-").replace("-", "_") for each in texts if isinstance(each, str)]
