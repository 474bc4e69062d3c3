"""Trainers that are told to fit more than once: under Lightning they go on where they stopped.

A script's `fit` starts anew each time. So a second fit of one Trainer stops the build where it is sure, and the run
where only that can tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import libcst as cst

from ...index import Binding
from ...index import patterns as m
from ...ir.project import Project
from ...values import Instance, Values, ValueSet, values_of
from ...values.reaching import Reaching
from ..trainer.methods import FitCall
from .run_order import BRANCHES, LOOPS, RunOrder

LOCAL = m.Assign([m.AssignTarget(m.Name() | m.Tuple())]) | m.AnnAssign(target=m.Name())
CACHES = ("cache", "lru_cache", "cached_property")


@dataclass(frozen=True)
class Refits:
    """Tells where a Trainer is told to fit a second time, and whether it may be."""

    project: Project
    fits: tuple[FitCall, ...]

    @cached_property
    def values(self) -> Values:
        return values_of(self.project)

    @cached_property
    def reaching(self) -> Reaching:
        return Reaching(self.project.index)

    @cached_property
    def order(self) -> RunOrder:
        return RunOrder(self.project)

    def sure(self) -> Iterator[cst.Call]:
        """Fits of a Trainer that has surely been told to fit before."""
        surely = [each for each in self.fits if len(self.values.callees(each.node)) == 1]
        for place, fit in enumerate(surely):
            earlier = (each.node for each in surely[:place])
            if self._repeats(fit.node) or any(self.surely_precedes(each, fit.node) for each in earlier):
                yield fit.node

    @property
    def may_be(self) -> bool:
        """Whether one Trainer may be told to fit twice."""
        is_once = all(self._is_new(fit.node, made) for fit in self.fits for made in self._made(fit.node))
        return not is_once or any(
            self._share(one.node, other.node) for one, other in combinations(self.fits, 2)
        )

    @property
    def are_alternatives(self) -> bool:
        """Whether but one of several calls is run."""
        nodes = [each.node for each in self.fits]
        is_once = not any(self.order.around(each, LOOPS) for each in nodes)
        return is_once and all(self.order.excludes(*pair) for pair in combinations(nodes, 2))

    @property
    def excluded(self) -> dict[cst.CSTNode, frozenset[cst.CSTNode]]:
        """By calls the others of which none is run where it is."""
        nodes = [each.node for each in self.fits]
        return {one: frozenset(each for each in nodes if self.order.excludes(one, each)) for one in nodes}

    @property
    def are_at_most_one(self) -> bool:
        """Whether a process trains but once, as all calls of `fit` show."""
        return self.are_alternatives and all(self.order.is_run_once(each.node) for each in self.fits)

    def pair_models(self, evaluations: Iterable[FitCall]) -> bool:
        """Whether no model may be given to a second Trainer: one is made, with a new model each time."""
        calls = (*self.fits, *evaluations)
        trainers, models = set[cst.CSTNode | None](), set[cst.CSTNode | None]()
        for call in calls:
            trainers |= _nodes_of(self.values.receivers(call.node))
            model = call.expression("model")
            models |= _nodes_of(self.values.of(model)) if model else set()
        if len(trainers) != 1 or None in trainers | models:
            return False
        (trainer,) = (each for each in trainers if each)
        return self.order.is_run_once(trainer) or all(self._is_new(trainer, each) for each in models if each)

    # ---- where Trainers are made -------------------------------------------------------------------------

    def _made(self, fit: cst.Call) -> set[cst.CSTNode]:
        """The calls that make what is told to fit."""
        return {each.node for each in self.values.receivers(fit) if isinstance(each, Instance)}

    def making(self, made: cst.CSTNode, function: cst.FunctionDef | None) -> dict[cst.CSTNode, None]:
        """The places that make a Trainer when they are run, up to a function: its call, and what calls that."""
        found = {made: None}
        waiting = [made]
        while waiting:
            within = self._running(waiting.pop())
            callers = self.order.callers.get(within, []) if within is not function else []
            new = dict.fromkeys(each for each in callers if each not in found)
            found |= new
            waiting += new
        return found

    def _running(self, place: cst.CSTNode) -> cst.CSTNode | None:
        """The function, or the lambda, that runs a place."""
        inner = self.project.index.ancestor(place, cst.Lambda, cst.FunctionDef)
        return inner if isinstance(inner, cst.Lambda) else self.project.index.function_of(place)

    # ---- how often ---------------------------------------------------------------------------------------

    def _is_new(self, place: cst.CSTNode, made: cst.CSTNode, below: tuple[cst.CSTNode, ...] = ()) -> bool:
        """Whether a Trainer is made anew each time that a place is run."""
        index = self.project.index
        if index.ancestor(place, cst.Lambda):
            return False  # which may be called anywhere
        function, loops = index.function_of(place), self.order.around(place, LOOPS)
        places = self.making(made, function)
        making = [each for each in places if index.function_of(each) is function]
        if making:
            is_kept = self._has_caches or any(map(self._is_kept, places))
            return not is_kept and all(
                any(index.holds(_body(loop), each) for each in making) for loop in loops
            )
        callers = self.order.callers.get(function, [])
        is_run_once = not loops and len(callers) == 1 and callers[0] not in below
        return is_run_once and self._is_new(callers[0], made, (*below, place))

    @cached_property
    def _has_caches(self) -> bool:
        """Whether results of functions may be kept."""
        return any(name.value in CACHES for name in self.project.index.of_kind(cst.Name))

    def _is_kept(self, place: cst.CSTNode) -> bool:
        """Whether what is made there may be kept for the next time that the place is run."""
        assigned = self.project.index.ancestor(place, cst.Assign, cst.AnnAssign)
        is_stored = assigned is not None and not m.matches(assigned, LOCAL)
        return is_stored and bool(self.order.around(place, BRANCHES))

    # ---- two fits ----------------------------------------------------------------------------------------

    def may_share(self, one: cst.Call, other: cst.Call) -> bool:
        """Whether two calls may be of one Trainer."""
        is_open = any(self.values.receivers(each).unknown for each in (one, other))
        common = self._made(one) & self._made(other)
        parting = self.order.parting(one, other)
        is_apart = parting is not None and all(self._is_new(parting, made) for made in common)
        return is_open or (not is_apart and self._overlap(one, other))

    def _share(self, one: cst.Call, other: cst.Call) -> bool:
        """Whether two fits may be of one Trainer."""
        return not self.order.excludes(one, other) and self._overlap(one, other)

    def _overlap(self, one: cst.Call, other: cst.Call) -> bool:
        """Whether one Trainer may come to two calls, as far as it shows where each has its from."""
        common = self._made(one) & self._made(other)
        ones, others = ([self.local(fit, made) for made in common] for fit in (one, other))
        are_known = all((*ones, *others))
        return bool(common) and not (are_known and set().union(*ones).isdisjoint(set().union(*others)))

    def local(self, fit: cst.Call, made: cst.CSTNode) -> set[cst.CSTNode]:
        """The places that make the Trainer, where the fit's function itself binds a variable to it."""
        receiver, making = _receiver(fit), self.making(made, self.project.index.function_of(fit))
        if self._has_caches or any(map(self._is_kept, making)):
            return set()  # the same place may give one Trainer several times, and two the same
        if receiver in making:
            return {receiver}
        bindings = self._seen(receiver) if isinstance(receiver, cst.Name) else []
        kinds = cst.Assign | cst.AnnAssign
        bound: set[cst.CSTNode] = {
            each.by.value for each in bindings if isinstance(each.by, kinds) and each.by.value
        }
        return bound if len(bound) == len(bindings) and bound <= making.keys() else set()

    def _seen(self, name: cst.Name) -> list[Binding]:
        """The bindings of a variable that a use may see."""
        seen = self.reaching.binding(name)
        return [seen] if seen else self.project.index.bindings(name)

    def _repeats(self, fit: cst.Call) -> bool:
        """Whether a loop tells a Trainer to fit that the same function makes before the loop."""
        index, made = self.project.index, self._only(fit)
        loops = [each for each in self.order.around(fit, LOOPS) if made and not index.holds(each, made)]
        are_several = made and any(not index.holds(each, fit) for each in self.order.around(made, LOOPS))
        return (
            bool(loops) and not are_several and index.function_of(loops[0]) is index.function_of(made or fit)
        )

    def surely_precedes(self, one: cst.Call, other: cst.Call) -> bool:
        """Whether the same Trainer is always told first to fit at one place, and later at another."""
        return self._is_one_trainer(one, other) and self.order.runs_first(one, other)

    def always_precedes(self, one: cst.Call, other: cst.Call) -> bool:
        """Whether a Trainer has been told at one place wherever it comes to another."""
        return self.surely_precedes(one, other) or self._is_told_where_made(one, other)

    def _is_told_where_made(self, one: cst.Call, other: cst.Call) -> bool:
        """Whether the function that makes a Trainer always comes to the first call before others can come to it."""
        index, made = self.project.index, self._only(other)
        function = index.function_of(made) if made else None
        if made is None or function is None or made is not self._only(one):
            return False
        leading = [each for each in self._leading_to(other) if index.function_of(each) is function]
        return (
            index.function_of(one) is function
            and index.order(made) < index.order(one)
            and not self.order.around(made, BRANCHES)
            and self.order.always_runs(one, function)
            and all(index.order(each) > index.order(one) for each in leading)
        )

    def _leading_to(self, place: cst.CSTNode) -> dict[cst.CSTNode, None]:
        """A place, and all that may lead to it."""
        found, waiting = {place: None}, [place]
        while waiting:
            callers = self.order.callers.get(self.project.index.function_of(waiting.pop()), [])
            new = dict.fromkeys(each for each in callers if each not in found)
            found |= new
            waiting += new
        return found

    def _is_one_trainer(self, one: cst.Call, other: cst.Call) -> bool:
        """Whether two calls are surely of one object, where the first comes before the second."""
        if self._is_one_variable(_receiver(one), _receiver(other)):
            return True
        made = self._only(one)
        if made is None or made is not self._only(other):
            return False
        return self.order.is_run_once(made) or self._is_bound_before(made, one, other)

    def _is_one_variable(self, one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
        """Whether both name a variable that holds the same at both places."""
        index = self.project.index
        bindings = index.bindings(one) if isinstance(one, cst.Name) and isinstance(other, cst.Name) else []
        if len(bindings) != 1 or bindings != index.bindings(cst.ensure_type(other, cst.Name)):
            return False
        (by,) = (each.by for each in bindings)
        if isinstance(by, cst.Param):
            return index.function_of(one) is index.function_of(other)
        return isinstance(by, cst.Assign | cst.AnnAssign) and (
            self.order.is_run_once(by) or self._is_bound_before(by, one, other)
        )

    def _is_bound_before(self, made: cst.CSTNode, one: cst.CSTNode, other: cst.CSTNode) -> bool:
        """Whether one function makes something before two places of its own, and not between them."""
        index = self.project.index
        same = index.function_of(made) is index.function_of(one) is index.function_of(other)
        loops = self.order.around(made, LOOPS)
        return same and index.order(made) < index.order(one) and all(index.holds(each, one) for each in loops)

    def _only(self, fit: cst.Call) -> cst.CSTNode | None:
        found = self.values.receivers(fit).only
        return found.node if isinstance(found, Instance) else None


def _nodes_of(found: ValueSet) -> set[cst.CSTNode | None]:
    """What makes values; None: it cannot be told."""
    made = {each.node if isinstance(each, Instance) else None for each in found}
    return made | ({None} if found.unknown else set())


def _receiver(fit: cst.Call) -> cst.BaseExpression:
    """What stands before the dot; what is called, where that is another name."""
    return fit.func.value if isinstance(fit.func, cst.Attribute) else fit.func


def _body(loop: cst.CSTNode) -> cst.CSTNode:
    """What a loop does each time."""
    return loop.body if isinstance(loop, cst.For | cst.While) else getattr(loop, "elt", loop)
