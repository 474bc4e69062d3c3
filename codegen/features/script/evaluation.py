"""The functions in the place of `trainer.validate`, `test` and `predict` (16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...facts.code.stages import PREDICT, STAGES, VALIDATE
from ...facts.facts import Facts
from ...facts.main.evaluations import Evaluation as Call
from ...ir.plans import ConfigField
from ...spec.sections.strategy_spec import Logger
from ..data.data_pass import Pass, data_pass
from ..data.limits import limit_field
from ..data.loaders import (
    StageLoader,
    cut_short,
    ending_workers,
    limit_of,
    names_of,
    stage_loader,
    told_counts,
    told_loaders,
)
from ..data.transfer import Moving, moving
from ..distributed.accelerator import accelerator
from ..logging.loggers import hyperparameters
from ..loop.told_stage import told_stage
from ..resuming.resuming import asked_for
from .fit import checks
from .trainer import Trainer, data_parameter, is_read_by_data, told_data, trainer_of

SUMMARIES = {
    "validate": "One pass over the validation data; what it logged, for each loader.",
    "test": "One pass over the test data; what it logged, for each loader.",
    "predict": "What the model makes of the data, batch by batch.",
}
LIMITED = {"test": "a test", "predict": "a prediction"}


class Evaluation(NamedTuple):
    """One such function."""

    function: str
    method: str  # of the Trainer
    told_stage: str  # `setup` and `teardown`
    summary: str
    has_data: bool
    may_lack_data: bool  # if no call before has given the trainer one
    has_trainer: bool
    takes_loader: bool
    takes_checkpoint: bool
    takes_weights_only: bool
    loads_first: bool  # it, while the model is whole
    loads_shares: bool  # it, once it is shared out
    takes_verbose: bool
    takes_return: bool  # of predictions
    keeps_predictions: str  # a condition; empty: in any case
    reads_config: bool
    checks: tuple[tuple[str, tuple[str, ...]], ...]
    looks_up_first: (
        bool  # the checkpoint, before callbacks that know the best are replaced by the model's, made anew
    )
    looks_up_later: bool
    asked: str  # the checkpoint's path, as code
    tells_path: str  # to the trainer: its checkpoint's, as code; empty: nobody asks
    loads_callbacks: bool
    trainer: Trainer | None
    by_data: bool  # it is read
    hyperparameters: str
    moving: Moving  # of the model's example
    loader: StageLoader
    ends_workers: str  # of the loaders; empty: they keep none
    told: str  # the trainer's field of the loaders
    told_loaders: str  # empty: they are told as they are made
    told_by: str  # the trainer's field of the numbers of batches
    told_counts: str
    sets_epoch: bool
    predicts: bool
    logs: bool
    logs_nothing: bool
    clears_logs: bool  # of what ran before, though nothing is logged here
    writers: tuple[tuple[str, str], ...]
    makes_folder: bool
    saves_rows: bool  # of metrics, as a whole
    writes_steps: bool
    steps: str  # the trainer's count of steps, that values are logged under
    written: str  # the variable that holds what loggers are told
    run: Pass
    may_be_empty: bool  # a list of loaders, of which nothing is run then
    waits: bool

    @property
    def data_parameter(self) -> str:
        return data_parameter(self.has_data, self.may_lack_data)

    @property
    def chosen(self) -> str:
        """What is given of the predictions for several loaders."""
        if self.may_be_empty:
            return "predictions[0] if len(loaders) == 1 else predictions or None"
        return "predictions if len(loaders) > 1 else predictions[0]"


def evaluations(facts: Facts, settings: Mapping[str, str]) -> tuple[Evaluation, ...]:
    """The functions that a main of the user's own calls."""
    return tuple(_evaluation(facts, each, settings) for each in facts.evaluations)


def _evaluation(facts: Facts, call: Call, settings: Mapping[str, str]) -> Evaluation:
    stage, loader, has_data = call.stage, call.loader, call.has_data
    predicts = stage is PREDICT
    logs = facts.logging.during(stage) and not predicts
    variable, _ = names_of(facts, stage, "loader")
    limit = limit_of(facts, stage, loader, "loader")
    writing = facts.writers_of(facts.evaluation_writes) if logs else ()
    data = told_data(call.may_lack_data) if facts.data and has_data else "None"
    begins = trainer_of(facts, settings, call.gives_checkpoint, data)
    replaces = facts.has_hook("configure_callbacks")
    return Evaluation(
        call.function,
        stage.method,
        told_stage(facts, stage.method),
        SUMMARIES[stage.method],
        has_data,
        call.may_lack_data,
        facts.has_trainer,
        call.gives("dataloaders"),
        call.gives_checkpoint,
        facts.takes_weights_only and call.gives("weights_only"),
        call.gives_checkpoint and not facts.begins_empty,
        call.gives_checkpoint and facts.begins_empty,
        call.gives("verbose"),
        call.gives("return_predictions"),
        _keeps_predictions(facts, call),
        facts.has_trainer and any("config." in code for code in _codes(facts, call, begins, limit, writing)),
        checks(facts, "model", *(["data"] if has_data else [])),
        call.gives_checkpoint and replaces,
        call.gives_checkpoint and not replaces,
        _asked(facts),
        _told_path(facts, call.gives_checkpoint),
        facts.callbacks.has_state,
        begins,
        has_data and is_read_by_data(facts),
        hyperparameters(facts, has_data, call.may_lack_data),
        moving(facts, has_data),
        stage_loader(facts, stage, loader, variable),
        ending_workers(**{variable: loader}),
        f"{stage.loader}s",
        told_loaders(facts, stage, loader, variable),
        stage.limit.replace("limit", "num"),
        told_counts(facts, stage, loader, "loader"),
        not predicts and facts.may_order_by_epoch(loader),
        predicts,
        logs,
        not logs and not predicts,
        not logs and facts.asks_after_runs,
        writing,
        any("config.out" in made for _, made in writing),
        facts.is_remote and Logger.JSONL in facts.evaluation_writes,
        logs and facts.logging.by_step_of(stage),
        facts.logged_step,
        "metrics" if "logger" in facts.logging.unused_options else "written",
        _run(facts, call, limit, logs),
        call.gives("dataloaders") and facts.has_several(stage),
        facts.is_distributed,
    )


def _asked(facts: Facts) -> str:
    """The path of the checkpoint that is asked for, as code."""
    if facts.callbacks.saves:
        return asked_for(facts)
    return "ckpt_path" if facts.has_checkpoint_io else f"checkpoint_to_load({facts.last_path}, ckpt_path)"


def _told_path(facts: Facts, gives_checkpoint: bool) -> str:
    """The path of the checkpoint that is loaded, as the trainer tells it."""
    if not (facts.has_trainer and facts.own_main and "ckpt_path" in facts.fields_read):
        return ""
    if not gives_checkpoint:
        return "None"
    return "str(path) if path else None" if facts.is_remote else "path"


def _keeps_predictions(facts: Facts, call: Call) -> str:
    """Whether predictions are kept, for the caller or for those who write them at the end."""
    if not call.gives("return_predictions"):
        return ""
    return "keeps_predictions" if facts.writes_predictions else "return_predictions"


def _codes(
    facts: Facts,
    call: Call,
    begins: Trainer | None,
    limit: str | None,
    writing: tuple[tuple[str, str], ...],
) -> Iterator[str]:
    """What may read settings."""
    yield from begins.codes if begins else ()
    yield from (f"config.{name}" for name in ("deterministic", "benchmark") if facts.is_expression(name))
    yield "config.precision" if facts.precision.only is None else ""
    yield "config.accelerator" if accelerator(facts).is_open else ""
    yield _asked(facts) if call.gives_checkpoint else ""
    yield limit or ""
    yield from (made for _, made in writing)


def _run(facts: Facts, call: Call, limit: str | None, logs: bool) -> Pass:
    stage = call.stage
    is_stream = call.loader.dataset == "unsized" and not limit and stage is not PREDICT
    return data_pass(
        facts,
        stage,
        called=f"model.{stage.step}" if stage.step in facts.model.methods else "model",
        evaluated="model",
        batches=lambda loader: f"lookahead({loader})" if is_stream else cut_short(loader, limit),
        keeps_outputs=facts.calls(f"on_{stage.name}_batch_end") or stage is PREDICT,
        logs=logs,
        template="evaluation",
        has_data=call.gives("datamodule"),
    )


def evaluation_fields(facts: Facts) -> Iterator[ConfigField]:
    """The limits of tests and predictions."""
    stages = [each.stage for each in facts.evaluations]
    for stage in STAGES.values():
        if stage in stages and stage is not VALIDATE:
            yield from limit_field(facts, stage.limit, LIMITED[stage.method])
