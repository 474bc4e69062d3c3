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
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main(count):
    trainer = L.Trainer(max_epochs=2, logger=False, limit_train_batches=0.5)
    data = Stream() if count > 2 else torch.ones(16, 4)
    trainer.fit(Net(), DataLoader(data, 4), val_dataloaders=DataLoader(data, 4))


if __name__ == "__main__":
    main(float(sys.argv[1]))
