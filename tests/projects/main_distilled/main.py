"""A model that derives from the class of its teacher, which is a part of it: the teacher's own steps are never called."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(L.LightningModule):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)

    def training_step(self, batch, batch_idx):
        loss = self(batch[0]).square().mean()
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self(batch[0]).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.model.parameters(), 0.1)


class Distilled(Classifier):
    def __init__(self, teacher, student):
        super().__init__(student)
        self.teacher = teacher

    def training_step(self, batch, batch_idx):
        loss = (self(batch[0]) - self.teacher(batch[0])).square().mean()
        self.log("loss", loss)
        return loss


def loader(seed):
    x = torch.rand(12, 3, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x), batch_size=2)


if __name__ == "__main__":
    L.seed_everything(2)
    model = Distilled(Classifier(nn.Linear(3, 1)), nn.Linear(3, 1))
    trainer = L.Trainer(max_epochs=2, enable_progress_bar=False)
    trainer.fit(model, loader(1), loader(2))
    results = [model.state_dict(), {name: value.item() for name, value in trainer.callback_metrics.items()}]
    torch.save(results, f"main_distilled.{os.environ.get('RANK', '0')}.results.pt")
