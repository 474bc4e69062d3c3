"""Code at which Lightning stops: a test without a test_step, after the training is done."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def main(epochs):
    L.seed_everything(5)
    x = torch.rand(22, 3, generator=torch.Generator().manual_seed(1))
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
    model = Model()
    trainer = L.Trainer(max_epochs=epochs, logger=False, enable_progress_bar=False)
    trainer.fit(model, loader)
    try:
        trainer.test(model, loader, ckpt_path="best")
    except Exception:
        torch.save(model.state_dict(), f"main_stops.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main(2)
