import logging

import lightning as L
import torch
from lightning.pytorch.callbacks import LearningRateMonitor
from torch.utils.data import DataLoader

logger = logging.getLogger(__name__)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(torch.ones(4, 4))


def main():
    callbacks = [LearningRateMonitor()]
    print(f"{len(callbacks)} of one's own")
    trainer = L.Trainer(max_epochs=1, callbacks=callbacks)
    print(f"Callbacks: {len(callbacks)}")
    logger.info("%s callbacks", len(callbacks))
    trainer.fit(Net())


if __name__ == "__main__":
    main()
