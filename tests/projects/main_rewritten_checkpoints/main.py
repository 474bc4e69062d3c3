"""Hooks that rewrite checkpoints by which Lightning does not go, and copies of a model, which have no trainer."""

import copy
import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = int(os.environ.get("RANK", "0"))
SEEN = []


class Average(L.Callback):
    """Keeps no state, and an average of the model that asks for its epoch as the model does."""

    def on_fit_start(self, trainer, pl_module):
        self.model = copy.deepcopy(pl_module).requires_grad_(False)

    def on_train_epoch_end(self, trainer, pl_module):
        for average, parameter in zip(self.model.parameters(), pl_module.parameters()):
            average.lerp_(parameter.detach(), 0.5)
        SEEN.append(self.model(torch.ones(1, 6, device=pl_module.device)).item())


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 1)

    def forward(self, x):
        return self.layer(x) / (1 + self.current_epoch)

    def training_step(self, batch, batch_idx):
        loss = self(batch[0]).pow(2).mean()
        self.log("loss", loss)
        return loss

    def on_save_checkpoint(self, checkpoint):
        checkpoint.pop("callbacks", None)

    def on_load_checkpoint(self, checkpoint):
        """Counts anew, as old code has it: Lightning goes on by its loops."""
        checkpoint["global_step"] = 0
        checkpoint["epoch"] = 0

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


def train(max_epochs, ckpt_path=None):
    L.seed_everything(1)
    trainer = L.Trainer(
        max_epochs=max_epochs,
        callbacks=[Average()],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
    )
    model = Net()
    trainer.fit(model, DataLoader(TensorDataset(torch.randn(40, 6)), 4), ckpt_path=ckpt_path)
    trainer.save_checkpoint(f"epochs-{max_epochs}.ckpt")
    SEEN.append((trainer.current_epoch, trainer.global_step, model.layer.weight.detach().clone()))
    SEEN.append((model.optimizers().param_groups[0]["lr"], model.lr_schedulers()))


def main():
    train(2)
    train(4, "epochs-2.ckpt")


if __name__ == "__main__":
    main()
    torch.save(SEEN, f"main_rewritten_checkpoints.{RANK}.results.pt")
