"""What of the configuration is stored by code."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING

BATCH = 4


class Penalty(Enum):
    NONE = 0
    DECAY = 1


@dataclass
class Target:
    _target_: str = MISSING
    _partial_: bool = True


@dataclass
class Data(Target):
    _target_: str = "folds.Folds"
    batch_size: int = BATCH


@dataclass
class SGD(Target):
    _target_: str = "torch.optim.SGD"
    lr: float = 1
    momentum: float | None = None

    def __post_init__(self):
        if self.momentum is None:
            self.momentum = self.lr * 2


@dataclass
class Model:
    _target_: str = "folds.FoldModel"
    width: int = 3
    penalty: Penalty = Penalty.NONE
    activation: dict[str, Any] = field(default_factory=lambda: {"_target_": "None"})  # the code says which
    optimizer: SGD = field(default_factory=lambda: SGD(lr=BATCH / 80))


@dataclass
class Trainer(Target):
    _target_: str = "lightning.Trainer"
    max_epochs: int = MISSING
    gradient_clip_val: float = 1
    accumulate_grad_batches: int = 1
    enable_checkpointing: bool = False


@dataclass
class Run:
    seed: int = 2
    folds: int = 2
    data: Data = field(default_factory=Data)
    model: Any = MISSING
    trainer: Trainer = field(default_factory=lambda: Trainer(max_epochs=3))
    callbacks: dict[str, Any] = field(default_factory=dict)


def register():
    store = ConfigStore.instance()
    store.store("run", Run)
    for name, width in [("narrow", 3), ("wide", 9)]:
        store.store(group="model", name=name, node=Model(width=width, penalty=Penalty.DECAY))
