"""What a script is made for, where code of the user's may hand it something else."""

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from torch._dynamo import OptimizedModule

COMPILED = ("forward", "training_step", "validation_step", "test_step", "predict_step")


def require_class(given: object, *names: str) -> None:
    """End the run where an object is of another class than those whose hooks this script calls."""
    made = type(given)
    is_own = made.__module__ == __name__  # others may be called the same
    if not is_own or made.__name__ not in names:
        shown = made.__name__ if is_own else f"{made.__module__}.{made.__name__}"
        raise SystemExit(
            f"this script is for {' or '.join(names)}, not for {shown}: "
            "build another for that"
        )


def of_class(given: object, choices: dict[str, Any]) -> Any:
    """What there is for an object's class, or for the nearest that it derives from."""
    names = (cls.__name__ for cls in type(given).__mro__)
    return next(choices[name] for name in names if name in choices)


def is_installed(package: str) -> bool:
    """Whether a package can be imported."""
    return find_spec(package) is not None


def is_windows() -> bool:
    """Whether this is Windows."""
    return sys.platform == "win32"


def get_torchvision_model(model_name: str, **kwargs: Any) -> Any:
    """A model of torchvision's, by its name."""
    models = import_module("torchvision.models")
    return models.get_model(model_name, **kwargs)


def instantiate_class(args: Any, init: dict[str, Any]) -> Any:
    """An object of the class that a dict names, made with `args` and with what the dict says."""
    module, _, name = init["class_path"].rpartition(".")
    made_with = args if isinstance(args, tuple) else (args,)
    return getattr(import_module(module), name)(*made_with, **init.get("init_args", {}))


def with_compiled_steps(model: Any) -> Any:
    """A model that `torch.compile` was given, by itself: its steps are what it has compiled."""
    if not isinstance(model, OptimizedModule):
        return model
    inner: Any = model._orig_mod
    for name in COMPILED:
        if hasattr(inner, name):
            setattr(inner, name, model.dynamo_ctx(getattr(inner, name)))
    return inner
