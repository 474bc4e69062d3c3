"""Objects of the user's classes that write, read and remove the checkpoints of a main's Trainers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from .. import messages
from ..diagnostics import Diagnostic
from ..index import patterns as m
from ..ir.project import Class, Project
from ..lightning import api
from ..messages.making import At
from ..spec.load import LoadedSpec
from ..values import Sequence, Value, Values
from .code.instances import Instances
from .lightning.checkpoint_parts import check_loops_asked
from .trainer.arguments import PLUGINS, Argument, arguments
from .trainer.plugins import UNKNOWN, described_plugins, is_own_saving

if TYPE_CHECKING:
    from .facts import Facts

SAVES, READS, ENDS = "save_checkpoint", "load_checkpoint", "teardown"
WEIGHTS_ONLY = "weights_only"
RUNS_NO_CODE = "the script's checkpoints are read without running code in them"


@dataclass(frozen=True)
class GivenIO:
    """The classes of those that Trainers are given, and where the first one is given."""

    at: At
    classes: tuple[Class, ...]
    are_configured: bool  # by a file of settings, which a run may change

    @property
    def takes_weights_only(self) -> bool:
        """Whether they read for Lightning 2.6, which tells them whether code in files may run."""
        return any(map(_takes_weights_only, self.classes))


def given_io(project: Project, spec: LoadedSpec, trainers: Iterable[cst.Call]) -> GivenIO | None:
    """None: the script has its own way with checkpoints."""
    instances = Instances(project)
    found = [
        (argument, cls)
        for argument in _plugins(project, spec, trainers)
        for each in _objects(instances.values, argument)
        if is_own_saving(instances, each) and (cls := instances.class_of(each))
    ]
    if not found:
        return None
    are_configured = any(argument.is_configured for argument, _ in found)
    at = (project.source, found[0][0].node)
    return GivenIO(at, tuple(dict.fromkeys(cls for _, cls in found)), are_configured)


def _plugins(project: Project, spec: LoadedSpec, trainers: Iterable[cst.Call]) -> Iterator[Argument]:
    """What Trainers are told of them, unless the spec says it."""
    for call in () if PLUGINS in spec.spec.trainer.model_fields_set else trainers:
        yield from (each for each in arguments(project, call, ()) if each.name == PLUGINS)


def _objects(values: Values, argument: Argument) -> Iterator[Value]:
    """What an argument may hold, alone or in a list."""
    for each in argument.held or values.of(argument.value):
        yield from values.elements(each) if isinstance(each, Sequence) else [each]


def check_unread(project: Project, spec: LoadedSpec, trainers: Iterable[cst.Call]) -> Iterator[Diagnostic]:
    """Plugins among which there may be such an object, where the spec's precision stands for what they say."""
    bases = [part for cls in project.classes.values() for part in cls.resolution_order]
    if "precision" not in spec.spec.trainer.model_fields_set or api.SAVING_BASES.isdisjoint(bases):
        return
    for argument in _plugins(project, spec, trainers):
        found = described_plugins(project, argument.value)
        if UNKNOWN in (found if isinstance(found, list) else [found]):
            yield messages.plugins_unknown((project.source, argument.node))


def check_checkpoint_io(facts: Facts) -> Iterator[Diagnostic]:
    """What such objects do not go with, and what of theirs is not called."""
    given = facts.checkpoint_io
    if given is None:
        return
    name = given.classes[0].name
    for asked, is_asked in _asked(facts, given).items():
        if is_asked:
            yield messages.not_with_checkpoint_io(given.at, name, asked)
    for node in facts.own_main.weights_only if facts.own_main and given.takes_weights_only else ():
        yield messages.not_with_checkpoint_io((facts.project.source, node), name, "`weights_only`")
    yield from _check_methods(facts.project, given)


def _asked(facts: Facts, given: GivenIO) -> dict[str, object]:
    options = facts.loaded.spec.checkpoint
    in_background = options is not None and options.in_background
    keeps_last = facts.writes_last and not (in_background or facts.may_leave or facts.is_remote)
    return {
        "a configuration": given.are_configured,
        "`checkpoint.async` of the spec": in_background,
        "the strategy of the spec": facts.is_sharded,
        "`preemption` of the spec": facts.may_leave,
        "`checkpoint` of the spec": keeps_last,
        "URLs": facts.is_remote,
    }


def check_saved_code(facts: Facts) -> Iterator[Diagnostic]:
    """Where it is said that code in checkpoints may be run, and the script does without."""
    for node in facts.own_main.weights_only if facts.own_main and not facts.takes_weights_only else ():
        if not m.matches(node, m.Name("True")):
            yield messages.dropped_argument((facts.project.source, node), WEIGHTS_ONLY, RUNS_NO_CODE)


def _check_methods(project: Project, given: GivenIO) -> Iterator[Diagnostic]:
    differ = len({*map(_takes_weights_only, given.classes)}) > 1
    for cls in given.classes:
        if ENDS in cls.methods:
            yield messages.checkpoint_io_ended((project.source, cls.methods[ENDS].name), cls.name)
        if differ and not _takes_weights_only(cls):
            yield messages.checkpoint_io_differs((project.source, cls.methods[READS].name))
    yield from check_loops_asked(project, given.classes, (SAVES, READS))


def _takes_weights_only(cls: Class) -> bool:
    """Whether its `load_checkpoint` has the argument, be it among others; Lightning's has it."""
    method = cls.methods.get(READS)
    if method is None:
        return True
    params = method.params
    named = (*params.params, *params.kwonly_params)
    return params.star_kwarg is not None or any(each.name.value == WEIGHTS_ONLY for each in named)
