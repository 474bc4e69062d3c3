"""Libraries that watch trainings through Lightning's own classes, or through the logger that it makes by default."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...spec.sections.strategy_spec import Logger
from ...values import External, Literal, Member, Value, values_of

if TYPE_CHECKING:
    from ..facts import Facts

PATCHING = frozenset({"mlflow.autolog", "mlflow.pytorch.autolog"})
"""Functions that change Lightning's Trainer, to have what it does logged."""

COLLECTING = frozenset({"clearml.Task.init", "wandb.init", "wandb.tensorboard.patch"})
"""Those after which what TensorBoard is told goes elsewhere too."""

ON_REQUEST = {"wandb.init": "sync_tensorboard"}
"""Their arguments that ask for it."""

OFF = "disable"
"""The argument that has a library leave Lightning alone."""


def check_watched(facts: Facts) -> Iterator[Diagnostic]:
    """Calls whose library sees nothing of what the script trains."""
    values, source = values_of(facts.project), facts.project.source
    has_default = not facts.given_loggers.are_known and Logger.TENSORBOARD not in facts.loaded.spec.logger
    for call in facts.project.index.of_kind(cst.Call):
        name = next(filter(None, map(_name, values.callees(call))), "")
        if name in PATCHING and not _is_off(facts, call):
            yield messages.autolog_in_vain((source, call), name)
        elif (
            name in COLLECTING
            and has_default
            and (name not in ON_REQUEST or _says(facts, call, ON_REQUEST[name]))
        ):
            yield messages.tensorboard_in_vain((source, call), name)


def _name(called: Value) -> str:
    """The dotted name of a library's function, or of a class's."""
    if isinstance(called, Member) and isinstance(called.receiver, External):
        return f"{called.receiver.name}.{called.name}"
    return called.name if isinstance(called, External) else ""


def _says(facts: Facts, call: cst.Call, name: str) -> bool:
    """Whether a call may be given a true argument."""
    given = values_of(facts.project).arguments(call, ()).get(name)
    return given is not None and any(not isinstance(each, Literal) or each.value for each in given.values)


def _is_off(facts: Facts, call: cst.Call) -> bool:
    given = values_of(facts.project).arguments(call, ()).get(OFF)
    return given is not None and all(isinstance(each, Literal) and each.value for each in given.values)
