"""Plugins that a configuration of hydra's describes: the script is written for them, and for no others."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
import torch
from ddpgen import build

MAIN = """
from pathlib import Path

import hydra
import lightning as L
import torch
from omegaconf import OmegaConf
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(torch.arange(32.0).reshape(8, 4) / 32, batch_size=2)


def made_plugins(settings):
    plugins = []
    if not settings:
        return plugins
    for each in settings.values():
        plugins.append(hydra.utils.instantiate(each))
    return plugins


def optional(settings):
    if not settings:
        return
    return made_plugins(settings)


def epochs_before():
    return OmegaConf.load(Path(__file__).parent / "conf" / "config.yaml").trainer.max_epochs


models = []


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(cfg):
    L.seed_everything(1)
    models.append(Net())
    trainer = hydra.utils.instantiate(cfg.trainer, GIVEN)
    trainer.fit(models[0])


if __name__ == "__main__":
    main()
"""
TRAINER = "trainer: {_target_: lightning.Trainer, max_epochs: 2, accelerator: cpu, logger: false%s}\n"
MIXED = (
    ", plugins: [{_target_: lightning.pytorch.plugins.MixedPrecision, precision: bf16-mixed, device: cpu}]"
)
ENVIRONMENT = ", plugins: [{_target_: lightning.pytorch.plugins.environments.LightningEnvironment}]"
MADE = 'plugins=made_plugins(cfg.get("plugins"))'
OPTIONAL = 'callbacks=[], plugins=optional(cfg.get("plugins")), min_epochs=min(1, epochs_before())'


def written(folder: Path, settings: str, given: str = "") -> str:
    """The script of a project."""
    (folder / "conf").mkdir()
    (folder / "conf" / "config.yaml").write_text(TRAINER % settings)
    (folder / "main.py").write_text(MAIN.lstrip().replace(", GIVEN", f", {given}" if given else ""))
    (folder / "spec.yaml").write_text("strategy: ddp\n")
    script = build(folder / "main.py", str(folder / "spec.yaml"))
    (folder / "train.py").write_text(script)
    return script


def run(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch, *overrides: str) -> Any:
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", [name, *overrides])
    return runpy.run_path(name, run_name="__main__")["models"][0]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("settings", "given"), [(MIXED, ""), (ENVIRONMENT, ""), ("", MADE), (", plugins: []", ""), ("", OPTIONAL)]
)
def test_the_script_trains_as_lightning_does(
    settings: str, given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = written(tmp_path, settings, given)
    assert ('torch.autocast("cpu", torch.bfloat16' in script) is bool(settings == MIXED)
    expected, found = (run(tmp_path, name, monkeypatch) for name in ("main.py", "train.py"))
    assert torch.equal(found.layer.weight, expected.layer.weight)


@pytest.mark.parametrize(
    ("settings", "given", "override", "what"),
    [
        (MIXED, "", "trainer.plugins.0.precision=16-mixed", "precision='16-mixed'"),
        (MIXED, "", "trainer.plugins=null", "plugins=None"),
        (MIXED, "", "~trainer.plugins", "plugins=None"),
        (
            "",
            MADE,
            "+plugins={double: {_target_: lightning.pytorch.plugins.DoublePrecision}}",
            "lightning.pyt",
        ),
    ],
)
def test_other_plugins_stop_it(
    settings: str, given: str, override: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, settings, given)
    with pytest.raises(SystemExit, match="not built for") as stopped:
        run(tmp_path, "train.py", monkeypatch, override)
    assert f"not built for {what}" in str(stopped.value)
