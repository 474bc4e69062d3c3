"""Callbacks that set the mode of gradients and leave them disabled, as one does that samples from an energy model."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = int(os.environ.get("RANK", 0))


def samples_of(net, samples, steps):
    """Gradient ascent on the samples, in whatever mode one was."""
    was_enabled = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    samples = samples.detach().requires_grad_()
    for _ in range(steps):
        net(samples).sum().backward()
        samples = (samples + samples.grad.clamp(-0.1, 0.1)).detach().requires_grad_()
    torch.set_grad_enabled(was_enabled)
    return samples.detach()


def rows():
    return TensorDataset(torch.rand(36, 5, generator=torch.Generator().manual_seed(0)))


class Samples(L.Callback):
    def on_train_epoch_end(self, trainer, pl_module):
        torch.set_grad_enabled(True)
        pl_module.drawn.append(samples_of(pl_module.net, torch.rand(4, 5), 3).mean().item())
        torch.set_grad_enabled(False)

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        pl_module.modes.append(torch.is_grad_enabled())

    def on_before_optimizer_step(self, trainer, pl_module, optimizer):
        pl_module.modes.append(torch.is_grad_enabled())


class Energy(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 8), nn.SiLU(), nn.Linear(8, 1))
        self.drawn, self.modes = [], []

    def training_step(self, batch, batch_idx):
        (real,) = batch
        self.modes.append(torch.is_grad_enabled())
        real_out, fake_out = self.net(torch.cat([real, samples_of(self.net, torch.rand_like(real), 2)])).chunk(2)
        loss = fake_out.mean() - real_out.mean() + 0.1 * (real_out**2 + fake_out**2).mean()
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def on_before_zero_grad(self, optimizer):
        self.modes.append(torch.is_grad_enabled())

    def validation_step(self, batch, batch_idx):
        self.modes.append(torch.is_grad_enabled())
        self.log("val", self.net(batch[0]).mean(), sync_dist=True)

    def val_dataloader(self):
        self.modes.append(torch.is_grad_enabled())
        return DataLoader(rows(), batch_size=9)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


def main():
    L.seed_everything(5)
    model = Energy()
    trainer = L.Trainer(
        max_epochs=3, accumulate_grad_batches=2, callbacks=[Samples()], enable_progress_bar=False
    )
    trainer.fit(model, DataLoader(rows(), batch_size=4, shuffle=True))
    results = {name: value.clone() for name, value in model.state_dict().items()}
    results |= {"drawn": model.drawn, "modes": model.modes, "metrics": dict(trainer.callback_metrics)}
    torch.save(results, f"main_grad_mode.{RANK}.results.pt")


if __name__ == "__main__":
    main()
