"""One batch's forward and backward: the model's step, its closure, what averages its gradients."""

from __future__ import annotations

import re

from ..ir.plans import Lines
from ..spec.sections import SyncMode
from .facts import Facts
from .manual_plans import manual_step, options_of, shared_backward
from .optimizers import indented
from .train_loader import is_last_batch
from .update import UpdateLines

WINDOW = "window"


def step_count(facts: Facts) -> str:
    """The variable whose steps values are logged under: in manual optimization, Lightning counts batches."""
    writes = facts.writers or facts.writes_evaluations
    return "batches_done" if facts.manual and writes else "global_step"


def is_last_line(facts: Facts) -> Lines:
    """Whether an optimizer step is due."""
    if not facts.accumulates:
        return ()
    return (f"is_last = (batch_idx + 1) % {WINDOW} == 0 or {is_last_batch(facts)}",)


def wrapper(facts: Facts) -> Lines:
    """What DistributedDataParallel is put around."""
    if facts.manual:
        return shared_backward(facts)
    if not facts.is_ddp:
        return ()
    step = "ModelStep" if facts.has_validation else "TrainingStep"
    return (f"step = wrap({step}(model), ranks{options_of(facts.loaded.spec.ddp.arguments())})",)


def sync_context(facts: Facts) -> str | None:
    """The context of a batch's forward and backward; None: none is needed."""
    if not facts.wraps_steps or not (facts.accumulates or facts.sync is SyncMode.FORCED_SYNC):
        return None
    return f"{facts.sync.value}(step, {'is_last' if facts.accumulates else 'is_last=True'})"


def step_lines(facts: Facts) -> Lines:
    """The model's step, up to `loss`."""
    arguments = "batch, batch_idx" if facts.steps_take_index else "batch"
    call = f"step({arguments})" if facts.wraps_steps else f"model.training_step({arguments})"
    if facts.manual:
        return manual_step(facts, call, counts=step_count(facts) == "batches_done")
    divided = f" / {WINDOW}" if facts.accumulates else ""
    if facts.output == "any":
        return f"output = {call}", "loss = loss_of(output, ranks)"
    if facts.output == "loss":
        return (f"loss = {call}{divided}",)
    if facts.calls("on_train_batch_end"):
        return f"output = {call}", f'loss = output["loss"]{divided}'
    return (f'loss = {call}["loss"]{divided}',)


def step_outputs(facts: Facts) -> str:
    """What `on_train_batch_end` is told of the step."""
    if facts.manual:
        return "manual_outputs(output)"
    if facts.output == "any":
        return "step_outputs(output, loss)"
    return '{**output, "loss": loss.detach()}' if facts.output == "dict" else '{"loss": loss.detach()}'


# ---- the closure -----------------------------------------------------------------------------------------

LOOP_VARIABLES = {"epoch": "int", "batch_idx": "int", "batch": "Any", "is_last": "bool"}


def tells_outputs(facts: Facts) -> bool:
    """Whether a hook is told what happened in the closure."""
    return facts.uses_closure and facts.calls("on_train_batch_end")


def before_update_in_closure(facts: Facts, before: Lines) -> Lines:
    """What comes between the last backward and the update, where the closure does that."""
    if facts.prepares_in_step or not before:
        return ()
    if not facts.accumulates:
        return before
    first, *rest = before
    if first.startswith("if ") and all(line.startswith(" ") for line in rest):
        return (f"if is_last and {first.removeprefix('if ')}", *rest)
    return ("if is_last:", *indented(before))


def closure_parameters(facts: Facts, update: UpdateLines) -> str:
    """The variables of the loops that a closure reads, bound to what they are when it is made."""
    before = before_update_in_closure(facts, update.before)
    body = " ".join((*step_lines(facts), *update.zero_grad, *update.backward, *before))
    words = {*re.findall(r"\w+", body), *(["batch_idx", "is_last"] if facts.accumulates else [])}
    return ", ".join(f"{name}: {kind} = {name}" for name, kind in LOOP_VARIABLES.items() if name in words)
