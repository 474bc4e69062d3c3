"""Optimizers that the code shares out among the ranks, where there are several: trained, saved, and gone on with."""

import os

import lightning as L
import torch
import torch.distributed as dist
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.utils.data import DataLoader, TensorDataset

RANK = int(os.environ.get("RANK", "0"))
SEEN = []


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))

    def training_step(self, batch, batch_idx):
        loss = self.layers(batch[0]).pow(2).mean()
        self.log("loss", loss)
        return loss

    def make_optimizer(self, parameters, lr):
        if dist.is_initialized():
            return ZeroRedundancyOptimizer(parameters, torch.optim.AdamW, lr=lr, weight_decay=0.01)
        return torch.optim.AdamW(parameters, lr=lr, weight_decay=0.01)

    def configure_optimizers(self):
        optimizer = self.make_optimizer(self.parameters(), 0.01)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step))
        return [optimizer], [{"scheduler": scheduler, "interval": "step"}]


class ByHand(Net):
    """Two optimizers, of which one is shared out."""

    def __init__(self):
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        for optimizer in self.optimizers():
            loss = super().training_step(batch, batch_idx)
            optimizer.zero_grad()
            self.manual_backward(loss)
            optimizer.step()

    def configure_optimizers(self):
        first, last = self.layers[0].parameters(), self.layers[2].parameters()
        return self.make_optimizer(first, 0.02), torch.optim.SGD(last, lr=0.1, momentum=0.9)


def train(kind, folder, epochs, ckpt_path=None):
    L.seed_everything(1)
    model = kind()
    data = DataLoader(TensorDataset(torch.randn(40, 6)), 4)
    trainer = L.Trainer(
        max_epochs=epochs,
        gradient_clip_val=None if kind is ByHand else 0.5,
        callbacks=[ModelCheckpoint(folder, "{epoch}")],
        logger=False,
        enable_progress_bar=False,
    )
    trainer.fit(model, data, ckpt_path=ckpt_path)
    checkpoint = torch.load(f"{folder}/epoch={epochs - 1}.ckpt", weights_only=False)
    SEEN.append(checkpoint["optimizer_states"])
    SEEN.append(float(trainer.callback_metrics["loss"]))
    SEEN.append([each.detach().clone() for each in model.parameters()])


def main():
    train(Net, "by_lightning", 2)
    train(Net, "by_lightning", 4, "by_lightning/epoch=1.ckpt")
    train(ByHand, "by_hand", 2)
    train(ByHand, "by_hand", 3, "by_hand/epoch=1.ckpt")


if __name__ == "__main__":
    main()
    torch.save(SEEN, f"main_shares_out.{RANK}.results.pt")
