import sys

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    locals()["on_train_start"] = lambda self: print("starts")

    def __init__(self, by_hand: bool = False):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        setattr(self, "automatic_optimization", not by_hand)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=len(sys.argv))
    for name in sys.argv[1:]:
        setattr(trainer, name, 3)
    vars(trainer).update(should_stop=True)
    trainer.fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))
