"""Targets of any size, a metric of the project's, a metric for each class, validation twice an epoch."""

from __future__ import annotations

import itertools
import os
import typing as t

import lightning.pytorch as pl
import torch
import torchmetrics
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, SequentialSampler
from torchmetrics import Metric

RANK = os.environ.get("RANK", "0")


class IoU(Metric):
    full_state_update = False

    def __init__(self):
        super().__init__()
        self.add_state("total", default=torch.tensor(0.0), dist_reduce_fx="sum")
        self.add_state("count", default=torch.tensor(0), dist_reduce_fx="sum")

    def update(self, a: Tensor, b: Tensor):
        lo, hi = torch.maximum(a[:, :2], b[:, :2]), torch.minimum(a[:, 2:], b[:, 2:])
        inter = (hi - lo).clamp(min=0).prod(1)
        area = lambda z: (z[:, 2:] - z[:, :2]).clamp(min=0).prod(1)
        self.total += (inter / (area(a) + area(b) - inter + 1e-6)).sum()
        self.count += a.size(0)

    def compute(self):
        return self.total / self.count


class Boxes(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        lo = torch.rand(n, 2, generator=g) * 0.5
        self.boxes = torch.cat([lo, lo + 0.1 + 0.4 * torch.rand(n, 2, generator=g)], 1)
        self.k = torch.randint(1, 4, (n,), generator=g)

    def __len__(self):
        return len(self.k)

    def __getitem__(self, i):
        img = torch.zeros(1, 12, 12)
        x1, y1, x2, y2 = (self.boxes[i] * 12).long().tolist()
        img[:, y1 : y2 + 1, x1 : x2 + 1] = 1
        return img, {"boxes": self.boxes[i].repeat(int(self.k[i]), 1), "labels": self.k[i] - 1}


def collate(batch):
    imgs, targets = zip(*batch)
    return torch.stack(imgs), list(targets)


class Detector(pl.LightningModule):
    def __init__(self, lr: float = 5e-3, width: int = 6, names: t.Sequence[str] = ("a", "b", "c")):
        super().__init__()
        self.save_hyperparameters(logger=False)
        self.names = names
        self.backbone = nn.Sequential(
            nn.Conv2d(1, width, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(width, width * 2, 3, 2, 1),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.box, self.cls = nn.Linear(width * 18, 4), nn.Linear(width * 18, len(names))
        self.iou, self.accs = IoU(), nn.ModuleDict({n: torchmetrics.MeanMetric() for n in names})
        self.test_rows: list[dict] = []

    def forward(self, x):
        h = self.backbone(x)
        return self.box(h).sigmoid(), self.cls(h)

    def losses(self, batch):
        x, targets = batch
        box, cls = self(x)
        tb = torch.stack([d["boxes"][0] for d in targets])
        tl = torch.stack([d["labels"] for d in targets])
        return {"box": nn.functional.smooth_l1_loss(box, tb), "cls": nn.functional.cross_entropy(cls, tl)}, (
            box,
            cls,
            tb,
            tl,
        )

    def training_step(self, batch, batch_idx):
        losses, _ = self.losses(batch)
        total = sum(losses.values())
        for k, v in losses.items():
            self.log(f"train_{k}", v, on_step=True, on_epoch=True, logger=True, batch_size=len(batch[0]))
        self.log("train_total", total, prog_bar=True, batch_size=len(batch[0]))
        if not torch.isfinite(total):
            return None
        return total

    def validation_step(self, batch, batch_idx):
        losses, (box, cls, tb, tl) = self.losses(batch)
        self.iou(box, tb)
        self.log("val_iou", self.iou, on_epoch=True, prog_bar=True, batch_size=len(tb))
        for i, n in enumerate(self.names):
            mask = tl == i
            if mask.any():
                self.accs[n].update((cls[mask].argmax(1) == i).float())
        self.log("val_total", sum(losses.values()), batch_size=len(tb), sync_dist=True)

    def on_validation_epoch_end(self):
        for n, m in self.accs.items():
            self.log(f"val_acc_{n}", m.compute())
            m.reset()

    def test_step(self, batch, batch_idx):
        losses, (box, cls, tb, tl) = self.losses(batch)
        self.test_rows += [{"label": int(a), "pred": int(b)} for a, b in zip(tl, cls.argmax(1))]
        self.log_dict({f"test_{k}": v for k, v in losses.items()}, batch_size=len(tb))

    def on_test_end(self):
        print(len(self.test_rows), "rows")

    def configure_optimizers(self):
        head = itertools.chain(self.box.parameters(), self.cls.parameters())
        opt = torch.optim.AdamW(
            [{"params": self.backbone.parameters(), "lr": self.hparams.lr * 0.1}, {"params": head}],
            lr=self.hparams.lr,
        )
        return {
            "optimizer": opt,
            "lr_scheduler": {
                "scheduler": torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=0, factor=0.5),
                "monitor": "val_total",
                "interval": "epoch",
                "frequency": 1,
            },
        }


if __name__ == "__main__":
    pl.seed_everything(2021, workers=True)
    train_ds, val_ds, test_ds = Boxes(70, 0), Boxes(30, 1), Boxes(20, 2)
    train = DataLoader(train_ds, batch_size=8, shuffle=True, collate_fn=collate)
    val = DataLoader(val_ds, batch_size=8, sampler=SequentialSampler(val_ds), collate_fn=collate)
    test = DataLoader(test_ds, batch_size=5, collate_fn=collate)
    trainer = pl.Trainer(
        max_epochs=3,
        val_check_interval=0.5,
        log_every_n_steps=3,
        logger=pl.loggers.CSVLogger("logs", flush_logs_every_n_steps=2),
        gradient_clip_val=0.1,
        callbacks=pl.callbacks.ModelCheckpoint(monitor="val_iou", mode="max"),
    )
    model = Detector()
    trainer.fit(model=model, train_dataloaders=train, val_dataloaders=[val])
    scores = trainer.test(dataloaders=test, ckpt_path=trainer.checkpoint_callback.best_model_path)
    torch.save(
        {"scores": scores, "rows": model.test_rows, "weights": model.state_dict()},
        f"main_boxes.{RANK}.results.pt",
    )
