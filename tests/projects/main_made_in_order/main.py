"""What calls of a trainer's methods are given is made in its order there: trainers that seed, models, loaders."""

import os

import lightning as L
import torch
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("val", self.layer(batch).square().mean() + torch.rand(1), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test", self.layer(batch).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


class Experiment:
    def __init__(self):
        self.models = []

    def model(self):
        self.models.append(Net())
        return self.models[-1]

    def trainer(self, seed):
        L.seed_everything(seed)
        return L.Trainer(max_epochs=1, logger=False, enable_progress_bar=False, enable_checkpointing=False)

    def loader(self):
        return DataLoader(torch.randn(12, 3), batch_size=2)

    def run(self):
        trainer = self.trainer(8)
        tested = trainer.test(dataloaders=self.loader(), model=self.model(), verbose=False)
        found = trainer.validate(ckpt_path=self.none(), dataloaders=[self.loader()], model=self.model(), verbose=False)
        self.trainer(9).fit(self.model(), self.loader())
        self.trainer(10).fit(train_dataloaders=self.loader(), model=self.model())
        return [tested, found, *self.weights()]

    def none(self):
        torch.rand(1)

    def weights(self):
        return [each.layer.weight.detach().clone() for each in self.models]


if __name__ == "__main__":
    torch.save(Experiment().run(), f"main_made_in_order.{os.environ.get('RANK', '0')}.results.pt")
