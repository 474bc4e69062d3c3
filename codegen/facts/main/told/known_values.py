"""Values that are known when building: of literals, and of what the command line and the configuration say."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import libcst as cst

from ....index import patterns as m
from ....ir.project import Project
from ....values import Class, Dict, External, Instance, Literal, Option, Value, ValueSet, values_of
from ....values.flow import ANY_NAMES
from ...callbacks.configured import SETTING
from .builtin_kinds import container, kinds_asked
from .command_line import EITHER_WAY, SWITCHES, CommandLine, flags, named

CONSTANTS: Mapping[str, object] = {"None": None, "True": True, "False": False}

PARSING = ("parse_args", "parse_known_args")

ARGV = m.Subscript(
    value=m.Attribute(m.Name("sys"), m.Name("argv")), slice=[m.SubscriptElement(m.Index(m.Integer()))]
)

TYPES: Mapping[str, Callable[[Any], object]] = {"bool": bool, "float": float, "int": int, "str": str}
"""Builtin types, which code calls, or has a parser call, with a value."""

OF_TEXTS = frozenset("""
    casefold endswith lower lstrip removeprefix removesuffix replace rstrip startswith strip upper
    """.split())
"""Methods of texts that say nothing new."""

COMPARING: Mapping[type[cst.BaseCompOp], Callable[[Any, Any], bool]] = {
    cst.Equal: operator.eq,
    cst.NotEqual: operator.ne,
    cst.Is: operator.is_,
    cst.IsNot: operator.is_not,
    cst.LessThan: operator.lt,
    cst.LessThanEqual: operator.le,
    cst.GreaterThan: operator.gt,
    cst.GreaterThanEqual: operator.ge,
    cst.In: lambda left, right: left in right,
    cst.NotIn: lambda left, right: left not in right,
}


Held = tuple[Mapping[Hashable, ValueSet], Mapping[Hashable, ValueSet]]
"""What a mapping may hold, and what it surely does."""


class NotKnown(Exception):
    """What an expression is, is known only when the code runs."""


@dataclass(frozen=True)
class Known:
    """A value, and what says it, in words: options and settings."""

    value: Any
    said: tuple[str, ...] = ()

    def with_said(self, *others: Known) -> Known:
        """The same, said by these too."""
        said = (text for each in (*others, self) for text in each.said)
        return Known(self.value, tuple(dict.fromkeys(said)))


def alike(found: Iterable[Known]) -> Known:
    """The one value that all of them are. Raises NotKnown where there are several, or none."""
    every = [*found]
    kinds = {type(each.value) for each in every}
    if len(kinds) != 1 or any(each.value != every[0].value for each in every):
        raise NotKnown
    return every[0].with_said(*every[1:])


class KnownValues(ABC):
    """Values of expressions, wherever all that they may be is the same."""

    def __init__(self, project: Project) -> None:
        self.project, self.index = project, project.index
        self.values = values_of(project)
        self.line = CommandLine(project.index, project.asked.overrides)
        self._found: dict[cst.CSTNode, Known | None] = {}

    @abstractmethod
    def left_out(self, node: cst.CSTNode) -> Known | None:
        """What says that a place is not run; None: it may be."""

    @abstractmethod
    def of_name(self, name: cst.Name) -> Known:
        """What a variable is at a use. Raises NotKnown."""

    @abstractmethod
    def of_call(self, call: cst.Call) -> Known:
        """What a function of the project's gives. Raises NotKnown."""

    def value(self, node: cst.BaseExpression) -> Known:
        """Raises NotKnown."""
        if node not in self._found:
            self._found[node] = None  # what is asked of in a circle
            with suppress(NotKnown, TypeError, ValueError, AttributeError):
                self._found[node] = self._read(node)
        if (found := self._found[node]) is None:
            raise NotKnown
        return found

    def holds(self, test: cst.BaseExpression) -> Known | None:
        """Whether a condition holds; None: that is not known."""
        try:
            found = self.value(test)
        except NotKnown:
            return None
        return Known(bool(found.value), found.said)

    def _read(self, node: cst.BaseExpression) -> Known:
        match node:
            case cst.SimpleString() | cst.ConcatenatedString() | cst.Integer() | cst.Float():
                return Known(node.evaluated_value)
            case cst.Name(name) if name in CONSTANTS:
                return Known(CONSTANTS[name])
            case cst.List() | cst.Tuple() | cst.Set():
                return self._all(each.value for each in node.elements)
            case cst.UnaryOperation(operator=cst.Not()):
                inner = self.value(node.expression)
                return Known(not inner.value, inner.said)
            case cst.BooleanOperation():
                return self._either(node)
            case cst.Comparison(comparisons=[_]):
                return self._compared(node)
            case cst.IfExp():
                test = self.value(node.test)
                return self.value(node.body if test.value else node.orelse).with_said(test)
            case _ if m.matches(node, ARGV):
                return self._of_argv(cst.ensure_type(node, cst.Subscript))
        return self._of_values(node)

    def _all(self, nodes: Iterable[cst.BaseExpression]) -> Known:
        found = [self.value(each) for each in nodes]
        return Known([each.value for each in found]).with_said(*found)

    def _either(self, node: cst.BooleanOperation) -> Known:
        """`a and b`, `a or b`; either may decide alone."""
        decides = isinstance(node.operator, cst.Or)
        left = self.holds(node.left)
        if left is None or bool(left.value) is decides:
            found = self.value(node.right if left is None else node.left)
            if bool(found.value) is not decides:
                raise NotKnown
            return found
        return self.value(node.right).with_said(left)

    def _compared(self, node: cst.Comparison) -> Known:
        target = node.comparisons[0]
        left, compare = self.value(node.left), COMPARING.get(type(target.operator))
        if compare is None:
            raise NotKnown
        if isinstance(target.operator, cst.In | cst.NotIn) and (held := self._mapping(target.comparator)):
            is_in = _has(held[0], left.value)
            return Known(is_in is isinstance(target.operator, cst.In), left.said).with_said(held[1])
        right = self.value(target.comparator)
        is_asked_for_object = isinstance(target.operator, cst.Is | cst.IsNot)
        if is_asked_for_object and not any(isinstance(each.value, bool | None) for each in (left, right)):
            raise NotKnown  # two texts that are alike may be two objects
        return Known(compare(left.value, right.value)).with_said(left, right)

    def _mapping(self, node: cst.BaseExpression) -> tuple[Held, Known] | None:
        """The one mapping that an expression is, and what says so; None: it is something else."""
        found, said = self.left(node)
        held = self._held(found[0]) if len(found) == 1 else None
        return (held, said) if held is not None else None

    def left(self, node: cst.BaseExpression) -> tuple[list[Value], Known]:
        """What an expression may be in what is run, and what says so."""
        return [*self.values.of(node)], Known(None)

    def _held(self, value: Value) -> Held | None:
        parts = self.values.parts(value) if isinstance(value, Dict) else None
        return (
            None if parts is None or not isinstance(value, Dict) else (parts, self.values.sure_parts(value))
        )

    def _of_argv(self, node: cst.Subscript) -> Known:
        place = cst.ensure_type(cst.ensure_type(node.slice[0].slice, cst.Index).value, cst.Integer)
        text = self.line.at(place.evaluated_value)
        if text is None:
            raise NotKnown
        return Known(text, (f"`{text}` is given",))

    # ---- what the analysis of values has -----------------------------------------------------------------

    def _of_values(self, node: cst.BaseExpression) -> Known:
        """What all values of an expression are, or else what it is here."""
        try:
            return alike(map(self._of_value, self.values.of(node)))
        except NotKnown:
            if isinstance(node, cst.Name):
                return self.of_name(node)
            if isinstance(node, cst.Call):
                return self._called(node)
            if isinstance(node, cst.Subscript) and (key := self.key(node)) is not None:
                return self._element(node.value, key)
            raise

    def _of_value(self, value: Value) -> Known:
        if isinstance(value, Literal):
            return Known(value.value)
        if isinstance(value, Option):
            return self._of_option(value)
        raise NotKnown

    def key(self, node: cst.Subscript) -> Known | None:
        """What an element is asked for by; None: it is not known."""
        first = node.slice[0].slice
        is_one = len(node.slice) == 1 and isinstance(first, cst.Index)
        try:
            return self.value(first.value) if is_one and isinstance(first, cst.Index) else None
        except NotKnown:
            return None

    def _has_attribute(self, owner: cst.BaseExpression, name: cst.BaseExpression) -> Known:
        """Whether a configuration has something under a name; others have methods too."""
        key, found = self.value(name), [*self.values.of(owner)]
        held = self._held(found[0]) if len(found) == 1 else None
        if held is None or not isinstance(found[0], Dict) or not self.values.is_open(found[0]):
            raise NotKnown
        has = _has(held, key.value)
        return Known(has, key.said if has else (*key.said, f"the configuration has no `{key.value}`"))

    def _element(
        self, owner: cst.BaseExpression, key: Known, default: cst.BaseExpression | None = None
    ) -> Known:
        """What a mapping has under a key; the default, where it has none."""
        if (found := self._mapping(owner)) is None:
            raise NotKnown
        held, said = found
        if _has(held, key.value):
            return alike(map(self._of_value, held[0][key.value])).with_said(said, key)
        if default is None:
            raise NotKnown
        return self.value(default).with_said(said, key)

    def _called(self, call: cst.Call) -> Known:
        given = [each.value for each in call.args if not each.keyword and not each.star]
        if len(given) < len(call.args):
            return self.of_call(call)
        if (kinds := kinds_asked(self.project, call)) is not None:
            return self._is_of_kind(given[0], kinds)
        match call.func:
            case cst.Name(name) if name in TYPES and len(given) == 1 and not self.index.bindings(call.func):
                inner = self.value(given[0])
                return Known(TYPES[name](inner.value), inner.said)
            case cst.Name("hasattr") if len(given) == 2 and not self.index.bindings(call.func):
                return self._has_attribute(*given)
            case cst.Name("getattr") if len(given) == 3 and not self.index.bindings(call.func):
                return self._element(given[0], self.value(given[1]), given[2])
            case cst.Attribute(owner, cst.Name("get")) if given and not self.values.runs(call):
                default = given[1] if len(given) > 1 else cst.Name("None")
                return self._element(owner, self.value(given[0]), default)
            case cst.Attribute(owner, cst.Name(name)) if name in OF_TEXTS and not self.values.runs(call):
                text, arguments = self.value(owner), [self.value(each) for each in given]
                made = getattr(str(text.value), name)(*(each.value for each in arguments))
                return Known(made).with_said(text, *arguments)
        return self.of_call(call)

    def _is_of_kind(self, node: cst.BaseExpression, kinds: tuple[type, ...]) -> Known:
        """What `isinstance` says of what is known, and of the mapping or the list that an expression surely is."""
        values, said = self.left(node)
        if made := container(self.project, values):
            return Known(made in kinds, said.said)
        found = self.value(node)
        if not isinstance(found.value, bool | float | int | str | None):
            raise NotKnown
        return Known(isinstance(found.value, kinds), found.said)

    # ---- options -----------------------------------------------------------------------------------------

    def _of_option(self, option: Option) -> Known:
        call, (first, _, name) = option.node, option.name.partition(".")
        if not isinstance(call, cst.Call):
            raise NotKnown
        if m.matches(call, SETTING):
            return self._of_setting(call)
        if first != "args" or not name.isidentifier() or not self._parses_command_line(call):
            raise NotKnown
        if not all(map(self.left_out, self._set(Option(first, call), name))):
            raise NotKnown
        return self._of_parsed(name)

    def _set(self, owner: Option, name: str) -> Iterator[cst.CSTNode]:
        """Where code sets an attribute of what a parser gives, or one whose name is not known."""
        for each in (name, *ANY_NAMES):
            yield from (place for holder, place in self.stores.get(each, ()) if holder == owner)

    @cached_property
    def stores(self) -> Mapping[str, list[tuple[Value, cst.CSTNode]]]:
        """Where code sets attributes, by their names, and of what."""
        found: dict[str, list[tuple[Value, cst.CSTNode]]] = {}
        for owner, name, place in self.values.stores():
            found.setdefault(name, []).append((owner, place))
        return found

    def _parses_command_line(self, call: cst.Call) -> bool:
        """Whether it gives what the command line says, and what the calls that add options say besides."""
        if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in PARSING:
            return False
        is_plain = all(map(self._is_parser, self.values.of(call.func.value)))
        are_alone = not self.index.attributes("set_defaults")
        return is_plain and are_alone and all(map(self._is_of_command_line, call.args))

    def _is_parser(self, value: Value) -> bool:
        """Whether it is one of argparse's, and not of a library whose parsers read files, too."""
        made = value.cls if isinstance(value, Instance) else None
        bases = self.values.library_bases(made) if isinstance(made, Class) else [made]
        return any(isinstance(each, External) and each.package == "argparse" for each in bases)

    def _of_setting(self, call: cst.Call) -> Known:
        """What a configuration says that is known."""
        name, value = (self.value(each.value) for each in call.args)
        return Known(value.value, (f"`{name.value}` is `{value.value}` in the configuration",))

    def _is_of_command_line(self, argument: cst.Arg) -> bool:
        """Whether what a parser is given is the command line, or nothing, which stands for that."""
        found = [*self.values.of(argument.value)]
        return all(
            (isinstance(each, Literal) and each.value is None)
            or (isinstance(each, Option) and each.name.startswith("sys.argv"))
            for each in found
        )

    def _of_parsed(self, name: str) -> Known:
        """An option of a parser's that one call adds."""
        calls = self.line.adding(name)
        if len(calls) != 1:
            raise NotKnown
        given, flag = named(calls[0]), next((each for each in flags(calls[0]) if each.startswith("--")), name)
        told = self.line.parsed.get(name)
        if told is None:
            return self._by_default(flag, given)
        if isinstance(told, cst.BaseExpression):
            return Known(self.value(told).value, (f"`{flag}` is given",))
        if isinstance(told, str):
            return Known(self._typed(told, given), (f"`{flag} {told}` is given",))
        if isinstance(told, bool):
            return Known(told, (f"`{flag}` is given",))
        raise NotKnown

    def _by_default(self, flag: str, given: Mapping[str, cst.BaseExpression]) -> Known:
        """What it is where the command line does not say, and need not."""
        action, default = given.get("action"), given.get("default")
        switched = action.evaluated_value if isinstance(action, cst.SimpleString) else None
        if "required" in given or not flag.startswith("-"):
            raise NotKnown
        value: object = (switched == "store_false") if switched in SWITCHES else None
        if default is not None:
            value = self.value(default).value
            value = self._typed(value, given) if isinstance(value, str) else value
        if switched in SWITCHES or m.matches(action, m.Attribute(attr=m.Name(EITHER_WAY))):
            return Known(value, (f"`{flag}` is not given",))
        return Known(value, (f"`{flag}` is `{value}` by default",))

    def _typed(self, text: str, given: Mapping[str, cst.BaseExpression]) -> object:
        """What a parser makes of a text. Raises NotKnown where that is code of the project's."""
        kind = given.get("type", cst.Name("str"))
        name = kind.value if isinstance(kind, cst.Name) else ""
        if name not in TYPES or "nargs" in given:
            raise NotKnown
        return TYPES[name](text)


def _has(held: Held, key: object) -> bool:
    """Whether a mapping has a key. Raises NotKnown where it may have it, or not."""
    parts, sure = held
    if key in parts and key not in sure:
        raise NotKnown
    return key in sure
