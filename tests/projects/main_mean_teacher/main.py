"""A teacher that follows in `optimizer_step`, loaders side by side, settings that are a class's."""

import copy
import os

import lightning.pytorch as pl
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from lightning.pytorch.utilities import CombinedLoader
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class CFG:
    seed = 0
    labeled, unlabeled, val = 48, 160, 40
    bs_l, bs_u = 8, 16
    dim, hidden, classes = 10, 24, 3
    lr = 3e-3
    ema = 0.95
    epochs = 2
    ramp = 20
    debug = False


torch.set_float32_matmul_precision("high")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def make(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, CFG.dim, generator=g)
    return x, x[:, : CFG.classes].argmax(1)


def net():
    return nn.Sequential(
        nn.Linear(CFG.dim, CFG.hidden),
        nn.BatchNorm1d(CFG.hidden),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(CFG.hidden, CFG.classes),
    )


class MeanTeacher(pl.LightningModule):
    def __init__(self, cfg=CFG):
        super().__init__()
        self.cfg = cfg
        self.student = net()
        self.teacher = copy.deepcopy(self.student).requires_grad_(False)
        self.register_buffer("updates", torch.tensor(0))
        self.automatic_optimization = True

    @staticmethod
    def rampup(step, length):
        if step >= length:
            return 1.0
        return float(torch.exp(torch.tensor(-5.0 * (1 - step / length) ** 2)))

    def training_step(self, batch, batch_idx):
        x, y = batch["labeled"]
        (u,) = batch["unlabeled"]
        ce = F.cross_entropy(self.student(x), y)
        with torch.no_grad():
            self.teacher.eval()
            target = self.teacher(u + 0.05 * torch.randn_like(u)).softmax(-1)
        cons = F.mse_loss(self.student(u + 0.05 * torch.randn_like(u)).softmax(-1), target)
        w = self.rampup(self.global_step, self.cfg.ramp)
        loss = ce + w * cons
        self.log("ce", ce, batch_size=len(x))
        self.log("cons", cons, batch_size=len(u))
        self.log("w", w, prog_bar=True, batch_size=1)
        return loss

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure):
        loss = optimizer.step(closure=optimizer_closure)
        for t, s in zip(self.teacher.parameters(), self.student.parameters()):
            t.mul_(self.cfg.ema).add_(s.detach(), alpha=1 - self.cfg.ema)
        for t, s in zip(self.teacher.buffers(), self.student.buffers()):
            t.copy_(s)
        self.updates += 1 + loss.requires_grad

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        x, y = batch
        for name, m in (("student", self.student), ("teacher", self.teacher)):
            self.log(
                f"val/{name}_acc",
                (m(x).argmax(1) == y).float().mean(),
                sync_dist=True,
                add_dataloader_idx=False if name == "x" else True,
            )

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.student.parameters(), lr=self.cfg.lr)
        warm = torch.optim.lr_scheduler.LinearLR(opt, 0.1, 1.0, total_iters=4)
        cos = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)
        sch = torch.optim.lr_scheduler.SequentialLR(opt, [warm, cos], milestones=[4])
        return [opt], [{"scheduler": sch, "interval": "step", "frequency": 1}]


def main():
    pl.seed_everything(CFG.seed, workers=True)
    xl, yl = make(CFG.labeled, 1)
    labeled = DataLoader(TensorDataset(xl, yl), CFG.bs_l, shuffle=True, drop_last=True)
    unlabeled = DataLoader(TensorDataset(make(CFG.unlabeled, 2)[0]), CFG.bs_u, shuffle=True)
    train = CombinedLoader({"labeled": labeled, "unlabeled": unlabeled}, mode="max_size_cycle")
    val = DataLoader(TensorDataset(*make(CFG.val, 3)), 20)
    model = MeanTeacher()
    trainer = pl.Trainer(
        max_epochs=1 if CFG.debug else CFG.epochs,
        fast_dev_run=CFG.debug,
        logger=False,
        callbacks=[
            ModelCheckpoint("mt", monitor="val/teacher_acc", mode="max"),
            EarlyStopping("val/teacher_acc", mode="max", patience=10),
        ],
        inference_mode=False,
        benchmark=True,
        accelerator=DEVICE,
        devices=1 if DEVICE == "cuda" else "auto",
    )
    trainer.fit(model, train, val)
    out = trainer.validate(model, val, ckpt_path="best", verbose=False)
    torch.save({"out": out, "weights": model.state_dict()}, f"main_mean_teacher.{RANK}.results.pt")


if __name__ == "__main__":
    main()
