"""Callbacks of one Trainer that may keep their states under one key, which Lightning's Trainer refuses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

import libcst as cst

from ...ir.project import Project
from ...runtime.constructed import fields_of, members_of
from ...values import Instance, Literal, Sequence, Value, values_of
from ...values.values import Given
from ..code.instances import Instances

KEYS = {
    "EarlyStopping": ("monitor", "mode"),
    "ModelCheckpoint": (
        "monitor",
        "mode",
        "every_n_train_steps",
        "every_n_epochs",
        "train_time_interval",
    ),
}
"""What the keys of Lightning's are made of."""

STATE = "state_dict"


def may_share_states(project: Project, trainers: Iterable[cst.Call], runtime: Iterable[str]) -> bool:
    """Whether a Trainer may be given two such callbacks; `runtime` are those of Lightning's that there are."""
    stateful = frozenset(name for name in runtime if name != "Callback" and STATE in members_of(name))
    for trainer in trainers:
        project = project.holding(trainer)
        kept = [each for each in _given(project, trainer) if _kind(project, each, stateful)]
        for one, other in combinations(dict.fromkeys(kept), 2):
            kinds = {_kind(project, each, stateful) for each in (one, other)}
            if len(kinds) == 1 and not _differ(project, kinds.pop(), one, other):
                return True
    return False


def _given(project: Project, trainer: cst.Call) -> Iterator[Instance]:
    """The callbacks of a Trainer, as far as they are known."""
    values = values_of(project)
    given = values.arguments(trainer, ()).get("callbacks")
    for value in given.values if given else ():
        found: Iterable[Value] = values.elements(value) if isinstance(value, Sequence) else [value]
        yield from (each for each in found if isinstance(each, Instance))


def _kind(project: Project, value: Instance, stateful: frozenset[str]) -> str:
    """The name of the class whose objects keep a state; empty: it is another one."""
    cls = Instances(project).class_of(value)
    if cls is None:
        return value.lightning or "" if value.lightning in stateful else ""
    return cls.name if STATE in cls.methods or stateful & {*cls.resolution_order} else ""


def _differ(project: Project, kind: str, one: Instance, other: Instance) -> bool:
    """Whether the keys of two objects surely differ."""
    if kind not in KEYS:
        return False
    pairs = zip(_parts(project, kind, one), _parts(project, kind, other), strict=True)
    return any(None not in pair and pair[0] != pair[1] for pair in pairs)


def _parts(project: Project, kind: str, value: Instance) -> list[str | None]:
    """What the key of an object is made of, as code; None: it is not known."""
    if not isinstance(value.node, cst.Call):
        return [None] * len(KEYS[kind])
    defaults = fields_of(kind)
    given = values_of(project).arguments(value.node, list(defaults))
    return [_code(given.get(name), defaults.get(name)) for name in KEYS[kind]]


def _code(given: Given | None, default: str | None) -> str | None:
    if given is None:
        return default
    found = list(given.values)
    return repr(found[0].value) if len(found) == 1 and isinstance(found[0], Literal) else None
