"""Models that are asked, before they are trained and once they are loaded, for what a trainer would know."""

import os

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def samples(count, seed):
    x = torch.randn(count, 6, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :3].argmax(1))


class Annealed(L.LightningModule):
    def __init__(self, lr=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Linear(6, 3)
        self.begins_at = self.current_epoch + self.global_step

    def forward(self, x):
        warmth = 1.0 / (1 + self.current_epoch + 0.1 * self.global_step)
        return self.layers(x) * (warmth if self.logger is None and not self.loggers else 1.0)

    def training_step(self, batch, batch_idx):
        loss = F.cross_entropy(self(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        loss = F.cross_entropy(self(batch[0]), batch[1])
        self.log_dict({"val_loss": loss, "epoch_float": float(self.current_epoch)}, sync_dist=True)
        self.log("begins_at", float(self.begins_at))
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)


def by_hand(model):
    with torch.no_grad():
        losses = [model.validation_step(batch, 0).item() for batch in DataLoader(samples(12, 3), 4)]
        return losses, model(torch.ones(1, 6)), model.current_epoch, model.global_step


def main():
    L.seed_everything(1)
    model = Annealed()
    results = [by_hand(model)]
    trainer = L.Trainer(
        max_epochs=2,
        accelerator="cpu",
        devices=int(os.environ.get("WORLD_SIZE", "1")),
        logger=False,
    )
    trainer.fit(model, DataLoader(samples(24, 1), 4), DataLoader(samples(12, 2), 4))
    trainer.save_checkpoint("trained.ckpt")
    trainer.strategy.barrier()
    results.append(by_hand(Annealed.load_from_checkpoint("trained.ckpt")))
    torch.save(results, f"main_models_alone.{RANK}.results.pt")


if __name__ == "__main__":
    main()
