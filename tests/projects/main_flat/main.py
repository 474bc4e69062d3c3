import os

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

L.seed_everything(7)
x = torch.randn(32, 6)  # of the seed above, and read by the class's method below
y = torch.randint(3, (32,))
folder = os.path.join(os.getcwd(), "kept")
batch_size = 8
scale = batch_size / 8  # before it is changed, and read by the class's method below
processes = int(os.environ.get("PROCESSES", "4"))
if processes > 1:
    batch_size = batch_size // processes


class Classifier(L.LightningModule):
    def __init__(self, hidden: int = 8):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01 * scale)

    def train_dataloader(self):
        return DataLoader(TensorDataset(x, y), batch_size=batch_size)


loader = DataLoader(TensorDataset(x, y), batch_size=8)
model = Classifier(hidden=16)
first = ModelCheckpoint(dirpath=folder, filename="first")
trainer = L.Trainer(max_epochs=1, callbacks=[first], enable_checkpointing=True)
trainer.fit(model, loader)
model = Classifier(hidden=16)
second = ModelCheckpoint(dirpath=folder, filename="second", save_last=True)
trainer = L.Trainer(max_epochs=3, callbacks=[second], enable_checkpointing=True)
trainer.fit(model, loader, ckpt_path="kept/first.ckpt")
