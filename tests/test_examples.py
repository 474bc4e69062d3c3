"""Each example's script is run with two processes; some as their readers would, stopped, and gone on with."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from worlds import run

EXAMPLES = Path(__file__).parent.parent / "generated_examples"
AT_EXIT = Path(__file__).with_name("at_exit")

# Example, epochs of the run, and the metric that shows that it learns: it falls.
RUNS = [
    ("digits", 2, "val_loss"),
    ("characters", 1, "train_loss"),
    ("characters/train_fsdp.py", 1, "train_loss"),
    ("shapes", 2, "val_loss"),
    ("vae", 2, "train_reconstruction"),
    ("regression", 3, "train_loss"),
    ("gan", 3, "val_distance"),
    ("hydra_digits", 2, "val/loss"),
    ("cli_moons", 3, "val_loss"),
    ("tumours", 3, "val_loss"),
]

# Of each kind of main one, first started by torchrun; all else shares its processes. That a resumed run equals one
# that never stopped is parity's to show.
RESUMED = {"digits", "hydra_digits", "tumours"}

pytestmark = pytest.mark.processes


def torchrun(script: Path, *arguments: str) -> str:
    """What the script prints, run with two processes, none of which ends before gloo's threads do.

    A thread that lets go of a tensor when Python is no more aborts the process.
    """
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    done = subprocess.run(
        [*launcher, str(script), *arguments],
        cwd=script.parent,
        env=os.environ | {"PYTHONPATH": str(AT_EXIT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    if sys.platform == "linux":
        threads = [line for line in done.stderr.splitlines() if line.startswith("threads at exit:")]
        assert len(threads) == 2
        assert "gloo" not in " ".join(threads)
    return done.stdout


def script_of(name: str) -> Path:
    return EXAMPLES / name if name.endswith(".py") else next((EXAMPLES / name).rglob("train_ddp.py"))


def flat(name: str) -> str:
    return name.replace("/", "-")


def own_options(out: Path, epochs: int, resume: bool = False) -> list[str]:
    return ["--out", str(out), "--max-epochs", str(epochs), *(["--resume"] if resume else [])]


def hydra_options(out: Path, epochs: int, resume: bool = False) -> list[str]:
    last = [f"ckpt_path={last_checkpoint(out)}"] if resume else []
    return [f"hydra.run.dir={out}", f"trainer.max_epochs={epochs}", *last]


def checkpoint_options(out: Path, epochs: int, resume: bool = False) -> list[str]:
    last = ["--resume", str(last_checkpoint(out))] if resume else []
    return ["--out", str(out), "--max-epochs", str(epochs), *last]


OPTIONS = {"hydra_digits": hydra_options, "tumours": checkpoint_options}


def last_checkpoint(folder: Path) -> Path:
    (found,) = folder.rglob("last.ckpt")
    return found


def logged(folder: Path, metric: str) -> list[float]:
    """The values of a metric, from the script's own file or from TensorBoard's."""
    file = folder / "metrics.jsonl"
    if file.exists():
        rows: list[dict[str, Any]] = [json.loads(line) for line in file.read_text().splitlines()]
        return [row[key] for row in rows for key in row if key.startswith(metric)]
    if tables := sorted(folder.rglob("metrics.csv")):
        return [float(row[metric]) for each in tables for row in csv.DictReader(each.open()) if row[metric]]
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    (events,) = {path.parent for path in folder.rglob("events.out.tfevents.*")}
    accumulator = EventAccumulator(str(events))
    accumulator.Reload()
    return [event.value for event in accumulator.Scalars(metric)]


@pytest.mark.parametrize(("name", "epochs", "metric"), [run for run in RUNS if run[0] in RESUMED])
def test_example_learns_and_resumes(name: str, epochs: int, metric: str, tmp_path: Path) -> None:
    import torch

    script, options = script_of(name), OPTIONS.get(name, own_options)
    if name not in OPTIONS:  # a run was here before, and was killed as it wrote
        (tmp_path / "metrics.jsonl").write_text('{"epoch": 0, "step": 9, "val_loss": 9.0}\n{"epoch": 0, "st')
    first = check_learning(tmp_path, torchrun(script, *options(tmp_path, epochs)), epochs, metric)
    again = job(script, tmp_path, options(tmp_path, epochs + 1, resume=True), tmp_path / "again")
    run(tmp_path, [again], 2)
    assert not (log := tmp_path / "again.log").exists(), log.read_text()
    second = torch.load(last_checkpoint(tmp_path), weights_only=True)
    assert second["epoch"] == epochs
    assert len(logged(tmp_path, metric)) == epochs + 1
    assert second["global_step"] > first["global_step"]
    assert not list(tmp_path.glob("*.partial"))


def job(script: Path, folder: Path, arguments: list[str], said: Path) -> dict[str, object]:
    """Of two processes: what they print, and how they fail, is in files of such a name."""
    return {
        "program": str(script),
        "path": [str(script.parent)],
        "arguments": arguments,
        "cwd": str(folder),
        "weights": None,
        "log": f"{said}.log",
        "prints": f"{said}.txt",
        "world": 2,
    }


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The other examples, run in the same two processes."""
    folder = tmp_path_factory.mktemp("examples")
    jobs = [
        job(
            script_of(name),
            folder / flat(name),
            own_options(folder / flat(name), epochs),
            folder / flat(name),
        )
        for name, epochs, _ in RUNS
        if name not in RESUMED
    ]
    run(folder, jobs, 2)
    return folder


@pytest.mark.parametrize(("name", "epochs", "metric"), [run for run in RUNS if run[0] not in RESUMED])
def test_example_learns(shared: Path, name: str, epochs: int, metric: str) -> None:
    log = shared / f"{flat(name)}.log"
    assert not log.exists(), log.read_text()
    check_learning(shared / flat(name), (shared / f"{flat(name)}.txt").read_text(), epochs, metric)


def check_learning(out: Path, printed: str, epochs: int, metric: str) -> dict[str, Any]:
    """That it learned, and said so once; its checkpoint."""
    import torch

    lines = [line for line in printed.splitlines() if line.startswith(f"epoch {epochs - 1}: ")]
    assert len(lines) == len(set(lines)) > 0, "one rank alone prints each epoch's values"
    values = logged(out, metric)
    assert values[-1] < values[0]
    last = last_checkpoint(out)  # a folder, of those that each rank has a share of
    checkpoint: dict[str, Any] = torch.load(last / "rest.ckpt" if last.is_dir() else last, weights_only=True)
    assert checkpoint["epoch"] == epochs - 1
    return checkpoint


def test_there_is_a_run_for_each_example() -> None:
    scripts = EXAMPLES.rglob("train_*.py")
    assert {script_of(name) for name, _, _ in RUNS} == set(scripts)


# which has mypy read torch too
@pytest.mark.xdist_group("test_choices")
def test_linters_find_nothing(pytestconfig: pytest.Config) -> None:
    """Ruff by its defaults, and mypy; all at once, as modules of packages that need no `__init__.py`."""
    scripts = [str(script_of(name).relative_to(EXAMPLES)) for name, _, _ in RUNS]
    ruff = [
        "ruff",
        "check",
        "--isolated",
        "--no-cache",
        "--config",
        "src = ['shapes']",
    ]  # it imports layers.py
    cache = pytestconfig.rootpath / ".mypy_cache" / "scripts"
    mypy = ["mypy", "--explicit-package-bases", "--ignore-missing-imports", "--follow-imports=silent"]
    mypy += ["--config-file=", f"--cache-dir={cache}"]
    for command in (ruff, mypy):
        done = subprocess.run(
            [sys.executable, "-m", *command, *scripts], cwd=EXAMPLES, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout
