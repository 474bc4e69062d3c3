"""The plans of the script's parts: every decision made, as the templates print it."""

from __future__ import annotations

from dataclasses import dataclass

from ..source.definitions import Import

Lines = tuple[str, ...]
"""Lines of code for one place in a template; none of them, and the template's own line goes as well."""

MODEL = "__model_class__"

DATA = "__data_class__"
"""What stands for the user's classes in code of the script's, until its own names have given way to the user's."""

TRAINER = "__spec_trainer__"
"""The same for `Trainer(...)`, with the objects that the spec describes."""

RESERVED = frozenset("model data trainer config ranks device backend".split())
"""Names that variables of the script's have."""


def model_of_kind(number: int) -> str:
    """What stands for a model's class in the loops of its kind."""
    return f"__model_class_{number}__"


def data_of_kind(number: int) -> str:
    """The same for the class of its data."""
    return f"__data_class_{number}__"


LOGS = "current_logs"
"""The attribute through which the model logs: `log` itself, or where that is a method, a name that is free."""


@dataclass(frozen=True)
class ConfigField:
    """One field of `Config`, and so one option of the command line."""

    name: str
    type: str
    default: str | None  # None: it has to be given
    comment: str = ""
    for_none: str = ""  # what None stands for, where the user's code may say it; empty: it says none
    of_training: bool = True  # alone; others are of use to a main that but evaluates, too

    @property
    def initial(self) -> str:
        return f" = {self.default}" if self.default is not None else ""


@dataclass(frozen=True)
class ConfigGroup:
    title: str
    fields: tuple[ConfigField, ...]


@dataclass(frozen=True)
class Construction:
    """How `main` makes an object of the user's."""

    class_name: str
    arguments: str
    imports: tuple[Import, ...] = ()  # of what its arguments are made of
