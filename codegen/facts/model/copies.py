"""Where code copies the model, as for averages of its weights, and where it moves or converts it."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ...ir.project import Class, Project
from ...values import values_of
from ..code.instances import Instances

COPYING = frozenset(
    "copy.deepcopy copy.copy pickle.dumps torch.save torch.optim.swa_utils.AveragedModel".split()
)
"""Functions that copy what they are given first, with all that it holds."""


MOVING = ("cpu", "cuda", "double", "float", "half", "to", "type")
"""Methods of a module's by which Lightning's `device` and `dtype` go."""


def copies_objects(project: Project, cls: Class) -> bool:
    """Whether such a function may be given an object of the class."""
    values, instances = values_of(project), Instances(project)
    calls = (
        call for call in project.index.of_kind(cst.Call) if project.called(call) in COPYING and call.args
    )
    given = (value for call in calls for value in values.of(call.args[0].value))
    return any((made := instances.class_of(value)) is not None and cls in made.lineage for value in given)


def moves_objects(project: Project, names: Iterable[str] = MOVING) -> bool:
    """Whether code may move or convert a model by one of the methods."""
    values, instances = values_of(project), Instances(project)
    owners = (value for node in project.index.attributes(*names) for value in values.of(node.value))
    return any(instances.name_of(owner, "module") for owner in owners)
