"""What code asks of a list of callbacks that a Trainer was given, which has Lightning's own in it from then on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Project
from ...values import Class, External, Value, values_of
from ..code.shown import is_part_of_a_line
from .given_lists import GivenLists, measures_time
from .given_saving import SAVING

COUNTING = m.Name("len") | m.Name("enumerate") | m.Name("zip") | m.Name("map") | m.Name("filter")
COUNTING |= m.Name("reversed") | m.Name("sorted") | m.Name("iter")
"""Functions whose answer is another one where a list holds more."""

NUMBER = m.Call(m.Name("len"), [m.Arg()])
COPYING = m.Call(m.Name("list") | m.Name("tuple") | m.Name("reversed") | m.Name("sorted"), [m.Arg(star="")])
BY_PLACE = m.Attribute(attr=m.Name("pop") | m.Name("insert"))
FROM_START = m.Index(m.Integer())
UP_TO = m.Slice(lower=None, upper=m.Integer()) | m.Slice(lower=m.Integer(), upper=m.Integer())

IS_OF = m.Call(m.Name("isinstance"), [m.Arg(m.Name(), star=""), m.Arg(star="")])
SOME = m.Name("any") | m.Name("sum")
"""Of answers whether something is of a kind, those that others do not change."""


@dataclass(frozen=True)
class ReadLists:
    """The places at which such lists are read."""

    project: Project
    lists: GivenLists

    def check(self) -> Iterator[Diagnostic]:
        """What would have another answer in the script."""
        if not self.lists.of:
            return
        for place in self._places():
            if not self._is_told(place):
                yield messages.callbacks_counted((self.project.source, place))
        for trainer, first in self.lists.shared():
            if measures_time(self.lists.told[first]):
                yield messages.timer_shared((self.project.source, trainer))

    def told(self) -> Iterator[Diagnostic]:
        """Numbers of callbacks that are but part of a line of text, and are those of the user's own."""
        for place in self._places() if self.lists.of else ():
            if self._is_told(place):
                yield messages.callbacks_told((self.project.source, place))

    def asks_for_checkpoint(self) -> bool:
        """Whether code looks in one for a ModelCheckpoint."""
        index = self.project.index
        loops = [each for each in self._loops() if self.lists.of and any(self.lists.before(each.iter))]
        kinds = (kind for each in loops for kind in self._kinds(each))
        named = (node for kind in kinds for node in index.references(kind))
        return any(self.project.lightning_name(each) in SAVING for each in named)

    def _places(self) -> dict[cst.CSTNode, None]:
        """Where a list is read that a Trainer may have been given before."""
        return dict.fromkeys(place for node, place in self._counted() if any(self.lists.before(node)))

    def _is_told(self, place: cst.CSTNode) -> bool:
        return m.matches(place, NUMBER) and is_part_of_a_line(self.project, place)

    # ---- by place ----------------------------------------------------------------------------------------

    def _calls(self) -> list[cst.Call]:
        return self.project.index.of_kind(cst.Call)

    def _loops(self) -> list[cst.For | cst.CompFor]:
        return self.project.index.of_kind(cst.For, cst.CompFor)

    def _counted(self) -> Iterator[tuple[cst.BaseExpression, cst.CSTNode]]:
        """Lists that are counted, or of which something is taken by its place; with what does this."""
        for call in self._calls():
            for each in call.args:
                if each.star == "*" or (each.star == "" and m.matches(call.func, COUNTING)):
                    yield _copied(each.value), call
            if m.matches(call.func, BY_PLACE) and not _is_from_start(call):
                yield cst.ensure_type(call.func, cst.Attribute).value, call
        for node in self.project.index.of_kind(cst.Subscript):
            part = node.slice[0].slice
            if len(node.slice) == 1 and not m.matches(part, FROM_START | UP_TO):
                yield _copied(node.value), node
        for loop in self._loops():
            if not self._chooses(loop):
                yield _copied(loop.iter), loop.iter

    # ---- by kind -----------------------------------------------------------------------------------------

    def _chooses(self, loop: cst.For | cst.CompFor) -> bool:
        """Whether a loop acts on those alone that are of kinds of which the script's list holds as many."""
        kinds = self._kinds(loop)
        return bool(kinds) and all(map(self._is_alike, kinds))

    def _kinds(self, loop: cst.For | cst.CompFor) -> list[cst.BaseExpression]:
        """The classes for which a loop asks before it does anything; none: it may act on others too."""
        variable = loop.target.value if isinstance(loop.target, cst.Name) else ""
        tests = self._tests_of(loop) if isinstance(loop, cst.CompFor) else _tests(loop.body)
        asked = [_kind_asked(each, variable) for each in tests]
        kinds = [each for each in asked if each is not None]
        return kinds if len(kinds) == len(asked) else []

    def _tests_of(self, loop: cst.CompFor) -> list[cst.BaseExpression]:
        """What has to hold in a comprehension, or what `any(isinstance(each, ...) for each in callbacks)` asks."""
        if loop.ifs:
            return [loop.ifs[0].test]
        whole = self.project.index.parent(loop)
        argument = self.project.index.parent(whole) if isinstance(whole, cst.BaseSimpleComp) else None
        call = self.project.index.parent(argument) if isinstance(argument, cst.Arg) else None
        is_some = isinstance(call, cst.Call) and m.matches(call.func, SOME)
        return [whole.elt] if is_some and isinstance(whole, cst.BaseSimpleComp) else []

    def _is_alike(self, kind: cst.BaseExpression) -> bool:
        """Whether Lightning adds no callback of a class, or one that the script has too."""
        if isinstance(kind, cst.Tuple):
            return all(self._is_alike(each.value) for each in kind.elements)
        found = list(values_of(self.project).of(kind))
        return bool(found) and not any(map(self._may_be_added, found))

    def _may_be_added(self, kind: Value) -> bool:
        """The names of those that show something are no answer in the script either, where a Trainer has the list."""
        if isinstance(kind, Class):
            return False
        measures = any(map(measures_time, self.lists.told.values()))
        name = kind.lightning if isinstance(kind, External) else "Callback"
        return name == "Callback" or (name == "Timer" and measures)


def _tests(body: cst.BaseSuite) -> list[cst.BaseExpression]:
    """What has to hold for anything in a loop to be done; none: something always is."""
    found, waiting = list[cst.BaseExpression](), list[cst.CSTNode](body.body)
    while waiting:
        statement = waiting.pop()
        if not isinstance(statement, cst.If) or isinstance(statement.orelse, cst.Else):
            return []
        found.append(statement.test)
        waiting += [statement.orelse] if statement.orelse else []
    return found


def _kind_asked(test: cst.BaseExpression, variable: str) -> cst.BaseExpression | None:
    """The class of which something has to be for a test to hold."""
    while isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        test = test.left
    is_asked = isinstance(test, cst.Call) and m.matches(test, IS_OF)
    is_of_it = is_asked and m.matches(cst.ensure_type(test, cst.Call).args[0].value, m.Name(variable))
    return cst.ensure_type(test, cst.Call).args[1].value if is_of_it else None


def _copied(node: cst.BaseExpression) -> cst.BaseExpression:
    """What a call copies, which holds as much."""
    while isinstance(node, cst.Call) and m.matches(node, COPYING):
        node = node.args[0].value
    return node


def _is_from_start(call: cst.Call) -> bool:
    """Whether the place that `pop` or `insert` is given is counted from the start of the list."""
    return bool(call.args) and m.matches(call.args[0].value, m.Integer())
