"""The runtime's callbacks as the user's code makes them: what is never passed is known."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .fold import Known
from .runtime import load_runtime
from .script import Constructed

WITHOUT_STEPS = {"_defer_save_until_validation": "False"}
"""What holds of a ModelCheckpoint that saves by epochs alone."""


def fields_of(name: str) -> dict[str, str]:
    """The fields of a dataclass of the runtime's, with their defaults."""
    return dict(_fields(name))


def _fields(name: str) -> Iterator[tuple[str, str]]:
    (node,) = ast.parse(load_runtime().definitions[name].code).body
    assert isinstance(node, ast.ClassDef)
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield part.target.id, ast.unparse(part.value) if part.value else ""


def passed(made: Constructed) -> frozenset[str]:
    """The fields that are given a value somewhere."""
    return frozenset([*list(fields_of(made.name))[: made.positional], *made.keywords])


def known_of(made: Constructed, mentioned: frozenset[str], tells_loggers: bool) -> Known:
    """The values of flags and options that are neither passed nor mentioned."""
    given = passed(made) | mentioned | {"dirpath"}
    defaults = {name: code for name, code in fields_of(made.name).items() if name not in given}
    values = {name: code for name, code in defaults.items() if code in ("None", "True", "False")}
    if made.name == "ModelCheckpoint":
        values |= {} if tells_loggers else {"tells_loggers": "False"}
        values |= WITHOUT_STEPS if {"every_n_train_steps", "train_time_interval"} <= values.keys() else {}
    return Known(attributes=values)


def members_of(made: Constructed, hooks: Iterable[str], mentioned: frozenset[str]) -> frozenset[str]:
    """The members that stay, with all that these use."""
    return frozenset({"__post_init__", *passed(made), *hooks, *mentioned})
