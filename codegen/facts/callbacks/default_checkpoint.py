"""The ModelCheckpoint that Lightning makes for a Trainer that has none: where it is asked for, or others have one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Project
from ...spec.load import LoadedSpec
from ...spec.trainer_settings import DROPPED_ARGUMENTS
from ...values import Instance, Literal, values_of
from ..trainer.arguments import Argument, arguments, unpacked
from ..trainer.methods import FitCall
from .given_saving import SAVING, GivenSaving

FOLDER = "checkpoints"
"""In which Lightning's own saves, below a logger's folder or a Trainer's."""

ASKING = frozenset({"checkpoint_callback", "checkpoint_callbacks"})
SWITCH = "enable_checkpointing"

ASKS_FOR_KIND = m.Call(func=m.Name("isinstance"), args=[m.DoNotCare(), m.DoNotCare()])
BY_DEFAULT = m.Name("True") | m.Name("None")
OFF = m.Name("False")
IS_BARE = m.Arg(keyword=m.Name("barebones"), value=m.Name("True"))


@dataclass(frozen=True)
class DefaultCheckpoint:
    """Who gets one."""

    lacking: frozenset[cst.Call] = frozenset()  # Trainers that surely have no other
    doubtful: frozenset[cst.Call] = frozenset()  # those that may have one, or make none
    switches: Mapping[cst.Call, tuple[Argument, ...]] = field(
        default_factory=dict
    )  # what says of a doubtful one whether it makes one, where a run alone can tell
    by_script: bool = False  # the script makes its Trainer, and gives it no callbacks

    def __bool__(self) -> bool:
        return bool(self.lacking or self.doubtful or self.by_script)


NO_DEFAULT = DefaultCheckpoint()


def default_checkpoint(
    project: Project, spec: LoadedSpec, trainers: Iterable[cst.Call], saving: GivenSaving
) -> DefaultCheckpoint:
    """`trainers` are all that may get one."""
    switches = {call: _switches(project, spec, call) for call in trainers}
    making = {call: found for call, found in switches.items() if found is not None}
    lacking = frozenset(call for call, found in making.items() if not found and saving.lacks(call))
    doubtful = frozenset(call for call in making if call not in lacking and not saving.is_sure(call))
    return DefaultCheckpoint(lacking, doubtful, {call: making[call] for call in doubtful})


def of_script(spec: LoadedSpec) -> DefaultCheckpoint:
    """The one of the Trainer that the script makes itself."""
    return NO_DEFAULT if _of_spec(spec) is False else DefaultCheckpoint(by_script=True)


def with_no_checkpoint(project: Project, loaded: LoadedSpec, trainers: Collection[cst.Call]) -> LoadedSpec:
    """The spec without a checkpoint of the script's own, where it is silent and surely no Trainer is to make one."""
    spec = loaded.spec
    told = [_switches(project, loaded, each) for each in trainers]
    are_off = all(each is None for each in told) if told else _of_spec(loaded) is False
    if loaded.is_given("checkpoint") or spec.preemption or not are_off:
        return loaded
    return replace(loaded, spec=spec.model_copy(update={"checkpoint": None}))


def is_switched_off(loaded: LoadedSpec) -> bool:
    """Whether that was so."""
    return loaded.spec.checkpoint is None and not loaded.is_given("checkpoint")


def _of_spec(spec: LoadedSpec) -> object:
    """What the spec says, if anything, of whether Trainers make one."""
    section = (spec.file.data or {}).get("trainer")
    if not isinstance(section, dict):
        return None
    return False if section.get("barebones") is True else section.get(SWITCH)


def _switches(project: Project, spec: LoadedSpec, trainer: cst.Call) -> tuple[Argument, ...] | None:
    """What a run decides by whether a Trainer makes one, which it does by default; None: it surely makes none."""
    if isinstance(told := _of_spec(spec), bool):
        return () if told else None
    found = tuple(_told(project, trainer))
    are_known = all(each.is_sure for each in found)
    is_off = bool(found) and are_known and all(m.matches(each.value, OFF) for each in found)
    if is_off or any(m.matches(each, IS_BARE) for each in trainer.args):
        return None
    is_on = are_known and all(m.matches(each.value, BY_DEFAULT) for each in found)
    return () if is_on else tuple({each.place: each for each in found}.values())


def _told(project: Project, trainer: cst.Call) -> Iterator[Argument]:
    """What a Trainer is told of it; by a mapping of which a run decides what it holds, too."""
    for each in arguments(project, trainer, ()):
        if each.name == SWITCH and not each.in_mapping:
            yield each
            return
    for mapping in unpacked(project, trainer, (SWITCH,)):
        held = [each for each in mapping.entries if each.name == SWITCH]
        if mapping.is_configured or len(held) > 1:
            yield Argument(SWITCH, cst.Arg(mapping.node), mapping.place, True, False, False)
        else:
            yield from held


def said_in_vain(project: Project, found: DefaultCheckpoint) -> Iterator[Diagnostic]:
    """What is said of arguments that the script does without, of those that it does not."""
    for call, switches in found.switches.items():
        for each in switches:
            place = each.node if project.source.has_place(each.node) else call.args[each.place]
            yield messages.dropped_argument((project.source, place), SWITCH, DROPPED_ARGUMENTS[SWITCH])


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


# ---- those that save where others do ---------------------------------------------------------------------


def is_kept_from(trainers: Iterable[cst.Call], saving: GivenSaving) -> bool:
    """Whether surely no Trainer is given a callback that saves, or gets one later."""
    return not saving.may_get_more() and all(map(saving.lacks, trainers))


def fitting(project: Project, trainers: Collection[cst.Call], fits: Iterable[FitCall]) -> list[cst.Call]:
    """The Trainers that may fit."""
    found = [each for fit in fits for each in values_of(project).receivers(fit.node)]
    made = {each.node for each in found if isinstance(each, Instance)}
    return [each for each in trainers if each in made]
