"""The script to be written, with every decision made: what the templates print, and where it comes from.

Nothing after `analyze` asks what the user's code looks like or what the spec says; it reads these values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .plans import (
    CheckpointPlan,
    ConfigGroup,
    EvaluationPlan,
    FitPlan,
    Lines,
    LoggingPlan,
    LoopPlan,
    MainPlan,
    ManualPlan,
    OptimizerPlan,
    TrainerPlan,
    ValidationPlan,
)


@dataclass(frozen=True)
class Words:
    """What the docstrings say of the script, and of its settings."""

    summary: str
    launch: Lines
    about: Lines
    source_note: str
    config: str


@dataclass(frozen=True)
class Constructed:
    """A class of the runtime's that the user's code makes objects of, and what it passes."""

    name: str
    positional: int
    keywords: frozenset[str]


@dataclass(frozen=True)
class Kept:
    """What stays in this script of a class of the runtime's."""

    name: str
    members: frozenset[str]  # with all that these use
    values: Mapping[str, str]  # of attributes that never change
    told: Mapping[str, str]  # values of other expressions
    inherited: frozenset[str]  # methods that go where nothing is left to do for them
    hooks: frozenset[str]
    reads: frozenset[str]  # of the trainer


@dataclass(frozen=True)
class Script:
    """Everything that the script holds beside the user's code and the runtime."""

    words: Words
    config: tuple[ConfigGroup, ...]
    model: str
    data: str | None
    trainer: TrainerPlan | None
    hooks: Mapping[str, Lines]
    optimizer: OptimizerPlan
    manual: ManualPlan | None
    logging: LoggingPlan
    validation: ValidationPlan | None
    evaluations: tuple[EvaluationPlan, ...]
    loop: LoopPlan
    checkpoint: CheckpointPlan | None
    fit: FitPlan
    main: MainPlan
    failure: Lines  # what is done when a run fails
    callback_members: frozenset[str]  # of Callback
    callbacks: tuple[Kept, ...]  # of the runtime's, where it can be told how they are made
    module_members: frozenset[str]  # of TrainModule, that the model uses
    data_members: frozenset[str]  # of DataModule, that the data uses
    hparams_members: frozenset[str]  # of HParams
    logs_attribute: str  # what the model's LOGS is called
    source_name: str

    @property
    def resumes(self) -> bool:
        """Whether it may go on from a checkpoint."""
        return self.checkpoint is not None and bool(self.checkpoint.found)

    @property
    def writes_last(self) -> bool:
        """Whether it keeps a checkpoint of its own."""
        return self.checkpoint is not None and self.checkpoint.writes_last

    @property
    def dumps(self) -> bool:
        """Whether checkpoints are written when callbacks or the user's code say so."""
        return self.checkpoint is not None and self.checkpoint.dumps

    @property
    def validates_inside(self) -> bool:
        """Whether validation falls within the batch loop."""
        return self.validation is not None and self.validation.is_due is not None

    @property
    def validates_after(self) -> bool:
        """Whether it follows the batch loop."""
        return self.validation is not None and self.validation.is_due is None

    @property
    def restores_optimizer(self) -> bool:
        return self.resumes and bool(self.optimizer.restore)
