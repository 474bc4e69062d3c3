import sys

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    options = {}
    if "--trial" in sys.argv:
        options["fast_dev_run"] = True
    if "--overfit" in sys.argv:
        options["overfit_batches"] = 2
    trainer = L.Trainer(max_epochs=1)
    for name, value in options.items():
        setattr(trainer, name, value)
    trainer.fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))
