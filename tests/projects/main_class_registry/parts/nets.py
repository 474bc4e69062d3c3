import lightning as L
import torch

from .registry import Registry


class Base(L.LightningModule):
    def __init__(self, layer="wide"):
        super().__init__()
        self.layer = Registry.get(layer)()

    def training_step(self, batch, batch_idx):
        return self.loss_of(batch)

    def loss_of(self, batch):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


@Registry.register("plain")
class Plain(Base):
    def loss_of(self, batch):
        return self.layer(batch[0]).mean()


@Registry.register("counting")
class Counting(Base):
    def __init__(self, layer="wide"):
        super().__init__(layer)
        self.register_buffer("epochs", torch.zeros(()))

    def training_step(self, batch, batch_idx):
        return super().training_step(batch, batch_idx) * 2

    def on_train_epoch_end(self):
        self.epochs += 1
