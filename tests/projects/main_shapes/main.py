"""Two stages: a model that is given loaders, then another that is given a data module and its last checkpoint."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Coder(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.inward, self.outward = nn.Linear(6, 3), nn.Linear(3, 6)

    def training_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.outward(self.inward(batch[0])), batch[0])
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


class Probe(L.LightningModule):
    def __init__(self, inward):
        super().__init__()
        self.inward, self.out = inward, nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        return self.out(self.inward(batch[0])).sub(0.5).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.out(self.inward(batch[0])).mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.out.parameters(), lr=0.1)


class Rows(L.LightningDataModule):
    def setup(self, stage):
        self.rows = TensorDataset(torch.rand(12, 6, generator=torch.Generator().manual_seed(1)))

    def train_dataloader(self):
        return DataLoader(self.rows, batch_size=3)

    def val_dataloader(self):
        return DataLoader(self.rows, batch_size=6)

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return [each * 2 for each in batch]


def pretrained(data):
    coder = Coder()
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False)
    trainer.fit(model=coder, train_dataloaders=data.train_dataloader())
    return coder, {name: float(value) for name, value in sorted(trainer.callback_metrics.items())}


def main():
    L.seed_everything(3)
    data = Rows()
    data.setup("fit")
    coder, metrics = pretrained(data)
    results = [metrics]
    for path in (None, "probe.ckpt"):
        probe = Probe(coder.inward)
        trainer = L.Trainer(max_epochs=4 if path else 2, logger=False, enable_progress_bar=False)
        trainer.fit(probe, datamodule=data, ckpt_path=path)
        trainer.save_checkpoint("probe.ckpt")
        results.append((trainer.global_step, float(trainer.callback_metrics["val_loss"])))
    results += [{name: each.clone() for name, each in model.state_dict().items()} for model in (coder, probe)]
    torch.save(results, f"main_shapes.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
