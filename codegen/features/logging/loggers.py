"""Where metrics are written: the spec's `logger`, or the loggers that a Trainer is given."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import libcst as cst

from ...facts.code.scalars import Scalars
from ...facts.facts import Facts
from ...facts.hyperparameters.save_hyperparameters import (
    logs_hyperparameters,
    may_lack_hyperparameters,
    may_set_hyperparameters,
    saved_names,
    saves_hyperparameters,
    saves_scalars,
)
from ...ir.project import Class
from ...lightning import api
from ...runtime.constructed import signature_of
from ...spec.sections.strategy_spec import Logger
from ...values import values_of
from ..feature import Feature

NUMBERED = frozenset({"TensorBoardLogger", "CSVLogger"})
"""Loggers that look for a version where they are given none."""


class Loggers(NamedTuple):
    """What writes metrics, and what is done with loggers that are objects."""

    writers: tuple[tuple[str, str], ...]  # variable, and how it is made
    are_objects: bool
    hyperparameters: str  # what objects note
    shows_model: bool  # Comet's experiment has it as text
    are_scalars: bool  # these
    are_numbered: bool  # each of the objects is given its version
    lent: bool  # the script's own files, to callbacks
    drops_rows: bool  # of an earlier run, before training
    restores_rows: (
        bool  # the same, but where a run goes on; a main that fits twice keeps the rows of the first
    )
    drop: str  # the call that does


def loggers(facts: Facts) -> Loggers:
    """What writes metrics."""
    drops = bool(facts.logging.logged) and Logger.JSONL in facts.writes
    keeps = facts.own_main is not None and (bool(facts.evaluations) or not facts.goes_on_in_folder)
    objects = facts.given_loggers.are_objects and not facts.lends_writers
    return Loggers(
        writers=facts.writers,
        are_objects=objects,
        hyperparameters=hyperparameters(facts),
        shows_model=objects and "CometLogger" in facts.callbacks.named,
        are_scalars=objects and _are_scalars(facts),
        are_numbered=objects and _are_numbered(facts),
        lent=facts.lends_writers,
        drops_rows=drops and not keeps,
        restores_rows=drops and keeps,
        drop="drop_steps_from(global_step)" if facts.saves_within else "drop_from(first_epoch)",
    )


def hyperparameters(facts: Facts, has_data: bool = True, may_lack_data: bool = False) -> str:
    """What loggers note of the model's and the data module's."""
    owners = [("model", facts.served.models), ("data", facts.served.data if has_data else ())]
    saving = {owner: [told for each in classes for told in _tells(facts, each)] for owner, classes in owners}
    if may_lack_data or (facts.own_main and facts.own_main.has_both):
        saving["data"].append(False)  # of the loaders in its place
    holders = [owner for owner, saves in saving.items() if any(saves)]
    if len(holders) == 1:
        return _held(facts, holders[0], all(saving[holders[0]]), "None")
    if not holders:
        return "None"
    codes = [_held(facts, owner, all(saving[owner]), "{}") for owner in holders]
    is_sure = any(all(saving[owner]) for owner in holders)
    return f"{_merged(facts, codes)}{'' if is_sure else ' or None'}"


def _merged(facts: Facts, codes: list[str]) -> str:
    """The model's and the data module's, which are to agree in what both have."""
    of_models = [saved_names(facts.project, each) for each in facts.served.models]
    of_data = [saved_names(facts.project, each) for each in facts.served.data]
    pairs = product(of_models, of_data)
    if any(one is None or other is None or one & other for one, other in pairs):
        return f"merged_hyperparameters(trainer.loggers, {', '.join(codes)})"
    held = ", ".join(f"**({code})" if " if " in code else f"**{code}" for code in codes)
    return f"{{{held}}}"


def _tells(facts: Facts, cls: Class) -> tuple[bool, ...]:
    """Whether loggers are told of what a class's objects have saved, in each of the cases that there may be."""
    tells = logs_hyperparameters(facts.project, cls)
    return (tells, False) if may_lack_hyperparameters(facts.project, cls) else (tells,)


def _held(facts: Facts, owner: str, is_sure: bool, without: str) -> str:
    """The hyperparameters of an object; what stands for those of one that has saved none, or none for loggers."""
    if facts.keeps_initial_hparams:
        held = f"{owner}.hparams_initial" if is_sure else f'getattr({owner}, "_hparams_initial", {without})'
    else:
        held = facts.hyperparameters_of(owner) if is_sure else f'getattr({owner}, "hparams", {without})'
    classes = facts.served.models if owner == "model" else facts.served.data
    silent = [each.name for each in classes if _is_silent(facts, each)]
    if not silent:
        return held
    is_silent = f"in ({', '.join(silent)})" if silent[1:] else f"is {silent[0]}"
    return f"{without} if type({owner}) {is_silent} else {held}"


def _is_silent(facts: Facts, cls: Class) -> bool:
    """Whether a class's objects have hyperparameters of which loggers are not told."""
    return saves_hyperparameters(facts.project, cls) and not logs_hyperparameters(facts.project, cls)


def _are_scalars(facts: Facts) -> bool:
    """Whether all hyperparameters are surely numbers, flags and texts."""
    scalars = Scalars(facts.project)
    is_set = may_set_hyperparameters(facts.project)
    return not is_set and all(saves_scalars(facts.project, each, scalars) for each in facts.served)


def _are_numbered(facts: Facts) -> bool:
    """Whether each logger is given its version, so that no rank looks for the next free one."""
    nodes = [(node, name) for node, name in facts.callbacks.nodes if name in api.LOGGERS]
    known = {made.name for made in facts.callbacks.loggers} & NUMBERED
    if facts.given_loggers.has_default or not {name for _, name in nodes} <= known:
        return False
    values, scalars = values_of(facts.project), Scalars(facts.project)
    for node, name in nodes:
        call = cst.ensure_type(facts.project.index.parent(node), cst.Call)
        given = values.arguments(call, [*signature_of(name).parameters]).get("version")
        if given is None or not scalars.all_are(given.values, int, str):
            return False
    return True


LOGGERS = Feature(
    "loggers",
    loggers,
    ("The Trainer is given loggers.", "setting logger"),
    {
        "writers": ("What is logged is written.", "spec logger"),
        "lent": ("Your code reads its trainer's loggers.", "trainer"),
        "shows_model": ("Comet is told of the model's layers.", "setting logger"),
        "hyperparameters": ("Loggers note the hyperparameters.", "method save_hyperparameters"),
        "drops_rows": ("What an earlier run wrote of epochs that are trained again goes.", "spec logger"),
        "restores_rows": ("What an earlier run wrote of epochs that are trained again goes.", "spec logger"),
    },
)
