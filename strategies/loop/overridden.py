"""Which methods are one's own."""

from typing import Any


def is_overridden(method_name: str, instance: Any) -> bool:
    """Whether a class of one's own has the method, and not what it derives from alone."""
    bases = {"TrainModule", "DataModule", "Callback", "Module", "object"}
    own = (cls for cls in type(instance).__mro__ if cls.__name__ not in bases)
    return any(method_name in vars(cls) for cls in own)
