"""Whether Trainers are given a callback that saves: surely, surely not, or as it turns out when the script runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ...ir.project import Project
from ...values import Class, External, Instance, Sequence, Unknown, Value, Values, ValueSet, values_of
from ..code.instances import Instances
from ..main.run_order import RunOrder
from ..trainer.arguments import arguments

NAME = "ModelCheckpoint"
SAVING = frozenset({"Checkpoint", NAME, "OnExceptionCheckpoint"})

ADDING = ("append", "extend")
LOSING = ("remove", "pop", "clear")
Within = frozenset[Value]
"""The lists of which another one is made."""


def saves(names: Iterable[str]) -> bool:
    return not SAVING.isdisjoint(names)


@dataclass(frozen=True)
class GivenSaving:
    """Asks what Trainers are given for callbacks, which mappings that are not known are `expected` to hold or not."""

    project: Project
    expected: tuple[str, ...]

    @property
    def _values(self) -> Values:
        return values_of(self.project)

    # ---- surely one --------------------------------------------------------------------------------------

    def is_sure(self, trainer: cst.Call) -> bool:
        """Whether a Trainer is given one whatever happens."""
        told = [each for each in arguments(self.project, trainer, self.expected) if each.name == "callbacks"]
        are_there = all(each.is_there and not each.is_configured for each in told)
        given = self._values.arguments(trainer, ()).get("callbacks")
        return given is not None and are_there and self._all_hold(given.values, trainer)

    def is_brought(self, method: cst.FunctionDef) -> bool:
        """Whether a model's `configure_callbacks` gives one whatever happens."""
        return self._all_hold(self._values.of_function(method), method)

    def _all_hold(self, found: ValueSet, user: cst.CSTNode, within: Within = frozenset()) -> bool:
        return bool(found) and all(self._holds(each, user, within) for each in found)

    def _holds(self, value: Value, user: cst.CSTNode, within: Within) -> bool:
        """Whether a value is one, or a list that has one in it when it is used."""
        if not isinstance(value, Sequence):
            return isinstance(value, Instance) and saves(self._values.lightning_names(value.cls))
        if value in within:
            return True  # one that it is made of, earlier, decides
        within = within | {value}
        has_one = self._shows(value.node, user, within) or self._gets(value, user, within)
        return has_one and not self._may_lose(value)

    def _shows(self, node: cst.CSTNode, user: cst.CSTNode, within: Within) -> bool:
        """Whether a list is written with one in it."""
        parts = list[cst.BaseExpression]()
        if isinstance(node, cst.List | cst.Tuple):
            parts += [each.value for each in node.elements]
        elif isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
            parts += [node.left, node.right]
        elif isinstance(node, cst.AugAssign) and isinstance(node.operator, cst.AddAssign):
            parts += [node.target, node.value]
        return any(self._has_one(each, user, within) for each in parts)

    def _has_one(self, node: cst.BaseExpression, user: cst.CSTNode, within: Within) -> bool:
        return self._shows(node, user, within) or self._all_hold(self._values.of(node), user, within)

    def _gets(self, value: Sequence, user: cst.CSTNode, within: Within) -> bool:
        """Whether one is added to a list in the function that makes it, before it is used."""
        index = self.project.index
        return any(
            [*filter(_is_new, self._values.of(owner))] == [value]
            and index.function_of(owner) is index.function_of(value.node)
            and self._is_before(owner, user)
            and self._has_one(added, user, within)
            for owner, added in self._added
        )

    def _is_before(self, place: cst.BaseExpression, user: cst.CSTNode) -> bool:
        """Whether a place is always run before a call, or by what makes an argument of it."""
        index, order = self.project.index, self._order
        function = index.function_of(place)
        calls = order.callers.get(function, ()) if function else ()
        makes = any(index.holds(user, each) for each in calls)
        return order.runs_first(place, user) or (
            makes and function is not None and order.always_runs(place, function)
        )

    @cached_property
    def _order(self) -> RunOrder:
        return RunOrder(self.project)

    @cached_property
    def _added(self) -> list[tuple[cst.BaseExpression, cst.BaseExpression]]:
        """Lists, with what is added to them."""
        index = self.project.index
        calls = [(each.value, index.parent(each)) for each in index.attributes(*ADDING)]
        found = [
            (owner, call.args[0].value)
            for owner, call in calls
            if isinstance(call, cst.Call) and len(call.args) == 1
        ]
        return [*found, *((each.target, each.value) for each in index.of_kind(cst.AugAssign))]

    def _may_lose(self, value: Sequence) -> bool:
        """Whether something may be taken out of a list, or replaced."""
        index = self.project.index
        owners = [each.value for each in index.attributes(*LOSING)]
        parts = index.of_kind(cst.Subscript)
        owners += [each.value for each in parts if isinstance(index.parent(each), cst.AssignTarget | cst.Del)]
        return any(value in self._values.of(each).values for each in owners)

    # ---- surely none -------------------------------------------------------------------------------------

    def lacks(self, trainer: cst.Call) -> bool:
        """Whether it is known of all that a Trainer is given, and none of it saves."""
        values = self._values
        told = values.arguments(trainer, ())
        given = told.get("callbacks")
        found = given.values.without_none if given else ValueSet(())
        lists = [each for each in found if isinstance(each, Sequence)]
        if told.unknown or any(each.startswith("*") for each in told) or any(map(values.is_open, lists)):
            return False  # by place, a library may be given a configuration
        among = [each for listed in lists for each in values.elements(listed)]
        return all(self._never_saves(each) for each in (*set(found).difference(lists), *among))

    def _never_saves(self, callback: Value) -> bool:
        values = self._values
        cls = callback.cls if isinstance(callback, Instance) else None
        is_known = isinstance(cls, Class) and values.knows_bases(cls)
        is_known = is_known or (isinstance(cls, External) and cls.lightning is not None)
        return is_known and cls is not None and not saves(values.lightning_names(cls))

    def may_get_more(self) -> bool:
        """Whether code may change the callbacks that a Trainer has: it does more than to read them one by one."""
        asked = self.project.index.attributes("callbacks")
        return any(self._may_be_trainers(each) and not self._only_reads(each) for each in asked)

    def _may_be_trainers(self, asked: cst.Attribute) -> bool:
        if self.project.index.ancestor(asked, cst.Import, cst.ImportFrom):
            return False
        owners, names = self._values.of(asked.value), Instances(self.project).lightning_names
        return any(isinstance(each, Unknown) or "Trainer" in names(each) for each in owners)

    def _only_reads(self, asked: cst.Attribute) -> bool:
        parent = self.project.index.parent(asked)
        loops = isinstance(parent, cst.For | cst.CompFor) and parent.iter is asked
        return loops or (isinstance(parent, cst.Subscript) and parent.value is asked)


def _is_new(value: Value) -> bool:
    """Whether it is no list to which more is added, which stays the same one."""
    return not (isinstance(value, Sequence) and isinstance(value.node, cst.AugAssign))
