import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader


class Classifier(L.LightningModule):
    def __init__(self):
        from blocks import Block as B, WIDTH
        import blocks

        super().__init__()
        self.layers = nn.Sequential(B(6, WIDTH), nn.Linear(blocks.WIDTH, 3))

    def training_step(self, batch, batch_idx):
        from losses import loss_of

        loss = loss_of(self.layers, batch)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        import math
        from blocks import Descent

        return Descent(self.parameters(), lr=math.exp(-2))

    def train_dataloader(self):
        from samples import samples

        return DataLoader(samples(), batch_size=8)


if __name__ == "__main__":
    L.seed_everything(1)
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(Classifier())
