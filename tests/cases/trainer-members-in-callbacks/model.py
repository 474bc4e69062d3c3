import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


class Notes(L.Callback):
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if trainer.is_last_batch:
            trainer.strategy.barrier()

    def on_train_epoch_end(self, trainer, pl_module):
        print(trainer.state.fn, trainer.precision_plugin)


def main(epochs):
    trainer = L.Trainer(max_epochs=epochs, callbacks=[Notes()])
    trainer.fit(Net())
    print(trainer.precision_plugin)


if __name__ == "__main__":
    main(2)
