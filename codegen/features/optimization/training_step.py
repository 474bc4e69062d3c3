"""The model's `training_step`: how it is called, and how its loss is read (6.3, 6.7)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature
from ..numerics.precision import step_context


class TrainingStep(NamedTuple):
    """One batch's step."""

    call: str
    context: str  # that it stands in; empty: none
    tells_scaled: bool  # loss, to a hook
    zeroes: bool  # gradients, between forward and backward
    share: str  # of an optimizer step's loss, as the code that takes it; empty: all of it
    differentiated: str  # what the backward is of
    is_own_backward: bool  # a hook of the model's
    keeps_output: bool  # for a hook, or to find out when the script runs what it is
    is_any: bool  # what `training_step` returns is known only then
    is_dict: bool
    may_be_none: bool
    may_have_no_backward: bool  # where a callback wants the forward pass alone
    loss: str  # of the whole batch
    result: str  # what `on_train_batch_end` is told of it
    shares_outputs: bool  # the same with all callbacks, and the model
    outputs: str  # the same, where the hook is called


def training_step(facts: Facts) -> TrainingStep:
    """How the step is called, and its loss read."""
    function = "step" if facts.wraps_steps else "model.training_step"
    batch = "part" if facts.microbatch else "batch"
    arguments = step_arguments(facts, "training_step", batch)
    by_script = facts.manual is None
    is_any, is_dict = by_script and facts.output == "any", by_script and facts.output == "dict"
    tells = facts.calls("on_train_batch_end")
    shares = "on_train_batch_end" in facts.callbacks.hooks and not facts.uses_closure
    tells_scaled = by_script and facts.precision.scales and facts.calls("on_before_backward")
    return TrainingStep(
        call=f"{function}({arguments})",
        context=step_context(facts),
        tells_scaled=tells_scaled,
        zeroes=facts.microbatch is None,
        share=_share(facts),
        differentiated=_differentiated(facts, tells_scaled),
        is_own_backward=facts.has_hook("backward"),
        keeps_output=is_any or (tells and (is_dict or not by_script)),
        is_any=is_any,
        is_dict=is_dict,
        may_be_none=is_any,
        may_have_no_backward="skips_backward" in facts.trainer_fields,
        loss="batch_loss" if facts.microbatch else "loss",
        result=_result(facts),
        shares_outputs=shares,
        outputs="outputs" if facts.uses_closure or shares else _result(facts),
    )


def step_arguments(facts: Facts, step: str, batch: str) -> str:
    """What a step is given of a batch and its number, as code."""
    takes = facts.takes_index(step)
    if takes is None:
        return f"*taken(model.{step}, {batch}, batch_idx)"
    return f"{batch}, batch_idx" if takes else batch


def _differentiated(facts: Facts, tells_scaled: bool) -> str:
    code = "loss"
    if facts.precision.scales:
        code = "scaled" if tells_scaled else "scaler.scale(loss)"
    if not (facts.is_distributed and facts.adds_up):
        return code
    product = f"{code} * ranks.world_size"  # of which the ranks take the mean
    return product if facts.has_hook("backward") else f"({product})"


def _share(facts: Facts) -> str:
    if facts.adds_up:
        return ""
    return (" * share" if facts.microbatch else "") + (" / window" if facts.accumulates else "")


def _result(facts: Facts) -> str:
    if facts.manual:
        return "manual_outputs(output)"
    if facts.microbatch:
        return '{"loss": batch_loss}'
    if facts.output == "any":
        return "step_outputs(output, loss)"
    return '{**output, "loss": loss.detach()}' if facts.output == "dict" else '{"loss": loss.detach()}'


TRAINING_STEP = Feature(
    "training_step",
    training_step,
    ("The model's step.", "method training_step"),
    {
        "context": ("What the model computes in.", "setting precision"),
        "tells_scaled": ("A hook is told of the loss that is scaled.", "method on_before_backward"),
        "share": ("A loss counts for its part of a step.", "setting accumulate_grad_batches"),
        "differentiated": ("The gradients of the loss.", "method training_step"),
        "is_own_backward": ("The model's own backward.", "method backward"),
        "may_be_none": ("training_step may return None, to skip a batch.", "method training_step"),
    },
)
