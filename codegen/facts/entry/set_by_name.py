"""Attributes of Trainers that code sets under names which it reads in a mapping: those of its options, for one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Project
from ...values import Dict, Instance, Literal, values_of

SETTING = m.Call(m.Name("setattr"), [m.Arg(star=""), m.Arg(star=""), m.Arg(star="")])
ITEMS = m.Call(m.Attribute(attr=m.Name("items")), [])


WHY = "the script does not follow what is set of a Trainer once it is made"


@dataclass(frozen=True)
class SetByName:
    """Where that is done for what a mapping may hold, and may not: the run ends there."""

    project: Project

    @cached_property
    def stopping(self) -> dict[cst.Call, str]:
        """The calls, and why the script has nothing in their place."""
        return {call: f"{' or '.join(names)}: {WHY}" for call, names in self._found()}

    def said(self) -> Iterator[Diagnostic]:
        for call, names in self._found():
            yield messages.trainer_set_in_a_loop((self.project.source, call), names)

    def _found(self) -> Iterator[tuple[cst.Call, list[str]]]:
        calls = dict.fromkeys(
            place for owner, _, place in values_of(self.project).stores() if _is_made(owner)
        )
        for call in calls:
            if not (isinstance(call, cst.Call) and m.matches(call, SETTING)):
                continue
            if self._may_be_idle(call) and (names := self._names(call)):
                yield call, names

    def _names(self, call: cst.Call) -> list[str]:
        """All that it may set; none: that is not known."""
        found = values_of(self.project).of(call.args[1].value)
        names = [each.value for each in found if isinstance(each, Literal)]
        known = sorted(each for each in names if isinstance(each, str))
        return known if len(known) == len([*found]) else []

    def _may_be_idle(self, call: cst.Call) -> bool:
        """Whether it stands alone, in a loop over the items of mappings that may be empty."""
        index, values = self.project.index, values_of(self.project)
        loop = index.ancestor(call, cst.For)
        if not (isinstance(index.parent(call), cst.Expr) and isinstance(loop, cst.For)):
            return False
        if index.function_of(loop) is not index.function_of(call) or not m.matches(loop.iter, ITEMS):
            return False
        owner = cst.ensure_type(cst.ensure_type(loop.iter, cst.Call).func, cst.Attribute).value
        found = values.of(owner)
        return bool(found) and all(isinstance(each, Dict) and not values.sure_parts(each) for each in found)


def _is_made(owner: object) -> bool:
    return isinstance(owner, Instance) and owner.lightning == "Trainer"
