"""Where metrics are written to: the spec's loggers, or those that the code gives its Trainer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...spec.load import LoadedSpec
from ...spec.sections.strategy_spec import Logger
from ...values import Literal, Option, Unknown, Value, values_of
from .trainer_loggers import SetLoggers

NOTHING = m.Name("False") | m.List(elements=[])
DEFAULT = m.Name("True") | m.Name("None")

ROWS = "metrics.jsonl"

SPEC_WRITERS = {
    Logger.JSONL: ("metrics_file", "JsonlLogger({rows}, ranks)"),
    Logger.TENSORBOARD: ("tensorboard", "TensorBoardFile(config.out, ranks)"),
}

SPEC_FILES = {Logger.JSONL: ROWS, Logger.TENSORBOARD: "events.out.tfevents.*"}


@dataclass(frozen=True)
class GivenLoggers:
    """What the code says of loggers."""

    are_objects: bool = False  # which the model may ask for
    is_none: bool = False  # it wants none
    has_default: bool = False  # some Trainer is given none, or may be, and makes Lightning's own

    @property
    def are_known(self) -> bool:
        """Whether the model may ask for them."""
        return self.are_objects or self.is_none


NOT_GIVEN = GivenLoggers()


FOLDER = "lightning_logs"
"""Where Lightning's own logger writes, and what saves beside it."""


def given_loggers(
    project: Project,
    trainers: Iterable[cst.Call],
    spec: LoadedSpec,
    is_asked: bool,
    may_lack: bool,
    later: SetLoggers,
) -> GivenLoggers:
    """What the Trainers are told of loggers; where nothing, Lightning's own is made if it `is_asked` for.

    Where a mapping may tell one of them, it `may_lack` it.
    """
    values = [_logger_given(call) for call in trainers]
    told = [value for value in values if value is not None]
    wants_none = bool(values) and all(value is not None and m.matches(value, NOTHING) for value in values)
    sets_some = any(not m.matches(value, NOTHING | m.Name("None")) for value in later.values)
    if (wants_none and not sets_some) or _turns_loggers_off(spec):
        return GivenLoggers(is_none=True)
    passes_some = sets_some or any(not m.matches(value, NOTHING) for value in told)
    may_be_default = Logger.TENSORBOARD in spec.spec.logger or "logger" not in spec.spec.model_fields_set
    may_be_default = may_be_default and not later.replace_default
    makes_own = len(told) < max(len(values), 1) or any(makes_default(project, value) for value in told)
    has_default = (is_asked or passes_some) and may_be_default and (makes_own or may_lack)
    return GivenLoggers(passes_some or has_default, has_default=has_default)


def names_folder(project: Project) -> bool:
    """Whether code has the name of the folder of Lightning's own logger in a path."""
    return FOLDER in project.path_parts


def makes_default(project: Project, given: cst.BaseExpression) -> bool:
    """Whether a Trainer that is given this for its loggers may make Lightning's own.

    What hydra is to hand a Trainer is taken for loggers, as calls of `instantiate` pass them, but for what the
    configuration says.
    """
    found = values_of(project).of(given)
    if project.source.is_code(given):
        return any(map(_says_default, found))
    return any(_says_default(each) and _is_configured(project, each) for each in found)


def _is_configured(project: Project, value: Value) -> bool:
    """Whether a value stands in the configuration, as a setting's."""
    if not isinstance(value, Literal) or value.node not in project.index:
        return False
    return isinstance(project.index.parent(value.node), cst.Arg)


def _says_default(value: Value) -> bool:
    """Whether a value is None or True, or may be."""
    is_said = isinstance(value, Literal) and (value.value is None or value.value is True)
    return is_said or isinstance(value, Option | Unknown)


def _turns_loggers_off(spec: LoadedSpec) -> bool:
    """Whether the spec's `trainer` section says so, as LightningCLI's files do."""
    section = (spec.file.data or {}).get("trainer")
    return isinstance(section, dict) and section.get("logger") in (False, [])


def _logger_given(call: cst.Call) -> cst.BaseExpression | None:
    """The argument's value; None: the Trainer makes its own."""
    found = (each.value for each in call.args if each.keyword and each.keyword.value == "logger")
    value = next(found, None)
    return None if value is None or m.matches(value, DEFAULT) else value


def writers(spec_loggers: Iterable[Logger], given: GivenLoggers, rows: str) -> tuple[tuple[str, str], ...]:
    """The variables that hold them, and how they are made; `rows` is the path of the lines of values, as code."""
    objects = (("loggers", "LoggerObjects(trainer.loggers)"),) if given.are_objects else ()
    files = (each for each in spec_loggers if not (given.has_default and each is Logger.TENSORBOARD))
    made = (SPEC_WRITERS[each] for each in files)
    return objects + tuple((variable, code.format(rows=rows)) for variable, code in made)
