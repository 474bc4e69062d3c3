"""What the user's callbacks do with the trainer and the model that their hooks are given."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import lightning_api as api
from .. import messages
from ..diagnostics import Diagnostic
from ..index import patterns as m
from ..index.rewriting import visit
from ..ir.project import Class, Project
from .callbacks import CallbackFacts, own_logs
from .usage import LogCall, Usage, UsageVisitor

HOOKS = api.CALLBACK_HOOKS | api.UNCALLED

TRAINER, MODEL = "trainer", "model"

LOGGING = ("log", "log_dict")
"""What callbacks have of the model's."""


def add_callback_usage(project: Project, callbacks: tuple[Class, ...], usage: Usage) -> frozenset[str]:
    """Add it to what the model does; the names that the callbacks ask of their own bases."""
    supers = set[str]()
    for cls in callbacks:
        for part in cls.lineage:
            for name, method in part.own_methods.items():
                if name in HOOKS:
                    roles = dict(zip(_parameters(method)[1:], (TRAINER, MODEL), strict=False))
                    _Follower(project, usage, cls, supers).follow(name, method, roles)
                    usage.calls[name].add(f"{cls.name}.{name}")
    return frozenset(supers)


def _parameters(method: cst.FunctionDef) -> list[str]:
    return [param.name.value for param in (*method.params.posonly_params, *method.params.params)]


class _Follower:
    """Follows the trainer and the model through the methods of one class."""

    def __init__(self, project: Project, usage: Usage, cls: Class, supers: set[str]) -> None:
        self.project, self.usage, self.cls, self.supers = project, usage, cls, supers
        self.followed: set[tuple[cst.FunctionDef, tuple[tuple[str, str], ...]]] = set()

    def follow(self, name: str, method: cst.FunctionDef, roles: dict[str, str]) -> None:
        """Visit a method whose parameters stand for the trainer and the model."""
        key = method, tuple(sorted(roles.items()))
        if key not in self.followed:
            self.followed.add(key)
            visit(method.body, _Visitor(self, f"{self.cls.name}.{name}", roles))

    def call(self, caller: str, called: str, call: cst.Call, roles: dict[str, str]) -> None:
        """Go on in a method of the class, which may be handed one of them."""
        method = self.cls.methods.get(called)
        if method is not None:
            self.usage.calls[caller].add(f"{self.cls.name}.{called}")
            self.follow(called, method, dict(_given(call, _parameters(method)[1:], roles)))


def _given(call: cst.Call, parameters: list[str], roles: dict[str, str]) -> Iterator[tuple[str, str]]:
    for index, argument in enumerate(call.args):
        role = roles.get(argument.value.value) if isinstance(argument.value, cst.Name) else None
        if role and argument.keyword:
            yield argument.keyword.value, role
        elif role and index < len(parameters):
            yield parameters[index], role


class _Visitor(UsageVisitor):
    def __init__(self, follower: _Follower, method: str, roles: dict[str, str]) -> None:
        model = next((name for name, role in roles.items() if role == MODEL), "")
        super().__init__(follower.project, follower.usage, method, m.Name(model))
        self.follower, self.roles = follower, roles
        self.trainer_names |= {name for name, role in roles.items() if role == TRAINER}

        self.handed_on: set[cst.CSTNode] = set()  # to methods of its own, and its bases'

    def visit_Call(self, node: cst.Call) -> None:
        super().visit_Call(node)
        if name := _own_method(node):
            self.handed_on |= {argument for argument in node.args if m.matches(argument.value, m.Name())}
            self.follower.call(self.method, name, node, self.roles)
            if name in LOGGING and name not in self.follower.cls.methods:
                self.usage.logs.append(LogCall(node, self.method))

    def visit_Arg(self, node: cst.Arg) -> bool:
        return node not in self.handed_on

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        if m.matches(node.value, m.Call(func=m.Name("super"))):
            self.follower.supers.add(node.attr.value)
            return False
        return super().visit_Attribute(node)


def _own_method(call: cst.Call) -> str | None:
    """The method that is called of the callback itself, or of its base."""
    owner = m.Name("self") | m.Call(func=m.Name("super"))
    if m.matches(call.func, m.Attribute(value=owner)):
        return cst.ensure_type(call.func, cst.Attribute).attr.value
    return None


def check_callbacks(
    project: Project, callbacks: CallbackFacts, called: frozenset[str]
) -> Iterator[Diagnostic]:
    """What callbacks do that the script has no counterpart of; `called` are hooks of evaluations."""
    for argument in callbacks.graphs:
        yield messages.logger_argument((project.source, argument), "log_graph")
    for cls in callbacks.own:
        for name, method in cls.methods.items():
            at = (project.source, method.name)
            if name in api.REMOVED_CALLBACK_HOOKS:
                yield messages.removed_hook(at, name, api.REMOVED_CALLBACK_HOOKS[name])
            elif name in api.UNCALLED - called:
                yield messages.uncalled_hook(at, name)


def check_callback_logs(project: Project, callbacks: CallbackFacts, usage: Usage) -> Iterator[Diagnostic]:
    """Values that callbacks log in a method of which it cannot be told when it is called."""
    known = {call.node.func for call in usage.logs}
    for cls in callbacks.own:
        for node in own_logs(cls):
            if node not in known:
                yield messages.callback_logs((project.source, node))


IN_STEPS = ("on_before_zero_grad", "on_before_backward", "on_after_backward", "on_before_optimizer_step")
"""Hooks that, in manual optimization, no callback's is called yet."""


def check_by_hand(project: Project, callbacks: CallbackFacts) -> Iterator[Diagnostic]:
    """What callbacks cannot do where the model steps its optimizers itself."""
    for cls in callbacks.own:
        for name in IN_STEPS:
            if callbacks and name in cls.methods:
                yield messages.unsupported_hook((project.source, cls.methods[name].name), name)
    for node, name in callbacks.nodes:
        if name in ("LearningRateMonitor", "GradientAccumulationScheduler"):
            yield messages.unsupported_lightning_name((project.source, node), name)
