"""Train under Lightning and record all that a generated script is held against."""

from __future__ import annotations

import importlib
import importlib.util
import os
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import torch
import torch.distributed as dist
from lightning.pytorch.loggers.logger import Logger

from .worker import Job, do_jobs


class RecordingLogger(Logger):
    """Keeps what Lightning hands to its loggers."""

    name = "recording"
    version = 0

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[dict[str, Any]] = []

    def log_metrics(self, metrics: dict[str, float], step: int | None = None) -> None:
        self.rows.append({"step": step, **metrics})

    def log_hyperparams(self, *args: Any, **kwargs: Any) -> None:
        """Hyperparameters are no metrics."""


def train(job: Job) -> dict[str, Any]:
    """The trained model's state, what was logged, and the random state at the end of the last epoch."""
    pl = lightning_of(Path(job["source"]))
    logger, states = RecordingLogger(), []

    # of all callbacks, Lightning runs checkpoints last: after the module's own on_train_epoch_end
    class RandomStates(pl.callbacks.Checkpoint):  # type: ignore[misc, name-defined]
        def on_train_epoch_end(self, trainer: Any, module: Any) -> None:
            states.append(torch.get_rng_state())

    # the script's checkpoints: at the end of every epoch
    checkpoint = pl.callbacks.ModelCheckpoint(dirpath="checkpoints", save_on_train_epoch_end=True)
    ours = {
        **surroundings(pl, job),
        "logger": logger,
        "callbacks": [RandomStates(), checkpoint],
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }
    trainer = (by_entry_code if job["has_entry_code"] else by_spec)(pl, job, ours)
    return {
        "rows": logger.rows,
        "state_dict": trainer.lightning_module.state_dict(),
        "global_step": trainer.global_step,
        "optimizer_states": [o.state_dict() for o in trainer.optimizers if o.state_dict()],
        "scaler": trainer.scaler.state_dict() if trainer.scaler else {},
        "lr_schedulers": [config.scheduler.state_dict() for config in trainer.lr_scheduler_configs],
        "hyper_parameters": dict(trainer.lightning_module.hparams),
        "datamodule_hyper_parameters": dict(trainer.datamodule.hparams) if trainer.datamodule else {},
        "rng_state": states[-1],
    }


def by_spec(pl: ModuleType, job: Job, ours: dict[str, Any]) -> Any:
    """As LightningCLI does it: import, seed, model, data, trainer, fit."""
    module, spec = load_module(Path(job["source"])), job["spec"]
    if "seed_everything" in spec:
        # LightningCLI seeds the loaders' workers too
        pl.seed_everything(spec["seed_everything"], workers=True)
    model = construct(module, spec.get("model", {}), job["model"], pl.LightningModule)
    data = construct(module, spec.get("data", {}), job["data"], pl.LightningDataModule)
    trainer = pl.Trainer(**{**with_plugins(pl, spec.get("trainer", {})), **ours})
    trainer.fit(model, datamodule=data)
    return trainer


def by_entry_code(pl: ModuleType, job: Job, ours: dict[str, Any]) -> Any:
    """Run the file as its user does; only that its Trainer is told what the spec says, and where it is."""
    made, original = [], pl.Trainer.__init__
    spec = job["spec"] or {}
    assert spec.keys() <= {"strategy", "trainer", "logger"}, "the rest stands in the code"

    def init(self: Any, **arguments: Any) -> None:
        original(self, **{**arguments, **spec.get("trainer", {}), **ours})
        made.append(self)

    with patch.object(pl.Trainer, "__init__", init):
        runpy.run_path(job["source"], run_name="__main__")
    (trainer,) = made
    return trainer


def with_plugins(pl: ModuleType, told: dict[str, Any]) -> dict[str, Any]:
    """What the Trainer is told, with the plugins that the spec describes."""
    made = [
        getattr(pl.plugins, each["class_path"])(**each.get("init_args", {}))
        for each in told.get("plugins", [])
    ]
    return {**told, "plugins": made} if made else told


def surroundings(pl: ModuleType, job: Job) -> dict[str, Any]:
    """The Trainer's arguments which, for a script, torchrun and the spec's `ddp` section decide."""
    if job["world"] == 1:
        return {"accelerator": "cpu", "devices": 1, "strategy": "auto"}
    ddp = (job["spec"] or {}).get("ddp", {})
    return {"accelerator": "cpu", "devices": job["world"], "strategy": pl.strategies.DDPStrategy(**ddp)}


def lightning_of(source: Path) -> ModuleType:
    """`pytorch_lightning` and `lightning.pytorch` are two packages: one's Trainer refuses the other's modules."""
    name = "pytorch_lightning" if "pytorch_lightning" in source.read_text() else "lightning.pytorch"
    for part in ("callbacks", "plugins", "strategies"):
        importlib.import_module(f"{name}.{part}")
    return sys.modules[name]


def load_module(source: Path) -> ModuleType:
    """The model's file, imported from its path."""
    name = f"parity_model_{source.stem}"
    spec = importlib.util.spec_from_file_location(name, source)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def class_named(module: ModuleType, name: str | None, base: type) -> type | None:
    """The class of that name, or else the file's only one that is a `base`."""
    if name:
        named: type = getattr(module, name)
        return named
    here = [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__]
    found = [c for c in here if issubclass(c, base)]
    return found[0] if len(found) == 1 else None


def construct(module: ModuleType, section: dict[str, Any] | str, flag: str | None, base: type) -> Any:
    """The object that a section of the spec describes, or the command line; None if neither does."""
    section = {"class_path": section} if isinstance(section, str) else section
    cls = class_named(module, flag or section.get("class_path"), base)
    return cls(**section.get("init_args", {})) if cls else None


@contextmanager
def process_group() -> Iterator[None]:
    """One process group for all jobs: Lightning takes the one that is there."""
    if int(os.environ.get("WORLD_SIZE", 1)) > 1:
        dist.init_process_group("gloo", timeout=timedelta(seconds=60))
        yield
        dist.destroy_process_group()
    else:
        yield


if __name__ == "__main__":
    with process_group():
        do_jobs(train)
