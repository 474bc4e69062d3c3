"""Classes that derive from Lightning's Trainer: they fill in settings, keep what is their own, and add methods."""

from lightning import Trainer as LightningTrainer
from lightning.pytorch.callbacks import EarlyStopping


class Patient(LightningTrainer):
    """Stops early, and counts what it is asked."""

    scale: float

    def __init__(self, *args, patience=1, **kwargs) -> None:
        self.scale = float(kwargs.pop("scale", 2))
        self.stopping = EarlyStopping("loss", patience=patience, min_delta=0.05)
        if "max_epochs" not in kwargs:
            kwargs["max_epochs"] = 6
        super().__init__(
            *args,
            callbacks=[self.stopping],  # no others
            logger=False,
            **kwargs,
        )
        self.asked: int = 0
        self.first = self.told("made")
        if self.max_epochs > 6:
            self.asked = 10

    def fit(self, model, loader):
        """Says so, and trains twice as steeply."""
        self.asked += 1
        model.steepness *= self.scale
        super().fit(model, loader)
        return self.current_epoch

    def told(self, word, *, times=1):
        self.asked += times
        return f"{word} {self.asked} {self.current_epoch}"

    def test(self, model, loader):
        (found,) = super().test(model, loader, verbose=False)
        return found

    def never_asked(self):
        return self.optimizers


class Trainer(LightningTrainer):
    def __init__(self, epochs, clip=None, **others):
        LightningTrainer.__init__(self, max_epochs=epochs, gradient_clip_val=clip, logger=False, **others)
