import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

STAGES = ("train", "val")


class LogsEverything(L.LightningModule):
    """`log` and `log_dict` with every keyword, from helpers, loops and conditions, of tensors and numbers."""

    def __init__(self, heads: int = 3):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(4, 1) for _ in range(heads))
        self.names = [f"head_{i}" for i in range(heads)]
        self.calls = 0

    def shared_step(self, batch, stage: str):
        x, y = batch
        losses = [nn.functional.mse_loss(head(x), y) for head in self.heads]
        for name, loss in zip(self.names, losses):
            self.log(f"{stage}/{name}", loss, on_step=False, on_epoch=True)
        total = sum(losses)
        self.log_dict(
            {f"{stage}/total": total, f"{stage}/largest": max(losses)},
            prog_bar=True,
            on_step=True,
            on_epoch=True,
        )
        self.reduced(total, stage)
        return total

    def reduced(self, value, stage):
        for reduce_fx in ("min", "max", "sum", "mean"):
            self.log(f"{stage}/{reduce_fx}", value, on_step=False, on_epoch=True, reduce_fx=reduce_fx)
            self.log(f"{stage}/{reduce_fx}_forked", value, on_step=True, on_epoch=True, reduce_fx=reduce_fx)
            self.log(
                f"{stage}/{reduce_fx}_synced",
                value,
                on_step=True,
                on_epoch=True,
                reduce_fx=reduce_fx,
                sync_dist=True,
            )
        self.log(f"{stage}/torch_max", value, on_step=False, on_epoch=True, reduce_fx=torch.max)

    def training_step(self, batch, batch_idx):
        self.calls += 1
        loss = self.shared_step(batch, STAGES[0])
        self.log("loss", loss, prog_bar=True, logger=True)
        self.log("hidden", loss, logger=False, prog_bar=True)
        self.log("int", self.calls)
        self.log("float", 0.1 * self.calls, on_epoch=True)
        self.log("bool", batch_idx % 2 == 0, on_step=True)
        self.log("one_element", loss.detach().reshape(1, 1))
        self.log("item", loss.item(), enable_graph=False, sync_dist_group=None)
        self.log("weighted", loss, on_step=False, on_epoch=True, batch_size=1 + batch_idx)
        self.log("integer_tensor", (batch[1] > 0).sum(), on_step=True, on_epoch=True)
        self.log("double", loss.double() / 3, on_step=True, on_epoch=True)
        if self.global_rank == 0:
            self.log("main_only", loss, rank_zero_only=True)
        if batch_idx % 3 == 2:
            self.log("now_and_then", loss, on_step=True, on_epoch=True)
        if batch_idx == 0:
            self.log("first", loss)
        metrics = {"a": loss * 2, "b": loss * 3}
        self.log_dict({f"pre_{k}": v for k, v in metrics.items()}, logger=True, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        loss = self.shared_step(batch, STAGES[1])
        self.log("val_only_step", loss, on_step=True, on_epoch=False)
        self.log("val_plain", loss, add_dataloader_idx=False)
        self.log("val_count", 1.0, reduce_fx="sum", sync_dist=True)
        self.log_dict(dict(val_x=loss, val_y=-loss), batch_size=len(batch[0]))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)

    # 48 and 16: batches of equal sizes on both ranks, so that D2 (floored weights under sync_dist) does not matter
    def train_dataloader(self):
        return DataLoader(self.dataset(48), batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.dataset(16), batch_size=4)

    def dataset(self, n):
        x = torch.randn(n, 4, generator=torch.Generator().manual_seed(2 * n))
        return TensorDataset(x, x.amax(1, keepdim=True))
