"""Scripts hold what they need: how many lines some have, printed by `pytest -s`, and at most may have."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

EXAMPLES = Path(__file__).parent.parent / "generated_examples"
# of which 27 claim the run's folder, so that no run goes on from what another one left there, and 5 let ranks meet
# again that torchrun has started again; 2 ask for checksums, 15 in tumours, which loads models by themselves too, and
# where 6 make up for the step of a scheduler that watches a metric; 5 tell that a disk is full, and 9 more there and in
# cli_moons try folders before the training; 9 say what was changed since the checkpoint that a run goes on from;
# 34 in cli_moons and tumours have a ModelCheckpoint write over what a run that was stopped saved later; 2 refuse a URL;
# 3 tell of weights that are saved and are not finite; 1 leaves out what torch advises where it refuses a file;
# 2 in tumours begin to read before hooks that may draw random numbers, and 2 call none where nothing is validated;
# 29 fewer in cli_moons, whose ModelCheckpoint has one name for its files and no folder of its own
LENGTHS = {"digits": 563, "cli_moons": 888, "tumours": 1414}
AUTOENCODER = 370  # of which 43 are the source


@pytest.mark.parametrize("name", LENGTHS)
def test_examples(name: str) -> None:
    assert lines_of(name, EXAMPLES / name / "train_ddp.py") <= LENGTHS[name]


def test_an_autoencoder(tmp_path: Path) -> None:
    """One value logged by the step, a loader in a main's plain sight."""
    source = Path(__file__).with_name("lengths") / "autoencoder.py"
    model = tmp_path / source.name
    model.write_text(source.read_text())
    result = CliRunner().invoke(main, ["build", str(model), "--strategy", "ddp"], catch_exceptions=False)
    assert not result.exit_code, result.output
    assert lines_of("autoencoder", tmp_path / "train_ddp.py") <= AUTOENCODER


def lines_of(name: str, script: Path) -> int:
    count = script.read_text().count("\n")
    print(f"{name}: {count} lines")
    return count
