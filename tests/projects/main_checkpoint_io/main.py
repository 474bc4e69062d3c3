"""Classes of the project's own write, read and remove checkpoints, and say when they are called."""

import os
from pathlib import Path

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.plugins import CheckpointIO, TorchCheckpointIO
from lightning.pytorch.utilities import rank_zero_only
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

FOLDER = Path("main_checkpoint_io.saved")
RANK = os.environ.get("RANK", "0")


class Apart(CheckpointIO):
    """Weights in one file, all else in another."""

    def __init__(self):
        self.calls = []

    def save_checkpoint(self, checkpoint, path, storage_options=None):
        self.calls.append(f"save {path} {storage_options} at {checkpoint['global_step']}")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        torch.save(checkpoint.pop("state_dict"), str(path) + ".weights")
        torch.save(checkpoint, path)

    def load_checkpoint(self, path, map_location=None, weights_only=None):
        self.calls.append(f"load {path!r} {weights_only}")
        checkpoint = torch.load(path)
        weights = torch.load(str(path) + ".weights")
        return {**checkpoint, "state_dict": {name: value * 0.5 for name, value in weights.items()}}

    @rank_zero_only
    def remove_checkpoint(self, path):
        self.calls.append(f"remove {path}")
        super().remove_checkpoint(path)


class Told(TorchCheckpointIO):
    """Files of torch's, and a line for each."""

    def save_checkpoint(self, checkpoint, path, storage_options=None):
        super().save_checkpoint(checkpoint, path)
        with open(f"{path}.told", "a") as file:
            file.write(f"saved at {checkpoint['global_step']}\n")

    def remove_checkpoint(self, path):
        super().remove_checkpoint(path)
        Path(f"{path}.told").unlink()


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 3)

    def step(self, batch):
        return F.cross_entropy(self.layer(batch[0]), batch[1])

    def training_step(self, batch, batch_idx):
        return self.step(batch)

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.step(batch), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.step(batch), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.5, momentum=0.9)


def loader(seed):
    x = torch.randn(24, 6, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=4)


def run(plugins, name, epochs, ckpt_path=None):
    L.seed_everything(5)
    saves = ModelCheckpoint(FOLDER / name, monitor="val_loss", save_top_k=1, save_last=True)
    saves.CHECKPOINT_NAME_LAST = "newest"
    trainer = L.Trainer(
        max_epochs=epochs, logger=False, enable_progress_bar=False, callbacks=[saves], plugins=plugins
    )
    model = Net()
    trainer.fit(model, loader(0), loader(1), ckpt_path=ckpt_path)
    trainer.save_checkpoint(FOLDER / name / "after.ckpt", storage_options=None)
    tested = trainer.test(model, loader(2), ckpt_path="best")
    files = sorted(each.name for each in (FOLDER / name).iterdir())
    best = Path(saves.best_model_path).name
    return [model.layer.bias.tolist(), tested, files, best, trainer.global_step]


def main():
    apart = Apart()
    results = [run(apart, "apart", 3)]
    results += [run([apart], "on", 5, FOLDER / "apart" / "newest.ckpt")]
    results += [run(apart, "from_text", 4, str(FOLDER / "apart" / "after.ckpt"))]
    results += [[each.replace(os.getcwd(), "") for each in apart.calls]]
    results += [run(Told(), "told", 3), run(None, "files", 3)]
    results += [(FOLDER / "told" / "newest.ckpt.told").read_text()]
    torch.save(results, f"main_checkpoint_io.{RANK}.results.pt")


if __name__ == "__main__":
    main()
