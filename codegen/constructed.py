"""The runtime's callbacks as the user's code makes them: what is never passed is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from .fold import Known
from .names import global_names
from .runtime import load_runtime
from .script import Constructed, Kept
from .shake import slimmed

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


@dataclass(frozen=True)
class Parameter:
    """What a constructor takes."""

    annotation: str = ""
    default: str = ""  # as code; empty: it has none


@dataclass(frozen=True)
class Signature:
    """What a constructor of the runtime's takes."""

    parameters: Mapping[str, Parameter]
    takes_any: bool = False

    def __getitem__(self, name: str) -> Parameter:
        return self.parameters.get(name, Parameter())


def signature_of(name: str) -> Signature:
    """The constructor's of a class of the runtime's; of a dataclass its fields."""
    (node,) = ast.parse(load_runtime().definitions[name].code).body
    assert isinstance(node, ast.ClassDef)
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            return _signature(part.args)
    parts = node.body if node.decorator_list else []  # a dataclass's
    fields = (part for part in parts if isinstance(part, ast.AnnAssign))
    return Signature({ast.unparse(each.target): _parameter(each.annotation, each.value) for each in fields})


def _signature(arguments: ast.arguments) -> Signature:
    by_place = arguments.args[1:]
    defaults = [*[None] * (len(by_place) - len(arguments.defaults)), *arguments.defaults]
    pairs = [
        *zip(by_place, defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    found = {each.arg: _parameter(each.annotation, default) for each, default in pairs}
    return Signature(found, takes_any=arguments.kwarg is not None)


def _parameter(annotation: ast.expr | None, default: ast.expr | None) -> Parameter:
    return Parameter(*(ast.unparse(each) if each else "" for each in (annotation, default)))


def members_of(name: str) -> frozenset[str]:
    """The methods of a class of the runtime's, and the attributes that it sets."""
    return frozenset(re.findall(r"(?:^    def |\bself\.)(\w+)", load_runtime().definitions[name].code, re.M))


def passed(made: Constructed) -> frozenset[str]:
    """The fields that are given a value somewhere."""
    return frozenset([*list(fields_of(made.name))[: made.positional], *made.keywords])


def kept_of(
    made: Constructed,
    hooks: frozenset[str],
    mentioned: frozenset[str],
    told: Mapping[str, str],
    tells_loggers: bool,
) -> Kept:
    """What stays of a class of which some `hooks` may be called, and some members are `mentioned` in other code."""
    members = frozenset({"__post_init__", *passed(made), *hooks, *mentioned})
    values = _values(made, mentioned, tells_loggers)
    kept = Kept(made.name, members, values, told, hooks - mentioned, hooks, frozenset())
    code = slimmed(made.name, members, known_of(kept)).code
    return replace(kept, hooks=hooks & set(re.findall(r"def (\w+)", code)), reads=_reads(code))


def known_of(kept: Kept) -> Known:
    """What is decided when the class is folded."""
    return Known(attributes=kept.values, told=kept.told, inherited=kept.inherited)


def _reads(code: str) -> frozenset[str]:
    """What a class and the functions that it uses ask of the trainer."""
    definitions = load_runtime().definitions
    used = (definitions[name].code for name in global_names(code) if name in definitions)
    functions = (text for text in used if text.startswith("def "))
    return frozenset(re.findall(r"\btrainer\.(\w+)", "".join((code, *functions))))


def _values(made: Constructed, mentioned: frozenset[str], tells_loggers: bool) -> dict[str, str]:
    """The values of flags and options that are neither passed nor mentioned."""
    given = passed(made) | mentioned | {"dirpath"}
    defaults = {name: code for name, code in fields_of(made.name).items() if name not in given}
    values = {name: code for name, code in defaults.items() if code in ("None", "True", "False")}
    if made.name == "ModelCheckpoint":
        values |= {} if tells_loggers else {"tells_loggers": "False"}
        values |= WITHOUT_STEPS if {"every_n_train_steps", "train_time_interval"} <= values.keys() else {}
    return values
