import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(L.LightningModule):
    def __init__(self, net: nn.Module, rate: float) -> None:
        super().__init__()
        self.net = net
        self.rate = rate

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.rate)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.randn(32, 8)), batch_size=8)


class Train:
    """A command."""

    def execute(self, arguments) -> None:
        trainer = L.Trainer(max_epochs=arguments.epochs, callbacks=[EarlyStopping("loss")])
        trainer.fit(Regressor(nn.Linear(8, 1), arguments.rate))
