"""Code that sets how many epochs are completed, to what they are, as a training goes on from a checkpoint."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Counting(Callback):
    def __init__(self, start):
        self.start, self.told = start, []

    def on_train_start(self, trainer, pl_module):
        if self.start > 0:
            trainer.fit_loop.epoch_progress.current.completed = self.start
        self.told.append(trainer.fit_loop.epoch_progress.current.completed)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean() * (1 + self.current_epoch)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.01)


def train(start, epochs, checkpoint):
    counting, saving = Counting(start), ModelCheckpoint(f"saved{start}")
    model, trainer = Net(), L.Trainer(max_epochs=epochs, callbacks=[counting, saving], enable_progress_bar=False)
    if start == 0:
        trainer.fit_loop.epoch_progress.current.completed = start
    data = torch.randn(16, 4, generator=torch.Generator().manual_seed(1))
    trainer.fit(model, DataLoader(TensorDataset(data), batch_size=4), ckpt_path=checkpoint)
    return [counting.told, model.state_dict(), trainer.current_epoch], saving.best_model_path


if __name__ == "__main__":
    L.seed_everything(1)
    first, path = train(0, 2, None)
    second, _ = train(2, 4, path)
    torch.save([first, second], f"main_epochs_set.{RANK}.results.pt")
