"""Finetuning: a backbone that is thawed later, and a class that thaws layer by layer; stopped and gone on with."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import BackboneFinetuning, BaseFinetuning, LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class LayerByLayer(BaseFinetuning):
    def __init__(self, first: int = 1) -> None:
        super().__init__()
        self.first = first

    def freeze_before_training(self, pl_module):
        self.freeze([pl_module.backbone[0], pl_module.backbone[1:3]], train_bn=False)

    def finetune_function(self, pl_module, epoch, optimizer):
        if epoch == self.first:
            self.unfreeze_and_add_param_group(pl_module.backbone[1:3], optimizer, initial_denom_lr=4.0)
        if epoch == self.first + 1:
            self.unfreeze_and_add_param_group(pl_module.backbone[0], optimizer, lr=0.01, train_bn=False)
        self.log("thawed", float(sum(p.requires_grad for p in pl_module.parameters())))


class Classifier(pl.LightningModule):
    def __init__(self, wide: int = 8) -> None:
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(6, wide), nn.BatchNorm1d(wide), nn.Linear(wide, wide), nn.ReLU())
        self.head = nn.Linear(wide, 3)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.head(self.backbone(x)), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        parameters = filter(lambda p: p.requires_grad, self.parameters())
        return torch.optim.SGD(parameters, lr=0.1, momentum=0.9)


def train(name, finetuning, max_epochs=4, ckpt_path=None) -> None:
    pl.seed_everything(3)
    trainer = pl.Trainer(
        max_epochs=max_epochs,
        log_every_n_steps=1,
        gradient_clip_val=0.5,
        logger=CSVLogger("logs", name=name),
        callbacks=[finetuning, LearningRateMonitor(), ModelCheckpoint(f"kept/{name}", save_top_k=-1)],
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    trainer.fit(Classifier(), DataLoader(samples(), batch_size=4), ckpt_path=ckpt_path)


def main() -> None:
    train("backbone", BackboneFinetuning(1, lambda epoch: 1.5, backbone_initial_ratio_lr=0.5))
    train("apart", BackboneFinetuning(2, backbone_initial_lr=0.02, should_align=False, train_bn=False, verbose=True))
    train("layers", LayerByLayer())
    for name in sorted(os.listdir("kept/layers"))[1:3]:
        train(f"resumed_{name[:7]}", LayerByLayer(), ckpt_path=f"kept/layers/{name}")


if __name__ == "__main__":
    main()
