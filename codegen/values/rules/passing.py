"""Functions that give back what they are given, or what they are asked for: what a call gives depends on the call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

import libcst as cst

from ...index import Binding, Index
from ...index.choices import OTHER, Choosing, Literals, literal
from ...index.ending import ends
from ..abstract import Function, Value
from ..flow import Argument, Arguments
from ..imports import ImportedNames
from ..solver import Cell
from .calls import parameters_of, positional
from .configurations import GIVE_WHAT_THEY_HOLD
from .expressions import Expressions

OF_MAPPINGS = frozenset({"copy", "get", "pop", "setdefault"})
"""Methods of mappings that give what these hold, or what they are given."""

GIVING_BACK = GIVE_WHAT_THEY_HOLD | {"builtins.vars", "copy.copy", "copy.deepcopy", "typing.cast"}
"""Functions of libraries' that do so."""


WITHIN = 8
"""So many functions are followed that give back what others give back."""

STEPS = 32
"""So many assignments lie at most between what a function is given and what it gives back."""

CALLS = 128
"""So many calls of a function are told from each other at one place, as it is in calls of the function round it."""


@dataclass(frozen=True, eq=False)
class _Call:
    """A call of such a function, with what it is given and gives."""

    given: Mapping[Binding, Cell]
    result: Cell
    literals: Literals  # of what it is given
    bound: dict[Binding, Cell] = field(default_factory=dict)


class Passing(Expressions):
    """Tells the calls of such a function from each other.

    Of what it returns, names of parameters, their attributes and elements, what is chosen among them and what calling
    them gives, such as a class that a registry holds, are followed for each call, and what it returns in branches that
    the call does not take is left out; all else is the same for all calls.
    """

    def __init__(self, index: Index, names: ImportedNames) -> None:
        super().__init__(index, names)
        self.choosing = Choosing(index)
        self.giving: dict[Function, bool] = {}
        self.asked_within = 0
        self.recursive: dict[cst.FunctionDef, bool] = {}
        self.asking: dict[Function, frozenset[Binding]] = {}
        self.calls: dict[Function, list[_Call]] = {}
        self.returning: dict[Function, list[tuple[Cell, cst.BaseExpression | None]]] = {}
        self.times: Counter[tuple[Function, cst.CSTNode]] = Counter()

    def gives(self, function: Function, arguments: Arguments, receiver: Value | None, result: Cell) -> None:
        literals = self._literals(function, arguments, receiver)
        depends = literals or self._gives_back(function)
        given = self._given(function, arguments, receiver) if depends else None
        if given is None or not self._is_told_apart(function, arguments.node):
            super().gives(function, arguments, receiver, result)
            return
        call = _Call(given, result, literals)
        self.calls.setdefault(function, []).append(call)
        for cell, node in self.returning.get(function, ()):
            self._give_to(call, cell, node)
        if isinstance(function.node, cst.FunctionDef) and not ends(function.node.body):
            self.add(result, self.none(function.node))

    def _is_told_apart(self, function: Function, place: cst.CSTNode) -> bool:
        """Whether a place has not called a function too often: one that calls itself would do so for ever."""
        self.times[function, place] += 1
        return self.times[function, place] <= CALLS

    def returns(self, function: Function, cell: Cell, node: cst.BaseExpression | None) -> None:
        """A function returns something, which an expression gives."""
        self.flow(cell, self.of_function(function))
        self.returning.setdefault(function, []).append((cell, node))
        for call in self.calls.get(function, ()):
            self._give_to(call, cell, node)

    def _give_to(self, call: _Call, cell: Cell, node: cst.BaseExpression | None) -> None:
        if node is None or self.choosing.is_run(node, call.literals):
            self.flow(cell if node is None else self._within(node, call), call.result)

    def _literals(
        self, function: Function, arguments: Arguments, receiver: Value | None
    ) -> dict[Binding, object]:
        """The literals among what a call gives to parameters that the function's branches ask for."""
        if function not in self.asking:
            is_plain = self._is_plain_function(function)
            self.asking[function] = self.choosing.tested(function.node) if is_plain else frozenset()
        asked = self.asking[function]
        if not asked or arguments.is_open or any(each.star for each in arguments.given):
            return {}
        places: list[cst.BaseExpression | None] = [None] if receiver is not None else []
        places += [each.node for each in arguments.given if not each.keyword]
        named = {each.keyword: each.node for each in arguments.given if each.keyword}
        named |= {each.name.value: node for each, node in zip(positional(function), places, strict=False)}
        found = {each: literal(_given_to(each, named)) for each in asked}
        return {each: value for each, value in found.items() if value is not OTHER}

    def _given(
        self, function: Function, arguments: Arguments, receiver: Value | None
    ) -> dict[Binding, Cell] | None:
        """What a call gives each parameter, what it unpacks as all calls do; None: that is not plain to see."""
        if arguments.is_open:
            return None
        first = [] if receiver is None else [self.holding(receiver)]
        plain = takewhile(lambda each: not each.star, arguments.positional)
        cells = [*first, *(each.cell for each in plain)]
        named = {each.keyword: each.cell for each in arguments.given if each.keyword}
        named |= {each.name.value: cell for each, cell in zip(positional(function), cells, strict=False)}
        unpacks = any(each.star for each in arguments.given)
        others = self.of_parameter if unpacks else self._default_of
        return {
            binding: named.get(each.name.value) or others(each)
            for each in parameters_of(function)
            if (binding := self.index.binding(each.name))
        }

    def _default_of(self, parameter: cst.Param) -> Cell:
        return self.evaluate(parameter.default) if parameter.default else Cell()

    # ---- what depends on the call ------------------------------------------------------------------------

    def _gives_back(self, function: Function) -> bool:
        """Whether it may return what it is given."""
        if function not in self.giving and self.asked_within == WITHIN:
            return False
        if function not in self.giving:
            self.giving[function] = False  # where functions call each other
            self.asked_within += 1
            self.giving[function] = self._is_plain_function(function) and any(
                self._depends(each, set()) for each in self._returned(function)
            )
            self.asked_within -= 1
        return self.giving[function]

    def _is_plain_function(self, function: Function) -> bool:
        """Whether a call of it gives what it returns, and no more."""
        if function.node in self.wrappers_by_part:
            return False
        is_async = isinstance(function.node, cst.FunctionDef) and function.node.asynchronous
        return not is_async and not self.index.own(function.node, cst.Yield)

    def _returned(self, function: Function) -> list[cst.BaseExpression]:
        if isinstance(function.node, cst.Lambda):
            return [function.node.body]
        return [each.value for each in self.index.own(function.node, cst.Return) if each.value]

    def _depends(self, node: cst.CSTNode, seen: set[Binding]) -> bool:
        """Whether what an expression gives is told for each call of the function that it stands in."""
        if isinstance(node, cst.Name):
            return any(self._is_given(each, seen) for each in self._bindings_seen(node))
        return any(self._depends(each, seen) for each in self._passed_on(node))

    def _is_given(self, binding: Binding, seen: set[Binding]) -> bool:
        if isinstance(binding.by, cst.Param):
            return True
        if binding in seen or len(seen) == STEPS:
            return False
        seen.add(binding)
        return self._depends(_assigned(binding), seen)

    def _bindings_seen(self, name: cst.Name) -> list[Binding]:
        """Those of a function's variable that a use may see; empty: others than plain ones are among them."""
        variable = self.index.variable(name)
        if variable is None or variable.scope is not self.index.scope_of(name):
            return []
        one = self.reaching.binding(name)
        found = [one] if one else self.reaching.bindings_above(name) or variable.bindings
        return found if variable.scope.is_function and all(map(self._is_plain_binding, found)) else []

    def _is_plain_binding(self, binding: Binding) -> bool:
        """Whether it is a parameter, or takes all that is assigned in the function's own code."""
        by, node = binding.by, binding.node
        if self.index.scope_of(node) is not binding.variable.scope:
            return False
        if isinstance(by, cst.Param):
            return not by.star
        if isinstance(by, cst.Assign):
            return any(each.target is node for each in by.targets)
        return isinstance(by, cst.AnnAssign) and by.target is node and by.value is not None

    def _passed_on(self, node: cst.CSTNode) -> list[cst.BaseExpression]:
        """The parts of an expression whose values, or attributes of these, it gives."""
        if isinstance(node, cst.Attribute):
            return [node.value]
        if isinstance(node, cst.Subscript):
            return [node.value] if _index(node) else []
        if isinstance(node, cst.IfExp):
            return [node.body, node.orelse]
        if not isinstance(node, cst.Call):
            return []
        if self._is_instantiate(node.func):
            return [each.value for each in node.args if not each.star]
        return [*self._called_by(node), *self._given_back_by(node)]

    def _called_by(self, node: cst.Call) -> list[cst.BaseExpression]:
        """What is called, where that may be what the function is given, or is asked of it."""
        if isinstance(node.func, cst.Attribute):
            name = node.func.attr.value
            return [node.func] if name in OF_MAPPINGS or self._is_such_a_method(name) else []
        return [node.func]

    def _is_such_a_method(self, name: str) -> bool:
        """Whether a class of the code's has a method of that name that may return what it is given."""
        return any(self._gives_back(Function(each)) for each in self._methods_named.get(name, ()))

    @cached_property
    def _methods_named(self) -> dict[str, list[cst.FunctionDef]]:
        found: dict[str, list[cst.FunctionDef]] = {}
        for each in self.index.of_kind(cst.FunctionDef):
            if self.index.scope_of(each).kind == "class":
                found.setdefault(each.name.value, []).append(each)
        return found

    def _given_back_by(self, node: cst.Call) -> list[cst.BaseExpression]:
        if any(each.star for each in node.args):
            return []
        called = self.names.external(node.func)
        gives_back = called.name in GIVING_BACK if called else self._is_of_such_a_function(node.func)
        return [each.value for each in node.args] if gives_back else []

    def _is_of_such_a_function(self, node: cst.BaseExpression) -> bool:
        """Whether it surely names a function of the code's that may return what it is given."""
        by = self._function_named(node)
        return by is not None and self._gives_back(Function(by)) and not self._calls_itself(by)

    def _function_named(self, node: cst.BaseExpression) -> cst.FunctionDef | None:
        variable = self.index.variable(node) if isinstance(node, cst.Name) else None
        by = variable.bindings[0].by if variable is not None and len(variable.bindings) == 1 else None
        return by if isinstance(by, cst.FunctionDef) and not by.decorators else None

    def _calls_itself(self, function: cst.FunctionDef) -> bool:
        """Whether it is among the functions that it calls by their names, and these do."""
        if function not in self.recursive:
            reached, waiting = set[cst.FunctionDef](), [function]
            while waiting:
                calls = self.index.within(waiting.pop(), cst.Call)
                found = {each for each in (self._function_named(call.func) for call in calls) if each}
                waiting += found - reached
                reached |= found
            self.recursive[function] = function in reached
        return self.recursive[function]

    def _is_instantiate(self, node: cst.BaseExpression) -> bool:
        """Whether it makes what a configuration describes that it is given."""
        variable = self.index.variable(node) if isinstance(node, cst.Name) else None
        made_by = self.configured.instantiate
        return variable is not None and [each.by for each in variable.bindings] == [made_by]

    # ---- what a call gives -------------------------------------------------------------------------------

    def _within(self, node: cst.BaseExpression, call: _Call) -> Cell:
        """What an expression of the function gives in one call of it."""
        if not (self._depends(node, set()) or self._is_chosen(node, call)):
            return self.evaluate(node)
        if isinstance(node, cst.Name):
            return self.guarded(node, self._named(node, call))
        cell = Cell(node)
        if isinstance(node, cst.Attribute):
            self.read_attribute(node, self._within(node.value, call), cell)
        elif isinstance(node, cst.Subscript):
            self._element_within(node, call, cell)
        elif isinstance(node, cst.IfExp):
            self.choose(node, self._within(node.body, call), self._within(node.orelse, call), cell)
        elif isinstance(node, cst.Call):
            self.flow(self.called(self._within(node.func, call), self._arguments(node, call)), cell)
        return cell

    def _element_within(self, node: cst.Subscript, call: _Call, cell: Cell) -> None:
        index = _index(node)
        keys = self.keys_of(node) if index is None else self._within(index, call)
        self.watch(self._within(node.value, call), lambda owner: self.item(owner, keys, cell, node))

    def _named(self, name: cst.Name, call: _Call) -> Cell:
        cell = Cell()
        for each in self._bindings_run(name, call):
            self.flow(self.seen(name, each, self._bound_within(each, call)), cell)
        return cell

    def _is_chosen(self, node: cst.BaseExpression, call: _Call) -> bool:
        """Whether it is a variable that branches bind which the call does not take."""
        if not call.literals or not isinstance(node, cst.Name):
            return False
        return len(self._bindings_run(node, call)) < len(self._bindings_seen(node))

    def _bindings_run(self, name: cst.Name, call: _Call) -> list[Binding]:
        seen = self._bindings_seen(name)
        return [each for each in seen if self.choosing.is_run(each.by, call.literals)] or seen

    def _bound_within(self, binding: Binding, call: _Call) -> Cell:
        if binding in call.given:
            return call.given[binding]
        if not self._is_given(binding, set()):
            return self.of_binding(binding)
        if binding not in call.bound:
            call.bound[binding] = cell = Cell()
            self.flow(self._within(_assigned(binding), call), cell)
        return call.bound[binding]

    def _arguments(self, node: cst.Call, call: _Call) -> Arguments:
        given = (
            Argument(
                self._within(each.value, call),
                each.keyword.value if each.keyword else None,
                each.star,
                each.value,
            )
            for each in node.args
        )
        return Arguments(node, tuple(given))


def _given_to(
    parameter: Binding, named: Mapping[str, cst.BaseExpression | None]
) -> cst.BaseExpression | None:
    """What a parameter is given, or has by default."""
    assert isinstance(parameter.by, cst.Param)
    return named.get(parameter.by.name.value, parameter.by.default)


def _index(node: cst.Subscript) -> cst.BaseExpression | None:
    """What one element is asked for by; None: several are."""
    first = node.slice[0].slice
    is_one = len(node.slice) == 1 and isinstance(first, cst.Index) and not first.star
    return cst.ensure_type(first, cst.Index).value if is_one else None


def _assigned(binding: Binding) -> cst.BaseExpression:
    """What is bound to a variable."""
    assert isinstance(binding.by, cst.Assign | cst.AnnAssign)
    assert binding.by.value
    return binding.by.value
