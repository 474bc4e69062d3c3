import lightning as L
import torch
from lightning.pytorch.callbacks import BatchSizeFinder, LearningRateFinder
from lightning.pytorch.profilers import PyTorchProfiler
from torch import nn
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        with self.trainer.profiler.profile("forward"):
            loss = self.layer(batch).square().mean()
        self.log("loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(torch.ones(8, 4), batch_size=2)


if __name__ == "__main__":
    profiler = PyTorchProfiler(row_limit=5)
    trainer = L.Trainer(max_epochs=3, callbacks=[LearningRateFinder(), BatchSizeFinder()], profiler=profiler)
    trainer.fit(Net())
