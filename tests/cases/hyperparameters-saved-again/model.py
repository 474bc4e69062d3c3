import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, rate: float = 0.1):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.keep()

    def keep(self):
        self.save_hyperparameters(ignore=["layer"])

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.rate)


if __name__ == "__main__":
    model = Net(0.2)
    model.keep()
    L.Trainer(max_epochs=1).fit(model, DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))
