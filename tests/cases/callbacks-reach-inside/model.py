import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).sum()
        self.log("loss", loss)
        print(self.logger._name, self.trainer.loggers[0]._version, self.logger.name)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 4))


class Threshold(EarlyStopping):
    """Words what it says anew: Lightning asks the method, the script does not."""

    _say = "it has stopped"

    def _improvement_message(self, current):
        return super()._improvement_message(current).lower()

    def _is_better(self, value):
        return self.monitor_op(value, 0)


class Late:
    """For callbacks that it is derived with."""

    def _should_skip_saving_checkpoint(self, trainer):
        return trainer.current_epoch < 2


class Exports(Late, ModelCheckpoint):
    """What both have may be overridden, and names of the class's own are free."""

    FILE_EXTENSION = ".pt"
    _save_on_train_epoch_end = True

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.exported = []
        self._fs = None

    def _save_checkpoint(self, trainer, filepath):
        super()._save_checkpoint(trainer, filepath)
        self.exported.append(filepath)

    def _remove_checkpoint(self, trainer, filepath):
        super()._remove_checkpoint(trainer, filepath)
        self.exported.remove(filepath)


class Few(CSVLogger):
    def __init__(self, *args):
        super().__init__(*args)
        self.file = "few"

    def log_metrics(self, metrics, step=None):
        super().log_metrics({self.file: metrics["loss"]}, step)


keep = ModelCheckpoint(monitor="loss")
keep._save_on_train_epoch_end = True
setattr(keep, "_every_n_epochs", 2)
print(getattr(keep, "_every_n_train_steps", None))
print(keep._train_time_interval)
early = EarlyStopping("loss", mode="min")
early.min_delta = -0.1
exports = Exports(monitor="loss")
callbacks = [keep, early, Threshold("loss"), exports]
trainer = L.Trainer(max_epochs=2, callbacks=callbacks, logger=Few("logs"))
trainer.logger._version = 3
trainer.fit(Net())
exports.to_yaml("kept.yaml")
