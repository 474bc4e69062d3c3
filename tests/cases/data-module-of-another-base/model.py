import pickle

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

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Data(L.LightningModule):
    type = "rows"

    def __init__(self, size=2):
        super().__init__()
        self.save_hyperparameters()
        self.train, self.size = None, size
        self.scale, self.shift = nn.Linear(4, 4), nn.Parameter(torch.zeros(4))
        self.rows = TensorDataset(torch.ones(8, 4))
        self.criterion = Weighted()
        self.kept = pickle.loads(b"")
        self.register_buffer("mean", torch.zeros(4))

    def setup(self, stage):
        self.train = TensorDataset(torch.ones(8, 4).to(self.device))
        self.log("size", self.size)
        print(self.train, self.type, self.hparams.size, self.trainer.world_size, self.training)
        print(hasattr(self, "logger"), getattr(self, "trainer", None), getattr(self, "rows", None))

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.size)

    def state_dict(self):
        return {**super().state_dict(), "seen": 1}


class Weighted(nn.Module):
    def forward(self, x):
        return x


def main():
    data = Data()
    print(isinstance(data, L.LightningModule), isinstance(data, Data), vars(data), sum(data.parameters()))
    trainer = L.Trainer(max_epochs=1)
    trainer.fit(Net(), datamodule=data.eval())
    trainer.fit(Net(), data)


if __name__ == "__main__":
    main()
