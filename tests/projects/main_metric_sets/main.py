"""Sets of metrics, a configuration of dataclasses, the best checkpoint tested and predicted with."""

import json
import os
import random
from dataclasses import asdict, dataclass, field
from pathlib import Path

import lightning.pytorch as pl
import torch
import torch.nn as nn
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint, ModelSummary
from torch.utils.data import DataLoader, Dataset
from torchmetrics import MeanMetric, MetricCollection
from torchmetrics.classification import (
    BinaryAUROC,
    BinaryAveragePrecision,
    MulticlassAccuracy,
    MulticlassConfusionMatrix,
    MulticlassF1Score,
)

RANK = os.environ.get("RANK", "0")


@dataclass
class ModelConfig:
    in_ch: int = 1
    width: int = 8
    classes: int = 4
    dropout: float = 0.1


@dataclass
class TrainConfig:
    lr: float = 3e-3
    epochs: int = 3
    batch_size: int = 12
    seed: int = 1
    model: ModelConfig = field(default_factory=ModelConfig)


class Stripes(Dataset):
    def __init__(self, n, seed, train):
        self.train = train
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 4, (n,), generator=g)
        base = torch.linspace(0, 6.28, 16)
        self.x = torch.stack(
            [torch.sin(base * (1 + k.item()))[None, :].repeat(16, 1)[None] for k in self.y]
        ) + 0.3 * torch.randn(n, 1, 16, 16, generator=g)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        x = self.x[i]
        if self.train and random.random() < 0.5:
            x = torch.flip(x, dims=(-1,))
        return x, self.y[i]


def conv_block(i, o, drop):
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1, bias=False), nn.GroupNorm(2, o), nn.SiLU(), nn.Dropout2d(drop)
    )


class Classifier(pl.LightningModule):
    def __init__(self, cfg: TrainConfig):
        super().__init__()
        self.save_hyperparameters(asdict(cfg))
        self.cfg = cfg
        m = cfg.model
        self.features = nn.Sequential(
            *[conv_block(i, o, m.dropout) for i, o in zip([m.in_ch, m.width], [m.width, 2 * m.width])],
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
        )
        self.head = nn.Linear(8 * m.width, m.classes)
        metrics = MetricCollection(
            {"acc": MulticlassAccuracy(m.classes), "f1": MulticlassF1Score(m.classes, average="macro")}
        )
        self.train_metrics = metrics.clone(prefix="train/")
        self.val_metrics = metrics.clone(prefix="val/")
        self.test_metrics = metrics.clone(prefix="test/")
        self.first = MetricCollection({"auroc": BinaryAUROC(), "ap": BinaryAveragePrecision()}, prefix="train/")
        self.val_loss = MeanMetric()
        self.confusion = MulticlassConfusionMatrix(m.classes)
        self.criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
        self.best = 0.0

    def forward(self, x):
        return self.head(self.features(x))

    def step(self, batch):
        x, y = batch
        logits = self.forward(x)
        return self.criterion(logits, y), logits, y

    def training_step(self, batch, _):
        loss, logits, y = self.step(batch)
        self.log("train/loss", loss)
        out = self.train_metrics(logits, y)
        self.log_dict(out, on_step=True, on_epoch=False)
        self.first.update(logits.softmax(-1)[:, 0], (y == 0).long())  # they keep it, and nobody can copy it
        self.log_dict(self.first, on_step=False, on_epoch=True)
        return loss

    def on_train_epoch_end(self):
        self.train_metrics.reset()

    def validation_step(self, batch, _):
        loss, logits, y = self.step(batch)
        self.val_loss(loss)
        self.val_metrics.update(logits, y)
        self.log("val/loss", self.val_loss, on_step=False, on_epoch=True)

    def on_validation_epoch_end(self):
        computed = self.val_metrics.compute()
        self.log_dict(computed)
        self.best = max(self.best, computed["val/acc"].item())
        self.log("val/best", self.best, prog_bar=True)
        self.val_metrics.reset()

    def test_step(self, batch, _):
        loss, logits, y = self.step(batch)
        self.confusion(logits, y)
        self.test_metrics(logits, y)
        self.log_dict(self.test_metrics)

    def on_test_epoch_end(self):
        cm = self.confusion.compute()
        if self.trainer.is_global_zero:
            Path("confusion.json").write_text(json.dumps(cm.tolist()))
        self.confusion.reset()

    def predict_step(self, batch, batch_idx, dataloader_idx=0):
        return self(batch[0]).softmax(-1)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.cfg.lr, momentum=0.9, nesterov=True)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", factor=0.5, patience=0)
        return dict(
            optimizer=optimizer, lr_scheduler=dict(scheduler=scheduler, monitor="val/acc", strict=True)
        )


def build_callbacks(cfg):
    return [
        ModelCheckpoint(
            dirpath="ckpts", monitor="val/acc", mode="max", save_weights_only=False, filename="{epoch}-best"
        ),
        EarlyStopping(monitor="val/loss", patience=3, min_delta=0.001),
        ModelSummary(max_depth=2),
    ]


def run(cfg=TrainConfig()):
    pl.seed_everything(cfg.seed, workers=True)
    train = DataLoader(Stripes(96, 0, True), cfg.batch_size, shuffle=True, num_workers=0)
    val = DataLoader(Stripes(40, 1, False), cfg.batch_size)
    test = DataLoader(Stripes(20, 2, False), cfg.batch_size)
    model = Classifier(cfg)
    trainer = pl.Trainer(
        max_epochs=cfg.epochs,
        callbacks=build_callbacks(cfg),
        deterministic="warn",
        enable_progress_bar=False,
        logger=[pl.loggers.CSVLogger(".", "csv")],
        accumulate_grad_batches=2,
        gradient_clip_val=1.0,
        gradient_clip_algorithm="value",
        limit_val_batches=0.75,
    )
    trainer.fit(model, train_dataloaders=train, val_dataloaders=val)
    (scores,) = trainer.test(model, dataloaders=test, ckpt_path="best", verbose=False)
    preds = torch.cat(trainer.predict(model, dataloaders=test))
    print({k: round(v, 5) for k, v in scores.items()}, preds.shape)
    torch.save(
        {"scores": scores, "preds": preds, "weights": model.state_dict()},
        f"main_metric_sets.{RANK}.results.pt",
    )
    return scores


if __name__ == "__main__":
    run()
