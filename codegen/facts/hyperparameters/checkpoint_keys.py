"""`self.CHECKPOINT_HYPER_PARAMS_KEY` and its like: the names under which a checkpoint has hyperparameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import libcst as cst

from ...index.targets import is_target
from ...ir.project import Class, Project
from ...values import values_of
from ..code.instances import Instances

KEYS = {
    "CHECKPOINT_HYPER_PARAMS_KEY": "hyper_parameters",
    "CHECKPOINT_HYPER_PARAMS_NAME": "hparams_name",
    "CHECKPOINT_HYPER_PARAMS_TYPE": "hparams_type",
}
"""Those of models, by the attributes that hold them."""

PREFIX = {"module": "", "data": "datamodule_"}
"""What stands before them, by the kind of the class."""


@lru_cache(maxsize=4)
def checkpoint_keys(project: Project) -> Mapping[cst.BaseExpression, str]:
    """Where objects and classes are asked for them, with the code of what they are."""
    found = dict[cst.BaseExpression, str]()
    nodes = project.index.attributes(*KEYS)
    for node in nodes if nodes and not _are_own(project) else ():
        classes = [*_asked(project, node.value)]
        kinds = {cls.kind if cls else "other" for cls in classes}
        prefix = PREFIX.get(kinds.pop()) if len(kinds) == 1 else None
        if prefix is not None:
            found[node] = f'"{prefix}{KEYS[node.attr.value]}"'
    return found


def _asked(project: Project, owner: cst.BaseExpression) -> Iterator[Class | None]:
    """The classes of what is asked, itself one or an object; None: something else."""
    within = project.index.class_of(owner)
    if isinstance(owner, cst.Name) and owner.value in ("self", "cls") and within is not None:
        yield next((cls for cls in project.classes.values() if cls.node is within), None)
        return
    instances = Instances(project)
    for value in values_of(project).of(owner):
        yield instances.class_of(value) or instances.class_named(value)


def _are_own(project: Project) -> bool:
    """Whether code of the project's gives such an attribute another value."""
    index = project.index
    names = (each for each in index.of_kind(cst.Name) if each.value in KEYS)
    return any(map(index.binding, names)) or any(is_target(index, each) for each in index.attributes(*KEYS))
