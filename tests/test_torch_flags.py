"""Settings of the Trainer's that turn on something of torch's: `benchmark`, `detect_anomaly`, `sync_batchnorm`."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from ddpgen.strategies.distributed.devices import require_gpu_for_norms
from torch import nn

MODEL = """
import lightning as L
import torch

class Root(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))

    def training_step(self, batch, batch_idx):
        return (self.weight.sqrt() * 0).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(2, 1))
"""
OWN_MAIN = """
import argparse

def train(args):
    trainer = L.Trainer(max_epochs=1, logger=False, enable_checkpointing=False, {name}=args.{name})
    trainer.fit(Root())
    return trainer

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--{name}", action="store_true")
    train(parser.parse_args())
"""


def built(folder: Path, trainer: str = "", main_of: str = "") -> Path:
    """A script with settings in the spec, or with one that a main of its own reads off the command line."""
    model, spec = folder / "model.py", folder / "ddp.yaml"
    model.write_text(MODEL + (OWN_MAIN.format(name=main_of) if main_of else ""))
    spec.write_text(f"strategy: ddp\ncheckpoint: false\ntrainer: {{max_epochs: 1, {trainer}}}\n")
    result = CliRunner().invoke(main, ["build", str(model), "--strategy", str(spec)], catch_exceptions=False)
    assert not result.exit_code, result.output
    return folder / "train_ddp.py"


def run(script: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> None:
    monkeypatch.chdir(script.parent)
    monkeypatch.setattr("sys.argv", [str(script), *options])
    runpy.run_path(str(script), run_name="__main__")


@pytest.fixture(autouse=True)
def flags() -> Iterator[None]:
    """As torch has them."""
    yield
    torch.backends.cudnn.benchmark = False
    torch.autograd.set_detect_anomaly(False)
    torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("value", [True, False])
def test_benchmark(value: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.backends.cudnn.benchmark = not value
    run(built(tmp_path, f"benchmark: {str(value).lower()}"), monkeypatch)
    assert torch.backends.cudnn.benchmark is value


def test_benchmark_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = built(tmp_path)
    assert "benchmark" not in script.read_text()


def test_benchmark_wins_over_deterministic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Semantics 1.7: `deterministic` turns it off if it is not set."""
    script = built(tmp_path, "deterministic: true, benchmark: true")
    assert script.read_text().count("cudnn.benchmark") == 1
    run(script, monkeypatch)
    assert torch.backends.cudnn.benchmark


@pytest.mark.parametrize("options", [(), ("--benchmark",)])
def test_benchmark_as_an_option(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.backends.cudnn.benchmark = not options
    run(built(tmp_path, main_of="benchmark"), monkeypatch, *options)
    assert torch.backends.cudnn.benchmark is bool(options)


def test_anomalies_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The root's gradient at 0 times 0."""
    with pytest.raises(RuntimeError, match="returned nan values"), pytest.warns(UserWarning, match="sqrt"):
        run(built(tmp_path, "detect_anomaly: true"), monkeypatch)


def test_anomalies_are_not_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = built(tmp_path, "detect_anomaly: false")
    assert "anomaly" not in script.read_text()
    run(script, monkeypatch)


def test_anomalies_as_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = built(tmp_path, main_of="detect_anomaly")
    run(script, monkeypatch)
    with pytest.raises(RuntimeError, match="returned nan values"), pytest.warns(UserWarning, match="sqrt"):
        run(script, monkeypatch, "--detect_anomaly")


def test_batch_norm_over_all_ranks(tmp_path: Path) -> None:
    """Semantics 20.3: before the model is moved and wrapped. That layer needs GPUs: its place alone is tested."""
    text = built(tmp_path, "sync_batchnorm: true").read_text()
    converted = "    if ranks.world_size > 1:\n        nn.SyncBatchNorm.convert_sync_batchnorm(model)\n"
    converted += "        require_gpu_for_norms(model, device)\n"
    before, _, after = text.partition(converted)
    assert "model.to(device)" in after
    assert "DistributedDataParallel(" in after
    assert "def fit(" in before


def test_batch_norm_over_all_ranks_needs_a_gpu() -> None:
    """To train: torch would stop with a traceback where it is wrapped."""
    norm = nn.SyncBatchNorm(2)
    with pytest.raises(SystemExit, match="torch has batch norm over several ranks on GPUs alone"):
        require_gpu_for_norms(norm, torch.device("cpu"))
    require_gpu_for_norms(norm, torch.device("cuda"))
    require_gpu_for_norms(nn.BatchNorm1d(2), torch.device("cpu"))
    require_gpu_for_norms(norm.requires_grad_(False), torch.device("cpu"))


def test_batch_norm_over_all_ranks_as_an_option(tmp_path: Path) -> None:
    text = built(tmp_path, main_of="sync_batchnorm").read_text()
    assert "if ranks.world_size > 1 and config.sync_batchnorm:\n" in text


def test_profiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is stepped with each batch, and leaves a trace beside the checkpoints."""
    run(built(tmp_path, "profiler: pytorch"), monkeypatch)
    assert "Self CPU time total" in capsys.readouterr().out
    assert list(tmp_path.glob("runs/**/*.pt.trace.json"))


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_batches_to_profile(count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(built(tmp_path, f"profiler: pytorch, limit_train_batches: {count}"), monkeypatch)


@pytest.mark.parametrize("asked", ["simple", "advanced"])
def test_profilers_of_lightnings_own_are_left_out(asked: str, tmp_path: Path) -> None:
    assert "profiler" not in built(tmp_path, f"profiler: {asked}").read_text()


def test_barebones(tmp_path: Path) -> None:
    """No bar and no trial of validation; nothing of it stays in the script."""
    text = built(tmp_path, "barebones: true").read_text()
    assert "tqdm" not in text
    assert text == built(tmp_path, "enable_progress_bar: false, log_every_n_steps: 0").read_text()
