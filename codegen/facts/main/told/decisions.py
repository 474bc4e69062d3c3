"""Code that is not run where the code is told what it is told: in branches that this decides, and behind them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ....index import Binding
from ....index.ending import ends
from ....ir.project import Project
from ..run_order import BRANCHES, LOOPS, RunOrder
from .known_values import Known, KnownValues, NotKnown, alike

AFTER = (cst.Assign, cst.AnnAssign, cst.AugAssign)
"""What binds once its own expressions have been evaluated."""

LEAVING = (cst.Return, cst.Raise, cst.Continue, cst.Break)

Code = cst.FunctionDef | cst.Lambda


class Decisions(KnownValues):
    """Tells what is not run, and what variables and functions are in what is."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self.order = RunOrder(project)
        self._left: dict[cst.CSTNode, Known | None] = {}

    # ---- what is not run ---------------------------------------------------------------------------------

    def left_out(self, node: cst.CSTNode) -> Known | None:
        """What says that a place is not run; None: it may be."""
        below = node
        above = self.index.parent(node)
        while above is not None:
            if found := self._aside(above, below):
                return found
            if isinstance(above, Code) and (found := self._never_called(above)):
                return found
            below, above = above, self.index.parent(above)
        return None

    def _aside(self, above: cst.CSTNode, below: cst.CSTNode) -> Known | None:
        """What says that a part of a node is not run."""
        if isinstance(above, cst.If | cst.IfExp) and below is not above.test:
            test = self.holds(above.test)
            return test if test and test.value is not (below is above.body) else None
        if isinstance(above, cst.IndentedBlock):
            before = above.body[: above.body.index(below)]
            return next(filter(None, map(self._leaves, before)), None)
        return self._case(above, below) if isinstance(above, cst.Match) else None

    def _leaves(self, statement: cst.CSTNode) -> Known | None:
        """What says that a statement leads away from those behind it."""
        if isinstance(statement, cst.SimpleStatementLine):
            return Known(True) if any(isinstance(each, LEAVING) for each in statement.body) else None
        if not isinstance(statement, cst.If):
            return Known(True) if ends(statement) else None
        test = self.holds(statement.test)
        if test is None:
            return Known(True) if ends(statement) else None
        taken = statement.body if test.value else statement.orelse
        found = self._block_leaves(taken.body if isinstance(taken, cst.Else) else taken)
        return found.with_said(test) if found else None

    def _block_leaves(self, block: cst.CSTNode | None) -> Known | None:
        if isinstance(block, cst.If):
            return self._leaves(block)
        parts = block.body if isinstance(block, cst.IndentedBlock | cst.SimpleStatementSuite) else ()
        simple = any(isinstance(each, LEAVING) for each in parts)
        return Known(True) if simple else next(filter(None, map(self._leaves, parts)), None)

    def _case(self, match: cst.Match, case: cst.CSTNode) -> Known | None:
        """What says that another case of a `match` is taken."""
        try:
            subject = self.value(match.subject)
        except NotKnown:
            return None
        for each in match.cases:
            matches = None if each.guard else self._matches(each.pattern, subject)
            if each is case:
                return subject if matches is False else None
            if matches:
                return subject
        return None

    def _matches(self, pattern: cst.MatchPattern, subject: Known) -> bool | None:
        if isinstance(pattern, cst.MatchOr):
            found = [self._matches(each.pattern, subject) for each in pattern.patterns]
            return True if True in found else None if None in found else False
        if isinstance(pattern, cst.MatchAs) and pattern.pattern is None:
            return True
        if not isinstance(pattern, cst.MatchValue):
            return None
        try:
            return bool(self.value(pattern.value).value == subject.value)
        except NotKnown:
            return None

    def _never_called(self, function: Code) -> Known | None:
        """What says that a function is not called, whose calls are all read."""
        if function not in self._left:
            self._left[function] = None
            found = [self._passes_by(place, function) for place in self.order.callers.get(function, ())]
            known = [each for each in found if each]
            if found and len(known) == len(found):
                self._left[function] = known[0].with_said(*known[1:])
        return self._left[function]

    def _passes_by(self, place: cst.CSTNode, function: Code) -> Known | None:
        """What says that a place does not call a function: it is not run, or calls another one."""
        return self.left_out(place) or (
            self.other_called(place, function) if isinstance(place, cst.Call) else None
        )

    def other_called(self, call: cst.Call, function: Code) -> Known | None:
        """What says that a call is of another function than one that it might be of."""
        return None

    # ---- what variables are ------------------------------------------------------------------------------

    def of_name(self, name: cst.Name) -> Known:
        """What the last one gives it that is run before, and surely is."""
        bindings = self.index.bindings(name)
        if not self._is_own(name):
            left = [each for each in bindings if not self.left_out(each.node)]
            return self._of_binding(left[0]) if len(left) == 1 else _not_known()
        if not all(self.left_out(each.node) for each in bindings if self._comes_again(each, name)):
            raise NotKnown
        skipped = list[Known]()
        for each in self._above(name):
            if aside := self.left_out(each.node):
                skipped.append(aside)
            elif self._is_sure(each.node, name):
                deciding = filter(None, self._deciding(each.node, name))
                return self._of_binding(each).with_said(*skipped, *deciding)
            else:
                raise NotKnown
        raise NotKnown

    def _is_own(self, name: cst.Name) -> bool:
        """Whether the code that uses a variable is all that binds it."""
        function = self.index.function_of(name)
        return all(self.index.function_of(each.node) is function for each in self.index.bindings(name))

    def _above(self, name: cst.Name) -> list[Binding]:
        """What binds a variable above a use, the nearest first."""
        found = [each for each in self.index.bindings(name) if self._is_above(each, name)]
        return sorted(found, key=lambda each: self.index.order(each.node), reverse=True)

    def _is_above(self, binding: Binding, name: cst.Name) -> bool:
        is_own = isinstance(binding.by, AFTER) and self.index.holds(binding.by, name)
        return self.index.order(binding.node) < self.index.order(name) and not is_own

    def _comes_again(self, binding: Binding, name: cst.Name) -> bool:
        """Whether a loop may come to a use behind a binding that stands below it."""
        loops = self.order.around(name, LOOPS)
        return any(self.index.holds(each, binding.node) for each in loops)

    def _branches(self, node: cst.CSTNode, use: cst.CSTNode | None) -> list[cst.CSTNode]:
        """The branches round a place in its function, but for those that hold a use too."""
        found = self.order.around(node, BRANCHES)
        return [each for each in found if use is None or not self.index.holds(each, use)]

    def _is_sure(self, node: cst.CSTNode, use: cst.CSTNode | None = None) -> bool:
        """Whether what may be run of the branches round a place surely is."""
        branches = self._branches(node, use)
        return all(isinstance(each, cst.If) and self.holds(each.test) for each in branches)

    def _deciding(self, node: cst.CSTNode, use: cst.CSTNode | None) -> Iterator[Known | None]:
        return (self.holds(each.test) for each in self._branches(node, use) if isinstance(each, cst.If))

    def _of_binding(self, binding: Binding) -> Known:
        by = binding.by
        if isinstance(by, cst.Param):
            return self._of_parameter(by)
        is_plain = isinstance(by, cst.Assign) and any(each.target is binding.node for each in by.targets)
        if (
            isinstance(by, cst.Assign | cst.AnnAssign)
            and by.value
            and (is_plain or not isinstance(by, cst.Assign))
        ):
            return self.value(by.value)
        raise NotKnown

    def _of_parameter(self, parameter: cst.Param) -> Known:
        """What all calls that are run give it."""
        function = self.index.function_of(parameter.name)
        if function is None or parameter.star:
            raise NotKnown
        places = self.order.callers.get(function, ())
        called = [each for each in places if not self._passes_by(each, function)]
        return alike(self.value(self._argument(each, function, parameter)) for each in called)

    def _argument(
        self, place: cst.CSTNode, function: cst.FunctionDef | None, parameter: cst.Param
    ) -> cst.BaseExpression:
        """What a call gives a parameter, or its default. Raises NotKnown where it is not plain to see."""
        if function is None or not isinstance(place, cst.Call):
            raise NotKnown
        names = [each.name.value for each in (*function.params.posonly_params, *function.params.params)]
        is_method = self.index.class_of(function) is not None and names[:1] in (["self"], ["cls"])
        given = self.values.arguments(place, names[1:] if is_method else names)
        found = given.get(parameter.name.value)
        is_left = found is None and given.unknown is None
        expression = parameter.default if is_left else found.expression if found else None
        if expression is None:
            raise NotKnown
        return expression

    # ---- what functions give -----------------------------------------------------------------------------

    def of_call(self, call: cst.Call) -> Known:
        found = self.values.runs(call)
        if len(found) != 1 or not isinstance(found[0].node, cst.FunctionDef) or found[0].node.asynchronous:
            raise NotKnown
        for each in self.index.own(found[0].node, cst.Return):
            if not self.left_out(each):
                if each.value is None or not self._is_sure(each):
                    raise NotKnown
                return self.value(each.value).with_said(*filter(None, self._deciding(each, None)))
        raise NotKnown


def _not_known() -> Known:
    raise NotKnown
