import sys

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        return self.layer(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return F.cross_entropy(self.layer(x), y)

    def test_step(self, batch, batch_idx):
        x, y = batch
        self.log("test_loss", F.cross_entropy(self.layer(x), y), sync_dist=True)

    def on_test_epoch_end(self):
        print("tested")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def loader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4), torch.ones(8).long()), batch_size=2)

    def train_dataloader(self):
        return self.loader()

    def test_dataloader(self):
        return self.loader()


if __name__ == "__main__":
    model = Net()
    trainer = L.Trainer(max_epochs=len(sys.argv))
    trainer.fit(model)
    print(trainer.test(model, ckpt_path="best"))
    print(trainer.predict(model, [torch.ones(2, 4)]))
