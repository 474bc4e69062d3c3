import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

import narrow
import wide
from narrow import WIDTH as narrow_width
from samples import samples
from wide import Block, WIDTH

NARROW = narrow_width  # as it is now: a function of its module may set it


class Classifier(L.LightningModule):
    def __init__(self, block=Block):
        super().__init__()
        Net = nn.Identity  # as a name of its own

        def build(scale, make=narrow.Block):
            return (
                make(WIDTH, NARROW),
                narrow.scale(scale),
                f"{narrow.WIDTH} of {wide.WIDTH}",
            )

        first, factor, self.text = build(2)
        self.layers = nn.Sequential(Block(6, wide.WIDTH), first, narrow.Net(narrow.WIDTH, 3), Net())
        self.factor = factor

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y) * self.factor
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=8)


if __name__ == "__main__":
    L.seed_everything(1)
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(Classifier())
