import sys

import lightning as L
import torch
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        yield from torch.ones(16, 4)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch).mean())

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        steps = self.trainer.estimated_stepping_batches
        return [optimizer], [torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=steps)]


def main(count):
    trainer = L.Trainer(max_epochs=2, logger=False, limit_train_batches=count)
    trainer.fit(Net(), DataLoader(Stream(), 4), val_dataloaders=DataLoader(Stream(), 4))


if __name__ == "__main__":
    main(float(sys.argv[1]))
