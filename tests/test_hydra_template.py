"""The example in the shape of the template that most projects under hydra begin with: it trains as Lightning does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from worlds import run

EXAMPLE = Path(__file__).parents[1] / "generated_examples" / "hydra_digits"
QUIET = ["~callbacks.rich_progress_bar", "~callbacks.model_summary"]
OVERRIDES = {"default": QUIET, "wide": ["experiment=wide", *QUIET], "debug": ["debug=default"]}
"""Runs, each of a script that is built with the same overrides."""

BESIDE = ["test=false", "trainer.max_epochs=2", "data.batch_size=128", "extras.print_config=false"]
"""What the scripts are told when they run."""

pytestmark = [pytest.mark.processes, pytest.mark.xdist_group("test_hydra_template")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, with its scripts."""
    project = tmp_path_factory.mktemp("built") / "project"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("__pycache__", "logs"))
    for name, overrides in OVERRIDES.items():
        script = str(project / "src" / f"train_{name}.py")
        command = ["build", str(project / "src" / "train.py"), "-o", script, "--", *overrides]
        said = CliRunner().invoke(main, command, catch_exceptions=False)
        assert said.exit_code == 0, said.output
    return project


@pytest.fixture(scope="module", params=[1, 2])
def runs(request: pytest.FixtureRequest, built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the project was copied to, and run by one process, or two."""
    folder, world = tmp_path_factory.mktemp("runs"), request.param
    shutil.copytree(built, folder / "project")
    run(folder, [job for name in OVERRIDES for job in jobs(folder, name, world)], world)
    return folder


def jobs(folder: Path, name: str, world: int) -> list[dict[str, object]]:
    """Lightning's run, then that of the script."""
    return [
        {
            "program": str(folder / "project" / "src" / f"{program}.py"),
            "path": [str(folder / "project")],
            "arguments": [*OVERRIDES[name], *BESIDE, f"hydra.run.dir={folder / kind / name}"],
            "cwd": str(folder / kind),
            "weights": str(folder / f"{name}.pt") if kind == "lightning" else None,
            "log": str(folder / f"{kind}.{name}.log"),
            "world": world,
        }
        for kind, program in (("lightning", "train"), ("script", f"train_{name}"))
    ]


def last_checkpoint(folder: Path) -> Path:
    """The one of the last epoch; where no ModelCheckpoint is configured there is one alone."""
    found = list(folder.rglob("*.ckpt"))
    return next((each for each in found if each.name == "last.ckpt"), found[0])


@pytest.mark.parametrize("name", OVERRIDES)
def test_it_trains_as_under_lightning(runs: Path, name: str) -> None:
    for log in runs.glob(f"*.{name}.log"):
        raise AssertionError(log.read_text())
    expected = torch.load(runs / f"{name}.pt", weights_only=True)
    trained = torch.load(last_checkpoint(runs / "script" / name), weights_only=True)["state_dict"]
    assert trained.keys() == expected.keys()
    for key, value in expected.items():
        assert torch.equal(trained[key], value), key
