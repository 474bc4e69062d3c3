"""A trainer that has trained by hand says how many steps there were: none, once another model was tested."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ByHand(L.LightningModule):
    automatic_optimization = False

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        optimizer = self.optimizers()
        optimizer.zero_grad()
        self.manual_backward(self.layer(batch[0]).square().mean())
        optimizer.step()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Judge(L.LightningModule):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def test_step(self, batch, batch_idx):
        self.log("mean", self.model.layer(batch[0]).mean(), sync_dist=True)

    def on_test_end(self):
        print(self.global_step)


def main():
    model, loader = ByHand(), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(model, loader)
    steps = trainer.global_step
    trainer.test(Judge(model), loader)
    print(steps, trainer.global_step)


if __name__ == "__main__":
    main()
