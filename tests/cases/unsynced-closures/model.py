import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def optimizer_step(self, epoch, batch_idx, optimizer, closure):
        self.step_alone(optimizer, closure)

    def step_alone(self, optimizer, closure):
        with self.trainer.strategy.model.no_sync():
            optimizer.step(closure)

    def on_train_batch_start(self, batch, batch_idx):
        self.context = self.trainer.strategy.model.no_sync()
        self.context.__enter__()

    def on_after_backward(self):
        with self.trainer.strategy.model.no_sync():
            self.layer(torch.ones(1, 4)).sum().backward()

    def on_before_zero_grad(self, optimizer):
        context = self.trainer.strategy.model.no_sync()
        context.__enter__()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
