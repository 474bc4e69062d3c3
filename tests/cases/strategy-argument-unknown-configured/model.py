import lightning as L
import torch
import yaml
from lightning.pytorch.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, hidden: int = 8):
        super().__init__()
        self.layer = nn.Linear(4, hidden)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = self.layer(x).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    with open("conf.yaml") as file:
        strategy = DDPStrategy(**yaml.safe_load(file)["strategy"])
    L.Trainer(max_epochs=2, strategy=strategy).fit(Net())
