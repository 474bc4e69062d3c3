"""What the user's callbacks do with the trainer and the model that their hooks are given."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...index.choices import is_condition
from ...ir.project import Class, Project
from ...lightning import api, lightning_1
from ...values import BoundMethod, Function, values_of
from ..code.member_access import Code, MemberAccess, usage_of
from ..code.usage import LOGGING, LogCall, Usage
from ..lightning.removed_hooks import check_removed, uncalled_hooks
from ..model.assigned import REPLACED, AssignedHook, assigned_hooks
from .callbacks import LAMBDAS, CallbackFacts

HOOKS = api.CALLBACK_HOOKS | api.UNCALLED | api.CALLBACK_PARTS.keys()


def usage_with_callbacks(
    project: Project, callbacks: CallbackFacts, model: Class
) -> tuple[Usage, frozenset[str]]:
    """What the model does, and callbacks with it; the names that these ask of their own bases."""
    lambdas = frozenset(node for node, name in callbacks.nodes if name == LAMBDAS)
    usage, supers = _usage_with(project, model, callbacks.own, lambdas, bool(callbacks))
    return usage.copy(), supers


@lru_cache(maxsize=32)
def _usage_with(
    project: Project,
    model: Class,
    own: tuple[Class, ...],
    lambdas: frozenset[cst.BaseExpression],
    is_given: bool,
) -> tuple[Usage, frozenset[str]]:
    """The same, kept for each script that is planned for the model or for others in its place."""
    usage, supers = usage_of(project, model), set[str]()
    for hook, function in _functions(project, lambdas):
        MemberAccess(project, usage, model, model).follow({function: f"{LAMBDAS}.{hook}"})
        usage.calls[hook].add(f"{LAMBDAS}.{hook}")
    for each in assigned_hooks(project):
        is_called = each.name not in api.UNCALLED | REPLACED
        if is_called and (each.is_models or is_given):
            _follow_assigned(project, each, model, usage)
    for cls in own:
        methods = [each for part in cls.lineage for each in part.own_methods.items()]
        names = {method: f"{cls.name}.{method.name.value}" for _, method in methods}
        hooks: dict[Code, str] = {method: names[method] for name, method in methods if name in HOOKS}
        access = MemberAccess(project, usage, model, cls, f"{cls.name}.", supers)
        access.follow(hooks)
        for name, method in methods:
            if name in HOOKS:
                hook, _ = api.CALLBACK_PARTS.get(name, (name, ()))
                usage.calls[hook or name].add(names[method])
        for method, name in names.items():
            if method in usage.followed:
                usage.logs += _own_logs(project, cls, name, method)
    return usage, frozenset(supers)


def _follow_assigned(project: Project, hook: AssignedHook, model: Class, usage: Usage) -> None:
    """Add what a hook does that is assigned."""
    access = MemberAccess(project, usage, model, hook.owner or model)
    for each in hook.functions:
        node = each.function.node if isinstance(each, BoundMethod) else each.node
        name = access.name_of(node, hook.name)
        access.follow({node: name})
        usage.calls[hook.name].add(name)


def _functions(project: Project, lambdas: frozenset[cst.BaseExpression]) -> Iterator[tuple[str, Code]]:
    """The functions that LambdaCallbacks are given, each with the hook that it is."""
    values = values_of(project)
    for call in project.index.of_kind(cst.Call):
        for argument in call.args if call.func in lambdas else ():
            for value in values.of(argument.value) if argument.keyword else ():
                function = value.function if isinstance(value, BoundMethod) else value
                if argument.keyword and isinstance(function, Function):
                    yield argument.keyword.value, function.node


def _own_logs(project: Project, cls: Class, name: str, method: cst.FunctionDef) -> Iterator[LogCall]:
    """What a method of the callback logs through the callback itself."""
    own = m.Attribute(value=m.Name("self") | m.Call(func=m.Name("super")))
    for call in project.index.within(method, cst.Call):
        function = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        if m.matches(call.func, own) and function in LOGGING - cls.methods.keys():
            yield LogCall(call, name, function)


def check_callbacks(
    project: Project, callbacks: CallbackFacts, called: frozenset[str]
) -> Iterator[Diagnostic]:
    """What callbacks do that the script has no counterpart of; `called` are hooks of evaluations."""
    for cls in callbacks.own:
        yield from check_removed(project, cls, cls.methods, lightning_1.CALLBACK_HOOKS, tests=True)
        yield from uncalled_hooks(project, cls, called)


def check_callback_logs(project: Project, callbacks: CallbackFacts, usage: Usage) -> Iterator[Diagnostic]:
    """Values that callbacks log in a method of which it cannot be told when it is called."""
    known = {call.node.func for call in usage.logs if isinstance(call.node, cst.Call)}
    for node in callbacks.logs:
        if node not in known and not is_condition(project.index, node):
            yield messages.callback_logs((project.source, node))


OF_AUTOMATIC_OPTIMIZATION = ("GradientAccumulationScheduler",)
"""Callbacks that change how the script steps the one optimizer."""


def check_by_hand(project: Project, callbacks: CallbackFacts) -> Iterator[Diagnostic]:
    """What callbacks cannot do where the model steps its optimizers itself."""
    for node, name in callbacks.nodes:
        if name in OF_AUTOMATIC_OPTIMIZATION:
            yield messages.callback_with_manual_optimization((project.source, node), name)
        elif name in api.ACCUMULATING_CALLBACKS:
            yield messages.unsupported_lightning_name((project.source, node), name, api.AVERAGING)
