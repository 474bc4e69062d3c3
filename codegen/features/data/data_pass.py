"""One pass over the data of a stage: validation, test or prediction (8.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...facts.code.stages import PREDICT, WHICH, Stage, index_argument, without_index
from ...facts.facts import Facts
from ..numerics.precision import step_context
from ..optimization.training_step import step_arguments
from .transfer import Moving, moving


class Pass(NamedTuple):
    """What is run through, and what is done with each batch."""

    stage: str  # as the hooks are named
    template: str  # of what is done after each batch, and at the end
    evaluated: str  # what is put into evaluation mode
    eval_hook: str  # of the model's, that does so; empty: there is none
    train_hook: str  # the same for the mode that it had
    keeps_modes: bool  # of its modules, which may be of several
    several: bool  # loaders, of which there may be but one
    lacking_index: str  # what cannot be told which of several it is, and ends such a run; empty: all can
    tells_which: bool  # to what has another default than 0, where there are several indeed
    batches: str  # what is iterated
    early: str  # the same, made before the hooks at the start; empty: nothing comes between
    target: str
    moving: Moving
    outputs: str  # what keeps what a step returns, with `=`; empty: nothing does
    step: str
    context: str  # that it stands in; empty: none
    start_index: str  # of the loader, as the model's hooks are told it
    end_index: str
    told_at_start: str  # the same, as callbacks' are
    told_at_end: str
    logs: bool
    tells_loaders: bool  # to what is logged
    end_loader: str  # the method of what is logged that is called after each of them
    forgets_steps: bool  # logged for another loader
    notes_indices: bool  # of samples, for those who write predictions
    told: str  # the attribute by which logs know a batch; empty: nothing depends on it
    batch: str
    weighs_nothing_after: bool  # the batches
    forgets_batch_after: bool


def data_pass(
    facts: Facts,
    stage: Stage,
    *,
    called: str,
    evaluated: str,
    batches: Callable[[str], str],
    keeps_outputs: bool,
    logs: bool,
    template: str,
    has_data: bool = True,
) -> Pass:
    """The pass; `called` is what is called for each batch, `batches` what is read of a loader, or of its iterator."""
    several = facts.has_several(stage)
    told, batch = (facts.logged_batch if logs else None) or ("", "")
    around = facts.logging.around(stage) or facts.reads_callback_metrics
    name = f"on_{stage.name}_batch"
    read = batches("loader")
    called_with = f"{called}({_step_arguments(facts, stage, several)})"
    indices = (
        index_argument(facts.model, f"{name}_start", several),
        index_argument(facts.model, f"{name}_end", several),
        _told_index(facts, f"{name}_start", several),
        _told_index(facts, f"{name}_end", several),
    )
    early = _begun(read, several) if _may_draw_at_start(facts, stage) else ""
    eval_hook, train_hook = (each if each in facts.model.methods else "" for each in _mode_hooks(stage))
    return Pass(
        stage.name,
        template,
        evaluated,
        eval_hook,
        train_hook,
        not (train_hook or facts.all_train),
        several,
        " and ".join(f"`{each}`" for each in without_index(facts.model, stage)) if several else "",
        any(WHICH in each for each in (called_with, *indices)),
        (batches("batches") if several else "batches") if early else read,
        early,
        "(batch, _)" if read.startswith("lookahead(") else "batch",
        moving(facts, has_data, several),
        "outputs = " if keeps_outputs else "",
        called_with,
        step_context(facts),
        *indices,
        logs,
        several and logs,
        "end_loader" if facts.reads_callback_metrics else "compute",
        several and logs and facts.logging.by_step_of(stage),
        stage is PREDICT and facts.writes_predictions,
        told,
        batch,
        bool(told) and around,
        told == "batch" and not around,
    )


def _may_draw_at_start(facts: Facts, stage: Stage) -> bool:
    return any(facts.may_draw(f"on_{stage.name}_{moment}") for moment in ("start", "epoch_start"))


def _begun(read: str, several: bool) -> str:
    """What is read, with its iterator made; of several loaders the first one's."""
    if several:
        return "iter(loaders[0])"
    return "iter(loader)" if read == "loader" else read


def _mode_hooks(stage: Stage) -> tuple[str, str]:
    """Those that Lightning calls: after predictions it asks no one."""
    to_eval, to_train = stage.mode_hooks
    return to_eval, "" if stage is PREDICT else to_train


def _told_index(facts: Facts, hook: str, several: bool) -> str:
    """What is added to the arguments of callbacks' hooks, all of which take it: Lightning's own do."""
    taken = [index_argument(cls, hook, several) for cls in facts.callbacks.own if hook in cls.methods]
    if not several or not all(taken):
        return ""
    return WHICH if WHICH in taken else ", dataloader_idx"


def _step_arguments(facts: Facts, stage: Stage, several: bool) -> str:
    """What a stage's step is given."""
    arguments = step_arguments(facts, stage.step, "batch")
    return arguments + (index_argument(facts.model, stage.step, several) if "batch_idx" in arguments else "")
