"""What changes in a main that stays the user's."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Literal

import libcst as cst

OBJECT = -1
"""In a rewriting of a call, the place of what stands before the dot."""


DATA_BASE = "DataModule"
"""The script's own base of data modules, where it has one."""

Star = Literal["", "**"]


@dataclass(frozen=True)
class Slot:
    """An argument of a rewritten call: where it stood before, and how it is passed now."""

    keyword: str | None
    place: int  # among the call's arguments, or OBJECT
    wrapper: str | None = None  # a function that it goes through
    listed: bool = False  # in brackets of its own
    attribute: str | None = None  # of that argument
    key: str | None = None  # of that argument, a mapping
    may_lack: bool = False  # that key
    fallback: str = ""  # code of what is passed instead of None or an empty text
    star: Star = ""
    beside: tuple[Slot, ...] = ()  # what else the function is given
    names: tuple[str, ...] = ()  # the same of names
    ignored: tuple[str, ...] = ()  # others of which it takes no notice
    keywords: tuple[tuple[str, str], ...] = ()  # the same, with their values as code
    order: tuple[int, ...] = ()  # of its elements, where it is a list in another
    as_key: str = ""  # under which the function finds it, in a mapping
    added: str = ""  # code of an element more, where it is a list
    code: str | None = None  # what is passed in any case; {names} of the script's stand in braces


@dataclass(frozen=True)
class Rewrite:
    """A call of Lightning's in the user's code, and the call of the script's own that takes its place."""

    node: cst.Call
    function: str
    arguments: tuple[Slot, ...]
    within: str | None = None  # a function that the result goes through
    beside: tuple[Slot, ...] = ()  # what else that function is given
    named: tuple[
        tuple[int, str], ...
    ] = ()  # arguments that are asked for twice and made once, with their names


@dataclass(frozen=True)
class HandedOn:
    """An expression that gives a method of a Trainer's, in whose place functions of the same parameters stand."""

    node: cst.BaseExpression
    functions: tuple[
        tuple[str, Rewrite], ...
    ]  # by the method's name: the call that it makes of its parameters
    takes_trainer: bool  # as it is there, and not when it is called
    in_brackets: bool
    is_named: bool  # by an expression, where it may be one of several


@dataclass(frozen=True)
class Rewrites:
    """What changes in a main that stays the user's."""

    calls: tuple[Rewrite, ...] = ()
    expressions: tuple[tuple[cst.BaseExpression, str], ...] = ()  # with the code that takes their place
    names: tuple[tuple[cst.BaseExpression, str], ...] = ()  # of Lightning's classes, with the script's
    loggers: tuple[tuple[cst.Assign, Slot], ...] = ()  # that a Trainer is given after it was made
    handed: tuple[HandedOn, ...] = ()
    keeps_places: bool = False  # in lists of callbacks, of those that do nothing
    idle: frozenset[cst.CSTNode] = (
        frozenset()
    )  # contexts, statements and results of lambdas that there is nothing for
    wrapping: frozenset[cst.Call] = frozenset()  # calls in whose place what they are given stands
    folded: frozenset[cst.Arg] = frozenset()  # arguments whose value the script's class has in it
    keeping: frozenset[cst.ClassDef] = frozenset()  # classes whose objects keep what they are made with

    @property
    def changes_nothing(self) -> bool:
        changed = (
            self.calls,
            self.expressions,
            self.names,
            self.loggers,
            self.handed,
            self.wrapping,
            self.folded,
            self.idle,
            self.keeping,
        )
        return not any(changed)

    @property
    def names_data_base(self) -> bool:
        """Whether code asks which objects are data modules."""
        return any(name == DATA_BASE for _, name in self.names)


EVALUATING = ("validate_model", "test", "predict")
"""The functions in the place of the Trainer's methods."""

SHAPES = ("alone", "on_loader", "on_data", "with_data", "on_loader_with_data")


def evaluating(function: str, given: Container[str], keeps_data: bool) -> str:
    """The name of another such function, by what of data it is given, and whether it knows a data module besides."""
    if "datamodule" in given:
        return f"{function}_on_data"
    shape = "on_loader" if "dataloaders" in given else ""
    return "_".join(filter(None, (function, shape, "with_data" if keeps_data else "" if shape else "alone")))


EVALUATIONS = tuple(
    name + suffix for name in EVALUATING for suffix in ("", *(f"_{shape}" for shape in SHAPES))
)
"""All names of such functions."""
