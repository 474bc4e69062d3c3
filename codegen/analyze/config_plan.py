"""The fields of Config, and how `main` makes the model and the data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from .. import messages
from ..diagnostics import Diagnostic
from ..ir.plans import DATA, MODEL, ConfigField, ConfigGroup, Construction
from ..ir.project import Entry
from . import hyperparameters
from .facts import Facts
from .logging_plan import logs_by_step
from .stages import STAGES, VALIDATE
from .training_length import has_max_epochs

RESERVED = frozenset("model data trainer config ranks device backend".split())
"""Names that variables of the script's have."""

SWITCHES = {
    "deterministic": ("bool | str | None", "None"),
    "precision": ("str | int | None", "None"),
    "enable_progress_bar": ("bool", "True"),
}
LIMITED = {"validate": "a validation", "test": "a test", "predict": "a prediction"}


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


def training_fields(facts: Facts) -> tuple[ConfigField, ...]:
    """The settings of training that the script uses."""
    fields = [*_length_fields(facts), *_update_fields(facts), *_limit_fields(facts), *_run_fields(facts)]
    if not facts.trains:
        asked = {each.stage.limit for each in facts.evaluations} | facts.trainer_fields
        fields = [field for field in fields if field.name in asked]
    fields += [ConfigField(name, *kind) for name, kind in SWITCHES.items() if facts.is_expression(name)]
    fields.append(_out_field(facts))
    if facts.resumes_when_told:
        fields.append(ConfigField("resume", "bool", "False", "go on from out/last.ckpt, where there is one"))
    return tuple(fields)


def _length_fields(facts: Facts) -> Iterator[ConfigField]:
    """How long training goes on."""
    if has_max_epochs(facts):
        yield _epochs_field(facts)
    if facts.has_max_steps:
        steps = "-1" if facts.is_expression("max_steps") else str(facts.settings.max_steps)
        yield ConfigField("max_steps", "int", steps, "optimizer steps, over all epochs")
    if facts.may_stop:
        least = [name for name in ("min_epochs", "min_steps") if facts.is_expression(name)]
        yield from (ConfigField(name, "int | None", "None") for name in least)


def _epochs_field(facts: Facts) -> ConfigField:
    epochs = facts.settings.max_epochs
    if not facts.is_expression("max_epochs"):
        return ConfigField("max_epochs", "int", str(1000 if epochs is None else epochs))
    if facts.has_max_steps:
        return ConfigField("max_epochs", "int | None", "None")
    return ConfigField("max_epochs", "int", "1000")


def _update_fields(facts: Facts) -> Iterator[ConfigField]:
    """What belongs to an optimizer step, and how often one is logged."""
    given = facts.settings
    if facts.sets_accumulation:
        is_open = facts.is_expression("accumulate_grad_batches")
        count = "1" if is_open else str(given.accumulate_grad_batches)
        yield ConfigField("accumulate_grad_batches", "int", count, "batches to an optimizer step")
    if given.gradient_clip_val and (facts.form.exists or "gradient_clip_val" in facts.trainer_fields):
        yield from _clip_fields(facts, float(given.gradient_clip_val))
    if has_log_interval(facts):
        yield ConfigField("log_every_n_steps", "int", str(given.log_every_n_steps))


def _clip_fields(facts: Facts, value: float) -> Iterator[ConfigField]:
    kind, limit = (
        ("float | None", "None") if facts.is_expression("gradient_clip_val") else ("float", str(value))
    )
    if facts.is_expression("gradient_clip_algorithm"):
        yield ConfigField("gradient_clip_val", kind, limit, "limit of the gradients")
        yield ConfigField("gradient_clip_algorithm", "str | None", "None", "norm or value")
        return
    by_value = facts.settings.gradient_clip_algorithm == "value"
    what = "of each gradient" if by_value else "of the gradients' norm"
    yield ConfigField("gradient_clip_val", kind, limit, f"limit {what}")


def _run_fields(facts: Facts) -> Iterator[ConfigField]:
    checkpoint = facts.loaded.spec.checkpoint
    if checkpoint and checkpoint.every_n_epochs > 1:
        yield ConfigField("checkpoint_every_n_epochs", "int", str(checkpoint.every_n_epochs))
    if facts.seed is not None and not facts.own_main:
        yield ConfigField("seed", "int", str(facts.seed))


def has_log_interval(facts: Facts) -> bool:
    """Whether the script asks how often to log."""
    told = "log_every_n_steps" in facts.trainer_fields and facts.is_expression("log_every_n_steps")
    return logs_by_step(facts) or told


def _limit_fields(facts: Facts) -> Iterator[ConfigField]:
    """How many batches are read, and when validation is due."""
    stages = {each.stage for each in facts.evaluations} | ({VALIDATE} if facts.has_validation else set())
    limits = {"limit_train_batches": "an epoch"}
    limits |= {stage.limit: LIMITED[stage.method] for stage in STAGES.values() if stage in stages}
    for name, what in limits.items():
        limit = getattr(facts.settings, name)
        if limit != 1.0 or type(limit) is int:
            yield _limit_field(facts, name, what)
    if facts.has_validation:
        yield from _validation_fields(facts)


def _validation_fields(facts: Facts) -> Iterator[ConfigField]:
    given = facts.settings
    if (given.check_val_every_n_epoch or 1) > 1:
        is_open = facts.is_expression("check_val_every_n_epoch")
        epochs = "1" if is_open else str(given.check_val_every_n_epoch)
        yield ConfigField("check_val_every_n_epoch", "int", epochs)
    if facts.is_expression("val_check_interval"):
        unit = "between validations: a share of an epoch, or batches"
        yield ConfigField("val_check_interval", "float", "1.0", unit)
    elif type(given.val_check_interval) is int:
        unit = "batches from one validation to the next"
        yield ConfigField("val_check_interval", "int", str(given.val_check_interval), unit)
    elif given.val_check_interval != 1.0:
        unit = "of an epoch from one validation to the next"
        yield ConfigField("val_check_interval", "float", str(given.val_check_interval), unit)
    if given.num_sanity_val_steps > 0:
        unit = "batches of validation, tried before training"
        yield ConfigField("num_sanity_val_steps", "int", str(given.num_sanity_val_steps), unit)


def _limit_field(facts: Facts, name: str, what: str) -> ConfigField:
    value = getattr(facts.settings, name)
    if facts.is_expression(name):
        return ConfigField(name, "float | None", "1.0", f"share or number of the batches of {what}")
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
