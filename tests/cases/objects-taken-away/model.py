import lightning as L
import torch
from lightning.pytorch.callbacks import Callback
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class CountBatches(Callback):
    def __init__(self, every: int, start: int = 0):
        self.every, self.count = every, start

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        self.count += 1
        if self.count % self.every == 0:
            print(self.count, trainer.global_step)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = self.layer(x).square().mean()
        self.log("loss", loss, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    net = Net()
    trainer = L.Trainer(max_epochs=1, callbacks=[CountBatches(2)])
    trainer.fit(net)
    print(trainer.global_step)
