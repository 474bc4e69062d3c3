"""Rows and a stream that are read together: how many batches there are is what the mode, their ends and a limit say."""

import os

import lightning as L
import torch
from lightning.pytorch.utilities import CombinedLoader
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

RANK = int(os.environ.get("RANK", 0))


class Numbers(IterableDataset):
    def __init__(self, count: int) -> None:
        self.count = count

    def __iter__(self):
        return iter(torch.arange(3.0 * self.count).view(self.count, 3) / self.count)


class Net(L.LightningModule):
    def __init__(self, mode: str, rows: int, numbers: int) -> None:
        super().__init__()
        self.mode, self.rows, self.numbers = mode, rows, numbers
        self.layer = torch.nn.Linear(3, 1)
        self.seen = []

    def training_step(self, batch, batch_idx):
        self.seen.append((batch_idx, self.trainer.num_training_batches))
        parts = [part for part in batch["labelled"] or [] if part is not None]
        parts += [] if batch["unlabelled"] is None else [batch["unlabelled"]]
        return sum(self.layer(part).square().mean() for part in parts)

    def on_train_start(self):
        self.seen.append(self.trainer.num_val_batches)

    def validation_step(self, batch, batch_idx, dataloader_idx):
        loss = self.layer(batch if dataloader_idx else batch[0]).sum().item()
        self.seen.append(("validated", dataloader_idx, self.trainer.global_step, loss))

    def on_train_epoch_end(self):
        self.seen.append(self.lr_schedulers().get_last_lr())

    def train_dataloader(self):
        rows = torch.randn(self.rows, 3, generator=torch.Generator().manual_seed(1))
        loaders = {
            "labelled": DataLoader(TensorDataset(rows), batch_size=4, shuffle=True),
            "unlabelled": DataLoader(Numbers(self.numbers), batch_size=3),
        }
        return CombinedLoader(loaders, self.mode)

    def val_dataloader(self):
        return [DataLoader(TensorDataset(torch.eye(3)), batch_size=3), DataLoader(Numbers(4), batch_size=1)]

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)]


def train(mode, rows, numbers, limit):
    L.seed_everything(3)
    net = Net(mode, rows, numbers)
    trainer = L.Trainer(
        max_epochs=2,
        limit_train_batches=limit,
        limit_val_batches=3,
        accumulate_grad_batches=2,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
    )
    trainer.fit(net)
    return net.seen, net.state_dict(), trainer.global_step


def main():
    results = [
        train(mode, rows, numbers, limit)
        for mode in ("min_size", "max_size", "max_size_cycle")
        for rows, numbers in ((24, 15), (24, 6))
        for limit in (None, 2, 7)
    ]
    torch.save(results, f"main_together.{RANK}.results.pt")


if __name__ == "__main__":
    main()
