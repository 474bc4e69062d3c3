from lightning.pytorch.callbacks import Callback

from .notes import note


class Decay(Callback):
    """Halves the learning rate, and says so."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def on_train_epoch_end(self, trainer, pl_module):
        for group in trainer.optimizers[0].param_groups:
            group["lr"] *= self.factor
            note(f"epoch {trainer.current_epoch}: {group['lr']}")
