"""Modules that code asks for as a whole, where the script has what is theirs."""

import importlib.util
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from .trainer_settings import not_built_for


class OwnModule:
    """What this script has of a module; anything else that is asked of it ends the run."""

    def __init__(self, name: str, members: Mapping[str, Any]) -> None:
        self.__name__ = name
        self.__dict__.update(members)

    def __getattr__(self, name: str) -> Any:
        raise not_built_for(f"{self.__name__}.{name}")


class ModuleHere(ModuleType):
    """A module whose code is here: what is set in it would not be seen, and ends the run."""

    def __init__(self, **members: Any) -> None:
        super().__init__(members["__name__"])
        vars(self).update(members)

    def __setattr__(self, name: str, value: object) -> None:
        path = f"{self.__name__}.{name}"
        raise SystemExit(f"this script has a variable for {path}: set it by its name")


def module_named(
    name: str,
    package: str | None,
    targets: Mapping[str, Any],
    packages: tuple[str, ...],
) -> Any:
    """A module; of one of the `packages`, what the script has of it among its `targets`."""
    name = importlib.util.resolve_name(name, package)
    if name.partition(".")[0] not in packages:
        return importlib.import_module(name)
    return OwnModule(
        name,
        {
            path.removeprefix(f"{name}."): found
            for path, found in targets.items()
            if path.rpartition(".")[0] == name
        },
    )
