from typing import Generator

import lightning as L
import torch
from torch import nn
from torch.func import functional_call
from torch.utils.data import DataLoader, IterableDataset


class SineTasks(IterableDataset):
    """Tasks without end; each rank draws its own."""

    def __init__(self, shots: int) -> None:
        super().__init__()
        self.shots = shots

    def __iter__(self) -> Generator:
        while True:
            phase, height = torch.rand(2)
            x = torch.rand(2 * self.shots, 1) * 6 - 3
            yield x, (x + 3 * phase).sin() * (0.5 + height)


class MAML(L.LightningModule):
    """Gradients of gradients, over an endless stream that only a limit ends."""

    def __init__(self, inner_lr=0.05, inner_steps=2, shots=4):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))

    def adapt(self, x, y):
        weights = dict(self.net.named_parameters())
        for _ in range(self.hparams.inner_steps):
            loss = nn.functional.mse_loss(functional_call(self.net, weights, (x,)), y)
            slopes = torch.autograd.grad(loss, list(weights.values()), create_graph=True)
            weights = {name: w - self.hparams.inner_lr * g for (name, w), g in zip(weights.items(), slopes)}
        return weights

    def training_step(self, batch, batch_idx):
        xs, ys = batch
        shots, losses = self.hparams.shots, []
        for x, y in zip(xs, ys):
            adapted = self.adapt(x[:shots], y[:shots])
            losses.append(nn.functional.mse_loss(functional_call(self.net, adapted, (x[shots:],)), y[shots:]))
        loss = torch.stack(losses).mean()
        self.log("meta_loss", loss, prog_bar=True, on_step=True, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.net.parameters(), lr=0.01)

    def train_dataloader(self):
        return DataLoader(SineTasks(self.hparams.shots), batch_size=3)
