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

    def validation_step(self, batch, batch_idx):
        pass

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def val_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


class Old(L.Callback):
    def on_train_epoch_end(self, trainer, pl_module, outputs):
        print(outputs)

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx):
        print(batch_idx)

    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx):
        print(batch_idx)

    def on_before_optimizer_step(self, trainer, pl_module, optimizer, opt_idx):
        print(opt_idx)

    def on_load_checkpoint(self, callback_state):
        pass

    def on_fit_start(self, trainer):
        pass

    def on_test_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx):
        print(batch_idx)


class New(L.Callback):
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, unused=0):
        print(batch_idx)

    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
        print(batch_idx)

    def on_fit_start(self, *args):
        print(args)

    def on_exception(self, trainer, pl_module, exception):
        print(exception)


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=2, callbacks=[Old(), New()])
    trainer.fit(Net())
