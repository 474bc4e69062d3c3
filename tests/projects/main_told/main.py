"""What is logged of several validation loaders, as hooks see it, in the trial before training too."""

import inspect
import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def dataset(count):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(count))
    return TensorDataset(x, x.sum(1, keepdim=True))


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.seen = []

    def training_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.layer(batch[0]), batch[1])
        self.log("loss", loss, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        loss = nn.functional.mse_loss(self.layer(batch[0]), batch[1])
        self.log("val", loss, prog_bar=True, sync_dist=True)
        self.log("both", loss, on_step=True, on_epoch=True)
        if dataloader_idx:
            self.log("second", loss.sqrt(), add_dataloader_idx=False)

    def on_validation_epoch_end(self):
        self.log("end", 3.0, logger=False)
        self.tell("told", 4.0)

    def on_validation_end(self):
        self.tell("told", 5.0)

    def tell(self, name, value):
        caller = inspect.currentframe().f_back
        hook = caller.f_code.co_name
        if hook in ["on_validation_end", "on_test_end"]:
            self.seen.append((name, value))
        else:
            self.log(name, value)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)

    def train_dataloader(self):
        return DataLoader(dataset(16), batch_size=4, shuffle=True)

    def val_dataloader(self):
        return [DataLoader(dataset(count), batch_size=4) for count in (8, 24)]


class Look(L.Callback):
    def __init__(self):
        self.seen = []

    def look(self, hook, trainer):
        told = trainer.callback_metrics, trainer.logged_metrics, trainer.progress_bar_metrics
        values = [sorted((name, float(value)) for name, value in each.items()) for each in told]
        self.seen.append((hook, trainer.sanity_checking, values))

    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
        self.look(f"batch {batch_idx} of {dataloader_idx}", trainer)

    def on_validation_epoch_end(self, trainer, pl_module):
        self.look("epoch", trainer)

    def on_validation_end(self, trainer, pl_module):
        self.look("end", trainer)

    def on_sanity_check_end(self, trainer, pl_module):
        self.look("sanity check", trainer)

    def on_train_start(self, trainer, pl_module):
        self.look("train start", trainer)


if __name__ == "__main__":
    L.seed_everything(3)
    look = Look()
    trainer = L.Trainer(max_epochs=2, callbacks=[look], enable_checkpointing=False)
    model = Net()
    trainer.fit(model)
    trainer.validate(model)
    torch.save([look.seen, model.seen], f"main_told.{RANK}.results.pt")
