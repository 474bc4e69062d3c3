import lightning as L
import torch
from lightning.pytorch.utilities import CombinedLoader
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.kept = self.combined(in_turn=True)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("val_loss", self.layer(batch[0]).square().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def val_dataloader(self):
        if not self.kept.iterables:
            self.kept = self.combined(in_turn=False)
        return self.kept

    def combined(self, in_turn):
        return CombinedLoader([self.train_dataloader()], "sequential" if in_turn else "min_size")


if __name__ == "__main__":
    L.Trainer(max_epochs=1).fit(Net())
