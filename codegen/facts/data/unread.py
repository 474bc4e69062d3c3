"""Datasets and loaders of packages that are not read: they may be streams, of which nobody knows the length."""

from __future__ import annotations

import re
import sys

import libcst as cst

from ...values import Class, External, Instance, Literal, Member, Value, Values

WITH_LENGTH = sys.stdlib_module_names | set("""
    builtins torch torchvision torchaudio torch_geometric lightning pytorch_lightning lightning_fabric datasets
    medmnist numpy pandas sklearn timm transformers
    """.split())
"""Packages whose datasets know their length, but for those with another name."""

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
        has_index = any(map(_has_index, values.bases(value.cls)))
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
    return made.package not in WITH_LENGTH or is_stream_by_name(made.name)


def _is_told_to(values: Values, made: Instance) -> bool:
    """Whether it may be told to stream, as `load_dataset(..., streaming=True)` is."""
    given = values.arguments(made.node, ()).get("streaming") if isinstance(made.node, cst.Call) else None
    return given is not None and not all(
        isinstance(each, Literal) and not each.value for each in given.values
    )


def _has_index(cls: Class | External) -> bool:
    body = cls.node.body.body if isinstance(cls, Class) else ()
    return any(isinstance(each, cst.FunctionDef) and each.name.value == "__getitem__" for each in body)
