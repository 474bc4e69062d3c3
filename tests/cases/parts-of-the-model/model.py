import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Encoder(L.LightningModule):
    """What a part asks for that the model alone has stops the build, unless nothing calls it."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        self.log("norm", x.norm())
        return self.layer(x.to(self.device)) * self.current_epoch

    def training_step(self, batch, batch_idx):
        self.log("loss", 0.0)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.encoder.freeze()

    def training_step(self, batch, batch_idx):
        return self.encoder(batch[0]).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.rand(8, 3)), batch_size=4)


if __name__ == "__main__":
    L.Trainer(max_epochs=1).fit(Net())
