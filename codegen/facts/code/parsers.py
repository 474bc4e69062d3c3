"""Parsers of jsonargparse's that take the arguments of classes, Lightning's own kind of them included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project, Statement
from ...values import CLASS_PARSER, PARSERS_ADDING, Dict, is_class_parser, values_of

TRAINER = "Trainer"
RUNTIME = {CLASS_PARSER: "ClassArgumentParser", TRAINER: "TrainerArguments"}
"""What the script has in the place of Lightning's."""

OF_LIGHTNING = "add_lightning_class_args"
TAKEN = frozenset({"lightning_class", "nested_key", "required"})
"""Arguments that the script's parser takes in that method."""

MISSING = ("add_optimizer_args", "add_lr_scheduler_args", "callback_keys")


def parser_names(
    project: Project, statements: Iterable[Statement]
) -> Iterator[tuple[cst.BaseExpression, str]]:
    """Where parsers are made, and where one is given the Trainer, with the script's names."""
    for call in _calls(project, statements):
        if project.lightning_name(call.func) == CLASS_PARSER:
            yield call.func, RUNTIME[CLASS_PARSER]
        if (added := _trainer_added(project, call)) is not None:
            yield added, RUNTIME[TRAINER]


def asked_for_signature(project: Project, statements: Iterable[Statement]) -> Iterator[cst.BaseExpression]:
    """The Trainer, or its constructor, where code asks which arguments that takes."""
    for call in _calls(project, statements):
        if project.called(call) == "inspect.signature" and call.args:
            asked = call.args[0].value
            if TRAINER in (project.lightning_name(asked), project.lightning_name(trainer_of(asked))):
                yield asked


def trainer_of(asked: cst.BaseExpression) -> cst.BaseExpression:
    """The Trainer itself, of it or of its constructor."""
    if isinstance(asked, cst.Attribute) and asked.attr.value == "__init__":
        return asked.value
    return asked


def check_parsers(project: Project, statements: Iterable[Statement]) -> Iterator[Diagnostic]:
    """What parsers of Lightning's are told that the script's own do not take."""
    values = values_of(project)
    for node in project.index.attributes(*MISSING):
        if any(map(is_class_parser, values.of(node.value))):
            yield messages.class_parser_member((project.source, node.attr), node.attr.value)
    for call in _calls(project, statements):
        if _method(project, call) == OF_LIGHTNING:
            for each in call.args[2:]:
                name = each.keyword.value if each.keyword else "subclass_mode"
                if name not in TAKEN:
                    yield messages.class_parser_argument((project.source, each), name)


def default_settings(project: Project) -> Iterator[str]:
    """The Trainer's settings that the code itself tells a parser."""
    nodes = project.index.attributes(*PARSERS_ADDING)
    calls = (call for node in nodes if isinstance(call := project.index.parent(node), cst.Call))
    for call in (each for each in calls if _trainer_added(project, each) is not None):
        yield from _in_default(project, call)
        for value in values_of(project).of(_argument(call, 1, "nested_key") or call):
            yield from _of_key(project, getattr(value, "value", None))


def _in_default(project: Project, call: cst.Call) -> Iterator[str]:
    """The keys of the mapping that is given as the default."""
    values, default = values_of(project), _argument(call, len(call.args), "default")
    for value in values.of(default) if default else ():
        parts = values.parts(value) if isinstance(value, Dict) else None
        yield from (key for key in parts or () if isinstance(key, str))


def _of_key(project: Project, key: object) -> Iterator[str]:
    """Those that texts name under a key, as `trainer.max_epochs` and `--trainer.max_epochs=3` do."""
    named = re.compile(rf"(?:--)?{re.escape(f'{key}')}\.(\w+)")
    for text in project.index.of_kind(cst.SimpleString):
        if found := named.match(str(text.evaluated_value)):
            yield found[1]


def _calls(project: Project, statements: Iterable[Statement]) -> Iterator[cst.Call]:
    return (call for each in statements for call in project.index.within(each.node, cst.Call))


def _method(project: Project, call: cst.Call) -> str:
    """Which of those of a parser's that take a class is called; empty: none of them."""
    func = call.func
    if not (isinstance(func, cst.Attribute) and func.attr.value in PARSERS_ADDING):
        return ""
    is_parsers = any(map(is_class_parser, values_of(project).of(func.value)))
    return func.attr.value if is_parsers else ""


def _trainer_added(project: Project, call: cst.Call) -> cst.BaseExpression | None:
    """The Trainer's class, whose arguments a parser is to take; None: it is another call."""
    method = _method(project, call)
    cls = _argument(call, 0, PARSERS_ADDING[method]) if method else None
    return cls if cls and project.lightning_name(cls) == TRAINER else None


def _argument(call: cst.Call, place: int, name: str) -> cst.BaseExpression | None:
    named = [each.value for each in call.args if each.keyword and each.keyword.value == name]
    by_place = [each.value for each in call.args[place : place + 1] if not (each.keyword or each.star)]
    return next(iter(by_place + named), None)
