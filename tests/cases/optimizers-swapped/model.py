import lightning as L
import torch
from lightning.pytorch.callbacks import Callback
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Averaged(torch.optim.SGD):
    def __init__(self, optimizer):
        self.optimizer = optimizer


class Averaging(Callback):
    def on_fit_start(self, trainer, pl_module):
        trainer.optimizers = [Averaged(each) for each in trainer.optimizers]

    def on_train_epoch_end(self, trainer, pl_module):
        trainer.optimizers = [each.optimizer for each in trainer.optimizers]

    def on_load_checkpoint(self, trainer, pl_module, checkpoint):
        connector = trainer._checkpoint_connector
        other = trainer._checkpoint_connector
        print(other)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    trainer = L.Trainer(callbacks=[Averaging()])
    trainer.fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))
