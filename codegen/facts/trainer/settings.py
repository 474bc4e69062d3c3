"""The Trainer's settings: from the entry's `Trainer(...)`, and from the spec, which wins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Project, Statement
from ...spec.load import OBJECTS, LoadedSpec
from ...spec.trainer_settings import (
    EXPRESSIBLE,
    OF_PRECISION,
    Dropped,
    TrainerArguments,
    TrainerSettings,
    as_taken,
    read_trainer_arguments,
)
from ...values import values_of
from ..callbacks.default_checkpoint import SWITCH, is_switched_off
from ..code.literals import is_literal, literal
from ..strategy.in_spec import check_strategy_in_spec
from ..strategy.strategy import (
    asked_by,
    asked_by_code,
    check_differing,
    check_strategy,
    strategy_of,
    taken_over,
)
from .plugins import described_plugins
from .profilers import profiler_made

VARIABLE = re.compile(r"PL_TRAINER_(\w+)")
"""The environment's, from which Lightning's Trainer takes arguments that it is not given."""

NO_PLAIN_VALUE = object()
"""Stands for the value of an argument that is an expression."""


def check_environment(project: Project, statements: Iterable[Statement]) -> Iterator[Diagnostic]:
    """Where code names a variable that a script does not read."""
    for statement in statements:
        for text in project.index.within(statement.node, cst.SimpleString):
            found = VARIABLE.fullmatch(str(text.evaluated_value))
            if found:
                yield messages.environment_setting((project.source, text), found[0], found[1].lower())


def trainer_settings(
    project: Project, spec: LoadedSpec, problems: list[Diagnostic], notes: list[Diagnostic]
) -> TrainerSettings:
    """The settings that hold; what is wrong or dropped among the entry's is reported."""
    for dropped in spec.dropped:
        wrong = list(check_strategy_in_spec(spec)) if dropped.name == "strategy" else []
        problems += wrong
        notes += [] if wrong else [_told_of_spec(spec, dropped)]
    call = project.entry.trainer
    described = {name for name in OBJECTS if getattr(spec.spec.trainer, name)}
    arguments = call.args if call else ()
    named = {argument.keyword.value: argument for argument in arguments if argument.keyword}
    given = {name: argument for name, argument in named.items() if name not in described}
    read = ArgumentReader(project, spec, problems, notes).sorted_out(given)
    return read.settings.overridden_by(spec.spec.trainer)


def _told_of_spec(spec: LoadedSpec, dropped: Dropped) -> Diagnostic:
    """What becomes of a setting of the spec's `trainer` that the script does without."""
    place = spec.key_place(f"trainer.{dropped.name}")
    if dropped.name == SWITCH and is_switched_off(spec):
        return messages.no_checkpoint_by_spec(place)
    kept = taken_over(spec, asked_by(strategy_of(spec))) if dropped.name == "strategy" else []
    if kept:
        return messages.strategy_in_spec_taken_over(place, kept)
    return messages.dropped_setting(place, dropped.name, dropped.reason)


@dataclass
class ArgumentReader:
    """Reads arguments of the Trainer's, and reports what is wrong or dropped; what the spec sets is the spec's."""

    project: Project
    spec: LoadedSpec
    problems: list[Diagnostic]
    notes: list[Diagnostic]

    def sorted_out(
        self, arguments: Mapping[str, cst.Arg], shown: Mapping[str, cst.CSTNode] | None = None
    ) -> TrainerArguments:
        """The arguments as read; what is said of them is `shown` where they stand, or at these places."""
        places = {**arguments, **(shown or {})}
        read = read_trainer_arguments(
            {name: self.value(name, node.value) for name, node in arguments.items()}
        )
        for problem in read.problems:
            if not self.is_set(problem.name):
                at = (self.project.source, places[problem.name])
                self.problems.append(messages.entry_trainer_argument(at, problem.sentence))
        for dropped in read.dropped:
            argument = arguments[dropped.name]
            said = list(self._said_instead(dropped.name, argument))
            self.problems += [each for each in said if each.severity != "note"]
            self.notes += [each for each in said if each.severity == "note"]
            at = (self.project.source, places[dropped.name])
            span = self.project.source.span(at[1])
            if not any(each.span and each.span.begins_within(span) for each in said):
                self.notes.append(messages.dropped_argument(at, dropped.name, dropped.reason))
        if read.settings.profiler and (made := profiler_made(self.project, arguments["profiler"].value)):
            self.notes += [messages.profiler_options((self.project.source, made))] if made.args else []
        return read

    def value(self, name: str, node: cst.BaseExpression) -> Any:
        """An argument's value, where it is a literal, or surely one if it may not stay an expression."""
        if name == "plugins" and not is_literal(node):
            return described_plugins(self.project, node)
        if name == "profiler" and profiler_made(self.project, node):
            return "pytorch"
        return as_taken(name, plain_value(node) if name in EXPRESSIBLE else known_value(self.project, node))

    def _said_instead(self, name: str, argument: cst.Arg) -> Iterator[Diagnostic]:
        """What is told of an argument that the script does without, where that is not all."""
        if name == "strategy":
            yield from self._strategy(argument)
        elif name == SWITCH and is_switched_off(self.spec):
            yield messages.no_checkpoint((self.project.source, argument))

    def _strategy(self, argument: cst.Arg) -> Iterator[Diagnostic]:
        """What is to be said of a strategy beyond that torchrun decides it."""
        yield from check_strategy(self.project, self.spec, argument.value)
        yield from check_differing(self.project, self.spec, argument.value)
        if kept := taken_over(self.spec, asked_by_code(self.project, argument.value)):
            yield messages.strategy_taken_over((self.project.source, argument), kept)

    def is_set(self, name: str) -> bool:
        """Whether the spec says what holds."""
        given = self.spec.spec.trainer.model_fields_set
        return name in given or (name in OF_PRECISION and bool(given & OF_PRECISION))


def shows_summary(spec: LoadedSpec, trainers: Iterable[cst.Call]) -> bool:
    """Whether Lightning shows a summary of the model, for which it may run it."""
    if "enable_model_summary" in (section := _trainer_section(spec)):
        return section["enable_model_summary"] is not False
    is_off = m.Arg(keyword=m.Name("enable_model_summary"), value=m.Name("False"))
    offs = [any(m.matches(argument, is_off) for argument in call.args) for call in trainers]
    return not offs or not all(offs)


def _trainer_section(spec: LoadedSpec) -> dict[str, Any]:
    """As it stands in the file, with what the script does without."""
    section = (spec.file.data or {}).get("trainer")
    return section if isinstance(section, dict) else {}


def known_value(project: Project, node: cst.BaseExpression) -> Any:
    """The value of a literal, or of a variable that surely is one."""
    value = plain_value(node)
    known = values_of(project).of(node).literal if value is NO_PLAIN_VALUE else None
    return known.value if known else value


def plain_value(node: cst.BaseExpression) -> Any:
    """The value of a literal, or something that is no value of any setting."""
    return literal(node) if is_literal(node) else NO_PLAIN_VALUE


def seed_of(project: Project, spec: LoadedSpec) -> tuple[Any, frozenset[bool]]:
    """The seed, if there is one, and whether loader workers get seeds of their own."""
    if spec.is_given("seed_everything"):
        # LightningCLI, whose key this is, seeds the workers too
        return spec.spec.seed_everything, frozenset({True})
    given = project.entry.seed_arguments
    return given.get("seed"), frozenset({bool(given["workers"])} if "workers" in given else ())
