"""The Trainer's settings: from the entry's `Trainer(...)`, and from the spec, which wins."""

from __future__ import annotations

from typing import Any

import libcst as cst

from .. import messages
from ..diagnostics import Diagnostic
from ..project import Project
from ..spec import LoadedSpec
from ..trainer_settings import TrainerSettings, read_trainer_arguments
from .literals import literal

NO_PLAIN_VALUE = object()
"""Stands for the value of an argument that is an expression."""


def trainer_settings(
    project: Project, spec: LoadedSpec, problems: list[Diagnostic], notes: list[Diagnostic]
) -> TrainerSettings:
    """The settings that hold; what is wrong or dropped among the entry's is reported."""
    for dropped in spec.dropped:
        place = spec.key_place(f"trainer.{dropped.name}")
        notes.append(messages.dropped_setting(place, dropped.name, dropped.reason))
    call = project.entry.trainer
    settings = TrainerSettings()
    if call is not None:
        arguments = _literal_arguments(project, call, problems, frozenset(spec.spec.trainer.model_fields_set))
        read = read_trainer_arguments({name: value for name, (_, value) in arguments.items()})
        settings = read.settings
        for problem in read.problems:
            if problem.name in spec.spec.trainer.model_fields_set:
                continue
            node, _ = arguments[problem.name]
            problems.append(messages.entry_trainer_argument((project.source, node), problem.sentence))
        for dropped in read.dropped:
            node, _ = arguments[dropped.name]
            notes.append(messages.dropped_argument((project.source, node), dropped.name, dropped.reason))
    return settings.overridden_by(spec.spec.trainer)


def _literal_arguments(
    project: Project, call: cst.Call, problems: list[Diagnostic], overridden: frozenset[str]
) -> dict[str, tuple[cst.Arg, Any]]:
    arguments: dict[str, tuple[cst.Arg, Any]] = {}
    for argument in call.args:
        at = (project.source, argument)
        if argument.star or argument.keyword is None:
            problems.append(messages.entry_unpacks_arguments(at))
            continue
        name = argument.keyword.value
        try:
            arguments[name] = (argument, literal(argument.value))
        except ValueError:
            if name not in TrainerSettings.model_fields:
                arguments[name] = (argument, NO_PLAIN_VALUE)
            elif name not in overridden:
                problems.append(messages.entry_argument_not_literal(at, name))
    return arguments


def seed_of(project: Project, spec: LoadedSpec, problems: list[Diagnostic]) -> tuple[int | None, bool]:
    """The seed, and whether loader workers get seeds of their own."""
    call = project.entry.seed
    seed, workers = None, False
    for index, argument in enumerate(call.args if call else ()):
        try:
            value = literal(argument.value)
        except ValueError:
            problems.append(messages.entry_argument_not_literal((project.source, argument), "seed"))
            continue
        name = argument.keyword.value if argument.keyword else ("seed", "workers")[min(index, 1)]
        seed, workers = (
            (value, workers) if name == "seed" else (seed, value if name == "workers" else workers)
        )
    if spec.is_given("seed_everything"):
        # LightningCLI, whose key this is, seeds the workers too
        return spec.spec.seed_everything, True
    return seed, bool(workers)
