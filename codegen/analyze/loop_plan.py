"""The plan of the training loop."""

from __future__ import annotations

from ..ir.plans import Lines, LoopPlan
from .facts import Facts
from .optimizers import schedule_lines
from .passes import transfer_lines
from .train_loader import batches_expression, train_epoch_lines, train_loader_lines
from .train_step import (
    WINDOW,
    before_update_in_closure,
    closure_parameters,
    is_last_line,
    step_count,
    step_lines,
    step_outputs,
    sync_context,
    tells_outputs,
    wrapper,
)
from .training_length import ACCUMULATE, epochs, stop_lines
from .update import UpdateLines


def loop_plan(facts: Facts, update: UpdateLines) -> LoopPlan:
    """The plan of the training loop, with the statements of an optimizer step."""
    iterator = f"iter({batches_expression(facts)})"
    starts_early = facts.starts_early
    tells = tells_outputs(facts)
    return LoopPlan(
        epochs=epochs(facts),
        train_loader=train_loader_lines(facts),
        loader_first=facts.loader_first,
        early_iterator=(f"batches: Iterator[Any] | None = {iterator}",) if starts_early else (),
        later_iterator=("if batches is None:", f"    batches = {iterator}") if starts_early else (),
        drop_iterator=("batches = None",) if starts_early else (),
        bar=_bar(facts) if facts.shows_bar else (),
        batches="bar" if facts.shows_bar else _batches(facts),
        batch_target="batch" if facts.is_sized else "(batch, is_last_batch)",
        accumulates=facts.accumulates,
        window=_window(facts),
        epochs_window=_epochs_window(facts),
        is_last=is_last_line(facts),
        wraps=wrapper(facts),
        sync=sync_context(facts),
        step=step_lines(facts),
        loss_may_be_none=facts.output == "any" and facts.manual is None,
        backward=update.backward,
        zero_grad=update.zero_grad,
        uses_closure=facts.uses_closure,
        closure_parameters=closure_parameters(facts, update),
        closure_result=("outputs: Any = {}",) if tells else (),
        closure_scope=("nonlocal outputs",) if tells else (),
        closure_end=(f"outputs = {step_outputs(facts)}",) if tells else (),
        before_update_in_closure=before_update_in_closure(facts, update.before),
        update=update.update,
        logs_now=_logs_now(facts),
        step_count=step_count(facts),
        stop_inside=stop_lines(facts, "epoch") if facts.stops_inside else (),
        stop=stop_lines(facts, "epoch + 1") if facts.may_stop else (),
        steps_reached=facts.steps_reached if facts.has_max_steps else None,
        ends_epoch_inside=facts.ends_epoch_inside,
        set_epoch=train_epoch_lines(facts),
        transfer=transfer_lines(facts),
        batches_seen=_counts_of_batches(facts),
        count_batch=("batches_seen += 1",) if facts.counts_batches else (),
        no_last_batch=_no_last_batch(facts),
    )


def _batches(facts: Facts) -> str:
    """What the inner loop iterates, or its progress bar does."""
    return "batches" if facts.starts_early else batches_expression(facts)


def _bar(facts: Facts) -> Lines:
    total = ", total=num_batches" if "islice" in batches_expression(facts) else ""
    shown = "ranks.is_main"
    if facts.is_expression("enable_progress_bar"):
        shown = "(config.enable_progress_bar and ranks.is_main)"
    return (f'bar = tqdm({_batches(facts)}, f"epoch {{epoch}}"{total}, disable=not {shown} or None)',)


def _window(facts: Facts) -> Lines:
    """How many batches make an optimizer step."""
    is_fixed = facts.sets_accumulation and not facts.schedules_accumulation
    return (f"{WINDOW} = {ACCUMULATE}",) if is_fixed else ()


def _epochs_window(facts: Facts) -> Lines:
    """The same, where that changes."""
    return (f"{WINDOW} = trainer.accumulate_grad_batches",) if facts.schedules_accumulation else ()


def _counts_of_batches(facts: Facts) -> Lines:
    names = ["batches_seen"] if facts.counts_batches else []
    names += ["batches_done"] if step_count(facts) == "batches_done" else []
    return tuple(f"{name} = 0" for name in names)


def _logs_now(facts: Facts) -> str:
    """Whether the values of a step are written."""
    due = f"{step_count(facts)} % config.log_every_n_steps == 0"
    if facts.stops_in_batches:
        due = f"({due} or trainer.should_stop)"
    return f"is_last and {due}" if facts.accumulates else due


def _no_last_batch(facts: Facts) -> Lines:
    """What holds of an epoch without batches, where something after the batch loop asks."""
    asks = "plateau_epoch" in schedule_lines(facts.form, has_hook=False)
    asks = asks and (facts.has_max_steps or facts.stops_inside)
    return ("is_last_batch = False",) if asks and not facts.is_sized else ()
