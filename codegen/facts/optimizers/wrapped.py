"""What code asks of LightningOptimizer, which a script has for models alone that step their optimizers themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import Index
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
BY_NAME = m.Call(
    m.Name("getattr") | m.Name("hasattr"),
    [m.Arg(), m.Arg(m.SimpleString('"optimizer"') | m.SimpleString("'optimizer'")), m.ZeroOrMore()],
)
HELD = "optimizer"
"""What Lightning calls the one that it wraps."""

UNWRAPPING = (
    'if hasattr({0}, "optimizer"):\n    {0} = {0}.optimizer',
    '{0}.optimizer if hasattr({0}, "optimizer") else {0}',
    'getattr({0}, "optimizer", {0})',
)
"""How code asks for it of what may be wrapped or not, by the name of that."""

WRAPPING = m.Call(args=[m.Arg(star="")])
GIVING = m.Call(m.Attribute(attr=m.Name("optimizers")), [])
CHOOSING = m.Call(m.Attribute(attr=m.Name("optimizers")), [m.AtLeastN(n=1)])
STEPPING = "optimizer_step"
"""The hook that Lightning gives such an optimizer."""


def kinds_asked(project: Project, statements: Iterable[Statement]) -> list[cst.BaseExpression]:
    """The names of the class in `isinstance(optimizer, LightningOptimizer)`."""
    calls = (each for statement in statements for each in project.index.within(statement.node, cst.Call))
    named = (each.args[1].value for each in calls if m.matches(each, ASKED))
    return [each for each in named if project.lightning_name(each) == NAME]


def is_wrapping(project: Project, call: cst.Call) -> bool:
    """Whether it makes one where the model makes its optimizers, of which Lightning makes one in any case."""
    if project.lightning_name(call.func) != NAME or not m.matches(call, WRAPPING):
        return False
    function, place = project.index.function_of(call), project.index.parent(call)
    is_made_there = isinstance(function, cst.FunctionDef) and function.name.value == "configure_optimizers"
    is_kept = isinstance(place, cst.Assign) and not m.matches(place, m.Assign([m.AssignTarget(m.Name())]))
    return is_made_there and not is_kept


def unwrapped(project: Project, statements: Iterable[Statement]) -> Iterator[tuple[cst.BaseExpression, str]]:
    """What code asks if it is one of torch's optimizers, which Lightning's are and the script's hold, and how to."""
    calls = (each for statement in statements for each in project.index.within(statement.node, cst.Call))
    for value, kinds in (each.args for each in calls if m.matches(each, ASKED)):
        if isinstance(value.value, cst.Name | cst.Attribute) and _has_optimizer(project, kinds.value):
            code = code_for(value.value)
            yield value.value, f"{code}.{HELD} if isinstance({code}, {INSTEAD}) else {code}"


def _has_optimizer(project: Project, kinds: cst.BaseExpression) -> bool:
    """Whether one of torch's, or of one's own that derives from them, is among the classes that are named."""
    values = values_of(project)
    found = [*values.of(kinds)]
    found += [part for each in found if isinstance(each, Sequence) for part in values.elements(each)]
    above = [base for each in found if isinstance(each, UserClass) for base in values.library_bases(each)]
    libraries = (each for each in (*found, *above) if isinstance(each, External))
    return any(is_optimizer_class(each.name) for each in libraries)


def check_wrapped(project: Project, cls: Class, usage: Usage, may_hold_another: bool) -> Iterator[Diagnostic]:
    """Where code of a model whose optimizer Lightning steps asks of it what the optimizer itself has not.

    `may_hold_another`: the optimizer may have one of its own under the name that Lightning gives it.
    """
    for function in usage.followed:
        calls = project.index.within(function, cst.Call)
        for call in (each for each in calls if m.matches(each, ASKED)):
            if project.lightning_name(call.args[1].value) == NAME:
                yield messages.optimizer_kind_asked((project.source, call))
        asked: list[tuple[cst.BaseExpression, cst.BaseExpression]]
        asked = [(node, node.value) for node in _asking(project, function)]
        asked += [(call, call.args[0].value) for call in calls if m.matches(call, BY_NAME)]
        for node, owner in asked:
            may_be = _may_be_lightnings(project, cls, owner) and not _is_read(project, node, owner)
            if may_be and (may_hold_another or not _only_unwraps(project.index, node, owner)):
                yield messages.wrapped_optimizer_asked((project.source, node))


def _asking(project: Project, function: cst.CSTNode) -> Iterator[cst.Attribute]:
    """Where it asks something for its `optimizer`."""
    nodes = project.index.within(function, cst.Attribute)
    return (each for each in nodes if each.attr.value == HELD)


def _is_read(project: Project, node: cst.BaseExpression, owner: cst.BaseExpression) -> bool:
    """Whether the `optimizer` of what surely is Lightning's is read, in whose place there is the owner itself."""
    return isinstance(node, cst.Attribute) and _is_lightnings(project, owner)


def _only_unwraps(index: Index, node: cst.BaseExpression, owner: cst.BaseExpression) -> bool:
    """Whether code asks but to have what Lightning wraps, in a way that takes an optimizer as it is, too."""
    around = index.ancestor(node, cst.If, cst.IfExp) or node
    found = [_parsed(code_for(each)) for each in (node, around)]
    return isinstance(owner, cst.Name) and any(
        _parsed(way.format(owner.value)) in found for way in UNWRAPPING
    )


def _parsed(code: str) -> str:
    return ast.dump(ast.parse(code.strip()))


def wrapped_ones(project: Project, usage: Usage) -> Iterator[tuple[cst.BaseExpression, str]]:
    """Where such code asks `self.optimizers()` for the `optimizer` in it, which in a script it is itself."""
    for function in usage.followed:
        for node in _asking(project, function):
            if _is_lightnings(project, node.value) and not _only_unwraps(project.index, node, node.value):
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


def chooses_optimizers(project: Project) -> bool:
    """Whether code says which kind of optimizers `optimizers` is to give."""
    return any(m.matches(each, CHOOSING) for each in project.index.of_kind(cst.Call))
