import lightning.pytorch as pl
import torch
from ldm.util import get_obj_from_str, instantiate_from_config
from torch import nn


class Block(nn.Module):
    def __init__(self, inputs, width, norm_config):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(inputs, width), instantiate_from_config(norm_config), nn.Tanh())

    def forward(self, x):
        return self.layers(x)


class Waver(pl.LightningModule):
    def __init__(self, stages_config, head_config, scheduler_config=None, monitor=None):
        super().__init__()
        self.stages = nn.ModuleList([instantiate_from_config(each) for each in stages_config])
        self.head = instantiate_from_config(head_config, bias=False)
        self.scheduler_config = scheduler_config
        if monitor is not None:
            self.monitor = monitor

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return self.head(x).squeeze(1)

    def training_step(self, batch, batch_idx):
        loss = (self(batch["x"]) - batch["y"]).square().mean()
        self.log("train/loss", loss, prog_bar=True)
        return loss

    @torch.no_grad()
    def validation_step(self, batch, batch_idx):
        self.log("val/loss", (self(batch["x"]) - batch["y"]).abs().mean(), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.learning_rate)
        if self.scheduler_config is None:
            return optimizer
        scheduler = get_obj_from_str(self.scheduler_config["target"])(optimizer, **self.scheduler_config["params"])
        return [optimizer], [{"scheduler": scheduler, "interval": "step"}]
