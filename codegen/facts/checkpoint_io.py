"""Objects of the user's classes that write, read and remove the checkpoints of a main's Trainers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from .. import messages
from ..diagnostics import Diagnostic
from ..ir.project import Class, Project
from ..messages.making import At
from ..spec.load import LoadedSpec
from ..values import Sequence, Value, Values, values_of
from .code.instances import Instances
from .lightning.checkpoint_parts import loops_asked
from .trainer.arguments import PLUGINS, Argument, arguments
from .trainer.plugins import is_own_saving

if TYPE_CHECKING:
    from .facts import Facts

SAVES, READS, ENDS = "save_checkpoint", "load_checkpoint", "teardown"
WEIGHTS_ONLY = "weights_only"


@dataclass(frozen=True)
class GivenIO:
    """The classes of those that Trainers are given, and where the first one is given."""

    at: At
    classes: tuple[Class, ...]

    @property
    def takes_weights_only(self) -> bool:
        """Whether they read for Lightning 2.6, which tells them whether code in files may run."""
        return any(map(_takes_weights_only, self.classes))


def given_io(project: Project, spec: LoadedSpec, trainers: Iterable[cst.Call]) -> GivenIO | None:
    """None: the script has its own way with checkpoints."""
    values, instances = values_of(project), Instances(project)
    told = () if PLUGINS in spec.spec.trainer.model_fields_set else trainers
    given = [each for call in told for each in arguments(project, call, ()) if each.name == PLUGINS]
    found = [(each, one) for each in given for one in _objects(values, each) if is_own_saving(values, one)]
    if not found:
        return None
    classes = (instances.class_of(one) for _, one in found)
    return GivenIO((project.source, found[0][0].node), tuple(dict.fromkeys(filter(None, classes))))


def _objects(values: Values, argument: Argument) -> Iterator[Value]:
    """What an argument may hold, alone or in a list."""
    for each in argument.held or values.of(argument.value):
        yield from values.elements(each) if isinstance(each, Sequence) else [each]


def check_checkpoint_io(facts: Facts) -> Iterator[Diagnostic]:
    """What such objects do not go with, and what of theirs is not called."""
    given = facts.checkpoint_io
    if given is None:
        return
    name = given.classes[0].name
    for asked in (name for name, is_asked in _asked(facts).items() if is_asked):
        yield messages.not_with_checkpoint_io(given.at, name, asked)
    differ = len({*map(_takes_weights_only, given.classes)}) > 1
    for cls in given.classes:
        if ENDS in cls.methods:
            yield messages.checkpoint_io_ended((facts.project.source, cls.methods[ENDS].name), cls.name)
        if differ and READS in cls.methods and not _takes_weights_only(cls):
            yield messages.checkpoint_io_differs((facts.project.source, cls.methods[READS].name))
    yield from loops_asked(facts.project, given.classes, (SAVES, READS))


def _asked(facts: Facts) -> dict[str, object]:
    options = facts.loaded.spec.checkpoint
    return {
        "a Trainer that the script makes": facts.own_main is None,
        "checkpoint.async": options is not None and options.in_background,
        "checkpoint.state": facts.saves_shares,
        "strategy": facts.is_sharded,
        "preemption": facts.may_leave,
        "checkpoint": facts.writes_last and not facts.may_leave,
        "places": facts.is_remote,
    }


def _takes_weights_only(cls: Class) -> bool:
    """Whether its `load_checkpoint` has the argument, be it among others; Lightning's has it."""
    method = cls.methods.get(READS)
    if method is None:
        return True
    params = method.params
    named = (*params.params, *params.kwonly_params)
    return params.star_kwarg is not None or any(each.name.value == WEIGHTS_ONLY for each in named)
