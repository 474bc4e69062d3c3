import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.batches = 0

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def on_save_checkpoint(self, checkpoint):
        checkpoint["batches"] = checkpoint["loops"]["fit_loop"]["epoch_loop.batch_progress"]["current"]["completed"]

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


class Anew(L.Callback):
    def on_load_checkpoint(self, trainer, pl_module, checkpoint):
        checkpoint.pop("loops", None)


class Loops(L.Callback):
    def on_save_checkpoint(self, trainer, pl_module, checkpoint):
        checkpoint["of loops"] = trainer.current_epoch
        checkpoint["global_step"] -= 1


if __name__ == "__main__":
    L.Trainer(max_epochs=2, callbacks=[Anew(), Loops()]).fit(Net())
