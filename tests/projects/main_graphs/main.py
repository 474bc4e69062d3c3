"""Batches that are objects of the project's, and a model that is made once its data is known."""

import os
import os.path as osp
from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from lightning.pytorch.utilities.types import EVAL_DATALOADERS, STEP_OUTPUT, TRAIN_DATALOADERS
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchmetrics.functional import accuracy

RANK = os.environ.get("RANK", "0")


class Graph:
    def __init__(self, x, edges, y):
        self.x, self.edges, self.y = x, edges, y


class GraphBatch:
    def __init__(self, graphs):
        sizes = [g.x.size(0) for g in graphs]
        offsets = torch.tensor([0] + sizes[:-1]).cumsum(0)
        self.x = torch.cat([g.x for g in graphs])
        self.edges = torch.cat([g.edges + o for g, o in zip(graphs, offsets)], 1)
        self.y = torch.stack([g.y for g in graphs])
        self.index = torch.repeat_interleave(torch.arange(len(graphs)), torch.tensor(sizes))
        self.num_graphs = len(graphs)

    def to(self, device, non_blocking=False):
        for k in ("x", "edges", "y", "index"):
            setattr(self, k, getattr(self, k).to(device, non_blocking=non_blocking))
        return self


class Rings(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.graphs = []
        for i in range(n):
            k = int(torch.randint(3, 7, (1,), generator=g))
            x = torch.randn(k, 5, generator=g)
            idx = torch.arange(k)
            self.graphs.append(Graph(x, torch.stack([idx, (idx + 1) % k]), (x.mean() > 0).long()))

    def __len__(self):
        return len(self.graphs)

    def __getitem__(self, i):
        return self.graphs[i]

    @property
    def num_features(self):
        return self.graphs[0].x.size(1)


class Conv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.own, self.other = nn.Linear(i, o), nn.Linear(i, o, bias=False)

    def forward(self, x, edges):
        s, d = edges
        return self.own(x) + torch.zeros_like(self.own(x)).index_add(0, d, self.other(x[s]))


class GNN(pl.LightningModule):
    def __init__(self, hidden=16, lr=1e-2, freeze_epochs=1, **kw):
        super().__init__()
        self.save_hyperparameters(ignore=["kw"])
        self.convs = None

    def setup(self, stage):
        if self.convs is None:
            dim = self.trainer.datamodule.num_features
            self.convs = nn.ModuleList(
                [Conv(dim, self.hparams.hidden), Conv(self.hparams.hidden, self.hparams.hidden)]
            )
            self.head = nn.Linear(self.hparams.hidden, 2)

    def on_fit_start(self):
        self.print(
            f"{self.trainer.num_training_batches} {self.trainer.max_epochs} {self.trainer.world_size > 0}"
        )

    def forward(self, b):
        x = b.x
        for c in self.convs:
            x = F.relu(c(x, b.edges))
        pooled = torch.zeros(b.num_graphs, x.size(1), device=x.device).index_add(0, b.index, x)
        return self.head(pooled)

    def on_train_epoch_start(self):
        frozen = self.current_epoch < self.hparams.freeze_epochs
        for p in self.convs[0].parameters():
            p.requires_grad_(not frozen)

    def training_step(self, batch, batch_idx) -> STEP_OUTPUT:
        out = self(batch)
        loss = F.cross_entropy(out, batch.y)
        acc = accuracy(out.argmax(-1), batch.y, task="multiclass", num_classes=2)
        lr = self.trainer.optimizers[0].param_groups[0]["lr"]
        self.log_dict(
            {"train_loss": loss, "train_acc": acc, "lr": lr},
            batch_size=batch.num_graphs,
            on_epoch=True,
            on_step=False,
        )
        return {"loss": loss, "logits": out.detach()}

    def on_after_backward(self):
        total = sum(p.grad.abs().sum() for p in self.parameters() if p.grad is not None)
        self.log("grads", total)

    def on_train_batch_end(self, outputs, batch, batch_idx):
        if batch_idx == 0:
            self.last = outputs["logits"].mean()

    def validation_step(self, batch, batch_idx):
        out = self(batch)
        self.log("val_loss", F.cross_entropy(out, batch.y), batch_size=batch.num_graphs)
        self.log("hp_metric", (out.argmax(-1) == batch.y).float().mean(), batch_size=batch.num_graphs)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr, weight_decay=5e-4)

    def configure_callbacks(self):
        return [ModelCheckpoint(monitor="val_loss", filename="gnn")]


class RingsData(pl.LightningDataModule):
    def __init__(self, batch_size: int = 8, **kw):
        super().__init__()
        self.batch_size = batch_size
        self.train, self.val = Rings(60, 0), Rings(21, 1)

    @property
    def num_features(self):
        return self.train.num_features

    def train_dataloader(self) -> TRAIN_DATALOADERS:
        return DataLoader(self.train, self.batch_size, shuffle=True, collate_fn=GraphBatch)

    def val_dataloader(self) -> EVAL_DATALOADERS:
        return DataLoader(self.val, self.batch_size, collate_fn=GraphBatch)


class Say(Callback):
    def on_train_start(self, trainer, pl_module):
        self.seen = 0

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        self.seen += batch.num_graphs

    def on_train_epoch_end(self, trainer, pl_module):
        m = trainer.callback_metrics
        print(f"epoch={trainer.current_epoch} seen={self.seen} loss={m['train_loss']:.3f}")


def train(args):
    pl.seed_everything(args.seed)
    data, model = RingsData(**vars(args)), GNN(**vars(args))
    trainer = pl.Trainer(
        accelerator="cpu",
        max_epochs=args.epochs,
        callbacks=[Say()],
        default_root_dir=args.out,
        num_sanity_val_steps=1,
        strategy="ddp_find_unused_parameters_true" if int(os.environ.get("WORLD_SIZE", 1)) > 1 else "auto",
    )
    try:
        trainer.fit(model, data)
    except KeyboardInterrupt:
        trainer.save_checkpoint(osp.join(args.out, "interrupted.ckpt"))
    finally:
        print("done")
    return trainer.callback_metrics


if __name__ == "__main__":
    parser = ArgumentParser(formatter_class=ArgumentDefaultsHelpFormatter)
    g = parser.add_argument_group("training")
    g.add_argument("--epochs", type=int, default=3)
    g.add_argument("--seed", type=int, default=5)
    g.add_argument("--out", type=str, default="out")
    m = parser.add_argument_group("model")
    m.add_argument("--hidden", type=int, default=16, choices=[8, 16, 32])
    m.add_argument("--lr", type=float, default=1e-2)
    m.add_argument("--batch_size", type=int, default=8)
    metrics = train(parser.parse_args())
    torch.save(dict(metrics), f"main_graphs.{RANK}.results.pt")
