"""Datasets and loaders of packages that are not read, and that may be streams: nobody knows their length."""

from __future__ import annotations

import re

import libcst as cst

from ...values import Class, External, Instance, Literal, Member, Value, Values

OF_STREAMS = frozenset("ffcv litdata nvidia petastorm streaming torchdata webdataset".split())
"""Packages that are made to read streams; of any others a name has to say so, as most datasets know their length."""

STREAMING = re.compile("iter|stream|pipe|webdataset", re.IGNORECASE)
"""What names of streams have in them."""


def is_stream_by_name(name: str) -> bool:
    """Whether the name of a class, a function or its module says so."""
    return STREAMING.search(name) is not None


def may_be_stream(values: Values, value: Value) -> bool:
    """Whether it may be one that a package makes which is not read."""
    if not isinstance(value, Instance):
        return False
    if isinstance(value.cls, Class):
        has_index = any(defines(each, "__getitem__") for each in values.bases(value.cls))
        return not has_index and any(map(_may_make_streams, values.library_bases(value.cls)))
    made = _first(value)
    return made is not None and (_may_make_streams(made.cls) or _is_told_to(values, made))


def _first(value: Instance) -> Instance | None:
    """What a chain of calls begins with, such as `Dataset(...).shuffle(...)`; None: nothing of a package's."""
    while isinstance(value.cls, Member):
        if not isinstance(value.cls.receiver, Instance):
            return None
        value = value.cls.receiver
    return value


def _may_make_streams(made: object) -> bool:
    """Whether a package's class or function may be one of streams, as far as its name says."""
    if not isinstance(made, External) or made.is_local:
        return False
    return made.package in OF_STREAMS or is_stream_by_name(made.name)


def _is_told_to(values: Values, made: Instance) -> bool:
    """Whether it may be told to stream, as `load_dataset(..., streaming=True)` is."""
    given = values.arguments(made.node, ()).get("streaming") if isinstance(made.node, cst.Call) else None
    return given is not None and not all(
        isinstance(each, Literal) and not each.value for each in given.values
    )


def defines(cls: Class | External, method: str) -> bool:
    """Whether a class of the project's has a method of its own."""
    body = cls.node.body.body if isinstance(cls, Class) else ()
    return any(isinstance(each, cst.FunctionDef) and each.name.value == method for each in body)
