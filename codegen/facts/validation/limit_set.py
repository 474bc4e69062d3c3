"""Code that turns validation off and on while training goes on: `trainer.limit_val_batches` in hooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project
from ..code.stages import VALIDATE
from ..code.usage import Usage
from ..facts import Facts
from ..main.run_order import RunOrder

LIMIT = "limit_val_batches"

LATE = frozenset("""
    training_step validation_step on_before_zero_grad on_before_backward backward on_after_backward
    on_before_optimizer_step optimizer_step optimizer_zero_grad configure_gradient_clipping lr_scheduler_step
    on_sanity_check_end on_train_start on_train_epoch_start on_train_batch_start on_train_batch_end
    on_train_epoch_end on_train_end on_fit_end on_validation_start on_validation_epoch_start
    on_validation_batch_start on_validation_batch_end on_validation_epoch_end on_validation_end
    """.split())
"""Hooks that are called once the validation data is ready, unless the first validation comes later."""


def limits_set(usages: Iterable[Usage]) -> tuple[cst.Attribute, ...]:
    """Where classes set it."""
    written = (each for usage in usages for each in usage.trainer_writes)
    return tuple(dict.fromkeys(each for each in written if each.attr.value == LIMIT))


def check_limit_set(facts: Facts) -> Iterator[Diagnostic]:
    """Where more than whether validation takes place may depend on it."""
    if not facts.limits_set or facts.val is None or not _may_validate(facts):
        return
    instead, order, hooks = _instead(facts), RunOrder(facts.project), _late_hooks(facts)
    for node in facts.limits_set:
        if instead or not _comes_of(order, facts.project, node, hooks, set()):
            said = instead or "Set it in `on_train_epoch_start`, or in a hook that comes later"
            yield messages.trainer_member_set((facts.project.source, node.attr), LIMIT, said)


def _may_validate(facts: Facts) -> bool:
    return facts.has_hook("validation_step") or facts.validates_some_models


def _instead(facts: Facts) -> str:
    """What to do where it is not served at all; empty: it is."""
    own, chosen = facts.own_main, facts.settings
    if facts.is_expression(LIMIT) or chosen.limit_val_batches == 0:
        return f"Give the Trainer a `{LIMIT}` that is no variable, and not 0"
    if "enable_validation" in facts.trainer_fields:
        return f"Ask for `{LIMIT}` in the place of `enable_validation`"
    if facts.replaced_checks:
        return "Do without it, or without a function in the place of Lightning's `_should_check_val_fx`"
    if own and (own.goes_on or any(each.stage is VALIDATE for each in facts.evaluations)):
        return "Do without it, as the Trainer may be told to validate, or to fit, once more"
    return ""


def _late_hooks(facts: Facts) -> set[cst.FunctionDef]:
    """The hooks that are called once the data is ready."""
    hooked = (facts.model, *facts.served.models, *filter(None, [facts.data]), *facts.callbacks.own)
    return {each.methods[name] for each in hooked for name in LATE & each.methods.keys()}


def _comes_of(
    order: RunOrder,
    project: Project,
    node: cst.CSTNode,
    hooks: set[cst.FunctionDef],
    seen: set[cst.CSTNode],
) -> bool:
    """Whether a place is run but by these hooks."""
    function = project.index.function_of(node)
    if not isinstance(function, cst.FunctionDef):
        return False
    if function in seen:
        return True
    seen.add(function)
    is_hook = function in hooks
    calls = _calls_of_hook(order, function) if is_hook else order.calls_alone(function)
    return (is_hook or bool(calls)) and all(_comes_of(order, project, each, hooks, seen) for each in calls)


def _calls_of_hook(order: RunOrder, hook: cst.FunctionDef) -> list[cst.CSTNode]:
    """Where code calls it itself, as classes derived from its own do."""
    return [each for each in order.callers.get(hook, []) if isinstance(each, cst.Call)]
