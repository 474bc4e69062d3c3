"""What code asks for by `getattr` and `hasattr`, which take it not to be there where a script has none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...values import Literal, Value, values_of

ASKED = m.Call(m.Name("getattr") | m.Name("hasattr"), [m.Arg(), m.Arg(), m.ZeroOrMore()])


@lru_cache(maxsize=4)
def asked_by_name(project: Project) -> tuple[tuple[cst.Call, Value, str], ...]:
    """The calls, with what they may ask, and for what."""
    return tuple(_asked(project))


def _asked(project: Project) -> Iterator[tuple[cst.Call, Value, str]]:
    values = values_of(project)
    for call in project.index.of_kind(cst.Call):
        if m.matches(call, ASKED):
            owners, names = (values.of(each.value) for each in call.args[:2])
            asked = [str(each.value) for each in names if isinstance(each, Literal)]
            yield from ((call, owner, name) for owner in owners for name in asked)
