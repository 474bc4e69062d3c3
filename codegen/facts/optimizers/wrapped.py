"""What code asks of LightningOptimizer, which a script has for models alone that step their optimizers themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...index.search import code_for
from ...ir.project import Class, Project, Statement
from ...values import Class as UserClass
from ...values import External, Sequence, values_of
from ..code.usage import Usage
from .objects import is_optimizer_class

NAME, INSTEAD = "LightningOptimizer", "ManualOptimizer"
"""Lightning's class, and the script's."""

ASKED = m.Call(m.Name("isinstance"), [m.Arg(keyword=None), m.Arg(keyword=None)])
GIVING = m.Call(m.Attribute(attr=m.Name("optimizers")), [])
STEPPING = "optimizer_step"
"""The hook that Lightning gives such an optimizer."""


def kinds_asked(project: Project, statements: Iterable[Statement]) -> list[cst.BaseExpression]:
    """The names of the class in `isinstance(optimizer, LightningOptimizer)`."""
    calls = (each for statement in statements for each in project.index.within(statement.node, cst.Call))
    named = (each.args[1].value for each in calls if m.matches(each, ASKED))
    return [each for each in named if project.lightning_name(each) == NAME]


def unwrapped(project: Project, statements: Iterable[Statement]) -> Iterator[tuple[cst.BaseExpression, str]]:
    """What code asks if it is one of torch's optimizers, which Lightning's are and the script's hold, and how to."""
    calls = (each for statement in statements for each in project.index.within(statement.node, cst.Call))
    for value, kinds in (each.args for each in calls if m.matches(each, ASKED)):
        if isinstance(value.value, cst.Name | cst.Attribute) and _has_optimizer(project, kinds.value):
            code = code_for(value.value)
            yield value.value, f'getattr({code}, "optimizer", {code})'


def _has_optimizer(project: Project, kinds: cst.BaseExpression) -> bool:
    """Whether one of torch's, or of one's own that derives from them, is among the classes that are named."""
    values = values_of(project)
    found = [*values.of(kinds)]
    found += [part for each in found if isinstance(each, Sequence) for part in values.elements(each)]
    above = [base for each in found if isinstance(each, UserClass) for base in values.library_bases(each)]
    libraries = (each for each in (*found, *above) if isinstance(each, External))
    return any(is_optimizer_class(each.name) for each in libraries)


def check_wrapped(project: Project, cls: Class, usage: Usage) -> Iterator[Diagnostic]:
    """Where code of a model whose optimizer Lightning steps asks of it what the optimizer itself has not."""
    for function in usage.followed:
        for call in project.index.within(function, cst.Call):
            if m.matches(call, ASKED) and project.lightning_name(call.args[1].value) == NAME:
                yield messages.optimizer_kind_asked((project.source, call))
        for node in project.index.within(function, cst.Attribute):
            may_be = node.attr.value == "optimizer" and _may_be_lightnings(project, cls, node.value)
            if may_be and not _is_lightnings(project, node.value):
                yield messages.wrapped_optimizer_asked((project.source, node))


def wrapped_ones(project: Project, usage: Usage) -> Iterator[tuple[cst.BaseExpression, str]]:
    """Where such code asks `self.optimizers()` for the `optimizer` in it, which in a script it is itself."""
    for function in usage.followed:
        for node in project.index.within(function, cst.Attribute):
            if node.attr.value == "optimizer" and _is_lightnings(project, node.value):
                yield node, code_for(node.value)


def _is_lightnings(project: Project, node: cst.BaseExpression) -> bool:
    """Whether it surely is what `self.optimizers()` gives."""
    found = [node] if isinstance(node, cst.Call) else [each.node for each in values_of(project).origins(node)]
    return bool(found) and all(m.matches(each, GIVING) for each in found)


def _may_be_lightnings(project: Project, cls: Class, node: cst.BaseExpression) -> bool:
    """Whether it is what `self.optimizers()` gives, or what the hook is given."""
    found = [node, *(origin.node for origin in values_of(project).origins(node))]
    return any(m.matches(each, GIVING) for each in found) or _is_given(project, cls, node)


def _is_given(project: Project, cls: Class, node: cst.BaseExpression) -> bool:
    hook = cls.methods.get(STEPPING)
    if hook is None or not isinstance(node, cst.Name):
        return False
    return any(each.by in hook.params.params[3:4] for each in project.index.bindings(node))
