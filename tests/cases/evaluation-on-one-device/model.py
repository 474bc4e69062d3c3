import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def test_step(self, batch, batch_idx):
        (x,) = batch
        self.log("size", self.layer(x).abs().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def main():
    model = Net()
    loader = DataLoader(TensorDataset(torch.ones(4, 4)))
    settings = {"devices": [0], "logger": False}
    trainer = L.Trainer(max_epochs=2, devices=4, strategy="ddp")
    trainer.fit(model)
    trainer.test(model, loader)
    if trainer.is_global_zero:
        L.Trainer(devices=1, num_nodes=1).test(model, loader)
    alone = L.Trainer(**settings)
    alone.test(model, loader)


if __name__ == "__main__":
    main()
