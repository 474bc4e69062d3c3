from typing import Any

import lightning as L
import torch
import torch.nn.functional as F
from torch import Tensor, nn


class DigitsModule(L.LightningModule):
    """Classifies digits with any network."""

    def __init__(self, net: nn.Module, lr: float, weight_decay: float = 0.0) -> None:
        super().__init__()
        self.save_hyperparameters(ignore=["net"])
        self.net = net

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)

    def step(self, batch: list[Tensor]) -> tuple[Tensor, Tensor]:
        x, y = batch
        logits = self(x)
        return F.cross_entropy(logits, y), (logits.argmax(1) == y).float().mean()

    def training_step(self, batch: list[Tensor], batch_idx: int) -> Tensor:
        loss, acc = self.step(batch)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        self.log("train_acc", acc, on_step=False, on_epoch=True, prog_bar=True)
        return loss

    def validation_step(self, batch: list[Tensor], batch_idx: int) -> None:
        loss, acc = self.step(batch)
        self.log_dict({"val_loss": loss, "val_acc": acc}, sync_dist=True)

    def configure_optimizers(self) -> dict[str, Any]:
        optimizer = torch.optim.AdamW(
            self.parameters(), lr=self.hparams.lr, weight_decay=self.hparams.weight_decay
        )
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.95)
        return {"optimizer": optimizer, "lr_scheduler": scheduler}
