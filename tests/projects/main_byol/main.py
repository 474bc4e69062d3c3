"""A student, its teacher in a callback, an optimizer of the project's, two validation loaders."""

import copy
import os

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from lightning.pytorch.utilities import rank_zero_info, rank_zero_only
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def mlp(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.BatchNorm1d(h), nn.ReLU(inplace=True), nn.Linear(h, o))


class LARS(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.9, eta=1e-3):
        super().__init__(params, dict(lr=lr, momentum=momentum, eta=eta))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                d = p.grad
                if p.ndim > 1:
                    wn, gn = p.norm(), d.norm()
                    scale = torch.where(
                        wn > 0,
                        torch.where(gn > 0, group["eta"] * wn / gn, torch.ones_like(wn)),
                        torch.ones_like(wn),
                    )
                    d = d * scale
                state = self.state[p]
                buf = state.setdefault("mu", torch.zeros_like(p))
                buf.mul_(group["momentum"]).add_(d)
                p.add_(buf, alpha=-group["lr"])
        return loss


class Momentum(Callback):
    """Counts teacher updates and keeps that in the checkpoint."""

    def __init__(self, base: float = 0.9):
        self.base, self.updates = base, 0

    @property
    def state_key(self):
        return f"Momentum[{self.base}]"

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        tau = 1 - (1 - self.base) * (1 - trainer.global_step / max(1, trainer.estimated_stepping_batches))
        pl_module.update_teacher(tau)
        self.updates += 1
        pl_module.log("tau", tau)

    def on_train_end(self, trainer, pl_module):
        rank_zero_info(f"teacher updated {self.updates} times")

    def state_dict(self):
        return {"updates": self.updates}

    def load_state_dict(self, state):
        self.updates = state["updates"]


class BYOL(L.LightningModule):
    def __init__(self, dim=12, hidden=24, out=8, lr=0.2):
        super().__init__()
        self.save_hyperparameters(ignore=["hidden"])
        self.student = mlp(dim, hidden, out)
        self.teacher = copy.deepcopy(self.student)
        for p in self.teacher.parameters():
            p.requires_grad = False
        self.predictor = mlp(out, hidden, out)
        self.probe = nn.Linear(out, 3)
        self.metric_sum = 0.0

    @torch.no_grad()
    def update_teacher(self, tau):
        for s, t in zip(self.student.parameters(), self.teacher.parameters()):
            t.data = tau * t.data + (1 - tau) * s.data

    def augment(self, x):
        return x + 0.1 * torch.randn_like(x), x * (torch.rand_like(x) > 0.2)

    def regression(self, a, b):
        return 2 - 2 * F.cosine_similarity(self.predictor(self.student(a)), self.teacher(b).detach()).mean()

    def training_step(self, batch, batch_idx: int):
        x, y = batch
        a, b = self.augment(x)
        loss = self.regression(a, b) + self.regression(b, a)
        logits = self.probe(self.student(x).detach())
        probe = F.cross_entropy(logits, y)
        self.log("loss/ssl", loss, prog_bar=True)
        self.log("loss/probe", probe, on_step=False, on_epoch=True)
        return loss + probe

    def on_train_epoch_start(self):
        opt = self.optimizers()
        self.log("lr", opt.param_groups[0]["lr"])

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        x, y = batch
        acc = (self.probe(self.teacher(x)).argmax(-1) == y).float().mean()
        self.log("val_acc", acc, add_dataloader_idx=True, sync_dist=True)

    def configure_optimizers(self):
        decay, rest = [], []
        for name, p in self.named_parameters():
            if not p.requires_grad:
                continue
            (rest if p.ndim == 1 or name.endswith(".bias") else decay).append(p)
        opt = LARS([{"params": decay}, {"params": rest, "lr": self.hparams.lr / 2}], lr=self.hparams.lr)

        def warm(step):
            return min(1.0, (step + 1) / 5)

        return {
            "optimizer": opt,
            "lr_scheduler": {
                "scheduler": torch.optim.lr_scheduler.LambdaLR(opt, warm),
                "interval": "step",
                "frequency": 2,
            },
        }

    def lr_scheduler_step(self, scheduler, metric):
        scheduler.step()

    def optimizer_zero_grad(self, epoch, batch_idx, optimizer):
        optimizer.zero_grad(set_to_none=False)

    def on_save_checkpoint(self, checkpoint):
        checkpoint["state_dict"] = {
            k: v for k, v in checkpoint["state_dict"].items() if not k.startswith("probe")
        }

    def on_load_checkpoint(self, checkpoint):
        checkpoint["state_dict"].update({k: v for k, v in self.state_dict().items() if k.startswith("probe")})


def loaders():
    g = torch.Generator().manual_seed(3)
    x = torch.randn(120, 12, generator=g)
    y = (x.sum(1) > 0).long() + (x[:, 0] > 1).long()
    ds = TensorDataset(x, y)
    return DataLoader(ds, 20, shuffle=True, drop_last=True), [
        DataLoader(ds, 40),
        DataLoader(TensorDataset(x[:30], y[:30]), 15),
    ]


@rank_zero_only
def announce(msg):
    print(f"[rank0] {msg}")


if __name__ == "__main__":
    L.seed_everything(11)
    train, vals = loaders()
    model = BYOL()
    trainer = L.Trainer(
        max_epochs=3,
        callbacks=[Momentum(0.95), ModelCheckpoint("byol")],
        logger=False,
        check_val_every_n_epoch=1,
        num_sanity_val_steps=0,
    )
    trainer.fit(model, train, vals)
    announce(f"val {trainer.callback_metrics['val_acc/dataloader_idx_0']:.4f}")
    torch.save(
        {"metrics": dict(trainer.callback_metrics), "weights": model.state_dict()},
        f"main_byol.{RANK}.results.pt",
    )
