"""Whose the folder is that a run writes into: no run goes on from what another one left there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from parity.differences import first_difference
from worlds import nameless, ran, run

SIMPLE = "strategy: ddp\nseed_everything: 3\ntrainer: {max_epochs: 4, log_every_n_steps: 1}\n"
SCRIPTS = {
    "train_ddp.py": ("claiming.py", SIMPLE),
    "train_best.py": ("claiming_best.py", SIMPLE),
    "train_main.py": ("claiming_main.py", "strategy: ddp\n"),
}
"""What is built of which source, and the spec."""


class Start(NamedTuple):
    """A script is started, where torchrun's job of that name does it."""

    out: str
    fails_in: int = -1  # which epoch
    has_trained: int = -1  # this epoch, in which it would fail
    job: str = ""
    arguments: tuple[str, ...] = ()
    script: str = "train_ddp.py"


STARTS = [
    Start("whole"),
    # a run that fails early is the folder's from then on
    Start("early", arguments=("--lr", "0.2")),
    Start("early", fails_in=0),
    Start("early", arguments=("--resume",)),
    # torchrun starts a job again: it goes on with its own, and with no other's
    Start("again", arguments=("--lr", "0.2")),
    Start("again", fails_in=2, job="first"),
    Start("again", fails_in=3, job="first"),
    Start("again", has_trained=1, job="first"),
    Start("other", arguments=("--lr", "0.2"), job="first"),
    Start("other", job="second"),
    # a job that goes on with a run
    Start("resumed", fails_in=1, job="first"),
    Start("resumed", fails_in=2, job="second", arguments=("--resume",)),
    Start("resumed", job="second"),
    # a callback that saves below the folder
    Start("best_whole", script="train_best.py"),
    Start("best", arguments=("--lr", "0.2"), script="train_best.py"),
    Start("best", fails_in=2, job="first", script="train_best.py"),
    Start("best", fails_in=3, job="first", script="train_best.py"),
    Start("best", job="second", arguments=("--resume",), script="train_best.py"),
    # a main of the user's own, which trains once
    Start("main", arguments=("--lr", "0.2"), job="first", script="train_main.py"),
    Start("main", fails_in=0, job="second", script="train_main.py"),
    Start("main", fails_in=2, job="second", script="train_main.py"),
    Start("main", has_trained=1, job="second", script="train_main.py"),
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of them, one after the other, with two ranks."""
    folder = tmp_path_factory.mktemp("claimed")
    for script in SCRIPTS:
        build(folder, script)
    run(folder, [job(folder, number, start) for number, start in enumerate(STARTS)], 2)
    for number, start in enumerate(STARTS):
        log = folder / f"{number}.log"
        said = log.read_text() if log.exists() else ""
        assert ("as it was told to" in said) == (start.fails_in >= 0), f"{start}: {said}"
    return folder


def build(folder: Path, script: str) -> None:
    source, text = SCRIPTS[script]
    (spec := folder / "ddp.yaml").write_text(text)
    model = Path(__file__).with_name(source)
    arguments = ["build", str(model), "--strategy", str(spec), "-o", str(folder / script)]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output


def job(folder: Path, number: int, start: Start) -> dict[str, object]:
    errors = f"/tmp/torchelastic/{start.job}/attempt_{number}/0/error.json"
    fails_in = max(start.fails_in, start.has_trained)
    environment = {"FAILS_IN": str(fails_in), "TORCHELASTIC_ERROR_FILE": errors if start.job else ""}
    return {
        "program": str(folder / start.script),
        "path": [str(folder)],
        "arguments": ["--out", str(folder / start.out), *start.arguments],
        "cwd": str(folder),
        "weights": None,
        "environment": environment,
        "log": str(folder / f"{number}.log"),
        "world": 2,
    }


def left(folder: Path) -> dict[str, Any]:
    """What a run has trained and written."""
    checkpoint = torch.load(folder / "last.ckpt", weights_only=True)
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return {**checkpoint, "rows": rows}


def trained(folder: Path) -> dict[str, Any]:
    return nameless(left(folder))


@pytest.mark.processes
@pytest.mark.parametrize("name", ["early", "again", "other", "resumed", "main"])
def test_a_run_ends_as_one_that_was_never_stopped(runs: Path, name: str) -> None:
    difference = first_difference(trained(runs / "whole"), trained(runs / name), name)
    assert not difference


@pytest.mark.processes
@pytest.mark.parametrize("name", ["early", "again", "other", "main"])
def test_what_an_earlier_run_left_is_set_aside_whole(runs: Path, name: str) -> None:
    (aside,) = (runs / name / "earlier").iterdir()
    earlier, own = left(aside), left(runs / name)
    assert earlier["hyper_parameters"] == {"lr": 0.2}
    assert {row["epoch"] for row in earlier["rows"]} == {0, 1, 2, 3}
    assert earlier["run"] == (aside / "run-id").read_text().split()[0] != own["run"]
    assert own["run"] == (runs / name / "run-id").read_text().split()[0]


@pytest.mark.processes
def test_what_callbacks_save_below_the_folder_is_the_runs_own(runs: Path) -> None:
    """The first epoch's weights stay the best, in a file that no later start has named anew."""
    (aside,) = (runs / "best" / "earlier").iterdir()
    assert (aside / "checkpoints" / "best.ckpt").exists()
    assert {path.name for path in (runs / "best" / "checkpoints").iterdir()} == {"best.ckpt"}
    whole, own = (
        torch.load(runs / name / "checkpoints" / "best.ckpt", weights_only=True)
        for name in ("best_whole", "best")
    )
    assert not first_difference(whole["state_dict"], own["state_dict"], "best")
    assert whole["callbacks"].keys() == own["callbacks"].keys()


@pytest.mark.processes
def test_torchrun_starts_it_again_when_one_rank_after_the_other_has_failed(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RANK", "WORLD_SIZE", "TORCH_DISABLE_SHARE_RDZV_TCP_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FAIL_IN_TURN", "yes")
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "--max-restarts=3"]
    code, said = ran(*torchrun, "train_ddp.py", "--out", "turns", folder=runs)
    assert code == 0, said
    assert said.count("RuntimeError: in its turn") == 3
    assert not first_difference(trained(runs / "whole"), trained(runs / "turns"), "turns")


@pytest.mark.processes
def test_a_run_keeps_its_name(runs: Path) -> None:
    assert not (runs / "whole" / "earlier").exists()
    assert not (runs / "resumed" / "earlier").exists()
    assert left(runs / "resumed")["run"] == "first"
