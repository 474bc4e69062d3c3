import sys

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Accumulating(Callback):
    def on_train_epoch_start(self, trainer, pl_module):
        trainer.accumulate_grad_batches = trainer.current_epoch + 1
        trainer.strategy.optimizers = []
        trainer.strategy.root_device, rank = "cpu", 0


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        self.trainer.max_epochs += 1 + self.trainer.limit_train_batches
        self.trainer.should_stop = True
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=len(sys.argv), callbacks=[Accumulating()])
    trainer.gradient_clip_val = 1.0
    trainer.num_sanity_val_steps = -1
    trainer.limit_train_batches = 3
    trainer.check_val_every_n_epoch, times = 2, 3
    trainer.fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))
