"""A run that is stopped within epochs goes on there, and ends with the bits of one that never stopped (12.4)."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from parity.differences import first_difference
from worlds import Runs, nameless, run

SOURCES = Path(__file__).with_name("within_epoch")

SPECS = {
    "accumulated": """trainer: {accumulate_grad_batches: 2}
checkpoint: {every_n_steps: 2, keep: 2}""",
    "workers": """data: {workers: 2}
trainer: {val_check_interval: 4}
checkpoint: {every_n_steps: 3, every_n_epochs: 2}""",
    "counted": """model: Counted
data: {workers: 3}
trainer: {limit_train_batches: 9, gradient_clip_val: 0.5}
checkpoint: {every_n_steps: 1}""",
    "stream": """data: {class_path: Streamed}
trainer: {max_steps: 21}
checkpoint: {every_n_steps: 2}""",
    "streams": """data: {class_path: Streamed, init_args: {workers: 2, named: true}}
trainer: {accumulate_grad_batches: 2}
checkpoint: {every_n_steps: 1}""",
    "timed": """trainer: {accumulate_grad_batches: 2}
checkpoint: {every: 0.001, keep: 9}""",
    "alone": """strategy: single
trainer: {limit_train_batches: 9}
checkpoint: {every: 0.001, every_n_steps: 100, keep: 9}""",
}

STOPS = ("0:5", "0:8", "1:7")
"""The epochs and batches in which one run after the other fails."""

WORLDS = {
    1: ("accumulated", "workers", "streams", "alone"),
    2: ("accumulated", "workers", "counted", "stream", "timed"),
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What runs leave that never stopped, and such that did."""
    runs = Runs(SOURCES, tmp_path_factory.mktemp("trained"))
    for name, spec in SPECS.items():
        common = "seed_everything: 3\nlogger: jsonl"
        limits = spec.replace("trainer: {", "trainer: {max_epochs: 2, log_every_n_steps: 1, ")
        runs.build(name, f"{common}\n{limits}" + ("" if "model:" in spec else "\nmodel: Net"))
    script = runs / "train_timed.py"  # a step takes milliseconds: ranks hear of each other as quickly
    script.write_text(script.read_text().replace("PAUSE = 0.25", "PAUSE = 0.001"))
    for world, names in WORLDS.items():
        for name in names:
            add(runs, name, f"whole-{name}-{world}", world)
            for stop in (*STOPS, ""):
                add(runs, name, f"cut-{name}-{world}", world, stop)
        run(runs.folder, runs.jobs, world)
        runs.jobs.clear()
    return runs


STATED = {f"{data.lower()}-{workers}": f"""model: Killed
data: {{class_path: {data}, init_args: {{workers: {workers}}}}}
checkpoint: {{every_n_steps: 2}}""" for data in ("Sampled", "Streamed") for workers in (0, 2)}
STATED_WORLDS = {1: ("streamed-0", "sampled-2"), 2: ("sampled-0", "streamed-2")}


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What runs leave with torchdata's StatefulDataLoader, and such that were killed twice."""
    runs = Runs(SOURCES, tmp_path_factory.mktemp("killed"))
    for name, spec in STATED.items():
        trainer = "seed_everything: 3\ntrainer: {max_epochs: 2, log_every_n_steps: 1}"
        runs.build(name, f"{trainer}\n{spec}", source="stated.py")
    for world, names in STATED_WORLDS.items():
        for name in names:
            add_job(runs, name, f"whole-{name}", f"whole-{name}", {})
            for place in ("0:5", "1:7", ""):
                add_job(runs, name, f"cut-{name}", f"cut-{name}", {"KILLS": place})
        run(runs.folder, runs.jobs, world)
        runs.jobs.clear()
    return runs


def add(runs: Runs, name: str, out: str, world: int, fails: str = "") -> None:
    add_job(runs, name, out, f"{out}{fails}", {"FAILS": fails})


def add_job(runs: Runs, name: str, out: str, log: str, environment: dict[str, str]) -> None:
    arguments = ["--out", str(runs / out), "--resume"]
    job = {"program": str(runs / f"train_{name}.py"), "path": [str(runs.folder)], "arguments": arguments}
    job |= {"cwd": str(runs.folder), "weights": None, "log": str(runs / f"{log}.log")}
    runs.jobs.append({**job, "environment": environment, "prints": str(runs / f"{log}.txt")})


@pytest.mark.processes
@pytest.mark.parametrize(
    ("name", "world"), [(name, world) for world, names in WORLDS.items() for name in names]
)
def test_a_run_that_was_stopped_ends_as_one_that_never_was(name: str, world: int, trained: Runs) -> None:
    whole, cut = (trained / f"{kind}-{name}-{world}" for kind in ("whole", "cut"))
    for log in (Path(f"{each}.log") for each in (whole, cut)):
        assert not log.exists(), log.read_text()
    for stop in STOPS:
        assert "as it was told to" in Path(f"{cut}{stop}.log").read_text()
    require_the_same(whole, cut)


def require_the_same(whole: Path, cut: Path) -> None:
    loaded = [nameless(torch.load(each / "last.ckpt")) for each in (whole, cut)]
    assert not (difference := first_difference(*loaded, "checkpoint")), difference
    rows = [(each / "metrics.jsonl").read_text() for each in (whole, cut)]
    assert rows[0] == rows[1]


@pytest.mark.processes
@pytest.mark.parametrize("name", STATED)
def test_a_killed_run_goes_on_by_its_loaders_own_state(name: str, killed: Runs) -> None:
    whole, cut = (killed / f"{kind}-{name}" for kind in ("whole", "cut"))
    for log in (Path(f"{each}.log") for each in (whole, cut)):
        assert not log.exists(), log.read_text()
    assert len((cut / "run-id").read_text().split()) == 3
    require_the_same(whole, cut)


@pytest.mark.processes
@pytest.mark.parametrize("cut", ["cut-timed-2", "cut-alone-1"])
def test_time_decides_when_checkpoints_are_saved_within_epochs(cut: str, trained: Runs) -> None:
    kept = [torch.load(each) for each in (trained / cut).glob("last-*.ckpt")]
    assert any(each["places"] for each in kept)
