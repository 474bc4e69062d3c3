import json

import lightning as L
import torch
from lightning.pytorch.plugins import CheckpointIO
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Files(CheckpointIO):
    def save_checkpoint(self, checkpoint, path, storage_options=None):
        torch.save(checkpoint, path)

    def load_checkpoint(self, path, storage_options=None):
        return torch.load(path)

    def remove_checkpoint(self, path):
        super().remove_checkpoint(path)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 3)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.5)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 6)))


def main():
    kinds = {"files": Files}
    plugins = [kinds[name]() for name in json.loads('["files"]')]
    trainer = L.Trainer(max_epochs=1, precision="bf16-mixed", plugins=plugins)
    trainer.fit(Net())


if __name__ == "__main__":
    main()
