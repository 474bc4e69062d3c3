"""Pretraining, a probe and adversarial finetuning, one after the other, with loggers and callbacks that all of them share."""

import os
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEVICES = int(os.environ.get("DEVICES", 1))
STRATEGY = "ddp" if DEVICES > 1 else "auto"


class Rows(L.LightningDataModule):
    def __init__(self, seed):
        super().__init__()
        self.rows = TensorDataset(torch.rand(24, 6, generator=torch.Generator().manual_seed(seed)))

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=3, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.rows, batch_size=6)

    def test_dataloader(self):
        return DataLoader(self.rows, batch_size=4)


class Coder(L.LightningModule):
    """Automatic optimization, a scheduler by epochs, and no test."""

    def __init__(self, width=3):
        super().__init__()
        self.save_hyperparameters()
        self.inward, self.outward = nn.Linear(6, width), nn.Linear(width, 6)

    def loss(self, batch):
        return nn.functional.mse_loss(self.outward(self.inward(batch[0])), batch[0])

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.05)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]


class Probe(L.LightningModule):
    """Hooks round the batch and the step, and a test."""

    def __init__(self, coder):
        super().__init__()
        self.inward, self.out = coder.inward.requires_grad_(False), nn.Linear(3, 1)
        self.norms = []

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return [each * 2 for each in batch]

    def on_before_optimizer_step(self, optimizer):
        self.norms.append(float(self.out.weight.grad.norm()))

    def loss(self, batch):
        return self.out(self.inward(batch[0])).sub(0.5).square().mean()

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("loss", loss, on_step=True, on_epoch=True)
        return {"loss": loss}

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.loss(batch), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.out.parameters(), lr=0.2)


class Adversary(L.LightningModule):
    """Manual optimization with two optimizers."""

    def __init__(self, coder):
        super().__init__()
        self.automatic_optimization = False
        self.coder, self.judge = coder, nn.Linear(6, 1)

    def made(self, batch):
        return self.coder.outward(self.coder.inward(batch[0]))

    def on_before_optimizer_step(self, optimizer):
        self.log("rate", optimizer.param_groups[0]["lr"])

    def training_step(self, batch, batch_idx):
        for sign, optimizer in zip((1, -1), self.optimizers(), strict=True):
            loss = sign * (self.judge(self.made(batch)).mean() - self.judge(batch[0]).mean())
            optimizer.zero_grad()
            self.manual_backward(loss)
            optimizer.step()
        for scheduler in self.lr_schedulers():
            scheduler.step()
        self.log("loss", loss)

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.judge(self.made(batch)).mean().abs(), sync_dist=True)

    def configure_optimizers(self):
        judge = torch.optim.SGD(self.judge.parameters(), lr=0.1)
        coder = torch.optim.Adam(self.coder.parameters(), lr=0.01)
        return [judge, coder], [torch.optim.lr_scheduler.StepLR(each, 5) for each in (judge, coder)]


def train(model, data, epochs):
    name = type(model).__name__
    best = ModelCheckpoint(name, monitor="val_loss", filename="{epoch}", save_last=True)
    callbacks = [best, EarlyStopping("val_loss", patience=2), LearningRateMonitor("step")]
    options = {"enable_progress_bar": False, "log_every_n_steps": 2, "accelerator": "cpu", "devices": DEVICES}
    logger = CSVLogger("logs", name=name)
    trainer = L.Trainer(max_epochs=epochs, logger=logger, strategy=STRATEGY, callbacks=callbacks, **options)
    trainer.fit(model, datamodule=data)
    told = {key: float(value) for key, value in sorted(trainer.callback_metrics.items())}
    return trainer, best, told


def main():
    L.seed_everything(5)
    _, best, told_of_coder = train(Coder(), Rows(1), 3)
    coder = Coder.load_from_checkpoint(best.best_model_path)
    probe = Probe(coder)
    trainer, probe_best, told_of_probe = train(probe, Rows(2), 4)
    tested = trainer.test(probe, datamodule=Rows(3), ckpt_path="best", verbose=False)
    adversary = Adversary(Coder.load_from_checkpoint(best.best_model_path, width=3))
    trainer, _, told_of_adversary = train(adversary, Rows(4), 3)
    validated = trainer.validate(adversary, datamodule=Rows(3), verbose=False)

    told = (told_of_coder, told_of_probe, told_of_adversary, tested, validated, probe.norms, trainer.global_step)
    weights = [each.state_dict() for each in (coder, probe, adversary)]
    files = [Path(each.best_model_path).name for each in (best, probe_best)]
    if int(os.environ.get("RANK", os.environ.get("LOCAL_RANK", 0))) == 0:
        torch.save({"state_dict": {"weights": weights, "told": told, "files": files}}, "found.ckpt")


if __name__ == "__main__":
    main()
