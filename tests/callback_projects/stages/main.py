"""Four trainings one after the other, of models that differ in what they log, return, validate and optimize with."""

import os
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR, ReduceLROnPlateau
from torch.utils.data import DataLoader, TensorDataset

DEVICES = int(os.environ.get("DEVICES", 1))
STRATEGY = "ddp" if DEVICES > 1 else "auto"


class Late(EarlyStopping):
    """Does not decide when to look, so that it looks after validations."""

    def setup(self, trainer, pl_module, stage):
        self.begun = stage == "fit"


class Kept(ModelCheckpoint):
    """Takes the folder as it is given."""

    def setup(self, trainer, pl_module, stage):
        self.begun = stage == "fit"


class Coder(L.LightningModule):
    """Without a validation: Lightning leaves the data for it alone."""

    def __init__(self):
        super().__init__()
        self.inward, self.outward = nn.Linear(6, 3), nn.Linear(3, 6)
        self.validated = []

    def training_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.outward(self.inward(batch[0])), batch[0])
        self.log("loss", loss)
        return loss

    def on_validation_epoch_end(self):
        self.validated.append(self.current_epoch)

    def on_train_epoch_end(self):
        self.validated.append(self.trainer.val_dataloaders is None)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


class Head(L.LightningModule):
    """Watched by callbacks and by a scheduler; it logs one name for steps and for the epoch."""

    def __init__(self, inward):
        super().__init__()
        self.inward, self.out = inward, nn.Linear(3, 1)

    def loss(self, batch):
        return self.out(self.inward(batch[0])).sub(0.5).square().mean()

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("loss", loss, on_step=True, on_epoch=True, prog_bar=True)
        return {"loss": loss, "more": batch_idx}

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch), sync_dist=True, prog_bar=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.5)
        scheduler = ReduceLROnPlateau(optimizer, patience=0, threshold=0.3, factor=0.3)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "val_loss"}}


class Quick(Head):
    """A schedule by steps; it logs nothing as it trains, and one name in another hook than the others."""

    def training_step(self, batch, batch_idx):
        return self.loss(batch)

    def on_train_epoch_end(self):
        self.log("loss", torch.tensor(float(self.current_epoch)))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        scheduler = OneCycleLR(optimizer, 0.2, total_steps=40)
        return [optimizer], [{"scheduler": scheduler, "interval": "step"}]


class Closing(Head):
    """An optimizer that calls the step itself."""

    def configure_optimizers(self):
        return torch.optim.LBFGS(self.parameters(), lr=0.1, max_iter=3)


def train(model, epochs, rows, val=None, **options):
    logger = CSVLogger("logs", name=type(model).__name__)
    options |= {"enable_progress_bar": False, "log_every_n_steps": 2, "accelerator": "cpu", "devices": DEVICES}
    trainer = L.Trainer(max_epochs=epochs, logger=logger, strategy=STRATEGY, **options)
    trainer.fit(model, rows, val)
    return {name: float(value) for name, value in sorted(trainer.callback_metrics.items())}


def main():
    L.seed_everything(5)
    rows = TensorDataset(torch.rand(24, 6, generator=torch.Generator().manual_seed(2)))
    train_rows, val = DataLoader(rows, batch_size=3, shuffle=True), DataLoader(rows, batch_size=6)

    coder = Coder()
    told = [train(coder, 2, train_rows, val, enable_checkpointing=False)]
    head = Head(coder.inward)
    best = ModelCheckpoint("best", monitor="val_loss", filename="{epoch}", save_last=True)
    stops = EarlyStopping("val_loss", min_delta=0.01, patience=1)
    told.append(train(head, 6, train_rows, val, callbacks=[best, stops]))
    late, kept = Late("loss", strict=False), Kept("quick")
    told.append(train(quick := Quick(coder.inward), 2, train_rows, val, callbacks=[kept, late]))
    told.append((late.wait_count, late.best_score, kept.begun, Path(kept.dirpath).name))
    told.append(train(closing := Closing(coder.inward), 2, train_rows, enable_checkpointing=False))

    weights = [each.state_dict() for each in (head, quick, closing)]
    found = {"told": told, "best": Path(best.best_model_path).name, "validated": coder.validated}
    if int(os.environ.get("RANK", os.environ.get("LOCAL_RANK", 0))) == 0:
        torch.save({"state_dict": {"weights": weights, **found}}, "found.ckpt")


if __name__ == "__main__":
    main()
