"""What is known of a function that takes the place of `trainer.validate`, `test` or `predict`."""

from __future__ import annotations

from dataclasses import dataclass

from .evaluated import Evaluation
from .evaluation_loaders import limit_of, names_of
from .facts import Facts
from .stages import PREDICT, Stage
from .writers import writers


@dataclass(frozen=True)
class EvaluationFunction:
    """One such function, before its lines are decided."""

    facts: Facts
    evaluation: Evaluation

    @property
    def stage(self) -> Stage:
        return self.evaluation.stage

    @property
    def predicts(self) -> bool:
        return self.stage is PREDICT

    @property
    def has_data(self) -> bool:
        """Whether it is given a data module."""
        return self.evaluation.gives("datamodule")

    @property
    def logs(self) -> bool:
        return self.facts.logging.during(self.stage) and not self.predicts

    @property
    def several(self) -> bool:
        """Whether there may be several loaders."""
        return self.facts.has_several(self.stage)

    @property
    def variable(self) -> str:
        """What the loader is called, or the loaders are."""
        return names_of(self.facts, self.stage, "loader")[0]

    @property
    def limit(self) -> str | None:
        """How many batches of a loader are read; None: as many as it has."""
        return limit_of(self.facts, self.stage, self.evaluation.loader, "loader")

    @property
    def writers(self) -> tuple[tuple[str, str], ...]:
        """The variables that hold what writes metrics, and how they are made."""
        facts = self.facts
        return writers(facts.evaluation_writes, facts.given_loggers) if self.logs else ()

    @property
    def written(self) -> str:
        """The variable that holds what loggers are told."""
        return "metrics" if "logger" in self.facts.logging.unused_options else "written"
