"""Pretrain, probe, then adversarial finetuning: automatic and manual optimization, hooks and schedulers that differ."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Coder(L.LightningModule):
    def __init__(self, watches=False):
        super().__init__()
        self.watches = watches
        self.inward, self.outward = nn.Linear(6, 3), nn.Linear(3, 6)

    def training_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.outward(self.inward(batch[0])), batch[0])
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.01)
        if self.watches:
            schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
            return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "monitor": "loss_epoch"}}
        else:
            schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        return [optimizer], [schedule]


class Probe(L.LightningModule):
    def __init__(self, inward):
        super().__init__()
        self.inward, self.out = inward, nn.Linear(3, 1)
        self.seen = 0

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return [each * 2 for each in batch]

    def on_before_optimizer_step(self, optimizer):
        self.seen += 1

    def training_step(self, batch, batch_idx):
        return self.out(self.inward(batch[0])).sub(0.5).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.out(self.inward(batch[0])).mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.out.parameters(), lr=0.1)


class Adversary(L.LightningModule):
    def __init__(self, coder):
        super().__init__()
        self.automatic_optimization = False
        self.coder, self.judge = coder, nn.Linear(6, 1)

    def training_step(self, batch, batch_idx):
        one, other = self.optimizers()
        made = self.coder.outward(self.coder.inward(batch[0]))
        loss = self.judge(made).mean() - self.judge(batch[0]).mean()
        one.zero_grad()
        self.manual_backward(loss)
        one.step()
        loss = -self.judge(self.coder.outward(self.coder.inward(batch[0]))).mean()
        other.zero_grad()
        self.manual_backward(loss)
        other.step()
        self.log("adversary", loss)

    def configure_optimizers(self):
        return [
            torch.optim.SGD(self.judge.parameters(), lr=0.1),
            torch.optim.Adam(self.coder.parameters(), lr=0.1),
        ]


def loader(seed):
    x = torch.rand(12, 6, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x), batch_size=3)


if __name__ == "__main__":
    L.seed_everything(3)
    results = []
    coder = Coder()
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False)
    trainer.fit(coder, loader(1))
    results.append({name: float(value) for name, value in sorted(trainer.callback_metrics.items())})
    probe = Probe(coder.inward)
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False)
    trainer.fit(probe, loader(1), loader(2))
    results.append(trainer.validate(probe, loader(3)))
    adversary = Adversary(coder)
    trainer = L.Trainer(max_epochs=3, logger=False, enable_progress_bar=False)
    trainer.fit(adversary, loader(4))
    results.append((trainer.global_step, probe.seen))
    watcher = Coder(watches=True)
    trainer = L.Trainer(max_epochs=3, logger=False, enable_progress_bar=False)
    trainer.fit(watcher, loader(5))
    models = (coder, probe, adversary, watcher)
    results += [{name: each.clone() for name, each in model.state_dict().items()} for model in models]
    torch.save(results, f"main_kinds.{os.environ.get('RANK', '0')}.results.pt")
