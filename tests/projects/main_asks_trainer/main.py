"""What code asks of its trainer: the strategy, the state, the model, ranks and devices, the last batch."""

import os
import threading
from queue import Queue

import lightning as L
import torch
from lightning.fabric.utilities.imports import _IS_WINDOWS
from lightning.pytorch import cli_lightning_logo
from lightning.pytorch.accelerators import Accelerator, CPUAccelerator, CUDAAccelerator, MPSAccelerator
from lightning.pytorch.strategies import ParallelStrategy
from lightning.pytorch.strategies.launchers.subprocess_script import _SubprocessScriptLauncher
from lightning.pytorch.trainer.connectors.signal_connector import _get_sigkill_signal
from lightning.pytorch.utilities import move_data_to_device
from lightning.pytorch.utilities.imports import _TORCHVISION_AVAILABLE
from lightning.pytorch.utilities.model_helpers import get_torchvision_model
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEEN = []


class Watcher(L.Callback):
    trainer = None

    def on_train_start(self, trainer, pl_module):
        self.trainer = trainer

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        outputs["told"] = batch_idx  # to the callbacks after it, and to the model
        if trainer.is_last_batch:
            SEEN.append((trainer.current_epoch, batch_idx, trainer.state.fn == "fit", trainer.state.stage.value))
        assert trainer.lightning_module is pl_module
        assert trainer.strategy._lightning_module is pl_module

    def on_fit_start(self, trainer, pl_module):
        _ = trainer, pl_module
        model, same = pl_module, trainer
        other: L.Trainer = same
        SEEN.append((other.max_epochs, model is trainer.lightning_module, other.is_global_zero))
        kind = trainer.accelerator
        SEEN.append((kind.name(), kind.is_available(), isinstance(kind, Accelerator), type(kind).__name__))
        SEEN.append((isinstance(trainer.accelerator, (CUDAAccelerator, MPSAccelerator)), trainer.device_ids))

    def on_validation_end(self, trainer, pl_module):
        trainer.turns += 1
        trainer.later = trainer.first_path
        loss = trainer.callback_metrics["val_loss"].clone()
        SEEN.append(trainer.strategy.reduce(loss, reduce_op="mean"))
        trainer.strategy.barrier()
        SEEN.append(("there" if trainer.strategy else "absent", trainer.strategy is not None))
        strategy = getattr(trainer, "strategy", None)
        if strategy is not None and strategy.world_size:
            SEEN.append(strategy.reduce(loss, reduce_op="sum"))
        for is_first in (trainer.is_global_zero, True, False):
            decide = trainer.strategy.reduce_boolean_decision
            SEEN.append((decide(is_first), decide(is_first, all=False), decide(decision=is_first, all=True)))

    def on_exception(self, trainer, pl_module, exception):
        trainer.strategy.on_exception(exception)
        print("failed", exception)

    def on_train_end(self, trainer, pl_module):
        SEEN.append(self.trainer.global_step)
        print(trainer.strategy, f"by {trainer.strategy}")
        trainer.print(trainer.num_devices, trainer.num_nodes, trainer.node_rank, trainer.strategy.root_device)
        SEEN.append((trainer.num_devices, trainer.num_nodes, trainer.node_rank, trainer.local_rank))
        SEEN.append(trainer.strategy.broadcast({"rank": trainer.global_rank}))
        SEEN.append(trainer.strategy.num_processes if isinstance(trainer.strategy, ParallelStrategy) else None)


class Listener(L.Callback):
    """A thread of its own asks for what the trainer has counted."""

    def on_fit_start(self, trainer, pl_module):
        self.asked, self.told = Queue(), Queue()
        self.thread = threading.Thread(target=self.tell, args=(trainer, self.asked), daemon=True)
        self.thread.start()

    def tell(self, trainer, asked):
        while asked.get():
            self.told.put((trainer.global_step, trainer.current_epoch, trainer.max_epochs, trainer.is_global_zero))

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.asked.put("what")
        SEEN.append((self.told.get(), sorted(outputs)))

    def on_sanity_check_end(self, trainer, pl_module):
        SEEN.append(trainer.fit_loop.epoch_loop.batch_idx)

    def on_fit_end(self, trainer, pl_module):
        self.asked.put(None)
        self.thread.join()


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        if isinstance(self.trainer.accelerator, CUDAAccelerator):
            torch.cuda.reset_peak_memory_stats()
        with self.trainer.profiler.profile(f"[{type(self).__name__}].forward"):
            made = self.layer(x)
        with self.measured("loss") as name, torch.enable_grad():
            SEEN.append(name)
            loss = nn.functional.mse_loss(made, y)
        held = self.optimizers()
        bare = self.optimizers()
        if hasattr(bare, "optimizer"):
            bare = bare.optimizer
        inner = held.optimizer if hasattr(held, 'optimizer') else held
        SEEN.append((type(bare).__name__, inner is getattr(held, "optimizer", held), inner is bare))
        SEEN.append((self.optimizers().optimizer.param_groups[0]["lr"], type(held.optimizer).__name__))
        self.trainer.profiler.start("sums")
        total = self.trainer.strategy.reduce(loss.detach().clone(), reduce_op="sum")
        SEEN.append(total)
        SEEN.append(self.trainer.strategy.all_gather(loss.detach() * (1 + self.global_rank)))
        every = self.trainer.strategy.all_gather(loss * (1 + self.global_rank), sync_grads=True)
        self.trainer.profiler.stop("sums")
        return loss + every.mean()

    def measured(self, name):
        profiler = getattr(self, "profiler", None)
        if profiler is None and self.trainer is not None:
            profiler = getattr(self.trainer, "profiler", None)
        if profiler is None or not hasattr(profiler, "profile"):
            return torch.enable_grad()
        profiler.start("nothing")
        profiler.stop("nothing")
        return profiler.profile(name)

    def validation_step(self, batch, batch_idx):
        x, y = move_data_to_device((batch[0], {"y": batch[1], "same": "text"}), str(self.device))
        y = move_data_to_device(y, device=self.device)["y"]
        self.log("val_loss", nn.functional.mse_loss(self.layer(x), y), sync_dist=True)

    def on_validation_epoch_start(self):
        SEEN.append((str(self.trainer.state.fn), str(self.trainer.state.stage)))
        SEEN.append((getattr(self.trainer, "datamodule", None), hasattr(self.trainer, "global_step")))
        SEEN.append(getattr(self.trainer, "max_epochs", 0))
        SEEN.append((getattr(self.trainer, "truncated_bptt_steps", 7), hasattr(self.trainer, "tbptt_steps")))
        self.note_batches("val" if self.trainer.validating else "training")
        SEEN.append([getattr(self, name, "none") for name in ("current_epoch", "global_step", "local_rank")])
        SEEN.append((self.trainer.first_path, self.trainer.turns, hasattr(self.trainer, "later")))
        SEEN.append([hasattr(self, "log"), hasattr(self, "_trainer"), hasattr(self, "on_save_checkpoint")])
        SEEN.append((hasattr(self, "dtype"), str(getattr(self, "device", "none"))))

    def note_batches(self, stage):
        name = f"num_{stage}_batches" if stage == "val" else f"num_{stage}_batches".lower()
        SEEN.append(getattr(self.trainer, name))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def save_profile(trainer, path):
    # nothing is measured
    if hasattr(trainer, "profiler") and not isinstance(trainer.profiler, L.pytorch.profilers.PassThroughProfiler):
        print(trainer.profiler.summary())
        torch.save(trainer.profiler.function_events, path)


def clean_up(trainer, error):
    if trainer is not None:
        trainer.strategy.on_exception(error)
        launcher = trainer.strategy.launcher if trainer.strategy is not None else None
        trainer._teardown()
        if isinstance(launcher, _SubprocessScriptLauncher):
            launcher.kill(_get_sigkill_signal())


def main():
    cli_lightning_logo()
    SEEN.append(None if _IS_WINDOWS or not _TORCHVISION_AVAILABLE else get_torchvision_model("alexnet"))
    L.seed_everything(5)
    x = torch.rand(22, 3, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    trainer = L.Trainer(
        max_epochs=2, logger=False, enable_progress_bar=False, enable_model_summary=False, callbacks=[Watcher(), Listener()]
    )
    SEEN.append((trainer.accelerator.name(), trainer.accelerator.auto_device_count(), trainer.accelerator == "gpu"))
    SEEN.append((CUDAAccelerator.is_available(), CPUAccelerator.auto_device_count(), str(trainer.strategy.root_device)))
    model = Model()
    trainer.first_path, trainer.turns = "here", 1
    SEEN.append((trainer.state.fn, trainer.state.stage, trainer.state.status.value))
    trainer.fit(model, DataLoader(data, batch_size=4), DataLoader(data, batch_size=4))
    SEEN.append((str(trainer.state.fn), trainer.state.stage, trainer.state.status.value, trainer.state.finished))
    save_profile(trainer, path := "profile.pt")
    clean_up(trainer, ValueError("none"))
    SEEN.append(os.path.exists(path))
    assert model.trainer.current_epoch == trainer.current_epoch
    SEEN.append((trainer.local_rank, trainer.strategy.is_global_zero))
    SEEN.append(getattr(trainer, "strategy", None).world_size)
    SEEN.append([getattr(trainer, name, "none") for name in ("num_training_batches", "num_val_batches")])
    SEEN.append(getattr(model, "automatic_optimization", "none"))
    torch.save(SEEN, f"main_asks_trainer.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
