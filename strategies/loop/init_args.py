"""What a constructor is called with."""

import inspect
from types import FrameType
from typing import Any


def get_init_args(frame: FrameType) -> dict[str, Any]:
    """The arguments of the constructor whose frame this is, by name, as they are now.

    What it takes by any name is among them; it has to call `super().__init__()`.
    """
    held = inspect.getargvalues(frame).locals
    if "__class__" not in held or frame.f_code.co_name != "__init__":
        return {}
    wanted = inspect.signature(held["__class__"].__init__).parameters
    given = {name: held[name] for name in wanted}
    for parameter in wanted.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            given.update(given[parameter.name])
    is_packed = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    packed = {name for name, each in wanted.items() if each.kind in is_packed}
    left_out = {next(iter(wanted)), *packed, "__class__", "frame", "frame_args"}
    return {name: value for name, value in given.items() if name not in left_out}
