"""Models that load their weights in a way of their own: by a method, or by what a callback gives them in its place."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader


class Fused(Callback):
    """Has the model load what was saved under other names."""

    def __init__(self):
        self.patched = set()

    def setup(self, trainer, pl_module, stage):
        if id(pl_module) in self.patched:
            return
        original = pl_module.load_state_dict

        def patched_load(state_dict, strict=False):
            found = {name: value * 0.5 if name.endswith("bias") else value for name, value in state_dict.items()}
            pl_module.loaded = [*found, strict]
            return original(found, strict)

        pl_module.load_state_dict = patched_load
        self.patched.add(id(pl_module))


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer, self.loaded = nn.Linear(3, 1), []

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def test_step(self, batch, batch_idx):
        self.log("loss", self.layer(batch).square().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


class Loose(Net):
    def load_state_dict(self, state_dict, strict=False, assign=False):
        self.loaded = [*state_dict, strict]
        given = dict(state_dict) if strict else {}
        return super().load_state_dict(given, strict, assign)


def trained(model, folder, callbacks=()):
    loader = DataLoader(torch.arange(24.0).reshape(8, 3) / 24, batch_size=2)
    for epochs in (1, 2):
        trainer = L.Trainer(
            max_epochs=epochs,
            accelerator="cpu",
            devices=int(os.environ.get("WORLD_SIZE", 1)),
            logger=False,
            callbacks=[ModelCheckpoint(folder, "kept", enable_version_counter=False), *callbacks],
        )
        trainer.fit(model, loader, ckpt_path=f"{folder}/kept.ckpt" if epochs > 1 else None)
    model.layer.weight.data.zero_()
    print(model.loaded, trainer.test(model, loader, ckpt_path=f"{folder}/kept.ckpt"))


if __name__ == "__main__":
    L.seed_everything(1)
    trained(Loose(), "main_loads_own_way.method")
    trained(Net(), "main_loads_own_way.callback", [Fused()])
