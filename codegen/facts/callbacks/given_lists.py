"""Lists of callbacks that a main keeps: Lightning's Trainer adds its own callbacks to the one that it is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...values import External, Sequence, values_of
from ..main.run_order import LOOPS, RunOrder

SWITCHES = ("enable_checkpointing", "enable_progress_bar", "enable_model_summary")
"""What says whether a Trainer adds a callback, which it does by default."""

TIME = "max_time"


@dataclass(frozen=True)
class GivenLists:
    """The lists that Trainers are given, each with those that may be given it; `told` is what each Trainer is told."""

    project: Project
    told: Mapping[cst.Call, cst.Call]

    @cached_property
    def of(self) -> dict[Sequence, list[cst.Call]]:
        """The Trainers that add something, by the list."""
        found: dict[Sequence, list[cst.Call]] = {}
        adding = [each for each, told in self.told.items() if each in self.project.index and _adds(told)]
        for trainer in adding:
            given = values_of(self.project).arguments(trainer, ()).get("callbacks")
            for each in given.values if given and not self._is_instantiated(trainer) else ():
                if isinstance(each, Sequence) and _is_kept(each, trainer):
                    found.setdefault(each, []).append(trainer)
        return found

    def _is_instantiated(self, trainer: cst.Call) -> bool:
        """Whether a library makes it of a configuration: that gives it a list of its own."""
        called = values_of(self.project).of(trainer.func)
        return any(isinstance(each, External) and not each.lightning for each in called)

    def before(self, node: cst.BaseExpression) -> Iterator[cst.Call]:
        """The Trainers that may have been given a list before code reads it."""
        lists = (each for each in values_of(self.project).of(node) if isinstance(each, Sequence))
        for given in lists:
            yield from (each for each in self.of.get(given, ()) if self._may_follow(each, node, given.node))

    def shared(self) -> Iterator[tuple[cst.Call, cst.Call]]:
        """Trainers that may be given a list which another one has, with that."""
        for value, trainers in self.of.items():
            made = value.node if isinstance(value, Sequence) else None
            for first in trainers if made else ():
                yield from (
                    (each, first) for each in trainers if made and self._may_follow(first, each, made)
                )

    # ---- the order of places -----------------------------------------------------------------------------

    @cached_property
    def _order(self) -> RunOrder:
        return RunOrder(self.project)

    def _may_follow(self, trainer: cst.CSTNode, place: cst.CSTNode, made: cst.CSTNode) -> bool:
        """Whether a place may be run after a Trainer has the list that is made at another one."""
        made_at, trainers = self._reaching(made), self._reaching(trainer)
        places, index = self._reaching(place), self.project.index
        if any(isinstance(each, cst.ClassDef) for each in places - made_at):
            return True  # in a hook
        common = {index.function_of(each) for each in trainers} & {index.function_of(each) for each in places}
        pairs = ((one, other) for one in trainers for other in places - made_at)
        return not common or any(self._follows(one, other, made_at) for one, other in pairs)

    def _follows(self, one: cst.CSTNode, other: cst.CSTNode, made_at: Iterable[cst.CSTNode]) -> bool:
        """The same of two places in one function."""
        index = self.project.index
        if index.function_of(one) is not index.function_of(other):
            return False
        repeated = [each for each in self._order.around(one, LOOPS) if index.holds(each, other)]
        if any(not index.holds(each, made) for each in repeated for made in made_at):
            return True
        is_later = index.order(one) < index.order(other) and not index.holds(one, other)
        is_round = other is not one and index.holds(other, one)  # as `Trainer(...).fit(...)` is
        return (is_later or is_round) and not self._order.excludes(one, other)

    def _reaching(self, place: cst.CSTNode) -> set[cst.CSTNode]:
        """A place, and the calls by which code comes to it."""
        found, waiting = set[cst.CSTNode](), [place]
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                function = self.project.index.function_of(each)
                waiting += self._order.callers.get(function, ()) if function else ()
        return found


def _is_kept(value: Sequence, trainer: cst.Call) -> bool:
    """Whether it is a list that others than the Trainer may have."""
    return value.kind == "list" and not any(argument.value is value.node for argument in trainer.args)


def _adds(trainer: cst.Call) -> bool:
    """Whether a Trainer may add a callback to its list."""
    off = [m.Arg(keyword=m.Name(each), value=m.Name("False")) for each in SWITCHES]
    told_not_to = all(any(m.matches(argument, each) for argument in trainer.args) for each in off)
    return not told_not_to or measures_time(trainer)


def measures_time(trainer: cst.Call) -> bool:
    """Whether a Trainer may add a callback that measures its time."""
    measures = m.Arg(keyword=m.Name(TIME), value=~m.Name("None"))
    return any(m.matches(argument, measures) for argument in trainer.args)
