"""The plans of the optimizer's step: backward, clipping, the update, the schedulers."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir.plans import Lines, OptimizerPlan
from .facts import Facts
from .hooks import hook
from .manual_plans import manual_optimizer_plan
from .optimizers import indented, schedule_lines, under
from .train_loader import is_last_batch


@dataclass(frozen=True)
class UpdateLines:
    """The statements of one optimizer step."""

    zero_grad: Lines
    backward: Lines
    before: Lines  # between the last backward and the update
    update: Lines


def update_lines(facts: Facts) -> UpdateLines:
    """The statements of one optimizer step, hooks included."""
    if facts.manual:
        return UpdateLines((), (), (), ())
    before = _before_update(facts)
    return UpdateLines(_zero_grad(facts), _backward(facts), before, _update(facts, before))


def _before_update(facts: Facts) -> Lines:
    if not facts.form.exists:
        return ()
    return (*hook(facts, "on_before_optimizer_step", "optimizer"), *_clip(facts))


def _zero_grad(facts: Facts) -> Lines:
    if not facts.form.exists:
        return ()
    arguments = "epoch, batch_idx, optimizer"
    zero = hook(facts, "optimizer_zero_grad", arguments) or ("optimizer.zero_grad()",)
    return (*hook(facts, "on_before_zero_grad", "optimizer"), *zero)


def _backward(facts: Facts) -> Lines:
    divides = facts.output == "any" and facts.accumulates
    return (
        *(["loss = loss / window"] if divides else []),
        *hook(facts, "on_before_backward", "loss"),
        "loss.backward()",
        *hook(facts, "on_after_backward"),
    )


def _prepared(facts: Facts) -> Lines:
    """The optimizer that `optimizer_step` is given, where the closure alone does not tell when a step is taken."""
    if not facts.prepares_in_step:
        return ()
    return (
        "",
        "def prepare_gradients() -> None:",
        *indented(_before_update(facts)),
        "",
        "prepared: Any = PreparedOptimizer(optimizer, prepare_gradients)",
    )


def _clip(facts: Facts) -> Lines:
    value, algorithm = facts.settings.gradient_clip_val, facts.settings.gradient_clip_algorithm
    if facts.has_hook("configure_gradient_clipping"):
        limit = "config.gradient_clip_val" if value else "None"
        kind = facts.setting_code("gradient_clip_algorithm")
        return (f"model.configure_gradient_clipping(optimizer, {limit}, {kind})",)
    if not value:
        return ()
    parameters = (
        "model.parameters()" if facts.form.takes_all_parameters else "optimized_parameters(optimizer)"
    )
    function = "nn.utils.clip_grad_value_" if algorithm == "value" else "nn.utils.clip_grad_norm_"
    if facts.is_expression("gradient_clip_algorithm"):
        function = "clip_by(config.gradient_clip_algorithm)"
    limit = "config.gradient_clip_val"
    if facts.is_expression("gradient_clip_val"):
        limit += " or 0"
    return (f"if (limit := {limit}) > 0:", f"    {function}({parameters}, limit)")


def _update(facts: Facts, before: Lines) -> Lines:
    """What happens once the gradients of an optimizer step are there."""
    stepped = (
        "global_step += 1",
        *(["trainer.global_step = global_step"] if "global_step" in facts.trainer_fields else []),
        *_after_step(facts),
    )
    if facts.uses_closure:
        optimizer = "prepared" if facts.prepares_in_step else "optimizer"
        hooked = hook(facts, "optimizer_step", f"epoch, batch_idx, {optimizer}, closure")
        lines: Lines = (*(hooked or ("optimizer.step(closure)",)), *stepped)
        return ("if is_last:", *indented(lines), "else:", "    closure()") if facts.accumulates else lines
    lines = (*before, *(["optimizer.step()"] if facts.form.exists else []), *stepped)
    return ("if is_last:", *indented(lines)) if facts.accumulates else lines


def _after_step(facts: Facts) -> Lines:
    return schedule_lines(facts.form, facts.has_hook("lr_scheduler_step")).get("after_step", ())


def optimizer_plan(facts: Facts) -> OptimizerPlan:
    """How the optimizer is read, restored, saved, and what steps at the ends of batches and epochs."""
    if facts.manual:
        return manual_optimizer_plan(facts)
    form = facts.form
    steps = schedule_lines(form, facts.has_hook("lr_scheduler_step"))
    after_epoch, plateau_epoch = steps.get("after_epoch", ()), steps.get("plateau_epoch", ())
    if facts.ends_epoch_inside and after_epoch:
        after_epoch = under(is_last_batch(facts), after_epoch)
    if (facts.has_max_steps or facts.stops_inside) and plateau_epoch:
        plateau_epoch = under(is_last_batch(facts), plateau_epoch)
    plateau_step = steps.get("plateau_step", ())
    if facts.accumulates and plateau_step:
        plateau_step = under("is_last", plateau_step)
    fused = ("use_fused(optimizer)",) if form.exists and facts.loaded.spec.optimizer.fused else ()
    states, scheduler_states, restore = _states(facts)
    return OptimizerPlan(
        (*form.read, *_told(facts), *fused, *_prepared(facts)),
        restore,
        states,
        scheduler_states,
        after_epoch,
        plateau_step,
        plateau_epoch,
    )


def _told(facts: Facts) -> Lines:
    """Have the trainer know what the model asks of it."""
    if not facts.trainer_fields & {"optimizers", "schedulers", "lr_scheduler_configs"}:
        return ()
    if not facts.form.is_sure:
        schedulers, listed = "[schedule.scheduler for schedule in schedules]", "schedules"
    elif schedule := facts.form.schedule:
        schedulers, listed = "[scheduler]", f"[{schedule.listed}]"
    else:
        schedulers, listed = "[]", "[]"
    values = {
        "optimizers": "[optimizer]" if facts.form.exists else "[]",
        "schedulers": schedulers,
        "lr_scheduler_configs": listed,
    }
    return tuple(f"trainer.{name} = {code}" for name, code in values.items() if name in facts.trainer_fields)


def _states(facts: Facts) -> tuple[str, str, Lines]:
    """The expressions that a checkpoint keeps, and the statements that restore from them."""
    if not facts.form.exists:
        return "[]", "[]", ()
    restore: Lines = ('optimizer.load_state_dict(checkpoint["optimizer_states"][0])',)
    if not facts.form.is_sure:
        restore += (
            'for schedule, state in zip(schedules, checkpoint["lr_schedulers"]):',
            "    schedule.scheduler.load_state_dict(state)",
        )
        return (
            "[optimizer.state_dict()]",
            "[schedule.scheduler.state_dict() for schedule in schedules]",
            restore,
        )
    if facts.form.schedule is None:
        return "[optimizer.state_dict()]", "[]", restore
    restore += ('scheduler.load_state_dict(checkpoint["lr_schedulers"][0])',)
    return "[optimizer.state_dict()]", "[scheduler.state_dict()]", restore
