"""A process that trains several times keeps what each training writes apart."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

CODE = """
import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

class Net(L.LightningModule):
    def __init__(self, start):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((1,), start))

    def training_step(self, batch, batch_idx):
        loss = (self.weight * batch[0]).sum()
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def test_step(self, batch, batch_idx):
        self.log("tested", self.weight.sum())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.5)

def main():
    loader = DataLoader(TensorDataset(torch.ones(2, 1)), batch_size=1)
    for start in (1.0, 10.0, 100.0):
        trainer = L.Trainer(max_epochs=1)
        trainer.fit(Net(start), loader)
        if start > 1:
            trainer.test(dataloaders=loader)

if __name__ == "__main__":
    main()
"""
ROWS = {
    "metrics.jsonl": [{"loss": 0.75}],
    "metrics-of-fit-2.jsonl": [{"loss": 9.75}, {"tested": 9.0}],
    "metrics-of-fit-3.jsonl": [{"loss": 99.75}, {"tested": 99.0}],
}
CHECKPOINTS = {"last.ckpt", "last-of-fit-2.ckpt", "last-of-fit-3.ckpt"}


def test_each_training_has_files_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its evaluations are told of there, too; the next run of the script sets all of them aside."""
    (tmp_path / "model.py").write_text(CODE)
    (tmp_path / "ddp.yaml").write_text("strategy: ddp\ncheckpoint: {dir: out}\n")
    command = ["build", str(tmp_path / "model.py"), "--strategy", str(tmp_path / "ddp.yaml")]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert not result.exit_code, result.output
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["train_ddp.py"])
    for _ in range(2):
        runpy.run_path(str(tmp_path / "train_ddp.py"), run_name="__main__")
        files = {path.name for path in Path("out").iterdir() if path.is_file()}
        assert files == {*ROWS, *CHECKPOINTS, "run-id"}
        for name, expected in ROWS.items():
            rows = map(json.loads, (Path("out") / name).read_text().splitlines())
            assert [{key: row[key] for key in row.keys() - {"epoch", "step"}} for row in rows] == expected
    (aside,) = Path("out/earlier").iterdir()
    assert {path.name for path in aside.iterdir()} == {*ROWS, *CHECKPOINTS, "run-id"}
