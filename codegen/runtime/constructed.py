"""The runtime's callbacks as the user's code makes them: what is never passed is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from ..ir.script import Constructed, Kept
from ..source.names import global_names
from ..spec.signature import Signature, signature_in
from .definitions import load_runtime
from .fold import Known
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


@cache
def signature_of(name: str) -> Signature:
    """What the constructor of a class of the runtime's takes."""
    (node,) = ast.parse(load_runtime().definitions[name].code).body
    assert isinstance(node, ast.ClassDef)
    found = signature_in(node) or Signature({})
    return found.changed(lambda each: replace(each, leaves_default=True))


def members_of(name: str) -> frozenset[str]:
    """The methods of a class of the runtime's, and the attributes that it sets."""
    return frozenset(re.findall(r"(?:^    def |\bself\.)(\w+)", load_runtime().definitions[name].code, re.M))


OF_THE_SCRIPT = frozenset("""
    batches_done config counted_optimizers dump_checkpoint failed model note schedulers shared stage state_fn toggled
    """.split())
"""Members of the script's Trainer that are not Lightning's."""


@cache
def trainer_members() -> frozenset[str]:
    """Attributes of Lightning's Trainer that the script's own class has."""
    return frozenset(members_of("Trainer") | fields_of("Trainer").keys()) - OF_THE_SCRIPT


def trainer_reads(name: str) -> frozenset[str]:
    """What a class of the runtime's, such as a callback, asks of the trainer."""
    return _reads(load_runtime().definitions[name].code)


def trainer_writes(name: str) -> frozenset[str]:
    """What such a class changes of it."""
    return frozenset(re.findall(r"\btrainer\.(\w+) = ", load_runtime().definitions[name].code))


@cache
def module_reads(member: str) -> frozenset[str]:
    """What a method of TrainModule's asks of the trainer, itself or by another."""
    code = _module_methods().get(member, "")
    called = set(re.findall(r"\bself\.(\w+)\(", code)) - {member}
    return frozenset(re.findall(r"\bself\.trainer\.(\w+)", code)).union(*map(module_reads, called))


@cache
def _module_methods() -> dict[str, str]:
    (node,) = ast.parse(load_runtime().definitions["TrainModule"].code).body
    assert isinstance(node, ast.ClassDef)
    return {each.name: ast.unparse(each) for each in node.body if isinstance(each, ast.FunctionDef)}


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
