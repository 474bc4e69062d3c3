"""A validation loader without a batch: there is no validation, no hook of it, and nothing is drawn (2.6, 8.3)."""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

SOURCE = """
import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch.utils.data import DataLoader, IterableDataset

class Sized(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        yield from torch.ones(self.count, 4)

    def __len__(self):
        return self.count

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).pow(2).mean()
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx{which}):
        self.log("val_loss", self.layer(batch).pow(2).mean())

    def on_train_epoch_start(self):
        print("epoch", self.current_epoch, "draws", torch.rand(1).item())
{hook}
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

if __name__ == "__main__":
    L.seed_everything(0)
    saver = ModelCheckpoint(monitor="{monitor}", dirpath="saved", save_last=True)
    trainer = L.Trainer(
        max_epochs=2, accelerator="cpu", logger=False, callbacks=[saver], enable_progress_bar=False, {settings}
    )
    trainer.fit(Net(), DataLoader(torch.ones(8, 4), batch_size=4), {loader})
    print("saved", saver.best_model_path, saver.last_model_path)
    print("draws", torch.rand(1).item(), sorted(trainer.callback_metrics.items()))
"""
HOOK = """
    def on_validation_start(self):
        print("validates")
"""
ROWS, SIZED = "DataLoader(torch.ones(0, 4))", "DataLoader(Sized(0))"
EITHER = f"{SIZED} if torch.ones(1) > 0 else {ROWS}"
UNKNOWN = "DataLoader(Sized(0) if torch.ones(1) > 0 else torch.ones(0, 4))"
ALL_EMPTY, ONE_EMPTY = f"[{SIZED}, {ROWS}]", f"[{ROWS}, DataLoader(torch.ones(3, 4))]"


@pytest.mark.parametrize(
    ("loader", "hook", "monitor", "settings"),
    [
        (ROWS, "", "val_loss", "num_sanity_val_steps=0"),
        (ROWS, HOOK, "val_loss", ""),
        (ROWS, HOOK, "val_loss", "val_check_interval=0.5, num_sanity_val_steps=0"),
        (SIZED, "", "loss", "num_sanity_val_steps=0"),
        (SIZED, "", "val_loss", "limit_val_batches=2"),
        (SIZED, HOOK, "val_loss", ""),
        (EITHER, "", "val_loss", "num_sanity_val_steps=0"),
        (EITHER, HOOK, "loss", ""),
        (UNKNOWN, "", "val_loss", ""),
        (UNKNOWN, HOOK, "val_loss", "num_sanity_val_steps=0, limit_val_batches=0.5"),
        (ALL_EMPTY, "", "val_loss", "num_sanity_val_steps=0"),
        (ALL_EMPTY, HOOK, "loss", ""),
        (ONE_EMPTY, HOOK, "loss", "num_sanity_val_steps=0"),
        ("[]", "", "val_loss", ""),
    ],
)
def test_is_left_out(
    loader: str,
    hook: str,
    monitor: str,
    settings: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = {"loader": loader, "hook": hook, "monitor": monitor, "settings": settings}
    which = ", dataloader_idx=0" if loader.startswith("[") else ""
    told = []
    for program in programs(tmp_path, SOURCE, {**given, "which": which}):
        (folder := tmp_path / program.stem).mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setattr("sys.argv", [str(program)])
        capsys.readouterr()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runpy.run_path(str(program), run_name="__main__")
        told.append([line.replace(str(folder), "") for line in capsys.readouterr().out.splitlines()])
    lightning, script = ([line for line in each if line.startswith(SHOWN)] for each in told)
    assert lightning == script
    assert ("validates" in lightning) == (bool(hook) and loader == ONE_EMPTY)


SHOWN = ("epoch 0 draws", "epoch 1 draws", "validates", "saved", "draws")


def programs(folder: Path, source: str, given: dict[str, str]) -> list[Path]:
    """The file with what is given in it, and the script that is made of it."""
    for name, code in given.items():
        source = source.replace(f"{{{name}}}", code)
    model = folder / "model.py"
    model.write_text(source)
    built = CliRunner().invoke(main, ["build", str(model), "--strategy", "single"], catch_exceptions=False)
    assert not built.exit_code, built.output
    return [model, folder / "train_single.py"]
