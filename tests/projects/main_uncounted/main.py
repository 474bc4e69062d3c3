"""Steps of optimizers that are not counted, as the model sets what is called before and after them."""

import os

import lightning as L
import torch
from lightning.pytorch.core.optimizer import LightningOptimizer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def weighted(made):
    return made.square().mean()


class Penalized(L.LightningModule):
    def __init__(self, penalty, only_one=None):
        super().__init__()
        self.only_one = only_one
        self.penalty = penalty
        if self.only_one is not None:
            self.automatic_optimization = True
        elif self.penalty is not None:
            self.automatic_optimization = False


class Gan(Penalized):
    def __init__(self, how, penalty=weighted, **others):
        super().__init__(penalty, **others)
        self.how = how
        self.generator, self.critic = nn.Linear(2, 3), nn.Linear(3, 1)
        self.seen = []

    def training_step(self, batch, batch_idx):
        of_generator, of_critic = self.optimizers()
        if self.how == "profiled":
            of_critic._on_before_step = lambda: self.trainer.profiler.start("optimizer_step")
            of_critic._on_after_step = lambda: self.trainer.profiler.stop("optimizer_step")
        elif self.how == "sometimes" and batch_idx % 2:
            counting = of_critic._on_after_step
            of_critic._on_before_step = lambda: self.seen.append("before")
            of_critic._on_after_step = lambda: (self.seen.append("after"), counting())
            of_generator._on_after_step = lambda: self.seen.append("uncounted")
        real, seed = batch
        made = self.generator(seed)
        loss = self.critic(real).mean() - self.critic(made).mean() + self.global_step / 10 * self.penalty(made)
        of_generator.zero_grad()
        self.manual_backward(loss)
        of_generator.step()
        self.seen.append(self.global_step)
        of_critic.zero_grad()
        if self.how == "outside" and batch_idx == 1 and isinstance(of_critic, LightningOptimizer):
            self.seen.append(isinstance(self.optimizers(use_pl_optimizer=False)[1], LightningOptimizer))
            of_critic = of_critic.optimizer
        loss = self.critic(real).square().mean() + self.critic(self.generator(seed).detach()).mean()
        self.manual_backward(loss)
        of_critic.step()
        self.log("loss", loss)
        self.seen.append(self.global_step)

    def on_train_batch_start(self, batch, batch_idx):
        self.optimizers()[0]._on_after_step = lambda: self.seen.append("never")

    def on_train_epoch_end(self):
        of_generator, _ = self.optimizers()
        if self.how == "outside":
            of_generator.step()
            self.seen.append(self.global_step)

    def configure_optimizers(self):
        optimizers = (torch.optim.SGD(each.parameters(), 0.05) for each in (self.generator, self.critic))
        return list(optimizers)


def train(how):
    L.seed_everything(2)
    real = torch.rand(24, 3)
    loader = DataLoader(TensorDataset(real, torch.rand(24, 2)), batch_size=4, shuffle=True)
    model = Gan(how)
    strategy = "ddp_find_unused_parameters_true"
    trainer = L.Trainer(max_steps=9, strategy=strategy, logger=False, enable_progress_bar=False)
    trainer.fit(model, loader)
    return model.seen, trainer.global_step, model.critic.weight.detach()


if __name__ == "__main__":
    found = {how: train(how) for how in ("plain", "profiled", "sometimes", "outside")}
    torch.save(found, f"main_uncounted.{os.environ.get('RANK', '0')}.results.pt")
