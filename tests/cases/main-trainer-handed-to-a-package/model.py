import copy

import lightning as L
import reporting
import torch
from torch import nn
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self, hidden=8):
        super().__init__()
        self.save_hyperparameters()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).pow(2).mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


loader = DataLoader(torch.randn(64, 4), batch_size=8)


def told(trainer):
    return trainer.current_epoch


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(Net(16), loader)
    print(trainer, told(trainer), copy.copy(trainer).global_step)
    reporting.summarize("run", of=trainer)
    reporting.Report().add(trainer)
