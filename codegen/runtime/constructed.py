"""The runtime's callbacks as the user's code makes them: what is never passed is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
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


AMOUNTS = frozenset({"patience", "min_delta"})
"""Fields that decide nothing by themselves, and stay for whoever wants another value."""


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


def passed(made: Constructed, parameters: Iterable[str]) -> dict[str, list[str]]:
    """What is passed for the parameters, by the code of each call that passes something."""
    found: dict[str, list[str]] = {}
    for by_place, by_name in made.calls:
        given = {**dict(zip(parameters, by_place, strict=False)), **by_name}
        for name, code in given.items():
            found.setdefault(name, []).append(code)
    return found


def kept_of(
    made: Constructed,
    hooks: frozenset[str],
    mentioned: frozenset[str],
    told: Mapping[str, str],
    tells_loggers: bool,
) -> Kept:
    """What stays of a class of which some `hooks` may be called, and some members are `mentioned` in other code."""
    members = frozenset({"__post_init__", *passed(made, fields_of(made.name)), *hooks, *mentioned})
    values = _values(made, mentioned, tells_loggers)
    always = {
        name: codes
        for name, codes in passed(made, fields_of(made.name)).items()
        if len(codes) == len(made.calls)
    }
    unmentioned = {name: codes for name, codes in always.items() if name not in mentioned}
    fixed = {
        name: codes[0] for name, codes in unmentioned.items() if is_word(codes[0]) and len(set(codes)) == 1
    }
    present = frozenset(name for name, codes in unmentioned.items() if all(map(_is_something, codes)))
    kept = Kept(made.name, members, values, fixed, present, told, hooks - mentioned, hooks, frozenset())
    code = slimmed(made.name, members, known_of(kept)).code
    return replace(kept, hooks=hooks & set(re.findall(r"def (\w+)", code)), reads=_reads(code))


def known_of(kept: Kept) -> Known:
    """What is decided when the class is folded."""
    present = dict.fromkeys(kept.present, "")
    return Known(
        attributes=kept.values, fixed=kept.fixed, present=present, told=kept.told, inherited=kept.inherited
    )


# ---- loggers ---------------------------------------------------------------------------------------------

READ_ELSEWHERE = frozenset({"name", "version", "save_dir"})
"""Attributes of loggers that other code of the runtime reads."""


def known_of_logger(made: Constructed, mentioned: frozenset[str]) -> Known:
    """What is decided of a logger's class by what is never passed to it."""
    code = load_runtime().definitions[made.name].code
    parameters = signature_of(made.name).parameters
    given = passed(made, parameters)
    never = {name: each.default for name, each in parameters.items() if name not in given}
    never = {name: default for name, default in never.items() if is_word(default)}
    options = re.search(r"^        \*\*(\w+): Any,$", code, re.M)
    if options and not given.keys() - parameters.keys():
        never[f"**{options[1]}"] = "{}"
    kept = READ_ELSEWHERE | mentioned
    attributes = {
        name: never[star]
        for name, star in _kept_arguments(code, never)
        if name not in kept and len(re.findall(rf"\bself\.{name} = ", code)) == 1
    }
    return Known(constructor=never, attributes=attributes)


def _kept_arguments(code: str, never: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The attributes that are the constructor's arguments, or None where they are, each with its parameter."""
    for name, value in re.findall(r"^        self\.(\w+) = (.+)$", code, re.M):
        if value in never or (value.startswith(f"None if {name} is None") and never.get(name) == "None"):
            yield name, value if value in never else name
        elif f"**{value}" in never:
            yield name, f"**{value}"


# ---- values ----------------------------------------------------------------------------------------------


def _constants(name: str) -> dict[str, str]:
    """The constants of a class of the runtime's."""
    return dict(re.findall(r"^    ([A-Z_]+) = (\S+)$", load_runtime().definitions[name].code, re.M))


def is_word(code: str) -> bool:
    """Whether it is a text, a whole number, None, True or False."""
    try:
        return isinstance(ast.literal_eval(code), str | int | None)
    except (ValueError, SyntaxError):
        return False


def _is_something(code: str) -> bool:
    """Whether an expression is never None, as its form shows."""
    node = ast.parse(code, mode="eval").body
    is_constant = isinstance(node, ast.Constant) and node.value is not None
    return is_constant or isinstance(node, ast.BinOp | ast.JoinedStr)


def _reads(code: str) -> frozenset[str]:
    """What a class and the functions that it uses ask of the trainer."""
    definitions = load_runtime().definitions
    used = (definitions[name].code for name in global_names(code) if name in definitions)
    functions = (text for text in used if text.startswith("def "))
    return frozenset(re.findall(r"\btrainer\.(\w+)", "".join((code, *functions))))


def _values(made: Constructed, mentioned: frozenset[str], tells_loggers: bool) -> dict[str, str]:
    """The values of flags and options that are neither passed nor mentioned."""
    given = passed(made, fields_of(made.name)).keys() | mentioned | {"dirpath"} | AMOUNTS
    defaults = {**fields_of(made.name), **_constants(made.name)}
    values = {name: code for name, code in defaults.items() if name not in given and is_word(code)}
    if made.name == "EarlyStopping" and not {"verbose", "stopping_reason", "stopping_reason_message"} & given:
        values |= {"explains": "False", "_message": "None"}
    if made.name == "ModelCheckpoint":
        values |= {} if tells_loggers else {"tells_loggers": "False"}
        values |= WITHOUT_STEPS if {"every_n_train_steps", "train_time_interval"} <= values.keys() else {}
    return values
