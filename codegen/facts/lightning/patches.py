"""Where code changes what Lightning asks and a script does not: cluster environments, what is installed, its logger.

What code does with a profiler that no trainer has goes as these do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...index.scope import Binding, Variable
from ...ir.project import Project, Statement
from ...ir.rewrites import Rewrites
from ...spec.precision import ENVIRONMENTS
from ..code.literals import is_literal
from ..strategy.launchers import killing_branches
from ..validation.replaced import ReplacedCheck, replaced_check
from .constants import AVAILABLE
from .idle import unprofiled_branches

NAMED = m.Arg(m.SimpleString() | m.Name(), star="")
SET_BY_NAME = m.Call(m.Name("setattr"), [m.Arg(star=""), NAMED, m.Arg(star="")])
MADE_METHOD = m.Call(m.Name("staticmethod") | m.Name("classmethod") | m.Name("property"), [m.Arg(star="")])

LOGGER = "_logger"
"""The name of the logger with which Lightning tells what it does."""

OF_LOGGER = frozenset("disabled handlers level propagate".split())
SETTING_LOGGER = frozenset("addFilter addHandler removeFilter removeHandler setLevel".split())
"""What it has and does that decides where its messages go."""


@dataclass(frozen=True)
class Patches:
    """What is left out of the code."""

    sets: tuple[cst.Assign | cst.Call, ...] = ()  # attributes of these, to what nobody would call
    beside: tuple[cst.Assign | cst.FunctionDef, ...] = ()  # what there is for that alone
    checks: tuple[ReplacedCheck, ...] = ()  # of when validation is due, in whose place the script has its own
    unprofiled: tuple[cst.If, ...] = ()  # what is done only where something is profiled
    killing: tuple[cst.If, ...] = ()  # what is done only with processes that a trainer has started

    @property
    def nodes(self) -> frozenset[cst.CSTNode]:
        checks = (each.node for each in self.checks)
        return frozenset((*self.sets, *self.beside, *checks, *self.unprofiled, *self.killing))

    def translated(self, project: Project) -> frozenset[cst.CSTNode]:
        """The names within."""
        return frozenset(each for node in self.nodes for each in project.index.references(node))

    def told(self, project: Project) -> Iterator[Diagnostic]:
        """What the user is told of it."""
        for node in self.sets:
            name = _name_set(project, node)
            yield _told(name)((project.source, node), name)
        for each in self.checks:
            yield _told_of(each)((project.source, each.node), each.function)
        for branching in self.unprofiled:
            yield messages.unprofiled_left_out((project.source, branching.test))
        for branching in self.killing:
            yield messages.killing_left_out((project.source, branching.test))

    def without(self, statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """The statements of modules that do more."""
        return tuple(each for each in statements if not self._is_all(each.node))

    def _is_all(self, node: cst.BaseStatement) -> bool:
        if node in self.nodes:
            return True
        parts = node.body if isinstance(node, cst.SimpleStatementLine) else ()
        held = [each.value if isinstance(each, cst.Expr) else each for each in parts]
        return bool(held) and self.nodes.issuperset(held)


def _told(name: str) -> Callable[[messages.At, str], Diagnostic]:
    if name == LOGGER:
        return messages.logger_left_alone
    return messages.environment_left_out if name in ENVIRONMENTS else messages.flag_left_out


def _told_of(check: ReplacedCheck) -> Callable[[messages.At, str], Diagnostic]:
    if check.due is None:
        return messages.check_unread
    return messages.check_by_steps if check.by_steps else messages.check_as_it_is


def patches_of(project: Project, statements: tuple[Statement, ...]) -> Patches:
    """What the statements change of these, with what their functions have for that alone."""
    index, nodes = project.index, list[cst.Assign | cst.Call]()
    for each in statements:
        nodes += [*index.within(each.node, cst.Assign), *index.within(each.node, cst.Call)]
    checks = (replaced_check(project, node) for node in nodes if isinstance(node, cst.Assign))
    found = Patches(
        tuple(node for node in nodes if _name_set(project, node)),
        checks=tuple(filter(None, checks)),
        unprofiled=tuple(unprofiled_branches(project, statements)),
        killing=tuple(killing_branches(project, statements)),
    )
    while more := tuple(_only_for(project, found)):
        found = replace(found, beside=found.beside + more)
    return found


def with_patches(rewrites: Rewrites, found: Patches) -> Rewrites:
    """The rewrites, by which these go."""
    return replace(rewrites, idle=rewrites.idle | found.nodes)


def _name_set(project: Project, node: cst.Assign | cst.Call) -> str:
    """The class of which a statement sets an attribute, or the flag, and no more; empty: it does something else."""
    if isinstance(node, cst.Assign):
        (target, *others), value = node.targets, node.value
        owner = target.target.value if isinstance(target.target, cst.Attribute) and not others else None
        attribute = target.target.attr.value if isinstance(target.target, cst.Attribute) else ""
    elif m.matches(node, SET_BY_NAME) and isinstance(project.index.parent(node), cst.Expr):
        owner, named, value = (argument.value for argument in node.args)
        attribute = str(named.evaluated_value) if isinstance(named, cst.SimpleString) else ""
    else:
        return LOGGER if isinstance(node, cst.Call) and _sets_logger(project, node) else ""
    name = project.lightning_name(owner) if owner else None
    if name is None or not _is_only_named(value):
        return ""
    if name == LOGGER:
        return LOGGER if attribute in OF_LOGGER else ""
    return name if name in ENVIRONMENTS else attribute if AVAILABLE.fullmatch(attribute) else ""


def _sets_logger(project: Project, node: cst.Call) -> bool:
    """Whether a call, whose result nothing takes, says where the messages of Lightning's logger go."""
    function = node.func
    if not isinstance(function, cst.Attribute) or function.attr.value not in SETTING_LOGGER:
        return False
    is_statement = isinstance(project.index.parent(node), cst.Expr)
    is_plain = all(_is_only_named(each.value) for each in node.args)
    return is_statement and is_plain and project.lightning_name(function.value) == LOGGER


def _is_only_named(value: cst.BaseExpression) -> bool:
    """Whether nothing happens when a value is made."""
    if is_literal(value) or m.matches(value, m.List([])):
        return True
    if isinstance(value, cst.Call) and m.matches(value, MADE_METHOD):
        return _is_only_named(value.args[0].value)
    while isinstance(value, cst.Attribute):
        value = value.value
    return isinstance(value, cst.Name | cst.Lambda)


def _only_for(project: Project, found: Patches) -> Iterator[cst.Assign | cst.FunctionDef]:
    """What binds variables of functions, or a function, that nothing reads but what is left out."""
    checks = {each.node for each in found.checks}
    for node in found.nodes:
        for name in project.index.within(node, cst.Name):
            variable = project.index.variable(name)
            if variable and (node in checks or variable.scope.kind == "function"):
                bound = [_left_with(project, each) for each in variable.bindings]
                made = [each for each in bound if each is not None and each not in found.nodes]
                if made and None not in bound and _is_read_by(project, variable, {*found.nodes, *made}):
                    yield from made
                    return


def _left_with(project: Project, binding: Binding) -> cst.Assign | cst.FunctionDef | None:
    """The statement by which a name is bound to a function or to what such a class has; None: it does more."""
    node = binding.by
    if isinstance(node, cst.FunctionDef):
        return node if not node.decorators and _has_plain_defaults(node) else None
    if not (
        isinstance(node, cst.Assign) and len(node.targets) == 1 and isinstance(node.value, cst.Attribute)
    ):
        return None
    return node if project.lightning_name(node.value.value) in ENVIRONMENTS else None


def _has_plain_defaults(function: cst.FunctionDef) -> bool:
    params = function.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    return all(each.default is None or _is_only_named(each.default) for each in every)


def _is_read_by(project: Project, variable: Variable, nodes: set[cst.CSTNode]) -> bool:
    return all(any(project.index.holds(node, use) for node in nodes) for use in variable.uses)
