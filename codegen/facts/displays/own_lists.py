"""Lists of callbacks that the code makes itself, and that no Trainer has yet: Lightning's adds its own to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ...index import patterns as m
from ...index.scope import Binding, Variable
from ...ir.project import Project
from ...values import BoundMethod, Function, values_of
from ..main.run_order import LOOPS, RunOrder

CHANGING = m.Attribute(attr=m.Name("append") | m.Name("extend") | m.Name("insert"))
FRESH = (cst.List, cst.ListComp, cst.BinaryOperation)
READING = frozenset("any len list print sorted tuple".split())
CONSUMING = READING | {"all", "max", "min", "next", "set", "sum"}
PLAIN_USES = (cst.If, cst.UnaryOperation, cst.StarredElement, cst.BinaryOperation, cst.AugAssign, cst.Return)


@dataclass(frozen=True)
class OwnLists:
    """Tells of places where something is asked of a list's parts whether the list is such a one."""

    project: Project

    @cached_property
    def _order(self) -> RunOrder:
        return RunOrder(self.project)

    def is_of_own(self, asked: cst.Name, call: cst.Call | None = None) -> bool:
        """Whether a loop takes it from such a list; a `call` of its function is the one that asks."""
        loop = self._loop(asked)
        variable = (
            self.project.index.variable(loop.iter) if loop and isinstance(loop.iter, cst.Name) else None
        )
        return variable is not None and self._is_own(variable, asked, call)

    def _loop(self, asked: cst.Name) -> cst.For | cst.CompFor | None:
        """The one whose variable it is, and that alone gives it values."""
        variable = self.project.index.variable(asked)
        loops = [each.by for each in variable.bindings] if variable else []
        around = [each for each in loops if self._is_round(each, asked)]
        others = [each for each in loops if any(self.project.index.holds(one, each) for one in around)]
        (loop,) = around if len(around) == 1 and others == around else (None,)
        if isinstance(loop, cst.For | cst.CompFor) and isinstance(loop.target, cst.Name):
            return loop
        return None

    def _is_round(self, loop: cst.CSTNode, asked: cst.Name) -> bool:
        index = self.project.index
        outer = index.parent(loop) if isinstance(loop, cst.CompFor) else loop
        return outer is not None and index.holds(outer, asked)

    def _is_own(self, variable: Variable, place: cst.CSTNode, call: cst.Call | None = None) -> bool:
        """Whether a variable is given a list, which then is but added to and read until it comes to a place."""
        index = self.project.index
        function = index.function_of(place)
        first = [each for each in variable.bindings if self._is_first(each, place)]
        is_inner = all(index.function_of(use) is function for use in variable.uses)
        if not first or not is_inner or not self._is_at_once(place, variable):
            return False
        given = max(first, key=lambda each: index.order(each.by))
        bound = (each for each in variable.bindings if self._is_between(given.by, each.by, place))
        uses = (each for each in variable.uses if self._is_between(given.by, each, place))
        is_fresh = all(self._is_fresh(each, call) for each in (given, *bound))
        return is_fresh and all(self._only_reads(each, place) for each in uses)

    def _is_first(self, binding: Binding, place: cst.CSTNode) -> bool:
        return isinstance(binding.by, cst.Param) or self._order.runs_first(binding.by, place)

    def _is_at_once(self, place: cst.CSTNode, variable: Variable) -> bool:
        """Whether code comes to a place where that stands, and neither a lambda nor an iterator later."""
        index = self.project.index
        later = index.ancestor(place, cst.Lambda)
        if later is not None and index.inner_scope(later) is not variable.scope:
            return False
        iterators = self._order.around(place, (cst.GeneratorExp,))
        return all(self._is_consumed(each) for each in iterators)

    def _is_consumed(self, iterator: cst.CSTNode) -> bool:
        """Whether a function goes through an iterator at once."""
        index = self.project.index
        above = index.parent(iterator)
        call = index.parent(above) if isinstance(above, cst.Arg) else None
        return isinstance(call, cst.Call) and self.project.qualified(call.func) in CONSUMING

    def _is_between(self, first: cst.CSTNode, place: cst.CSTNode, last: cst.CSTNode) -> bool:
        """Whether a place may be run after the first one and before the last."""
        index = self.project.index
        return self._is_repeated(first, place, last) or index.order(first) < index.order(place) < index.order(
            last
        )

    def _is_repeated(self, first: cst.CSTNode, place: cst.CSTNode, last: cst.CSTNode) -> bool:
        """Whether a loop comes to a place and then to the last one again, and not to the first."""
        index = self.project.index
        loops = (each for each in self._order.around(last, LOOPS) if not index.holds(each, first))
        return any(index.holds(each, place) for each in loops)

    # ---- what makes it -----------------------------------------------------------------------------------

    def _is_fresh(self, binding: Binding, call: cst.Call | None) -> bool:
        """Whether it gives a variable a list of its own, or adds to that."""
        if isinstance(binding.by, cst.AugAssign):
            return True
        if isinstance(binding.by, cst.Param):
            return self._is_given_own(binding, call)
        value = binding.by.value if isinstance(binding.by, cst.Assign | cst.AnnAssign) else None
        return value is not None and self._makes_list(value)

    def _makes_list(self, value: cst.BaseExpression) -> bool:
        """Whether an expression gives a list that nothing else has."""
        if not isinstance(value, cst.Call):
            return isinstance(value, FRESH)
        called = values_of(self.project).callees(value)
        return bool(called) and all(isinstance(each, Function) and self._returns_own(each) for each in called)

    def _returns_own(self, function: Function) -> bool:
        """Whether a function makes the list that it returns."""
        node, index = function.node, self.project.index
        if not isinstance(node, cst.FunctionDef) or node.decorators or _is_run_later(self.project, node):
            return False
        returned = [each.value for each in index.own(node, cst.Return)]
        return bool(returned) and all(each is not None and self._is_own_value(each) for each in returned)

    def _is_own_value(self, value: cst.BaseExpression) -> bool:
        """Whether it is such a list, by a name or as it is made."""
        variable = self.project.index.variable(value) if isinstance(value, cst.Name) else None
        return self._is_own(variable, value) if variable is not None else self._makes_list(value)

    def _is_given_own(self, parameter: Binding, call: cst.Call | None) -> bool:
        """Whether a function is given such a list by the `call`, or by all that there are."""
        function = self.project.index.function_of(parameter.node)
        calls = [call] if call is not None else self._order.calls_alone(function) if function else []
        return bool(calls) and all(
            isinstance(each, cst.Call) and self._gives_own(each, parameter.variable) for each in calls
        )

    def _gives_own(self, call: cst.Call, parameter: Variable) -> bool:
        given = (
            each.value for each in call.args if parameter_given(self.project, call, each.value) is parameter
        )
        value = next(given, None)
        return value is not None and self._is_own_value(value)

    # ---- what is done with it ----------------------------------------------------------------------------

    def _only_reads(self, use: cst.Name, place: cst.CSTNode) -> bool:
        """Whether a use adds to a list or reads it, and leaves it to nothing else before the place."""
        index = self.project.index
        above = index.parent(use)
        if isinstance(above, cst.For | cst.CompFor):
            return above.iter is use
        if isinstance(above, cst.Attribute):
            call = index.parent(above)
            return m.matches(above, CHANGING) and isinstance(call, cst.Call) and call.func is above
        if isinstance(above, cst.Arg):
            call = index.parent(above)
            return isinstance(call, cst.Call) and self._only_reads_argument(call, use, place)
        return isinstance(above, PLAIN_USES)

    def _only_reads_argument(self, call: cst.Call, use: cst.Name, place: cst.CSTNode) -> bool:
        """Whether a call that has it only reads it, or begins only after the place, which is another argument."""
        if self.project.qualified(call.func) in READING:
            return True
        is_later = self.project.index.holds(call, place) and not self._is_repeated(call, call, place)
        return is_later or self._is_read_by_own(call, use)

    def _is_read_by_own(self, call: cst.Call, use: cst.Name) -> bool:
        """Whether a function of the project's only reads what it is given."""
        given = parameter_given(self.project, call, use)
        if given is None or len(given.bindings) != 1:
            return False
        function = self.project.index.function_of(given.bindings[0].node)
        is_plain = all(self.project.index.function_of(each) is function for each in given.uses)
        return is_plain and all(map(self._is_read, given.uses))

    def _is_read(self, use: cst.Name) -> bool:
        """Whether a use of a parameter does no more than to go through it, or to ask for its length."""
        index = self.project.index
        above = index.parent(use)
        if isinstance(above, cst.For | cst.CompFor):
            return above.iter is use
        call = index.parent(above) if isinstance(above, cst.Arg) else None
        is_reading = isinstance(call, cst.Call) and self.project.qualified(call.func) in READING
        return is_reading or isinstance(above, cst.If | cst.UnaryOperation)


def parameter_given(project: Project, call: cst.Call, value: cst.BaseExpression) -> Variable | None:
    """The parameter of the one function of the project's that a call runs for which it passes an argument."""
    called = values_of(project).callees(call).only
    function = called.function if isinstance(called, BoundMethod) else called
    if not isinstance(function, Function) or any(each.star for each in call.args):
        return None
    if _is_run_later(project, function.node):
        return None
    params = function.node.params
    by_place = [*params.posonly_params, *params.params][isinstance(called, BoundMethod) :]
    by_name = {each.name.value: each for each in (*params.params, *params.kwonly_params)}
    places = [*by_place, *[None] * len(call.args)]
    for place, argument in enumerate(call.args):
        if argument.value is value:
            found = by_name.get(argument.keyword.value) if argument.keyword else places[place]
            return project.index.variable(found.name) if found else None
    return None


def _is_run_later(project: Project, function: cst.FunctionDef | cst.Lambda) -> bool:
    """Whether calling a function runs nothing of it yet."""
    yields: list[cst.Yield] = project.index.own(function, cst.Yield)
    return bool(yields) or (isinstance(function, cst.FunctionDef) and function.asynchronous is not None)
