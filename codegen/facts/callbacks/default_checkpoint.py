"""The ModelCheckpoint that Lightning makes for a Trainer that has none: the script has it where it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...spec.load import LoadedSpec
from ...values import Instance, Literal, Sequence, Value, values_of
from ..trainer.methods import FitCall
from .given_lists import GivenLists

NAME = "ModelCheckpoint"
ASKING = frozenset({"checkpoint_callback", "checkpoint_callbacks"})
SAVING = frozenset({"Checkpoint", NAME, "OnExceptionCheckpoint"})
BRANCHES = (cst.If, cst.IfExp, cst.Try, cst.Match)

ASKS_FOR_KIND = m.Call(func=m.Name("isinstance"), args=[m.DoNotCare(), m.DoNotCare()])
IS_CHECKPOINTING = m.Arg(keyword=m.Name("enable_checkpointing"))


@dataclass(frozen=True)
class DefaultCheckpoint:
    """Who gets one, where it is asked for."""

    lacking: frozenset[cst.Call] = frozenset()  # Trainers that surely have no other
    doubtful: frozenset[cst.Call] = frozenset()  # those that may have one
    by_script: bool = False  # the script makes its Trainer, and gives it no callbacks

    def __bool__(self) -> bool:
        return bool(self.lacking or self.doubtful or self.by_script)


NO_DEFAULT = DefaultCheckpoint()


def default_checkpoint(
    project: Project, spec: LoadedSpec, lists: GivenLists, is_asked: bool
) -> DefaultCheckpoint:
    """`lists` are of all Trainers that there are; none: the script makes its own."""
    trainers = lists.told
    if not is_asked or _is_off(spec):
        return NO_DEFAULT
    given = {call: _may_save(project, call, lists) for call, told in trainers.items() if not is_off(told)}
    return DefaultCheckpoint(
        frozenset(call for call, saves in given.items() if saves is False),
        frozenset(call for call, saves in given.items() if saves is None),
        not trainers,
    )


def _is_off(spec: LoadedSpec) -> bool:
    section = (spec.file.data or {}).get("trainer")
    return isinstance(section, dict) and section.get("enable_checkpointing") is False


def enabling(trainer: cst.Call) -> cst.BaseExpression | None:
    """What says whether a Trainer makes one."""
    found = [each.value for each in trainer.args if m.matches(each, IS_CHECKPOINTING)]
    return found[0] if found else None


def is_off(trainer: cst.Call) -> bool:
    """Whether a Trainer is told not to make one."""
    value = enabling(trainer)
    return value is not None and m.matches(value, m.Name("False"))


def _may_save(project: Project, trainer: cst.Call, lists: GivenLists) -> bool | None:
    """Whether a Trainer is given a callback that saves; None: it depends."""
    values, index = values_of(project), project.index
    given = values.arguments(trainer, ()).get("callbacks")
    found = list[Value]()
    for value in given.values if given else ():
        found += values.elements(value) if isinstance(value, Sequence) else [value]
    saving = [
        each for each in found if isinstance(each, Instance) and _saves(values.lightning_names(each.cls))
    ]
    if not saving:
        return False
    depends = all(index.ancestor(each.node, *BRANCHES) for each in saving) or lists.changed_after(trainer)
    return None if depends else True


def _saves(names: Iterable[str]) -> bool:
    return not SAVING.isdisjoint(names)


def asks_for_kind(project: Project) -> bool:
    """Whether code asks what is a ModelCheckpoint, as it does of each of a Trainer's callbacks."""
    calls = (each for each in project.index.of_kind(cst.Call) if m.matches(each, ASKS_FOR_KIND))
    kinds = (node for call in calls for node in project.index.references(call.args[1].value))
    return any(project.lightning_name(each) in SAVING for each in kinds)


def asks_for_best(project: Project, evaluations: Iterable[FitCall]) -> bool:
    """Whether an evaluation is of the best checkpoint, which it is by default where it is given no model."""
    values = values_of(project)
    for call in evaluations:
        path = call.expression("ckpt_path")
        if path is None and call.expression("model") is None:
            return True
        if path is not None and any(
            isinstance(each, Literal) and each.value == "best" for each in values.of(path)
        ):
            return True
    return False
