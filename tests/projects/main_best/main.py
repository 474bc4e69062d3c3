"""The best of several checkpoints is tested; callbacks see validation and tests outside of `fit` too."""

import os

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def loader(count, seed):
    x = torch.randn(count, 6, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=4)


class Seen(Callback):
    def __init__(self):
        self.seen = []

    def setup(self, trainer, pl_module, stage):
        self.seen.append("setup " + stage)

    def on_validation_end(self, trainer, pl_module):
        self.seen.append("validated")

    def on_test_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
        self.seen.append(f"batch {batch_idx} {outputs.item()}")

    def on_test_end(self, trainer, pl_module):
        self.seen.append("tested")


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 3)

    def loss(self, batch):
        return F.cross_entropy(self.layer(batch[0]), batch[1])

    def training_step(self, batch, batch_idx):
        return self.loss(batch)

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch), sync_dist=True)

    def test_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("test_loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=3.0)

    def train_dataloader(self):
        return loader(24, 0)

    def val_dataloader(self):
        return loader(16, 1)

    def test_dataloader(self):
        return loader(16, 2)


def main():
    L.seed_everything(5)
    seen = Seen()
    best = ModelCheckpoint("kept", monitor="val_loss", save_top_k=1)
    for name, value in {"save_last": True, "CHECKPOINT_NAME_LAST": "newest"}.items():
        setattr(best, name, value)
    stop = EarlyStopping("val_loss", patience=2)
    trainer = L.Trainer(
        max_epochs=6, enable_progress_bar=False, enable_checkpointing=True, callbacks=[seen, best, stop]
    )
    model = Net()
    trainer.fit(model)
    results = [trainer.validate(model), trainer.test(model), trainer.test(ckpt_path="best")]
    results += [os.path.basename(trainer.ckpt_path), trainer.validate(), os.path.basename(trainer.ckpt_path)]
    results += [seen.seen, best.best_model_score, os.path.basename(best.best_model_path)]
    results += [os.path.basename(best.last_model_path), getattr(stop, "wait_count", None)]
    torch.save(results, f"main_best.{RANK}.results.pt")


if __name__ == "__main__":
    main()
