"""Where metrics are written to: the spec's loggers, or those that the code gives its Trainer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from ..spec_sections import Logger

NOTHING = m.Name("False") | m.Name("None") | m.List(elements=[])

SPEC_WRITERS = {
    Logger.JSONL: ("metrics_file", "JsonlLogger(config.out, ranks)"),
    Logger.TENSORBOARD: ("tensorboard", "TensorBoardFile(config.out, ranks)"),
}


@dataclass(frozen=True)
class GivenLoggers:
    """What the code says of loggers."""

    are_objects: bool = False
    is_none: bool = False  # it wants none

    @property
    def are_known(self) -> bool:
        """Whether the model may ask for them."""
        return self.are_objects or self.is_none


NOT_GIVEN = GivenLoggers()


def given_loggers(trainers: Iterable[cst.Call]) -> GivenLoggers:
    """What the Trainers are told of loggers."""
    values = [
        argument.value
        for call in trainers
        for argument in call.args
        if argument.keyword and argument.keyword.value == "logger"
    ]
    objects = [value for value in values if not m.matches(value, NOTHING | m.Name("True"))]
    return GivenLoggers(bool(objects), bool(values) and all(m.matches(value, NOTHING) for value in values))


def writers(spec_loggers: Iterable[Logger], given: GivenLoggers) -> tuple[tuple[str, str], ...]:
    """The variables that hold them, and how they are made."""
    objects = (("loggers", "LoggerObjects(trainer.loggers)"),) if given.are_objects else ()
    return objects + tuple(SPEC_WRITERS[logger] for logger in spec_loggers)
