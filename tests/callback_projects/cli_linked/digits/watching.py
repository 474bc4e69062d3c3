from pathlib import Path

from lightning.pytorch.callbacks import Callback


class NoteRates(Callback):
    """Notes the learning rate of each epoch."""

    def on_train_epoch_start(self, trainer, pl_module):
        if trainer.is_global_zero:
            with Path("rates.txt").open("a") as file:
                file.write(f"{trainer.current_epoch} {trainer.optimizers[0].param_groups[0]['lr']}\n")
