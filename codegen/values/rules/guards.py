"""What code is run only where a value is of a kind, or a mapping has a key: `if isinstance(value, list)`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ...index import Binding, Index
from ...index import patterns as m
from ...index.scope import Variable
from ..abstract import External
from ..imports import ImportedNames

ASKED_FOR_KEY = m.Comparison(m.SimpleString(), [m.ComparisonTarget(m.In() | m.NotIn(), m.Name())])

ASKED_FOR_KIND = m.Call(m.Name("isinstance"), [m.Arg(m.Name(), None, star=""), m.Arg(keyword=None, star="")])

CONFIGURED = {"omegaconf.OmegaConf.is_dict": "DictConfig", "omegaconf.OmegaConf.is_list": "ListConfig"}
"""Functions that ask whether a value is of a kind of configurations."""

CONFIGURATIONS = {
    f"omegaconf.{module}{kind}": kind
    for kind in ("DictConfig", "ListConfig")
    for module in ("", f"{kind.lower()}.")
}
"""Classes of configurations, by every name of theirs."""

ASKED_OF_CONFIGURATION = m.Call(args=[m.Arg(m.Name(), None, star="")])

SIMPLE = (cst.ListComp, cst.SetComp, cst.GeneratorExp)
"""Comprehensions that make one value in each turn."""

LEAVING = (cst.Continue, cst.Return, cst.Raise)
"""Statements after which what follows in a block is not run."""

AFTER = (cst.Assign, cst.AnnAssign)
"""What binds once its own expressions have been evaluated."""


@dataclass(frozen=True)
class Question:
    """Whether a mapping has a key, or a value is of one of some kinds, builtin or configurations'."""

    node: cst.BaseExpression
    key: str | None = None
    kinds: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Answer:
    """What a question has been answered."""

    question: Question
    holds: bool


class Guards:
    """Tells of uses of variables what has been asked of their values, and how it was answered."""

    def __init__(self, index: Index, names: ImportedNames) -> None:
        self._index, self._names = index, names
        self._asked: dict[Variable, list[Question]] = {}
        for node in index.of_kind(cst.Comparison):
            if m.matches(node, ASKED_FOR_KEY):
                key = cst.ensure_type(node.left, cst.SimpleString).evaluated_value
                if isinstance(key, str):
                    self._note(node.comparisons[0].comparator, Question(node, key=key))
        for call in index.of_kind(cst.Call):
            if m.matches(call, ASKED_FOR_KIND) and (kinds := self._kinds(call)):
                self._note(call.args[0].value, Question(call, kinds=frozenset(kinds)))

            elif m.matches(call, ASKED_OF_CONFIGURATION) and (kind := self._configured_kind(call)):
                self._note(call.args[0].value, Question(call, kinds=frozenset({kind})))

    def _note(self, asked: cst.BaseExpression, question: Question) -> None:
        if variable := self._index.variable(cst.ensure_type(asked, cst.Name)):
            self._asked.setdefault(variable, []).append(question)

    def _kinds(self, call: cst.Call) -> list[str]:
        """The names of the kinds that are asked for, builtin or configurations'; none: others are, too."""
        second = call.args[1].value
        parts = [each.value for each in second.elements] if isinstance(second, cst.Tuple) else [second]
        found = [self._names.external(each) for each in (call.func, *parts)]
        names = [_kind(each) for each in found if each]
        return names[1:] if len(names) == len(found) and all(names) else []

    def _configured_kind(self, call: cst.Call) -> str:
        """The kind of configurations that is asked for; empty: something else is."""
        found = self._names.external(call.func)
        return CONFIGURED.get(found.name, "") if found else ""

    def answers(self, name: cst.Name) -> Iterator[Answer]:
        """What has been asked and answered on every way to a use."""
        variable = self._index.variable(name)
        for question in self._asked.get(variable, ()) if variable else ():
            for holds in (True, False):
                if self._is_answered(question, holds, variable, name):
                    yield Answer(question, holds)

    def made_anew(self, name: cst.Name) -> Iterator[tuple[Answer, cst.If]]:
        """Questions that a use comes behind, with the `if` that gives the variable something made of it otherwise.

        What the variable stood for above that, it still stands for only where the question is answered so.
        """
        variable = self._index.variable(name)
        for question in self._asked.get(variable, ()) if variable else ():
            for holds in (True, False):
                test, is_true = self._whole(question, holds)
                above = self._index.parent(test)
                is_branch = isinstance(above, cst.If) and above.test is test and not is_true
                if isinstance(above, cst.If) and is_branch and self._makes_anew(above, name):
                    yield Answer(question, holds), above

    def _makes_anew(self, branching: cst.If, name: cst.Name) -> bool:
        """Whether it has no other branch, binds a name to something made of it, and stands in front of a use."""
        return (
            branching.orelse is None
            and self._is_behind(name, branching)
            and self._binds(branching, name.value)
        )

    def _is_behind(self, name: cst.Name, branching: cst.If) -> bool:
        """Whether a use stands in the block of a branch, below it, and is run with that block."""
        index, block = self._index, self._index.parent(branching)
        is_in_block = block is not None and index.holds(block, name) and not index.holds(branching, name)
        is_same_code = index.scope_of(name) is index.scope_of(branching)
        return is_in_block and is_same_code and index.order(branching) < index.order(name)

    def _binds(self, branching: cst.If, name: str) -> bool:
        """Whether what a branch surely runs binds a name to something that is made of it."""
        lines = (each for each in branching.body.body if isinstance(each, cst.SimpleStatementLine))
        bound = (
            each
            for line in lines
            for each in line.body
            if m.matches(each, m.Assign([m.AssignTarget(m.Name(name))]))
        )
        values = (each.value for each in bound if isinstance(each, cst.Assign))
        return any(each.value == name for value in values for each in self._index.within(value, cst.Name))

    def _is_answered(
        self, question: Question, holds: bool, variable: Variable | None, name: cst.Name
    ) -> bool:
        guarded = self._guarded(question, holds)
        is_inside = any(self._index.holds(each, name) for each in guarded)
        return is_inside and not self._is_bound(variable, guarded, name)

    def _guarded(self, question: Question, holds: bool) -> list[cst.CSTNode]:
        """The code that is run only where the question is answered so."""
        test, is_true = self._whole(question, holds)
        above = self._index.parent(test)
        if isinstance(above, cst.If | cst.IfExp) and above.test is test:
            if is_true:
                return [above.body]
            return self._behind(above) if above.orelse is None else [above.orelse]
        if isinstance(above, cst.CompIf) and is_true:
            return self._made(above)
        return []

    def _whole(self, question: Question, holds: bool) -> tuple[cst.CSTNode, bool]:
        """The largest condition that has just one answer only where the question has this one, and which."""
        is_denied = isinstance(question.node, cst.Comparison) and isinstance(
            question.node.comparisons[0].operator, cst.NotIn
        )
        whole: cst.CSTNode = question.node
        answer = holds is not is_denied
        while True:
            above = self._index.parent(whole)
            if isinstance(above, cst.UnaryOperation) and isinstance(above.operator, cst.Not):
                answer = not answer
            elif (
                not isinstance(above, cst.BooleanOperation)
                or isinstance(above.operator, cst.And) is not answer
            ):
                return whole, answer
            whole = above

    def _behind(self, branching: cst.CSTNode) -> list[cst.CSTNode]:
        """The statements of a block that follow one which leaves it."""
        block = self._index.parent(branching)
        if not isinstance(branching, cst.If) or not isinstance(block, cst.IndentedBlock):
            return []
        last = branching.body.body[-1] if branching.body.body else None
        leaves = isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], LEAVING)
        return list(block.body[block.body.index(branching) + 1 :]) if leaves else []

    def _made(self, condition: cst.CompIf) -> list[cst.CSTNode]:
        """What a comprehension makes."""
        comprehension = self._index.ancestor(
            condition, cst.ListComp, cst.SetComp, cst.GeneratorExp, cst.DictComp
        )
        if isinstance(comprehension, cst.DictComp):
            return [comprehension.key, comprehension.value]
        return [comprehension.elt] if isinstance(comprehension, SIMPLE) else []

    def _is_bound(self, variable: Variable | None, guarded: list[cst.CSTNode], name: cst.Name) -> bool:
        """Whether the variable may stand for something else by then."""
        bindings = variable.bindings if variable else []
        scopes = {self._index.scope_of(each.node) for each in bindings}
        is_own = scopes == {self._index.scope_of(name)} and all(each.is_function for each in scopes)
        return not is_own or any(
            self._index.holds(code, each.node) and not self._is_before(name, each, code)
            for code in guarded
            for each in bindings
        )

    def _is_before(self, name: cst.Name, binding: Binding, code: cst.CSTNode) -> bool:
        """Whether a use is part of what is bound, and surely evaluated before: `x = [x]`."""
        if not isinstance(binding.by, AFTER) or not self._index.holds(binding.by, name):
            return False
        around = self._index.ancestor(name, cst.For, cst.While)
        return around is None or not self._index.holds(code, around)


def _kind(found: External) -> str:
    """The name of what is builtin, or of a class of configurations; empty: it is neither."""
    name = found.name.removeprefix("builtins.")
    return name if found.package == "builtins" else CONFIGURATIONS.get(found.name, "")
