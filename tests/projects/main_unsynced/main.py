"""A backward of a callback's own, beside that of the step, which reaches no other rank."""

import os
from contextlib import nullcontext

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Probing(Callback):
    def on_after_backward(self, trainer, pl_module):
        strategy = pl_module.trainer.strategy
        if hasattr(strategy, "model") and hasattr(strategy.model, "no_sync"):
            context = strategy.model.no_sync()
            pl_module.told.append("several")
        else:
            context = nullcontext()
        kept = [each.grad.clone() for each in pl_module.parameters()]
        x = torch.full((2, 4), 1.0 + trainer.global_rank)
        with context:
            pl_module.layer(x).square().mean().backward()
        for each, grad in zip(pl_module.parameters(), kept):
            pl_module.told.append(each.grad - grad)
            each.grad = grad + 0.1 * grad.sign()


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
        self.told = []

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def on_before_zero_grad(self, optimizer):
        if hasattr(self.trainer.strategy.model, "no_sync"):
            with self.trainer.strategy.model.no_sync():
                self.layer(torch.ones(1, 4)).sum().backward()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.01)


if __name__ == "__main__":
    L.seed_everything(1)
    data = torch.randn(24, 4, generator=torch.Generator().manual_seed(1))
    model = Net()
    trainer = L.Trainer(
        max_epochs=2, accumulate_grad_batches=2, callbacks=[Probing()], enable_progress_bar=False
    )
    trainer.fit(model, DataLoader(TensorDataset(data), batch_size=4))
    torch.save([model.told, model.state_dict()], f"main_unsynced.{RANK}.results.pt")
