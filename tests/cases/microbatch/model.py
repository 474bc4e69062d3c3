import lightning as L
import torch
from lightning.pytorch.callbacks import LambdaCallback
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Told(L.Callback):
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        print(batch_idx)


class Printed(L.Callback):
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        print(outputs["loss"])


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def embedded(self, x):
        return self.all_gather(self.layer(x), sync_grads=True)

    def training_step(self, batch, batch_idx):
        loss = self.embedded(batch[0]).square().mean()
        return {"loss": loss, "twice": loss * 2}

    def on_train_batch_end(self, outputs, batch, batch_idx):
        print(outputs["twice"])

    def on_train_epoch_end(self):
        print(self.all_gather(self.layer.bias))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    shown = LambdaCallback(on_train_batch_end=lambda *given: print(given[2]))
    trainer = L.Trainer(max_epochs=1, callbacks=[Told(), Printed(), shown], sync_batchnorm=True)
    trainer.fit(Net())
