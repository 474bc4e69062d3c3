"""EarlyStopping with comparisons of its own in the place of Lightning's two."""

import os

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEVICES = int(os.environ.get("DEVICES", "1"))


class Same(EarlyStopping):
    """Stops where a value is reached."""

    def __init__(self, monitor, stop):
        super().__init__(monitor=monitor)
        self.stop = stop
        self.mode = "="
        self.mode_dict = {"=": torch.eq}

    def _evaluate_stopping_criteria(self, current):
        return self.monitor_op(current.round(decimals=1), self.stop), None


class Tied(EarlyStopping):
    """A value that is as good as the best one is better."""

    mode_dict = {"least": torch.le, "most": torch.gt}
    order_dict = {"least": "<=", "most": ">"}


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))

    def training_step(self, batch, batch_idx):
        loss = F.cross_entropy(self.layers(batch[0]), batch[1])
        self.log("loss", loss, on_step=False, on_epoch=True, sync_dist=True)
        self.log("rounded", loss.detach().mul(4).round().div(4), on_step=False, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.1)


def note(trainer, text):
    if trainer.is_global_zero:
        with open("notes.txt", "a") as file:
            print(text, file=file)


def run(seed, stopping):
    L.seed_everything(seed)
    trainer = L.Trainer(
        max_epochs=9,
        callbacks=[stopping, ModelCheckpoint(f"run{seed}", monitor="loss")],
        logger=False,
        accelerator="cpu",
        devices=DEVICES,
        strategy="ddp" if DEVICES > 1 else "auto",
        enable_progress_bar=False,
    )
    generator = torch.Generator().manual_seed(seed)
    x, y = torch.randn(32, 6, generator=generator), torch.randint(3, (32,), generator=generator)
    trainer.fit(Net(), DataLoader(TensorDataset(x, y), batch_size=4, shuffle=True))
    state = {name: str(value) for name, value in stopping.state_dict().items() if "reason" not in name}
    note(trainer, f"{trainer.current_epoch} epochs, {stopping.mode} {stopping.min_delta} {sorted(state.items())}")


def main():
    run(3, Same("rounded", 0.8))
    run(4, Tied("rounded", min_delta=0.01, mode="least", patience=2))
    run(5, Tied("loss", mode="least", patience=4, divergence_threshold=0.9))
    run(6, Tied("loss", mode="most", patience=2, stopping_threshold=5.0))


if __name__ == "__main__":
    main()
