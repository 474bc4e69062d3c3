"""Members of Lightning's callbacks and loggers that code sets, or asks for, by names in quotes or in data."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import libcst as cst

from ...ir.project import Project
from ...lightning import api
from ...runtime.constructed import all_members
from ...values import Class as ClassValue
from ...values import Instance, Member, Unknown, Value, Values, values_of
from ...values.flow import ANY_NAME
from ..code.asked_by_name import asked_by_name


@lru_cache(maxsize=4)
def members_by_name(project: Project) -> frozenset[str]:
    """Such names; all that their classes have, where it is set what only a run knows the name of."""
    values = values_of(project)
    return frozenset((*_set(values), *_asked(project, values)))


def _set(values: Values) -> Iterator[str]:
    for owner, name, place in values.stores():
        if isinstance(place, cst.Attribute):
            continue  # whose name stands behind a dot
        if name != ANY_NAME and _may_be_lightnings(values, owner):
            yield name
        elif name == ANY_NAME:
            yield from (member for base in _bases(values, owner) for member in all_members(base))


def _asked(project: Project, values: Values) -> Iterator[str]:
    for _, owner, name in asked_by_name(project):
        if _may_be_lightnings(values, owner):
            yield name


def _may_be_lightnings(values: Values, owner: Value) -> bool:
    return isinstance(owner, Unknown | Member) or bool(_bases(values, owner))


def _bases(values: Values, owner: Value) -> list[str]:
    """The callbacks and loggers of Lightning's that an object is, or is derived from."""
    cls = owner.cls if isinstance(owner, Instance) else owner
    if isinstance(cls, ClassValue):
        names = values.lightning_bases(cls)
    else:
        names = [owner.lightning] if isinstance(owner, Instance) and owner.lightning else []
    return [each for each in names if each in api.CALLBACKS.keys() | api.LOGGERS]
