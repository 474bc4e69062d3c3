"""The fields of Config, and how `main` makes the model and the data."""

from __future__ import annotations

import re
from dataclasses import replace

from .. import messages
from ..diagnostics import Diagnostic
from ..project import Entry
from ..script import (
    DATA,
    MODEL,
    ConfigField,
    ConfigGroup,
    Construction,
)
from . import (
    hyperparameters,
    loop,
)
from .facts import Facts
from .logging_plan import logs_by_step
from .stages import STAGES, VALIDATE


def config_and_constructions(
    facts: Facts, problems: list[Diagnostic]
) -> tuple[tuple[ConfigGroup, ...], tuple[tuple[str, Construction], ...]]:
    """The fields of Config, and how `main` makes the model and the data."""
    training = ConfigGroup("training", training_fields(facts))
    if facts.own_main:
        return (training,), ()
    # argparse has the latter two itself
    taken = {field.name for field in training.fields} | {"help", "no_resume"}
    groups, constructions = [], []
    found: Entry = facts.project.entry
    wanted = [("model", facts.model, found.model), ("data", facts.data, found.data)]
    for variable, cls, call in wanted:
        if cls is None:
            continue
        if cls.name in RESERVED:
            problems.append(messages.reserved_class_name((facts.project.source, cls.node.name), cls.name))
        reader = hyperparameters.ConstructionReader(
            facts.project, facts.loaded, variable, cls, call, problems
        )
        construction, fields = reader.read(taken)
        construction = replace(construction, class_name=MODEL if cls is facts.model else DATA)
        constructions.append((variable, construction))
        groups += [ConfigGroup(cls.name, fields)] if fields else []
    return (*groups, training), tuple(constructions)


RESERVED = frozenset("model data config ranks device backend".split())


def training_fields(facts: Facts) -> tuple[ConfigField, ...]:
    """The settings of training that the script uses."""
    given = facts.settings
    fields = []
    if loop.has_max_epochs(facts):
        fields.append(
            ConfigField("max_epochs", "int", str(1000 if given.max_epochs is None else given.max_epochs))
        )
    if facts.has_max_steps:
        fields.append(
            ConfigField("max_steps", "int", str(given.max_steps), "optimizer steps, over all epochs")
        )
    if facts.accumulates:
        count = str(given.accumulate_grad_batches)
        fields.append(ConfigField("accumulate_grad_batches", "int", count, "batches to an optimizer step"))
    if given.gradient_clip_val and (facts.form.exists or "gradient_clip_val" in facts.trainer_fields):
        what = "of each gradient" if given.gradient_clip_algorithm == "value" else "of the gradients' norm"
        kind, limit = "float", str(float(given.gradient_clip_val))
        if facts.is_expression("gradient_clip_val"):
            kind, limit = "float | None", "None"
        fields.append(ConfigField("gradient_clip_val", kind, limit, f"limit {what}"))
    if logs_by_step(facts):
        fields.append(ConfigField("log_every_n_steps", "int", str(given.log_every_n_steps)))
    fields += _limit_fields(facts)
    if facts.loaded.spec.checkpoint and facts.loaded.spec.checkpoint.every_n_epochs > 1:
        fields.append(
            ConfigField("checkpoint_every_n_epochs", "int", str(facts.loaded.spec.checkpoint.every_n_epochs))
        )
    if facts.seed is not None and not facts.own_main:
        fields.append(ConfigField("seed", "int", str(facts.seed)))
    if not facts.trains:
        asked = {each.stage.limit for each in facts.evaluations} | facts.trainer_fields
        fields = [field for field in fields if field.name in asked]
    fields.append(_out_field(facts))
    if facts.resumes_when_told:
        fields.append(ConfigField("resume", "bool", "False", "go on from out/last.ckpt, where there is one"))
    return tuple(fields)


def _limit_fields(facts: Facts) -> list[ConfigField]:
    given = facts.settings
    fields = []
    if given.limit_train_batches != 1.0 or type(given.limit_train_batches) is int:
        fields.append(_limit_field("limit_train_batches", given.limit_train_batches, "an epoch"))
    stages = {each.stage for each in facts.evaluations} | ({VALIDATE} if facts.has_validation else set())
    for stage in STAGES.values():
        limit = getattr(given, stage.limit)
        if stage in stages and (limit != 1.0 or type(limit) is int):
            fields.append(_limit_field(stage.limit, limit, LIMITED[stage.method]))
    if not facts.has_validation:
        return fields
    if (given.check_val_every_n_epoch or 1) > 1:
        fields.append(ConfigField("check_val_every_n_epoch", "int", str(given.check_val_every_n_epoch)))
    if given.val_check_interval != 1.0 or type(given.val_check_interval) is int:
        counts = type(given.val_check_interval) is int
        unit = (
            "batches from one validation to the next"
            if counts
            else "of an epoch from one validation to the next"
        )
        kind = "int" if counts else "float"
        fields.append(ConfigField("val_check_interval", kind, str(given.val_check_interval), unit))
    if given.num_sanity_val_steps > 0:
        count = str(given.num_sanity_val_steps)
        fields.append(
            ConfigField("num_sanity_val_steps", "int", count, "batches of validation, tried before training")
        )
    return fields


LIMITED = {"validate": "a validation", "test": "a test", "predict": "a prediction"}


def _limit_field(name: str, value: float, what: str) -> ConfigField:
    if type(value) is int:
        return ConfigField(name, "int", str(value), f"batches of {what}")
    return ConfigField(name, "float", str(value), f"share of the batches of {what}")


def _out_field(facts: Facts) -> ConfigField:
    options = facts.loaded.spec.checkpoint
    folder = (options.dir if options else None) or facts.settings.default_root_dir
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", facts.model.name).lower()
    writes = facts.writes or (facts.writes_evaluations and facts.evaluation_writes)
    kept_last = facts.trains and facts.writes_last
    files = [name for name, kept in (("metrics", writes), ("last.ckpt", kept_last)) if kept]
    comment = (
        f"{' and '.join(files)} {'are' if len(files) > 1 or files == ['metrics'] else 'is'} written here"
        if files
        else ""
    )
    return ConfigField("out", "Path", f"Path({folder or f'runs/{snake}'!r})", comment)
