"""A training that goes on with another optimizer: the model takes the states of the one before out of the checkpoint."""

import os

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def samples(count, seed):
    x = torch.randn(count, 6, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :3].argmax(1))


class Learner(L.LightningModule):
    def __init__(self, continues=""):
        super().__init__()
        self.continues = continues
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))

    def training_step(self, batch, batch_idx):
        return F.cross_entropy(self.layers(batch[0]), batch[1])

    def on_load_checkpoint(self, checkpoint):
        if self.continues == "anew":
            checkpoint["optimizer_states"] = []
        if self.continues:
            checkpoint["lr_schedulers"] = []

    def configure_optimizers(self):
        lr = 0.01 if self.continues else 0.2
        optimizer = torch.optim.SGD(self.parameters(), lr=lr, momentum=0.9)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]


def main():
    L.seed_everything(1)
    seen = []
    for epochs, continues in enumerate(("", "", "with its schedule", "anew"), 1):
        trainer = L.Trainer(
            max_epochs=epochs,
            accelerator="cpu",
            devices=int(os.environ.get("WORLD_SIZE", "1")),
            logger=False,
            enable_checkpointing=False,
        )
        model = Learner(continues)
        trainer.fit(model, DataLoader(samples(24, 2), 4), ckpt_path=f"{epochs - 1}.ckpt" if epochs > 1 else None)
        trainer.save_checkpoint(f"{epochs}.ckpt")
        rates = [group["lr"] for group in trainer.optimizers[0].param_groups]
        seen.append((trainer.global_step, rates, [*model.layers.state_dict().values()]))
    torch.save(seen, f"main_other_optimizer.{RANK}.results.pt")


if __name__ == "__main__":
    main()
