"""In which order places of the code are run, how often, and which of them exclude each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ...ir.project import Project
from ...values import BoundMethod, Class, Function, Value, Values, values_of

COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
LOOPS = (cst.For, cst.While, *COMPREHENSIONS)
BRANCHES = (*LOOPS, cst.If, cst.IfExp, cst.BooleanOperation, cst.Try, cst.Match)

Pair = tuple[cst.CSTNode, cst.CSTNode]


@dataclass(frozen=True)
class RunOrder:
    """Tells of places in a project when they are run."""

    project: Project

    @cached_property
    def values(self) -> Values:
        return values_of(self.project)

    @cached_property
    def callers(self) -> dict[cst.CSTNode | None, list[cst.CSTNode]]:
        """The places at which each function is run."""
        found: dict[cst.CSTNode | None, list[cst.CSTNode]] = {}
        for place in self.values.running:
            run = self.values.runs(place)
            for function in (each for each in run if not self.values.is_handed_on(place, each)):
                found.setdefault(function.node, []).append(place)
        return found

    def around(self, place: cst.CSTNode, kinds: tuple[type[cst.CSTNode], ...]) -> list[cst.CSTNode]:
        """The nodes of the kinds round a place, in its function."""
        function, found = self.project.index.function_of(place), list[cst.CSTNode]()
        above = self.project.index.ancestor(place, *kinds)
        while above is not None and self.project.index.function_of(above) is function:
            found.append(above)
            above = self.project.index.ancestor(above, *kinds)
        return found

    def excludes(self, one: cst.CSTNode, other: cst.CSTNode) -> bool:
        """Whether two places stand in branches of which only one is run."""
        return self.parting(one, other) is not None

    def parting(self, one: cst.CSTNode, other: cst.CSTNode) -> cst.If | None:
        """The statement of which two places stand in different branches."""
        branching = (each for each in self.around(one, (cst.If,)) if isinstance(each, cst.If))
        return next((each for each in branching if self._parts(each, one, other)), None)

    def _parts(self, branching: cst.If, one: cst.CSTNode, other: cst.CSTNode) -> bool:
        holds, body, orelse = self.project.index.holds, branching.body, branching.orelse
        return orelse is not None and any(
            holds(body, each) and holds(orelse, another) for each, another in ((one, other), (other, one))
        )

    # ---- how often ---------------------------------------------------------------------------------------

    def is_run_once(self, place: cst.CSTNode) -> bool:
        """Whether a process comes to a place but once: by functions that one call each runs, and nothing else."""
        index = self.project.index
        function = index.function_of(place)
        if index.ancestor(place, cst.Lambda) or self.around(place, LOOPS):
            return False
        if function is None:
            return True
        callers = self.calls_alone(function)
        return len(callers) == 1 and self.is_run_once(callers[0])

    def is_run_by_main(self, place: cst.CSTNode, seen: frozenset[cst.CSTNode] = frozenset()) -> bool:
        """Whether only code of modules' top levels, and functions that it calls, come to a place: no hook does."""
        function = self.project.index.function_of(place)
        if function is None or function in seen:
            return True
        if not isinstance(function, cst.FunctionDef):
            return False
        # what hydra and click decorate is called at the top level, and by them alone
        calls = self.calls_alone(function) or self._calls_at_top(function)
        return bool(calls) and all(self.is_run_by_main(each, seen | {function}) for each in calls)

    def _calls_at_top(self, function: cst.FunctionDef) -> list[cst.CSTNode]:
        """The calls of a function that nothing names but these, all of them at a module's top level."""
        index = self.project.index
        named = [(each, index.parent(each)) for each in self._named(function)]
        calls = [above for each, above in named if isinstance(above, cst.Call) and above.func is each]
        at_top = [each for each in calls if index.function_of(each) is None and index.class_of(each) is None]
        return [*at_top] if len(at_top) == len(named) else []

    def calls_alone(self, function: cst.FunctionDef) -> list[cst.CSTNode]:
        """The calls of a function, where nothing else may run it; none: something may."""
        callers = self.callers.get(function, [])
        called = {each.func for each in callers if isinstance(each, cst.Call)}
        is_called = len(called) == len(callers) and not function.decorators
        is_named = any(each not in called for each in self._named(function))
        return callers if is_called and not is_named and not self._may_be_made(function) else []

    def _named(self, function: cst.FunctionDef) -> Iterator[cst.BaseExpression]:
        """The expressions that name a function, or something of which it is not known that it is another."""
        index = self.project.index
        for name in index.of_kind(cst.Name):
            if name.value == function.name.value and index.binding(name) is None:
                above = index.parent(name)
                is_member = isinstance(above, cst.Attribute) and above.attr is name
                node = above if is_member else name if index.variable(name) else None
                if isinstance(node, cst.BaseExpression) and self._may_be(node, function):
                    yield node

    def _may_be(self, node: cst.BaseExpression, function: cst.FunctionDef) -> bool:
        found = self.values.of(node)
        return found.unknown is not None or any(_node(each) is function for each in found)

    def _may_be_made(self, function: cst.FunctionDef) -> bool:
        """Whether it is the constructor of a class of which code that is not read may make objects."""
        cls = self.project.index.class_of(function)
        is_constructor = cls is not None and function.name.value == "__init__"
        return is_constructor and cls in [each.node for each in self.values.escaped_classes]

    # ---- which is first ----------------------------------------------------------------------------------

    def runs_first(self, one: cst.CSTNode, other: cst.CSTNode, seen: frozenset[Pair] = frozenset()) -> bool:
        """Whether wherever a place is run, another has been run before."""
        index, seen = self.project.index, seen | {(one, other)}
        here, there = index.function_of(one), index.function_of(other)
        if here is there:
            return self._stands_first(one, other)
        if here is not None and self.always_runs(one, here):
            calls = [each for each in self.callers.get(here, []) if (each, other) not in seen]
            if any(self._runs_only(each, here) and self.runs_first(each, other, seen) for each in calls):
                return True
        calls = self.calls_alone(there) if there is not None else []
        return bool(calls) and all(
            (one, each) not in seen and self.runs_first(one, each, seen) for each in calls
        )

    def _stands_first(self, one: cst.CSTNode, other: cst.CSTNode) -> bool:
        """The same of two places in one function."""
        index = self.project.index
        in_order = index.order(one) < index.order(other) and not index.holds(one, other)
        is_left = all(index.holds(each, other) for each in self.around(one, BRANCHES))
        return in_order and is_left and not self.excludes(one, other) and not self._is_in_lambda(one)

    def always_runs(self, place: cst.CSTNode, function: cst.FunctionDef) -> bool:
        """Whether a function that is run always comes to a place."""
        index = self.project.index
        leaves = [each for each in index.own(function, cst.Return) if index.order(each) < index.order(place)]
        earlier = [each for each in leaves if not index.holds(each, place)]
        is_plain = not self.around(place, BRANCHES) and not self._is_in_lambda(place)
        return is_plain and not earlier and not index.own(function, cst.Yield) and not function.asynchronous

    def _runs_only(self, call: cst.CSTNode, function: cst.FunctionDef) -> bool:
        """Whether a place runs this function and no other in its place."""
        return [each.node for each in self.values.runs(call)] == [function] and isinstance(call, cst.Call)

    def _is_in_lambda(self, place: cst.CSTNode) -> bool:
        return self.project.index.ancestor(place, cst.Lambda) is not None


def _node(value: Value) -> cst.CSTNode | None:
    """The function that a value is, called with a receiver or without."""
    function = value.function if isinstance(value, BoundMethod) else value
    return function.node if isinstance(function, Function | Class) else None
