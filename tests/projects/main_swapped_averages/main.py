"""An optimizer that holds another one, whose averages a callback swaps in; the model steps them itself."""

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Averaging(torch.optim.Optimizer):
    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.mean = [p.detach().clone() for group in optimizer.param_groups for p in group["params"]]

    def __getattr__(self, name):
        return getattr(self.optimizer, name)

    def params(self):
        return [p for group in self.optimizer.param_groups for p in group["params"]]

    def step(self, closure=None, **kwargs):
        result = self.optimizer.step(closure)
        for mean, p in zip(self.mean, self.params()):
            mean.mul_(0.9).add_(p.detach(), alpha=0.1)
        return result

    def swap(self):
        for mean, p in zip(self.mean, self.params()):
            kept = p.detach().clone()
            p.data.copy_(mean)
            mean.copy_(kept)


class Average(L.Callback):
    def on_fit_start(self, trainer, pl_module):
        trainer.optimizers = [Averaging(each) for each in trainer.optimizers if not isinstance(each, Averaging)]

    def on_validation_start(self, trainer, pl_module):
        if any(isinstance(each, Averaging) for each in trainer.optimizers):
            for each in trainer.optimizers:
                each.swap()

    def on_validation_end(self, trainer, pl_module):
        if any(isinstance(each, Averaging) for each in trainer.optimizers):
            for each in trainer.optimizers:
                each.swap()


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(4, 1)
        self.b = torch.nn.Linear(4, 1)
        self.register_buffer("validated_with", torch.zeros(()))
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        first, second = self.optimizers()
        first.zero_grad()
        second.zero_grad()
        self.manual_backward((self.a(batch[0]) - self.b(batch[0]) - 1).square().mean())
        first.step()
        second.step()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", (self.a(batch[0]) - self.b(batch[0]) - 1).square().mean())

    def on_validation_epoch_end(self):
        self.validated_with += self.a.weight.detach().sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.a.parameters(), lr=0.1), torch.optim.SGD(self.b.parameters(), lr=0.1)


if __name__ == "__main__":
    L.seed_everything(1)
    data = TensorDataset(torch.randn(12, 4))
    trainer = L.Trainer(max_epochs=3, callbacks=[Average()])
    trainer.fit(Model(), DataLoader(data, batch_size=2), DataLoader(data, batch_size=2))
