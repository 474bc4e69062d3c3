"""What a call of `fit` is given is made in the order in which it stands there: trainers that seed, models, loaders."""

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
        self.trainer(9).fit(self.model(), self.loader())
        self.trainer(10).fit(train_dataloaders=self.loader(), model=self.model())
        return [each.layer.weight.detach().clone() for each in self.models]


if __name__ == "__main__":
    torch.save(Experiment().run(), f"main_made_in_order.{os.environ.get('RANK', '0')}.results.pt")
