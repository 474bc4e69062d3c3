"""Our ModelCheckpoint and EarlyStopping, driven by Lightning's own Trainer beside Lightning's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lightning as L
import pytest
import torch
from ddpgen.strategies.callbacks.early_stopping import EarlyStopping
from ddpgen.strategies.callbacks.model_checkpoint import ModelCheckpoint
from lightning.pytorch.callbacks import Checkpoint
from lightning.pytorch.callbacks import EarlyStopping as LightningStopping
from lightning.pytorch.callbacks import ModelCheckpoint as LightningCheckpoint
from torch.utils.data import DataLoader, TensorDataset


class Model(L.LightningModule):
    """Logs a value that goes up and down."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.values = iter([3.0, 1.0, 2.0, 0.5, 0.75, 0.75, 4.0, 0.25, 5.0, 6.0, 7.0, 8.0] * 3)

    def training_step(self, batch: Any, batch_idx: int) -> torch.Tensor:
        self.log("train_loss", float(batch_idx))
        return self.layer(batch[0]).mean()

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        value = 9.0 if self.trainer.sanity_checking else next(self.values)
        self.log("val_loss", value)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)


class View:
    """Lightning's Trainer under the names that a script's has."""

    def __init__(self, trainer: L.Trainer) -> None:
        object.__setattr__(self, "trainer", trainer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.trainer, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.trainer, name, value)

    @property
    def state_fn(self) -> str:
        return str(self.trainer.state.fn.value)


class Ours(Checkpoint):
    """Hands Lightning's hooks on to our callback; a Checkpoint, so that it is called as late as Lightning's."""

    def __init__(self, callback: Any) -> None:
        self.callback = callback

    def setup(self, trainer: L.Trainer, pl_module: L.LightningModule, stage: str) -> None:
        self.callback.setup(View(trainer), pl_module, stage)

    def on_train_start(self, trainer: L.Trainer, *rest: Any) -> None:
        self.callback.on_train_start(View(trainer), *rest)

    def on_train_batch_end(self, trainer: L.Trainer, *rest: Any) -> None:
        self.callback.on_train_batch_end(View(trainer), *rest)

    def on_train_epoch_end(self, trainer: L.Trainer, *rest: Any) -> None:
        self.callback.on_train_epoch_end(View(trainer), *rest)

    def on_validation_end(self, trainer: L.Trainer, *rest: Any) -> None:
        self.callback.on_validation_end(View(trainer), *rest)

    def on_train_end(self, trainer: L.Trainer, *rest: Any) -> None:
        self.callback.on_train_end(View(trainer), *rest)


def train(callbacks: list[Any], root: Path, **arguments: Any) -> L.Trainer:
    quiet = {
        "logger": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
        "accelerator": "cpu",
    }
    if not any(isinstance(callback, LightningCheckpoint) for callback in callbacks):
        quiet["enable_checkpointing"] = any(isinstance(callback, Ours) for callback in callbacks)
    trainer = L.Trainer(callbacks=callbacks, default_root_dir=root, **(quiet | arguments))
    data = TensorDataset(torch.ones(8, 1))
    trainer.fit(Model(), DataLoader(data, batch_size=2), DataLoader(data, batch_size=8))
    return trainer


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        ({"monitor": "val_loss", "save_top_k": 2, "save_last": True}, {"max_epochs": 4}),
        ({"monitor": "val_loss", "mode": "max", "filename": "{val_loss:.1f}"}, {"max_epochs": 4}),
        ({"monitor": "val_loss", "save_top_k": -1}, {"max_epochs": 2, "val_check_interval": 0.5}),
        ({"every_n_train_steps": 3, "save_top_k": -1, "save_last": "link"}, {"max_epochs": 2}),
        ({"monitor": "val_loss", "every_n_train_steps": 3, "save_top_k": 2}, {"max_epochs": 3}),
        (
            {"monitor": "val_loss", "every_n_train_steps": 2, "save_on_train_epoch_end": False},
            {"max_epochs": 4, "check_val_every_n_epoch": 2},
        ),
        ({"monitor": "train_loss", "every_n_epochs": 2, "save_last": True}, {"max_epochs": 5}),
        ({}, {"max_epochs": 3, "accumulate_grad_batches": 3}),
        ({"every_n_epochs": 9, "save_last": True}, {"max_epochs": 2}),
    ],
)
def test_the_same_files_beside_lightnings(
    arguments: dict[str, Any], settings: dict[str, Any], tmp_path: Path
) -> None:
    theirs = LightningCheckpoint(tmp_path / "theirs", **arguments)
    ours = ModelCheckpoint(tmp_path / "ours", **arguments)
    train([theirs, Ours(ours)], tmp_path, **settings)
    kept = [sorted(path.name for path in (tmp_path / side).glob("**/*")) for side in ("theirs", "ours")]
    assert kept[0] == kept[1] != []
    assert Path(ours.best_model_path).name == Path(theirs.best_model_path).name
    assert ours.best_model_score == theirs.best_model_score
    for name in kept[0]:
        saved = [torch.load(tmp_path / side / name, weights_only=False) for side in ("theirs", "ours")]
        assert saved[0]["global_step"] == saved[1]["global_step"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        ({"patience": 2}, {}),
        ({"patience": 1, "min_delta": 0.4}, {}),
        ({"patience": 2}, {"min_epochs": 9}),
        ({"patience": 2}, {"val_check_interval": 0.5}),
        ({"patience": 1, "mode": "max"}, {"check_val_every_n_epoch": 2}),
        ({"stopping_threshold": 0.6}, {}),
        ({"divergence_threshold": 3.5, "check_on_train_epoch_end": False}, {}),
    ],
)
def test_the_same_epochs_as_with_lightnings(
    arguments: dict[str, Any], settings: dict[str, Any], tmp_path: Path
) -> None:
    theirs, ours = LightningStopping("val_loss", **arguments), EarlyStopping("val_loss", **arguments)
    runs = [train([callback], tmp_path, max_epochs=12, **settings) for callback in (theirs, Ours(ours))]
    ends = [(trainer.current_epoch, trainer.global_step) for trainer in runs]
    assert ends[0] == ends[1]
    for name in ("wait_count", "stopped_epoch", "best_score"):
        assert getattr(ours, name) == getattr(theirs, name)
