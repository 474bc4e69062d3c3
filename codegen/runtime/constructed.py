"""The runtime's callbacks as the user's code makes them: what is never passed is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache

from ..ir.script import Constructed, Kept
from ..lightning.api import MEMBERS
from ..lightning.internals import lent_by
from ..source.names import global_names
from ..spec.init_args.signature import Signature, signature_in
from .definitions import load_runtime
from .folding.known import Known
from .shake import slimmed

WITHOUT_STEPS = {"_defer_save_until_validation": "False"}
"""What holds of a ModelCheckpoint that saves by epochs alone."""

OWN_SETUP = "setup()"
"""What stands, among the members that are asked for, for a `setup` of a derived class beside Lightning's."""


RECORDING = {
    "keeps_values": frozenset({"lrs", "last_momentum_values", "last_weight_decay_values"}),
    "says_why": frozenset({"stopping_reason_message"}),
    "decides_in_setup": frozenset({"_check_on_train_epoch_end", OWN_SETUP}),
    "has_own_criteria": frozenset({"_evaluate_stopping_criteria"}),
    "has_own_modes": frozenset({"mode_dict"}),
    "has_own_skips": frozenset({"_should_skip_check"}),
    "may_lack_scores": frozenset({"_save_monitor_checkpoint", "check_monitor_top_k"}),
    "tells_epochs": frozenset(
        {"every_n_epochs", "_every_n_epochs", "_every_n_train_steps", "_train_time_interval"}
    ),
    "tells_last_saved": frozenset({"_last_checkpoint_saved"}),
    "tells_time": frozenset({"_last_time_checked"}),
    "turns_delta": frozenset({"min_delta", "mode_dict"}),
}
"""Flags of callbacks that keep or do something for whoever asks, and what that is."""

OF_FLAGS = {
    "decides_in_setup": "setup",
    "has_own_criteria": "_evaluate_stopping_criteria",
    "has_own_modes": "_begin_by_comparison",
    "tells_epochs": "_decide_epochs",
}
"""Methods that they have for such flags alone."""

FOR_OTHERS = {"EarlyStopping": frozenset({"stopping_reason", "mode_dict", "order_dict"})}
"""What callbacks tell others, and do not ask themselves where nobody has another."""


@cache
def fields_of(name: str) -> Mapping[str, str]:
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
    return frozenset(re.findall(r"(?:^    def |\bself\.)(\w+)", _code_of(name), re.M))


def all_members(name: str) -> frozenset[str]:
    """All that code may set of an object of a class of the runtime's."""
    return members_of(name) | fields_of(name).keys() | constants_of(name).keys()


EMPTY_BASES = ("Callback", "Checkpoint")
"""Classes whose methods do nothing."""


@cache
def base_of(name: str) -> str | None:
    """The class of the runtime's that does a part of what this one does."""
    found = re.search(rf"^class {name}\((\w+)\):", load_runtime().definitions[name].code, re.M)
    base = found[1] if found else ""
    return base if base in load_runtime().definitions and base not in EMPTY_BASES else None


@cache
def _code_of(name: str) -> str:
    """The code of a class, and of those that it derives from."""
    base = base_of(name)
    return load_runtime().definitions[name].code + (_code_of(base) if base else "")


OF_THE_SCRIPT = frozenset("""
    at_batch_end batch_idx batch_indices batches_done checkpoint_io completed_epochs config counted_optimizers
    dump_checkpoint epoch_batch_indices failed finished IS_TOLD_KIND logged_step loss_scaler made_train_dataloader
    note predictions root_device run schedulers setup_data shared SHARES_MODEL skips_backward stage state_fn status
    stopped strategy_name toggled total_batch_idx
    """.split())
"""Members of the script's Trainer that are not Lightning's."""


OF_THE_LOOP = frozenset({"at_batch_end", "checkpoint_io"})
"""Those that it has by itself: where something may wait there, or where code gives it one."""


@cache
def trainer_members() -> frozenset[str]:
    """Attributes of Lightning's Trainer that the script's own class has."""
    return frozenset(members_of("Trainer") | fields_of("Trainer").keys()) - OF_THE_SCRIPT


def trainer_reads(name: str) -> frozenset[str]:
    """What a class of the runtime's, such as a callback, asks of the trainer."""
    return _reads(_code_of(name))


def trainer_writes(name: str) -> frozenset[str]:
    """What such a class changes of it."""
    return frozenset(re.findall(r"\btrainer\.(\w+) [-+]?= ", _code_of(name)))


@cache
def model_reads(name: str) -> frozenset[str]:
    """Attributes of Lightning's that such a class asks of the model."""
    found = re.findall(r"\bpl_module\.(\w+)", _code_of(name))
    return frozenset(found) & MEMBERS


@cache
def fields_behind(member: str) -> frozenset[str]:
    """The fields of the trainer that a method or a property of its reads."""
    return (
        frozenset(re.findall(r"\bself\.(\w+)", _methods("Trainer").get(member, "")))
        & fields_of("Trainer").keys()
    )


@cache
def module_reads(member: str) -> frozenset[str]:
    """What a method of TrainModule's asks of the trainer, itself or by another."""
    code = _methods("TrainModule").get(member, "")
    called = set(re.findall(r"\bself\.(\w+)\(", code)) - {member}
    return frozenset(re.findall(r"\bself\.trainer\.(\w+)", code)).union(*map(module_reads, called))


@cache
def _methods(name: str) -> dict[str, str]:
    (node,) = ast.parse(load_runtime().definitions[name].code).body
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
    states: Mapping[str, str],
) -> Kept:
    """What stays of a class of which some `hooks` may be called, and some members are `mentioned` in other code."""
    folded = _folded(made, mentioned)
    hooks -= unasked_members(made.name, mentioned)
    given = passed(made, fields_of(made.name)).keys() - folded.keys()
    members = frozenset({"__post_init__", *given, *hooks, *mentioned})
    values = _values(made, mentioned, folded, states)
    present = frozenset(_always_given(made) - mentioned)
    flags = frozenset(_always_flags(made) - mentioned)
    gone = hooks - mentioned
    kept = Kept(
        name=made.name,
        members=members,
        values=values,
        folded=frozenset(folded),
        present=present,
        flags=flags,
        told=told,
        inherited=gone,
        hooks=hooks,
        reads=frozenset(),
    )
    code = slimmed(made.name, members, known_of(kept)).code
    return replace(kept, hooks=hooks & set(re.findall(r"def (\w+)", code)), reads=_reads(code))


ASKED_BY_CODE = {"format_checkpoint_name": {"ver": "None", "prefix": "None"}}
"""Parameters of methods that code alone passes, which overrides the method or calls it."""


def unasked_parameters(mentioned: frozenset[str]) -> dict[str, dict[str, str]]:
    """Such parameters, by the method, where no code does."""
    return {name: known for name, known in ASKED_BY_CODE.items() if name not in mentioned}


def known_of(kept: Kept) -> Known:
    """What is decided when the class is folded."""
    present = dict.fromkeys(kept.present, "")
    return Known(
        attributes=kept.values,
        methods=unasked_parameters(kept.members),
        present=present,
        flags=kept.flags,
        told=kept.told,
        inlines=True,
        inherited=kept.inherited,
    )


FOLDED = frozenset("""
    logging_interval log_momentum log_weight_decay mode verbose strict check_finite check_on_train_epoch_end
    log_rank_zero_only save_on_exception save_weights_only save_on_train_epoch_end auto_insert_metric_name
    enable_version_counter save_last
    """.split())
"""Options that choose what a class does: a value that all calls pass is in it, and they go without."""


def _folded(made: Constructed, mentioned: frozenset[str]) -> dict[str, str]:
    """Such options of the class's, with the code of their values."""
    found = passed(made, fields_of(made.name))
    values = {name: codes[0] for name, codes in found.items() if name in FOLDED - mentioned}
    return {
        name: code
        for name, code in values.items()
        if is_word(code) and found[name] == [code] * len(made.calls)
    }


NEEDED = frozenset({"monitor", "dirpath", "filename"})
"""Fields that a class without the code for None asks for: it raises an error where they are left out."""


def _always_given(made: Constructed) -> set[str]:
    """The fields for which no call passes None."""
    found = passed(made, fields_of(made.name))
    every = {name for name, codes in found.items() if len(codes) == len(made.calls)} & NEEDED
    return {name for name in every if all(map(_is_path if name == "dirpath" else _is_text, found[name]))}


def _always_flags(made: Constructed) -> set[str]:
    """The fields for which calls pass True or False, if anything."""
    found = passed(made, fields_of(made.name))
    return {name for name, codes in found.items() if name in FLAGS and {"True", "False"}.issuperset(codes)}


FLAGS = frozenset({"save_last"})
"""Fields that may be more than True or False."""


def _is_text(code: str) -> bool:
    """Whether it is a text with something in it."""
    return code.startswith(("'", '"')) and is_word(code) and bool(ast.literal_eval(code))


def _is_path(code: str) -> bool:
    """Whether it is a text, or is joined from parts, and so is not None."""
    node = ast.parse(code, mode="eval").body
    return _is_text(code) or isinstance(node, ast.BinOp | ast.JoinedStr)


def constants_of(name: str) -> dict[str, str]:
    """The constants of a class of the runtime's."""
    return dict(re.findall(r"^    ([A-Z_]+) = (\S+)$", load_runtime().definitions[name].code, re.M))


@cache
def flags_of_class(name: str) -> dict[str, str]:
    """What a class of the runtime's has for the builds in which something is known of all that are made."""
    code = load_runtime().definitions[name].code
    return dict(re.findall(r"^    ([a-z]\w*) = (True|False)\b", code, re.M))


def unasked_flags(name: str, mentioned: frozenset[str]) -> frozenset[str]:
    """The flags of a class that are for whoever asks, where nobody does."""
    code = load_runtime().definitions[name].code
    return frozenset(
        flag for flag, asked in RECORDING.items() if f"self.{flag}" in code and not asked & mentioned
    )


def unasked_members(name: str, mentioned: frozenset[str]) -> frozenset[str]:
    """The members of a class that it has only where code asks, and where none does."""
    of_flags = {OF_FLAGS[flag] for flag in unasked_flags(name, mentioned) & OF_FLAGS.keys()}
    return ((lent_by(name) | FOR_OTHERS.get(name, frozenset())) - mentioned) | of_flags


@cache
def _stored(name: str, unasked: frozenset[str]) -> frozenset[str]:
    """The attributes that the methods of a class assign, on itself or on anything else, but for some methods."""
    (cls,) = ast.parse(load_runtime().definitions[name].code).body
    assert isinstance(cls, ast.ClassDef)
    methods = (part for part in cls.body if isinstance(part, ast.FunctionDef) and part.name not in unasked)
    nodes = (node for method in methods for node in ast.walk(method))
    return frozenset(
        node.attr for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    )


def is_word(code: str) -> bool:
    """Whether it is a text, a whole number, None, True or False."""
    try:
        return isinstance(ast.literal_eval(code), str | int | None)
    except (ValueError, SyntaxError):
        return False


def _reads(code: str) -> frozenset[str]:
    """What a class and the functions that it uses ask of the trainer."""
    definitions = load_runtime().definitions
    used = (definitions[name].code for name in global_names(code) if name in definitions)
    functions = (text for text in used if text.startswith("def "))
    return frozenset(re.findall(r"\btrainer\.(\w+)", "".join((code, *functions)))) - OF_THE_LOOP


def _values(
    made: Constructed, mentioned: frozenset[str], folded: Mapping[str, str], states: Mapping[str, str]
) -> dict[str, str]:
    """The values of flags and options that are neither passed nor mentioned."""
    code = load_runtime().definitions[made.name].code
    stored = _stored(made.name, unasked_members(made.name, mentioned))
    given = passed(made, fields_of(made.name)).keys() | mentioned | stored
    defaults = {**fields_of(made.name), **constants_of(made.name)}
    values = {name: code for name, code in defaults.items() if name not in given and is_word(code)}
    values |= folded
    values |= {name: value for name, value in states.items() if f"self.{name}" in code}
    values |= {
        name: "False"
        for name in RECORDING
        if f"self.{name}" in code and not _records(name, mentioned, values)
    }
    is_timed = folded.get("logging_interval", "None") != "None"
    is_plain = is_timed and "keeps_values" in values and "_get_optimizer_stats" not in mentioned
    if made.name == "LearningRateMonitor" and not is_plain:
        values["has_one_optimizer"] = "False"  # all of them are named alike
    if made.name == "ModelCheckpoint":
        values |= WITHOUT_STEPS if {"every_n_train_steps", "train_time_interval"} <= values.keys() else {}
        values |= _of_names(made, mentioned, values)
    return values


def _of_names(made: Constructed, mentioned: frozenset[str], values: Mapping[str, str]) -> dict[str, str]:
    """What ModelCheckpoints need for the names of their files."""
    found = passed(made, fields_of(made.name))
    names, scores = (_texts(found.get(each, []), made) for each in ("filename", "monitor"))
    asked = NAMING | constants_of(made.name).keys()
    is_plain = bool(names) and not any("{" in each for each in names) and not mentioned & asked
    is_scored = bool(scores) and scores.isdisjoint({"epoch", "step"}) and values.get("verbose") == "False"
    has_folder = "dirpath" in found.keys() | mentioned
    is_claimed = not has_folder and values.get("is_in_claimed_folder") == "True"
    is_alone = is_plain and is_scored and len(made.calls) == 1 and ONE_FILE.items() <= values.items()
    return {
        "fills_names": str(not is_plain),
        "needs_counts": str(not (is_plain and is_scored)),
        "is_given_folders": str(has_folder),
        "is_in_claimed_folder": str(is_claimed),
        "keeps_one_file": str(is_claimed and is_alone),
        **(WRITTEN_OVER if is_claimed and is_alone else {}),
    }


ONE_FILE = {"save_top_k": "1", "save_last": "None"}
"""The options with which a ModelCheckpoint has one file, if it is given a name and a score."""

WRITTEN_OVER = {"enable_version_counter": "False", "repeats_steps": "False"}
"""What that comes to: whatever has the name is the run's own, and nothing that is to stay."""

NAMING = frozenset("filename format_checkpoint_name _monitor_candidates monitor".split())
"""By what else names of files are made, or scores are looked up."""


def _texts(codes: list[str], made: Constructed) -> set[str]:
    """The texts that all calls pass; none: it cannot be told of each."""
    is_known = len(codes) == len(made.calls) and all(map(_is_text, codes))
    return {ast.literal_eval(code) for code in codes} if is_known else set()


def _records(name: str, mentioned: frozenset[str], values: Mapping[str, str]) -> bool:
    """Whether what such a flag has a callback keep is asked for, or printed."""
    return bool(RECORDING[name] & mentioned) or (name == "says_why" and values.get("verbose") != "False")
