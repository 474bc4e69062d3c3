import lightning as L
import torch
from lightning.pytorch.callbacks import Callback
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def turn_off(trainer):
    trainer.limit_val_batches = 0


class Early(Callback):
    def on_train_start(self, trainer, pl_module):
        turn_off(trainer)

    def on_train_epoch_start(self, trainer, pl_module):
        trainer.limit_val_batches = trainer.current_epoch


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        turn_off(self.trainer)
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch[0]).square().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    data = DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
    trainer = L.Trainer(max_epochs=3, limit_val_batches=0, callbacks=[Early()])
    trainer.fit(Net(), data, data)
