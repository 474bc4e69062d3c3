"""Steps that a trainer is asked for when it evaluates another model than it has trained."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ..code.usage import Asking, shown_of
from ..facts import Facts
from ..main.run_order import RunOrder

ASKED = "global_step"


def check_counted_steps(facts: Facts) -> Iterator[Diagnostic]:
    """Lightning counts apart what models step themselves, and tells what belongs to the model at hand."""
    is_by_hand = facts.manual is not None
    trained = [each for each in facts.company if each.trains and (each.manual is not None) != is_by_hand]
    if not facts.trains and any(each.may_train_before(facts) for each in trained):
        for node in dict.fromkeys((*_of_model(facts), *_of_main(facts))):
            yield messages.steps_of_another((facts.project.source, shown_of(node)), facts.model.name)


def _of_model(facts: Facts) -> Iterator[Asking]:
    """Where its class asks, or a hook that the evaluation calls."""
    index, lineage = facts.project.index, {part.node for part in facts.model.lineage}
    hooks = {hook for each in facts.evaluations for hook in each.stage.called}
    for node in (*facts.usage.reads.get(ASKED, ()), *facts.usage.asked_of_trainer.get(ASKED, ())):
        function = index.function_of(node)
        is_hook = isinstance(function, cst.FunctionDef) and function.name.value in hooks
        if is_hook or index.class_of(node) in lineage:
            yield node


def _of_main(facts: Facts) -> Iterator[Asking]:
    """Where the main asks, unless it is surely before."""
    order, main = RunOrder(facts.project), facts.own_main
    calls = [call.node for each in facts.evaluations for call in each.calls]
    for node in main.asked_of_trainers.get(ASKED, ()) if main else ():
        if not all(order.runs_first(node, call) for call in calls):
            yield node
