"""Calls: arguments reach parameters, results come back, classes make objects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

import libcst as cst

from ...index.entries import Entries
from ...lightning.api import CALLBACKS, IDLE_CALLBACKS
from ..abstract import (
    BoundMethod,
    Class,
    Descriptor,
    Dict,
    External,
    Function,
    Instance,
    Literal,
    Member,
    Option,
    Partial,
    Sequence,
    Unknown,
    Value,
)
from ..bases import PLAIN
from ..fields import Fields
from ..flow import MAX_PLACES, OTHER, Argument, Arguments
from ..imports import KEEPING_PACKAGES
from ..metaclasses.rules import Metaclasses
from ..solver import Cell
from .attributes import option_in

Parameter = cst.Param

COMMAND_LINE = "it comes from the command line or a configuration"

NESTED = 8
NESTING = "a `functools.partial` of what may be itself"
"""As `f = partial(f, x)` in a loop makes one: it is followed so many times."""


class Calls(Metaclasses):
    """What calling a value does."""

    def call(self, callee: Value, arguments: Arguments, result: Cell) -> None:
        if isinstance(callee, Function):
            self.run_function(callee, arguments, result)
        elif isinstance(callee, BoundMethod):
            self.run_function(callee.function, arguments, result, callee.receiver)
        elif isinstance(callee, Class):
            self.construct(callee, arguments, result)
        elif isinstance(callee, Instance):
            self._call_object(callee, arguments, result)
        elif isinstance(callee, Partial):
            self._call_partial(callee, arguments, result)
        elif isinstance(callee, External):
            self.call_external(callee, arguments, result)
        elif isinstance(callee, Member):
            self.call_member(callee, arguments, result)
        elif isinstance(callee, Descriptor):
            self.run_function(callee.function, arguments, result)
        elif isinstance(callee, Option):
            self.hand_over(arguments, "a function that the command line or a configuration names")
            self.add(result, option_in(callee, "(...)"))
        elif isinstance(callee, Unknown):
            self.hand_over(arguments, "a function that is not known")
            self.add(result, callee)

    def call_external(self, callee: External, arguments: Arguments, result: Cell) -> None:
        raise NotImplementedError

    def call_member(self, callee: Member, arguments: Arguments, result: Cell) -> None:
        raise NotImplementedError

    def hand_over(self, arguments: Arguments, to: str) -> None:
        """The arguments go to code that is not read; a value that has gone there once has gone for good."""
        for argument in arguments.given:
            if self.once("handed over", argument.cell):
                self.watch(argument.cell, lambda value: self.escape(value, to))

    # ---- objects and partials ----------------------------------------------------------------------------

    def _call_object(self, callee: Instance, arguments: Arguments, result: Cell) -> None:
        if not isinstance(callee.cls, Class):
            self._call_librarys(callee, arguments, result)
            return
        cls = callee.cls
        if self.lookup(cls, "__call__", self._calls_method(callee, arguments, result)):
            return

        def found(part: Class | External) -> None:
            if isinstance(part, External) and part.name not in PLAIN:
                self._call_by_library(callee, cls, arguments, result)

        self.watch_order(cls, found)

    def _call_by_library(self, callee: Instance, cls: Class, arguments: Arguments, result: Cell) -> None:
        """torch's `__call__` runs `forward`."""
        name = f"`{cls.name}(...)(...)`"
        self.hand_over(arguments, name)
        for method in ("forward", "call"):
            self.lookup(cls, method, self._calls_method(callee, arguments, result))
        if not self._defines(cls, "forward"):
            self.add(result, Unknown(f"it is what calling {name} gives", arguments.node))

    def _calls_method(self, receiver: Instance, arguments: Arguments, result: Cell):  # type: ignore[no-untyped-def]
        def found(value: Value) -> None:
            bound = Cell()
            self._bound(receiver, bound, arguments.node)(value)
            self.flow(self.called(bound, arguments), result)

        return found

    def _call_librarys(self, callee: Instance, arguments: Arguments, result: Cell) -> None:
        if callee.lightning in {*CALLBACKS, *IDLE_CALLBACKS}:
            return  # which no call of it gets past
        self.hand_over(arguments, described(callee))
        root = callee
        while isinstance(root.cls, Member) and isinstance(root.cls.receiver, Instance):
            root = root.cls.receiver
        first = arguments.cell(0)
        package = root.cls.package if isinstance(root.cls, External) else ""
        if first and package in KEEPING_PACKAGES:  # a decorator that was called with its options
            self.watch(first, lambda value: self._keep(value, result))
        self.add(
            result,
            Unknown(f"it is what calling {described(callee)} gives", arguments.node),
        )

    def _keep(self, value: Value, result: Cell) -> None:
        if isinstance(value, Function | Class | BoundMethod):
            self.add(result, value)

    def _call_partial(self, callee: Partial, arguments: Arguments, result: Cell) -> None:
        if self.once("partial", callee, arguments):
            if not self._is_bounded(callee, arguments.node):
                self.hand_over(arguments, NESTING)
                unknown = Unknown(f"it is what {NESTING} gives", arguments.node)
                self.add(self.attribute(callee, "result"), unknown)
            elif any(each.star == "**" for each in arguments.given):
                self.postponed.append(lambda: self._call_unpacked(callee, arguments))
            else:
                self._call_with_first(callee, arguments)
        self.flow(self.attribute(callee, "result"), result)

    def _call_unpacked(self, callee: Partial, arguments: Arguments) -> None:
        """What mappings name that the call unpacks wins over what the partial has: surely, or it may."""
        cells = [each.cell for each in arguments.given if each.star == "**"]
        won = self._surely_won(cells)
        self._call_with_first(callee, arguments, won)
        for cell in cells:
            self.watch(cell, lambda value: self._call_anew(callee, arguments, value, won))
        for cell in cells if won else ():  # more may come of what this call does
            self.watch(cell, lambda _: self._unless_won(callee, arguments, cells, won))

    def _surely_won(self, cells: list[Cell]) -> frozenset[str]:
        named = [set.intersection(*map(self._surely_named, cell.values)) for cell in cells if cell.values]
        return frozenset().union(*named)

    def _unless_won(
        self, callee: Partial, arguments: Arguments, cells: list[Cell], won: frozenset[str]
    ) -> None:
        if not won <= self._surely_won(cells) and self.once("not won", callee, arguments):
            self._call_with_first(callee, arguments)

    def _call_anew(self, callee: Partial, arguments: Arguments, value: Value, won: frozenset[str]) -> None:
        """It is called without what the partial names, too, where a mapping may name that."""

        def call(name: str) -> None:
            if self.once("named anew", callee, arguments, name):
                self._call_with_first(callee, arguments, won | {name})

        named = {each.keyword for each in self.arguments[callee.node].given if each.keyword}
        for name in sorted(named - won):
            if not isinstance(value, Dict) or value.is_alias or value in self.open:
                call(name)
                continue
            for key in (name, OTHER):
                self.watch(self.element(value, key), lambda _, name=name: call(name))  # type: ignore[misc]

    def _surely_named(self, value: Value) -> set[str]:
        """The names that a mapping has wherever it is unpacked: it is made with them, and none is taken out."""
        if not isinstance(value, Dict) or value.part or value in self.shrinking or value in self.open:
            return set()
        elements = value.node.elements if isinstance(value.node, cst.Dict) else ()
        keys = [each.key for each in elements if isinstance(each, cst.DictElement)]
        names = {str(each.evaluated_value) for each in keys if isinstance(each, cst.SimpleString)}
        return names - self.taken_out.get(value, set())

    def _call_with_first(
        self, callee: Partial, arguments: Arguments, won: frozenset[str] = frozenset()
    ) -> None:
        """It is called with what the partial has, but for what is given anew, and what the call gives."""
        function, *first = self.arguments[callee.node].given
        later = won | {each.keyword for each in arguments.given if each.keyword}
        given = (self._without(each, won) for each in first if each.keyword not in later)
        named_first = sorted((*given, *arguments.given), key=lambda each: each.star == "**")
        both = Arguments(arguments.node, tuple(named_first), arguments.is_open, is_partial=True)
        self.flow(self.called(function.cell, both), self.attribute(callee, "result"))

    def _without(self, argument: Argument, names: frozenset[str]) -> Argument:
        """An argument; of a mapping that is unpacked, what stands under other names."""
        if argument.star != "**" or not names:
            return argument

        def leave_out(value: Value, result: Cell) -> None:
            if not isinstance(value, Dict) or value.is_alias:
                self.add(result, value)
                return
            left = Dict(value.node, part=f"{value.part} without {', '.join(sorted(names))}")
            self.copy(value, left, Entries(left_out=names))
            self.add(result, left)

        return replace(argument, cell=self.each(argument.cell, leave_out))

    def _is_bounded(self, callee: Partial, place: cst.CSTNode) -> bool:
        """Whether a place has not called a partial too often: one of itself would add arguments for ever."""
        return any(self.once("partial at", callee, place, time) for time in range(NESTED))

    # ---- functions ---------------------------------------------------------------------------------------

    def run_function(
        self, function: Function, arguments: Arguments, result: Cell, receiver: Value | None = None
    ) -> None:
        self.runs.setdefault(arguments.node, {})[function] = None
        self.note_wrapped(function, arguments)
        wrapper = self.handing(function, arguments) if receiver is None else None
        if wrapper is None:
            self._enter_with(function, arguments, receiver)
        else:
            self.handed.add((arguments.node, function))
            self.watch(self.loosely(wrapper), lambda value: self._enter_handed(value, function, arguments))
        self.gives(function, arguments, receiver, result)

    def _enter_handed(self, value: Value, function: Function, arguments: Arguments) -> None:
        """A wrapper is called with a function besides decorating it."""
        if value == function:
            self.handed.discard((arguments.node, function))
            self._enter_with(function, arguments, None)

    def _enter_with(self, function: Function, arguments: Arguments, receiver: Value | None) -> None:
        self.enter(function)
        parameters = positional(function)
        if receiver is not None:
            self._give_receiver(function, receiver)
        if self.once("call", function, arguments, receiver is not None):
            self._bind(function, arguments, parameters[1:] if receiver is not None else parameters)

    def _give_receiver(self, function: Function, receiver: Value) -> None:
        parameters, star = positional(function), function.node.params.star_arg
        if parameters:
            self.add(self.of_parameter(parameters[0]), receiver)
        elif isinstance(star, cst.Param):
            self.add(self.element(Sequence("tuple", star), OTHER), receiver)

    def _bind(self, function: Function, arguments: Arguments, parameters: list[Parameter]) -> None:
        plain = list(takewhile(lambda each: not each.star, arguments.positional))
        given = {each.name.value for each in parameters[: len(plain)]}
        if rest := function.node.params.star_kwarg:
            named = {each.keyword for each in arguments.given if each.keyword}
            self.always_named[Dict(rest)] = self.always_named.get(Dict(rest), named) & named
        self._bind_places(function, tuple(arguments.positional), parameters, arguments.node)
        for argument in arguments.given:
            if argument.keyword:
                self._name(function, argument)
                given.add(argument.keyword)
            elif argument.star == "**":
                self._spread_dict(function, argument.cell, parameters[len(plain) :], given, arguments)
        if arguments.is_open:
            self._leave_open(
                function,
                arguments,
                given,
                [*parameters, *function.node.params.kwonly_params],
            )
        self._default(function, given)

    def _bind_places(
        self,
        function: Function,
        given: tuple[Argument, ...],
        parameters: list[Parameter],
        node: cst.CSTNode,
        place: int = 0,
    ) -> None:
        """Arguments by their places; those behind a starred one stand where the length of that says."""
        plain = list(takewhile(lambda each: not each.star, given))
        for argument in plain:
            self._give(function, parameters, place, argument)
            place += 1
        if starred := given[len(plain) : len(plain) + 1]:
            behind = given[len(plain) + 1 :]
            self.watch(
                starred[0].cell,
                lambda value: self._bind_unpacked(function, value, behind, parameters, node, place),
            )

    def _bind_unpacked(
        self,
        function: Function,
        value: Value,
        behind: tuple[Argument, ...],
        parameters: list[Parameter],
        node: cst.CSTNode,
        place: int,
    ) -> None:
        self._spread(function, value, parameters[place:], node)
        if (length := length_of(value)) is not None:
            self._bind_places(function, behind, parameters, node, place + length)
            return
        star = function.node.params.star_arg
        rest = [self.element(Sequence("tuple", star), OTHER)] if isinstance(star, cst.Param) else []
        for argument in behind:
            cell = self.elements_of(argument.cell, node) if argument.star else argument.cell
            for target in (*map(self.of_parameter, parameters[place:]), *rest):
                self.flow(cell, target)

    def _give(self, function: Function, parameters: list[Parameter], place: int, argument: Argument) -> None:
        if place < len(parameters):
            self.flow(argument.cell, self.of_parameter(parameters[place]))
        elif isinstance(star := function.node.params.star_arg, cst.Param):
            self.put(Sequence("tuple", star), place - len(parameters), argument.cell, argument.node)

    def _name(self, function: Function, argument: Argument) -> None:
        for parameter in by_name(function):
            if parameter.name.value == argument.keyword:
                self.flow(argument.cell, self.of_parameter(parameter))
                return
        if rest := function.node.params.star_kwarg:
            self.put(Dict(rest), argument.keyword, argument.cell, argument.node)
            self.add(self.any_key(Dict(rest)), Literal(argument.keyword, rest))

    def _spread(
        self, function: Function, value: Value, parameters: list[Parameter], node: cst.CSTNode
    ) -> None:
        star = function.node.params.star_arg
        rest = Sequence("tuple", star) if isinstance(star, cst.Param) else None
        if isinstance(value, Sequence) and value.kind in ("tuple", "list"):
            for place, parameter in enumerate(parameters):
                self.take(value, place, self.of_parameter(parameter))
            for place in range(len(parameters), MAX_PLACES if rest else 0):
                assert rest
                self.flow(self.element(value, place), self.element(rest, place - len(parameters)))
            if rest:
                self.flow(self.element(value, OTHER), self.element(rest, OTHER))
            return
        elements = Cell()
        self.iterate(value, elements, node)
        for parameter in parameters:
            self.flow(elements, self.of_parameter(parameter))
        if rest:
            self.flow(elements, self.element(rest, OTHER))

    def _spread_dict(
        self,
        function: Function,
        cell: Cell,
        parameters: list[Parameter],
        given: set[str],
        arguments: Arguments,
    ) -> None:
        named = [*parameters, *function.node.params.kwonly_params]
        waiting = [each for each in named if each.name.value not in given]
        rest = function.node.params.star_kwarg

        def spread(value: Value) -> None:
            if isinstance(value, Dict):
                node = arguments.node
                for parameter in waiting:
                    self.take_named(value, parameter.name.value, self.of_parameter(parameter), node)
                if rest:
                    self._take_rest(value, Dict(rest), {each.name.value for each in named}, node)
                return
            part = Cell()
            self._value_of_mapping(value, part, arguments.node)
            for parameter in waiting:
                self.flow(part, self.of_parameter(parameter))
            if rest:
                self.flow(part, self.element(Dict(rest), OTHER))
                self.add(
                    self.any_key(Dict(rest)),
                    Unknown("it is a name that is unpacked", rest),
                )

        self.watch(cell, spread)

    def take_named(self, owner: Dict, name: str, result: Cell, node: cst.CSTNode) -> None:
        """What a dict holds under a name: an element, an attribute or a variable."""
        if owner.owner is not None:
            self.read(owner.owner, name, result, node)
        elif owner.is_globals:
            self.flow(self.of_variable(self.index.module.variable(name)), result)
        else:
            self.take(owner, name, result)

    def _take_rest(self, owner: Dict, rest: Dict, left_out: set[str], node: cst.CSTNode) -> None:
        """What it holds under all other names."""
        if owner.is_alias:
            self.add(self.element(rest, OTHER), Unknown("it is an attribute whose name is not known", node))
            self.add(self.any_key(rest), Unknown("it is the name of an attribute", node))
        else:
            self.copy(owner, rest, Entries(left_out=frozenset(left_out)))

    def _value_of_mapping(self, value: Value, result: Cell, node: cst.CSTNode) -> None:
        """What a mapping holds that is no plain dict."""
        if isinstance(value, Option):
            self.add(result, option_in(value, "[...]"))
        elif isinstance(value, Unknown):
            self.add(result, value)
        elif not isinstance(value, Literal):
            self.add(result, Unknown("it is unpacked from what is no plain dict", node))

    def _leave_open(
        self,
        function: Function,
        arguments: Arguments,
        given: set[str],
        parameters: list[Parameter],
    ) -> None:
        """Parameters that may be given by what is not read."""
        for parameter in parameters[len(arguments.positional) :]:
            if parameter.name.value not in given:
                self.add(self.of_parameter(parameter), self._handed(parameter, arguments))
        value = Unknown(arguments.is_open, arguments.node)
        if isinstance(star := function.node.params.star_arg, cst.Param):
            self.add(self.element(Sequence("tuple", star), OTHER), value)
        if rest := function.node.params.star_kwarg:
            self.add(self.element(Dict(rest), OTHER), value)
            self.add(self.any_key(Dict(rest)), value)

    def _handed(self, parameter: Parameter, arguments: Arguments) -> Value:
        if arguments.is_open == COMMAND_LINE:
            return Option(parameter.name.value, parameter)
        return Unknown(arguments.is_open, parameter)

    def _default(self, function: Function, given: set[str]) -> None:
        for parameter in parameters_of(function):
            name = parameter.name.value
            if parameter.default and name not in given and self.once("default", function, name):
                self.flow(self.evaluate(parameter.default), self.of_parameter(parameter))

    # ---- classes -----------------------------------------------------------------------------------------

    def construct(self, cls: Class, arguments: Arguments, result: Cell) -> None:
        if self.is_enum(cls):
            self.add(
                result,
                Unknown(f"it is a member of the Enum `{cls.name}`", arguments.node),
            )
            return
        if not self.construct_by_metaclass(cls, arguments, result):
            self.make(cls, arguments, result)

    def make(self, cls: Class, arguments: Arguments, result: Cell) -> None:
        made = Instance(cls, arguments.node)
        self.begin(made, cls, arguments, result)
        self.add(result, made)

    def begin(self, made: Instance, cls: Class, arguments: Arguments, result: Cell) -> None:
        if self._defines(cls, "__new__"):
            new = self.called(
                self._method_of(cls, "__new__"),
                with_first(arguments, self.holding(cls)),
            )
            self.flow(new, result)
        self.made.setdefault(cls, {})[made] = None
        if self.once("construct", made, arguments):
            self._initialize(made, cls, arguments)

    def _method_of(self, cls: Class, name: str) -> Cell:
        found = Cell()
        self.lookup(cls, name, lambda value: self.add(found, _plain(value)))
        return found

    def _initialize(self, made: Instance, cls: Class, arguments: Arguments) -> None:
        fields = Fields(self.index, self.names).of(self.lineage(cls), self.library_bases(cls))
        found = self.lookup(cls, "__init__", self._calls_method(made, arguments, Cell()))
        self.watch_order(cls, lambda part: self._made_of(part, made, not found and not fields, arguments))
        if fields and not found:
            self._set_fields(made, fields, arguments)
            self.lookup(
                cls,
                "__post_init__",
                self._calls_method(made, Arguments(arguments.node), Cell()),
            )

    def _made_of(
        self, part: Class | External, made: Instance, is_passed_on: bool, arguments: Arguments
    ) -> None:
        """An object of a class that is derived from a library's."""
        if isinstance(part, Class) or part.name in PLAIN:
            return
        if part.lightning == "Trainer":
            self.add(self.trainers, made)
        if is_passed_on:
            self.hand_over(arguments, f"the constructor of `{part.name}`")

    def _set_fields(self, made: Instance, fields: list[str], arguments: Arguments) -> None:
        """The arguments of a dataclass."""
        for place, name in enumerate(fields):
            if cell := arguments.cell(place, name):
                self.flow(cell, self.attribute(made, name))
        for argument in arguments.given:
            if argument.star == "**":
                self.watch(
                    argument.cell,
                    lambda value: self._set_fields_by(made, fields, value, arguments),
                )
            elif argument.star == "*":
                cell = self.elements_of(argument.cell, arguments.node)
                for name in fields:
                    self.flow(cell, self.attribute(made, name))
        if arguments.is_open:
            for name in fields:
                self.add(
                    self.attribute(made, name),
                    Unknown(arguments.is_open, arguments.node),
                )

    def _set_fields_by(self, made: Instance, fields: list[str], value: Value, arguments: Arguments) -> None:
        for name in fields:
            if isinstance(value, Dict):
                self.take_named(value, name, self.attribute(made, name), arguments.node)
            else:
                self._value_of_mapping(value, self.attribute(made, name), arguments.node)


def length_of(value: Value) -> int | None:
    """How many elements a tuple surely has; None: that is not known."""
    node = value.node if isinstance(value, Sequence) and value.kind == "tuple" and not value.part else None
    if not isinstance(node, cst.Tuple) or any(isinstance(each, cst.StarredElement) for each in node.elements):
        return None
    return len(node.elements)


# ---- parameters --------------------------------------------------------------------------------------------


def positional(function: Function) -> list[Parameter]:
    params = function.node.params
    return [*params.posonly_params, *params.params]


def by_name(function: Function) -> list[Parameter]:
    """The parameters that may be given by name."""
    return [*function.node.params.params, *function.node.params.kwonly_params]


def parameters_of(function: Function) -> Iterator[Parameter]:
    yield from positional(function)
    yield from function.node.params.kwonly_params


def with_first(arguments: Arguments, cell: Cell) -> Arguments:
    """The same call, with one more argument in front."""
    return Arguments(arguments.node, (Argument(cell), *arguments.given), arguments.is_open)


def _plain(value: Value) -> Value:
    return value.function if isinstance(value, Descriptor) else value


def described(value: Value) -> str:
    """A library's object, as a sentence names it."""
    if isinstance(value, Instance):
        return f"{described(value.cls)[:-1]}(...)`"
    if isinstance(value, Member):
        receiver = described(value.receiver)
        return f"{receiver[:-1]}.{value.name}`"
    if isinstance(value, External | Class):
        return f"`{value.name}`"
    if isinstance(value, Sequence):
        return f"`{value.kind}`"
    if isinstance(value, Dict):
        return "`dict`"
    return "`...`"
