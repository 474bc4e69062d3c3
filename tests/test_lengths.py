"""Scripts hold what they need: how many lines some have, printed by `pytest -s`, and at most may have."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

EXAMPLES = Path(__file__).parent.parent / "generated_examples"
# digits and tumours are 15 lines longer than before a run claimed its folder, was started again to the same bits,
# tested checksums, and said in a sentence what is wrong with disks, settings and weights; the two others are 2 lines
# longer since hooks of a training are not called where a run goes on that has trained enough, and again since saving by
# a score is a method of ModelCheckpoint's that classes derived from it may have their own for; and since a log's tensor
# and what adds it to a mean are methods, rather than half of one long one, 9 more; and since a loader's copy has
# workers of its own, and a checkpoint of Lightning's is told as such, 3 more; the last line of tumours saves the data
# module's hyperparameters, which Lightning reads from checkpoints too
LENGTHS = {"digits": 547, "cli_moons": 843, "tumours": 1398}
AUTOENCODER = 364  # of which 43 are the source


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
