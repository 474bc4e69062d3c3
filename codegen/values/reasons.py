"""Why it is not known that something is what it has to be, in words for the user."""

from __future__ import annotations

from .abstract import Class, Instance, Option, Unknown, Value
from .rules.calls import described


def reason_of(value: Value) -> str:
    """What a value is instead of what is asked for; the second half of a sentence."""
    if isinstance(value, Unknown):
        return value.reason
    if isinstance(value, Option):
        return f"it is the option `{value.name}`"
    if isinstance(value, Instance) and not isinstance(value.cls, Class):
        return f"it is what {described(value)} gives"
    if isinstance(value, Instance):
        return f"it is an object of {described(value.cls)}"
    return f"it is {described(value)}"
