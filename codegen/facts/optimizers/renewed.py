"""Optimizers that hooks have made anew in the middle of a training: `trainer.strategy.setup_optimizers(trainer)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project
from ...lightning import api
from ...spec.sections.strategy_spec import OnNan
from ...values import values_of
from ..code.usage import Usage
from ..facts import Facts
from ..lightning.trainer_parts import SETUP

OF_VALIDATION = frozenset("""
    on_validation_start on_validation_epoch_start on_validation_epoch_end on_validation_end
    """.split())

HOOKS = OF_VALIDATION | frozenset("""
    on_fit_start on_train_start on_train_epoch_start on_train_batch_start on_train_batch_end on_train_epoch_end
    """.split())
"""Those that run while no step of an optimizer is under way."""

CALLED = api.ALL_HOOKS | api.CALLBACK_HOOKS | api.STEPS | {"__init__"}
"""What Lightning calls, and the code that makes its objects."""


def renewals(usages: Iterable[Usage]) -> tuple[cst.Attribute, ...]:
    """Where optimizers are made anew: the strategy that is asked for them."""
    found = dict.fromkeys(node for usage in usages for node in usage.trainer.get(SETUP, ()))
    return tuple(node for node in found if node.attr.value != SETUP)


def check_renewed(facts: Facts) -> Iterator[Diagnostic]:
    """By where this happens, and by what holds the optimizer that was there before."""
    nodes = renewals(facts.usages.values())
    source = facts.project.source
    for node in _elsewhere(facts, nodes):
        yield messages.new_optimizers_elsewhere((source, node))
    names = [name for name, is_asked in _in_the_way(facts).items() if is_asked]
    validates = any(each.stage.method == "validate" for each in facts.evaluations)
    for node in nodes:
        hooks = {hook for usage in facts.usages.values() for hook in _hooks(facts.project, usage, node)}
        others = sorted(hooks - HOOKS)
        if others or not hooks:
            yield messages.new_optimizers_here((source, node), others)
        reason = ["validate"] if validates and hooks & OF_VALIDATION else []
        yield from (messages.not_with_new_optimizers((source, node), name) for name in names + reason)


def _elsewhere(facts: Facts, nodes: Iterable[cst.Attribute]) -> list[cst.Attribute]:
    """Where data modules or a main ask for it, or the trainer itself is asked for it."""
    of_main = facts.own_main.attributes if facts.own_main else {}
    usages = (*facts.usages.values(), facts.data_usage)
    asked = [node for of in (of_main, *(each.trainer for each in usages)) for node in of.get(SETUP, ())]
    return [each for each in dict.fromkeys(asked) if each not in {*nodes}]


def _in_the_way(facts: Facts) -> dict[str, object]:
    """What goes on with the optimizer that it was given at first."""
    spec = facts.loaded.spec
    return {
        "automatic_optimization": facts.manual,
        "configure_optimizers": not facts.manual and not facts.form.exists,
        "optimizer_step": facts.uses_closure and facts.prepares_in_step,
        "strategy": facts.is_sharded or facts.is_planned or facts.loaded.is_given("model_parallel"),
        "zero": spec.optimizer.zero,
        "fused": spec.optimizer.fused,
        "local_sgd": spec.ddp.local_sgd,
        "on_nan": spec.on_nan is not OnNan.GO_ON,
    }


def _hooks(project: Project, usage: Usage, node: cst.CSTNode) -> Iterator[str]:
    """What Lightning calls that gets there."""
    function = values_of(project).places.outermost(node)
    name = function.name.value if function is not None else ""
    for hook in sorted(CALLED):
        if any(_last_part(each) == name for each in usage.reached_from(hook)):
            yield hook


def _last_part(name: str) -> str:
    """The name of a function alone, of which the class may be told too."""
    return name.rpartition(".")[2].removesuffix("()")
