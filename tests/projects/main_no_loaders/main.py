"""Evaluations of lists of loaders: of none, of one, of two."""

import os
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEEN = []


def loader(count):
    x = torch.rand(count, 3, generator=torch.Generator().manual_seed(count))
    return DataLoader(TensorDataset(x), batch_size=2)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("val", self.layer(batch[0]).square().mean(), sync_dist=True)

    def test_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("test", self.layer(batch[0]).square().mean(), sync_dist=True)

    def predict_step(self, batch, batch_idx, dataloader_idx=0):
        return self.layer(batch[0])

    def setup(self, stage):
        SEEN.append(["setup", stage == "fit"])

    def teardown(self, stage):
        SEEN.append(["teardown", stage == "test"])

    def on_validation_start(self):
        SEEN.append("val starts")

    def on_validation_epoch_end(self):
        SEEN.append("val epoch ends")

    def on_test_start(self):
        SEEN.append("test starts")

    def on_test_end(self):
        SEEN.append("test ends")

    def on_predict_start(self):
        SEEN.append("predict starts")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


if __name__ == "__main__":
    L.seed_everything(3)
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False)
    net = Net()
    trainer.fit(net, loader(8))
    for counts in ([], [4], [4, 6]):
        loaders = [loader(each) for each in counts]
        SEEN.append(counts)
        SEEN.append(trainer.validate(net, loaders))
        SEEN.append(trainer.test(net, loaders))
        SEEN.append(trainer.predict(net, loaders))
    torch.save(SEEN, f"main_no_loaders.{os.environ.get('RANK', '0')}.results.pt")
