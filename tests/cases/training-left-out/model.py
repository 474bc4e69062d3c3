import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(L.LightningModule):
    def __init__(self, rate: float = 0.1) -> None:
        super().__init__()
        self.net = nn.Linear(8, 1)
        self.rate = rate

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.rate)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.randn(32, 8)), batch_size=8)


def train(epochs: int) -> None:
    trainer = L.Trainer(max_epochs=epochs, callbacks=[EarlyStopping("loss")])
    trainer.fit(Regressor())
