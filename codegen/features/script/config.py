"""The fields of Config, and how `main` makes the model and the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ... import messages
from ...diagnostics import Diagnostic
from ...facts.facts import Facts
from ...facts.model.hyperparameters import constructions
from ...facts.model.hyperparameters import in_order as made_in_order
from ...ir.plans import DATA, MODEL, RESERVED, ConfigField, ConfigGroup, Construction
from ...spec.trainer_settings import TrainerSettings

OF_ARGPARSE = frozenset({"help", "no_resume"})
"""Options that argparse has itself."""

ORDER = {name: place for place, name in enumerate(TrainerSettings.model_fields)}


def config_and_constructions(
    facts: Facts, fields: Iterable[ConfigField], problems: list[Diagnostic]
) -> tuple[tuple[ConfigGroup, ...], tuple[tuple[str, Construction], ...]]:
    """The fields of Config, those of training in the order of the Trainer's settings, and how `main` makes objects."""
    training = ConfigGroup("training", tuple(_of_use(facts, fields)))
    if facts.own_main:
        return (training,), ()
    taken = {field.name for field in training.fields} | OF_ARGPARSE
    groups, made = [], []
    entry = facts.project.entry
    wanted = [("model", facts.model, entry.model), ("data", facts.data, entry.data)]
    passed = _passed(training.fields)
    wanted = made_in_order(facts.loaded, wanted)
    read = constructions(facts.project, facts.loaded, wanted, taken, problems, passed)
    for reader, construction, own in read:
        cls = reader.cls
        if cls.name in RESERVED:
            problems.append(messages.reserved_class_name((facts.project.source, cls.node.name), cls.name))
        construction = replace(construction, class_name=MODEL if cls is facts.model else DATA)
        made.append((reader.section, construction))
        groups += [ConfigGroup(cls.name, own)] if own else []
    return (*groups, training), tuple(made)


def _passed(fields: Iterable[ConfigField]) -> dict[tuple[str, ...], str]:
    """What settings are in the script, by their keys."""
    keys = {"seed": ("seed_everything",)}
    return {keys.get(each.name, ("trainer", each.name)): f"config.{each.name}" for each in fields}


def _of_use(facts: Facts, fields: Iterable[ConfigField]) -> list[ConfigField]:
    """In order, and where a main but evaluates, those that it asks for."""
    ordered = in_order(fields)
    if facts.trains:
        return ordered
    asked = {each.stage.limit for each in facts.evaluations} | facts.trainer_fields
    return [field for field in ordered if field.name in asked or not field.of_training]


def in_order(fields: Iterable[ConfigField]) -> list[ConfigField]:
    """In the order of the Trainer's settings."""
    return sorted(fields, key=lambda field: ORDER.get(field.name, len(ORDER)))
