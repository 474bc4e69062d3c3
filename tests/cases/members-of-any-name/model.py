"""Functions that become members under names that only a run knows: some may be hooks."""

import lightning as L
import torch
from torch import nn


def tell(self):
    print("told")


class Net(L.LightningModule):
    def __init__(self, **options):
        super().__init__()
        for index in range(2):
            setattr(self, f"layer{index}", nn.Linear(4, 4))
            setattr(self, f"tell_{index}", self.tell_twice)
            setattr(self, f"on_{options['when']}_start", self.tell_twice)
        for name, value in options.items():
            setattr(self, name, value)

    def tell_twice(self):
        print("told", "twice")

    def training_step(self, batch, batch_idx):
        return self.layer1(self.layer0(batch[0])).square().mean()

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(8, 4)))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


for when in ("fit", "train"):
    setattr(Net, "on_" + when + "_end", tell)
    Net.__dict__["on_" + when] = tell
