"""Trains a model that shares itself out, and evaluates it: `main.py EPOCHS [CHECKPOINT]`."""

import json
import sys
from pathlib import Path

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.strategies import ModelParallelStrategy
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.utils.data import DataLoader, TensorDataset


class Block(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.norm = nn.LayerNorm(width, elementwise_affine=False)

    def forward(self, x):
        return x + self.down(torch.tanh(self.up(self.norm(x))))


class Net(L.LightningModule):
    def __init__(self, hidden: int = 12):
        super().__init__()
        self.save_hyperparameters()
        self.layers = None
        self.bytes = None

    def configure_model(self):
        if self.layers is not None:
            return
        torch.manual_seed(4)
        with torch.device("meta"):
            self.layers = nn.Sequential(*(Block(6, self.hparams.hidden) for _ in range(2)))
        if self.device_mesh["tensor_parallel"].size() > 1:
            plan = {"*.up": ColwiseParallel(), "*.down": RowwiseParallel()}
            parallelize_module(self.layers, self.device_mesh["tensor_parallel"], plan)
        if self.device_mesh["data_parallel"].size() > 1:
            for each in [*self.layers, self.layers]:
                fully_shard(each, mesh=self.device_mesh["data_parallel"])

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = F.mse_loss(self.layers(x), x.flip(1))
        self.log("loss", loss)
        self.log("all_loss", loss, on_step=False, on_epoch=True, sync_dist=True)
        return loss

    def on_train_end(self):
        states = [value for each in self.optimizers().state.values() for value in each.values()]
        self.bytes = {"parameters": bytes_of(self.parameters()), "states": bytes_of(states)}

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layers(batch[0]).square().mean(), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layers(batch[0]).square().mean(), sync_dist=True)

    def predict_step(self, batch, batch_idx):
        return self.layers(batch[0])

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=0.02)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.9)]

    def train_dataloader(self):
        return DataLoader(TensorDataset(samples(38)), batch_size=4)

    def val_dataloader(self):
        return DataLoader(TensorDataset(samples(14)), batch_size=4)


def bytes_of(tensors):
    """On this rank, of what is no count."""
    local = (each.to_local() if isinstance(each, DTensor) else each for each in tensors)
    return sum(each.nbytes for each in local if each.ndim)


def samples(count):
    return torch.randn(count, 6, generator=torch.Generator().manual_seed(7))


if __name__ == "__main__":
    model = Net()
    trainer = L.Trainer(
        max_epochs=int(sys.argv[1]),
        accelerator="cpu",
        devices=2,
        strategy=ModelParallelStrategy(1, 2, save_distributed_checkpoint=False),
        enable_checkpointing=False,
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        accumulate_grad_batches=2,
        gradient_clip_val=0.1,
    )
    trainer.fit(model, ckpt_path=sys.argv[2] if len(sys.argv) > 2 else None)
    found = {
        "bytes": model.bytes,
        "trained": {name: value.item() for name, value in trainer.callback_metrics.items()},
    }
    trainer.save_checkpoint("done.ckpt")
    loader = model.val_dataloader()
    found["tested"] = trainer.test(model, loader, verbose=False)
    found["predicted"] = [each.tolist() for each in trainer.predict(model, loader)]
    Path(f"found-{trainer.global_rank}.json").write_text(json.dumps(found))
