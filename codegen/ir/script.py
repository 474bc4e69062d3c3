"""The script to be written, with every decision made: what the templates print, and where it comes from.

Nothing after `analyze` asks what the user's code looks like or what the spec says; it reads these values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .plans import ConfigGroup


@dataclass(frozen=True)
class Constructed:
    """A class of the runtime's that the user's code makes objects of, and what each call passes, as code."""

    name: str
    calls: tuple[tuple[tuple[str, ...], Mapping[str, str]], ...]  # by place, and by name


@dataclass(frozen=True)
class Kept:
    """What stays in this script of a class of the runtime's."""

    name: str
    members: frozenset[str]  # with all that these use
    values: Mapping[str, str]  # of attributes that never change
    folded: frozenset[str]  # fields among these that calls pass a value for
    present: frozenset[str]  # attributes that are never None
    flags: frozenset[str]  # attributes that are True or False
    told: Mapping[str, str]  # values of other expressions
    inherited: frozenset[str]  # methods that go where nothing is left to do for them
    hooks: frozenset[str]
    reads: frozenset[str]  # of the trainer


@dataclass(frozen=True)
class Script:
    """Everything that the script holds beside the user's code and the runtime."""

    features: Mapping[str, Any]  # what each has decided, by its name; None: it does not apply
    config: tuple[ConfigGroup, ...]
    evaluations: tuple[Any, ...]  # functions in the place of the Trainer's
    models: tuple[str, ...]  # the classes that it is for
    model: str
    data: str | None
    asked: frozenset[str]  # what the user's code reads of its trainer
    callback_members: frozenset[str]  # of Callback
    callbacks: tuple[Kept, ...]  # of the runtime's, where it can be told how they are made
    loggers: tuple[Constructed, ...]  # the same
    mentioned: frozenset[str]  # attributes of anything, in the program
    module_members: frozenset[str]  # of TrainModule, that the model uses
    data_members: frozenset[str]  # of DataModule, that the data uses
    data_hooks: frozenset[str]  # that it has
    hparams_class: str  # whose objects the hyperparameters are
    chooses_optimizers: bool  # in calls of the model's `optimizers`
    keeps_initial_hparams: bool  # what they are when they are saved
    hparams_members: frozenset[str]  # of HParams
    ignores_hparams: bool  # some of an object's, where a main saves it
    collates: bool  # torch's default_collate makes all batches
    logs_attribute: str  # what the model's LOGS is called
    source_name: str
    module: str | None  # that the machinery stands in; None: in the script
    kinds: tuple[Script, ...] = ()  # of models, each with loops of its own; none: all models have the same
    kind: str = ""  # what these are called after, where this is one of them
    checked: tuple[str, ...] = ()  # of which a model has to be one, where each kind has its own loops

    @property
    def options(self) -> frozenset[str]:
        """The fields of Config."""
        return frozenset(field.name for group in self.config for field in group.fields)

    @property
    def has_own_main(self) -> bool:
        """Whether the user's own main runs the training."""
        return bool(self.features["main"].is_own)

    @property
    def saves_weights_alone(self) -> bool:
        """Whether checkpoints may be asked for without the state of the training."""
        dumping = self.features["dumping"]
        return dumping is not None and bool(dumping.may_be_weights)

    @property
    def trains(self) -> bool:
        """Whether `fit` is called: a main of the user's own may but evaluate."""
        return bool(self.features["fit"].is_called)

    @property
    def is_remote(self) -> bool:
        """Whether it writes to places that fsspec reaches."""
        return self.features["remote"] is not None

    @property
    def validates(self) -> bool:
        return self.features["validation"] is not None

    @property
    def reports(self) -> bool:
        """Whether something is told when a run fails."""
        return self.features["failure"] is not None

    @property
    def tells_at_once(self) -> bool:
        """Whether a trainer is asked for its settings before it has run."""
        trainer = self.features["trainer"]
        return trainer is not None and bool(trainer.early)

    @property
    def attaches(self) -> bool:
        """Whether functions begin with one that gives the model its trainer."""
        trainer = self.features["trainer"]
        return trainer is not None and bool(trainer.by_function)
