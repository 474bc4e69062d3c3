"""Which methods are one's own, and what a constructor is called with."""

import inspect
from types import FrameType
from typing import Any


def is_overridden(method_name: str, instance: Any) -> bool:
    """Whether a class of one's own has the method, and not what it derives from alone."""
    bases = {"TrainModule", "DataModule", "Callback", "Module", "object"}
    own = (cls for cls in type(instance).__mro__ if cls.__name__ not in bases)
    return any(method_name in vars(cls) for cls in own)


def get_init_args(frame: FrameType) -> dict[str, Any]:
    """The arguments of the constructor whose frame this is, as they are now, by name."""
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
