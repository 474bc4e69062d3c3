"""The plans of manual optimization: how optimizers are read, their steps counted, a training step taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.plans import Lines, ManualPlan, OptimizerPlan
from .facts import Facts


def manual_plan(facts: Facts) -> ManualPlan | None:
    """What the model does with its optimizers; None: the script steps the one that there is."""
    if facts.manual is None:
        return None
    return ManualPlan(
        facts.manual.wraps,
        facts.manual.toggles_model,
        facts.is_ddp,
        facts.has_hook("on_before_backward") or facts.has_hook("on_after_backward"),
        facts.has_hook("on_before_optimizer_step"),
    )


def options_of(arguments: Mapping[str, Any]) -> str:
    """DistributedDataParallel's options, as they are passed on."""
    return "".join(f", {name}={value!r}" for name, value in arguments.items())


def shared_backward(facts: Facts) -> Lines:
    """What averages gradients in each backward; once training goes on, buffers are each rank's own."""
    if "shared" not in facts.trainer_fields:
        return ()
    arguments = facts.loaded.spec.ddp.arguments()
    if "broadcast_buffers" not in arguments:
        arguments["forward_sync_buffers"] = False
    return (f"trainer.shared = wrap(SharedBackward(model), ranks{options_of(arguments)})",)


def manual_step(facts: Facts, call: str, counts: bool) -> Lines:
    """One batch's training step, in which the model does everything else itself."""
    call = f"output = {call}" if facts.calls("on_train_batch_end") else call
    outside = facts.manual is not None and facts.manual.steps_outside
    lines: Lines = ("in_step = True", call, "in_step = False") if outside else (call,)
    return (*lines, *(["batches_done += 1"] if counts else []))


def manual_optimizer_plan(facts: Facts) -> OptimizerPlan:
    """How the optimizers and schedulers are read, restored and saved."""
    assert facts.manual is not None
    variables = ["optimizers", *(["schedulers"] if facts.manual.has_schedulers else [])]
    states = {name: f"[each.state_dict() for each in {name}]" for name in variables}
    restore = [
        line
        for name, key in (("optimizers", "optimizer_states"), ("schedulers", "lr_schedulers"))
        if name in variables
        for line in (
            f'for each, state in zip({name}, checkpoint["{key}"]):',
            "    each.load_state_dict(state)",
        )
    ]
    read = (*facts.form.read, *_told(facts), *_fused(facts), *_counting(facts))
    return OptimizerPlan(
        read, tuple(restore), states["optimizers"], states.get("schedulers", "[]"), (), (), ()
    )


def _told(facts: Facts) -> Lines:
    """Have the trainer know what the model asks of it."""
    assert facts.manual is not None
    fields = facts.trainer_fields
    has_schedulers = "schedulers" in fields and facts.manual.has_schedulers
    return (
        *(["trainer.optimizers = optimizers"] if "optimizers" in fields else []),
        *(["trainer.schedulers = schedulers"] if has_schedulers else []),
    )


def _fused(facts: Facts) -> Lines:
    return ("for each in optimizers:", "    use_fused(each)") if facts.loaded.spec.optimizer.fused else ()


def _counting(facts: Facts) -> Lines:
    """Have every step of an optimizer counted that Lightning counts."""
    assert facts.manual is not None
    wraps, outside = facts.manual.wraps, facts.manual.steps_outside
    told = ["    trainer.global_step = global_step"] if "global_step" in facts.trainer_fields else []
    wrapped = "[ManualOptimizer(each, model, count_step) for each in optimizers]"
    return (
        *(["in_step = False"] if outside else []),
        "",
        f"def count_step({'' if wraps else '*_: Any'}) -> None:",
        "    nonlocal global_step",
        f"    global_step += {'in_step' if outside else '1'}",
        *told,
        "",
        *(
            [f"trainer.counted_optimizers = {wrapped}"]
            if wraps
            else ["for each in optimizers:", "    each.register_step_post_hook(count_step)"]
        ),
    )
