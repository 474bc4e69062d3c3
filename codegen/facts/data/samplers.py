"""What a loader's sampler is."""

from __future__ import annotations

import libcst as cst

from ...values import Class, External, Instance, Option, Unknown, Value, Values

GENERATOR = "torch.Generator"


def may_draw(values: Values, value: Value) -> bool:
    """Whether a sampler, or an argument of one, may be or have a generator of random numbers of its own."""
    if isinstance(value, Unknown | Option):
        return True
    if not isinstance(value, Instance):
        return False
    if isinstance(value.cls, Class):
        return any(base.name.endswith("Sampler") for base in values.library_bases(value.cls))
    name = value.cls.name if isinstance(value.cls, External) else ""
    if not name.startswith("torch."):
        return True
    if not name.endswith("Sampler") or not isinstance(value.node, cst.Call):
        return name == GENERATOR
    given = (each for argument in value.node.args for each in values.of(argument.value))
    return any(argument.star for argument in value.node.args) or any(may_draw(values, each) for each in given)
