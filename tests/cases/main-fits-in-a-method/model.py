import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def on_fit_end(self):
        self.refine()

    def refine(self):
        trainer = L.Trainer(max_epochs=1)
        trainer.fit(self, DataLoader(torch.randn(64, 4), batch_size=8))


if __name__ == "__main__":
    Net().refine()
