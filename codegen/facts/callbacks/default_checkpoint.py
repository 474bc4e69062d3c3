"""The ModelCheckpoint that Lightning makes for a Trainer that has none: the script has it where it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...spec.load import LoadedSpec
from ...values import Class, External, Instance, Literal, Sequence, Unknown, Value, ValueSet, values_of
from ..code.instances import Instances
from ..trainer.methods import FitCall
from .given_lists import GivenLists

NAME = "ModelCheckpoint"
FOLDER = "checkpoints"
"""In which Lightning's own saves, below a logger's folder or a Trainer's."""

ASKING = frozenset({"checkpoint_callback", "checkpoint_callbacks"})
SAVING = frozenset({"Checkpoint", NAME, "OnExceptionCheckpoint"})
BRANCHES = (cst.If, cst.IfExp, cst.Try, cst.Match)

ASKS_FOR_KIND = m.Call(func=m.Name("isinstance"), args=[m.DoNotCare(), m.DoNotCare()])
BY_DEFAULT = m.Name("True") | m.Name("None")
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


def looks_for_files(project: Project) -> bool:
    """Whether code has the name of Lightning's folder for checkpoints, and looks for files that are such."""
    return FOLDER in project.path_parts and any(each.endswith("*.ckpt") for each in project.path_parts)


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


# ---- those that are made, and given to no Trainer --------------------------------------------------------


def is_kept_from(project: Project, trainers: Iterable[cst.Call]) -> bool:
    """Whether surely no Trainer is given a callback that saves, or gets one later."""
    return not _may_get_more(project) and all(_has_none(project, each) for each in trainers)


def lacking_beside_others(
    project: Project, spec: LoadedSpec, trainers: Mapping[cst.Call, cst.Call], fits: Iterable[FitCall]
) -> DefaultCheckpoint:
    """Trainers that fit and surely have none that saves, where others have: each saves for itself, as Lightning's."""
    lacking = {each for each in trainers if _has_none(project, each)}
    if _is_off(spec) or _may_get_more(project) or not lacking or len(lacking) == len(trainers):
        return NO_DEFAULT
    found = (each for fit in fits for each in values_of(project).receivers(fit.node))
    fitting = {each.node for each in found if isinstance(each, Instance)}
    return DefaultCheckpoint(frozenset(each for each in lacking & fitting if _makes_surely(trainers[each])))


def _makes_surely(trainer: cst.Call) -> bool:
    value = enabling(trainer)
    return value is None or m.matches(value, BY_DEFAULT)


def _has_none(project: Project, trainer: cst.Call) -> bool:
    """Whether it is known of all that a Trainer is given, and none of it saves."""
    values = values_of(project)
    told = values.arguments(trainer, ())
    given = told.get("callbacks")
    found = given.values.without_none if given else ValueSet(())
    lists = [each for each in found if isinstance(each, Sequence)]
    if told.unknown or any(each.startswith("*") for each in told) or any(map(values.is_open, lists)):
        return False  # by place, a library may be given a configuration
    among = [each for listed in lists for each in values.elements(listed)]
    return all(_never_saves(project, each) for each in (*set(found).difference(lists), *among))


def _never_saves(project: Project, callback: Value) -> bool:
    values = values_of(project)
    cls = callback.cls if isinstance(callback, Instance) else None
    is_known = isinstance(cls, Class) and values.knows_bases(cls)
    is_known = is_known or (isinstance(cls, External) and cls.lightning is not None)
    return is_known and cls is not None and not _saves(values.lightning_names(cls))


def _may_get_more(project: Project) -> bool:
    """Whether code may change the callbacks that a Trainer has: it does more than to read them one by one."""
    asked = project.index.attributes("callbacks")
    return any(_may_be_trainers(project, each) and not _only_reads(project, each) for each in asked)


def _may_be_trainers(project: Project, asked: cst.Attribute) -> bool:
    if project.index.ancestor(asked, cst.Import, cst.ImportFrom):
        return False
    owners, names = values_of(project).of(asked.value), Instances(project).lightning_names
    return any(isinstance(each, Unknown) or "Trainer" in names(each) for each in owners)


def _only_reads(project: Project, asked: cst.Attribute) -> bool:
    parent = project.index.parent(asked)
    loops = isinstance(parent, cst.For | cst.CompFor) and parent.iter is asked
    return loops or (isinstance(parent, cst.Subscript) and parent.value is asked)
