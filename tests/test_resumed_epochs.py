"""What comes after a ModelCheckpoint's save in the same epoch is made up for where a run goes on from it (7.4)."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from parity.differences import first_difference
from worlds import Runs, run

SOURCES = Path(__file__).with_name("resumed_epochs")

CONFIGURED = '{"scheduler": scheduler, "monitor": "val_loss"}'
LISTED = """        schedule = {"scheduler": scheduler, "monitor": "val_loss", "frequency": int("2")}
        if len(str(schedule)) == 1:
            return optimizer
        return [optimizer], [schedule]"""

CHANGES = {
    "epochs": {},
    "frequency": {CONFIGURED: '{"scheduler": scheduler, "monitor": "loss", "frequency": 2}'},
    "steps": {
        CONFIGURED: '{"scheduler": scheduler, "monitor": "val_loss", "interval": "step", "frequency": 4}',
        "max_epochs=4,": "max_epochs=4, val_check_interval=0.5,",
    },
    "listed": {f'        return {{"optimizer": optimizer, "lr_scheduler": {CONFIGURED}}}': LISTED},
}
"""Forms of a scheduler that watches a metric."""

RUNS = {
    1: [("epochs", "end"), ("epochs", "validation"), ("frequency", "end"), ("steps", "validation")],
    2: [("listed", "end"), ("epochs", "end")],
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What runs leave that go on from each epoch's checkpoint."""
    runs = Runs(SOURCES, tmp_path_factory.mktemp("resumed"))
    for name, changes in CHANGES.items():
        code = (SOURCES / "main.py").read_text()
        for old, new in changes.items():
            assert code.count(old) == 1
            code = code.replace(old, new)
        (runs / f"{name}.py").write_text(code)
        runs.build(name, "strategy: ddp", "-o", str(runs / f"train_{name}.py"), source=f"{name}.py")
    for world, variants in RUNS.items():
        for name, saves in variants:
            job = {"program": str(runs / f"train_{name}.py"), "path": [str(runs.folder)], "arguments": []}
            job |= {"cwd": str(runs / f"{name}-{saves}-{world}"), "weights": None}
            runs.jobs.append({**job, "log": str(runs / f"{name}.log"), "environment": {"SAVES": saves}})
        run(runs.folder, runs.jobs, world)
        runs.jobs.clear()
    for log in runs.folder.glob("*.log"):
        raise AssertionError(log.read_text())
    return runs


@pytest.mark.processes
@pytest.mark.parametrize(
    ("name", "saves", "world"),
    [(*variant, world) for world, variants in RUNS.items() for variant in variants],
)
def test_a_resumed_run_ends_as_one_that_never_stopped(
    name: str, saves: str, world: int, trained: Runs
) -> None:
    results = torch.load(trained / f"{name}-{saves}-{world}" / "results.pt")
    whole = results.pop("whole")
    parts = ["weights", "optimizer"] + ["at_ends"] * (saves == "end")
    assert len(results) == 4, "epochs"
    for step, resumed in results.items():
        for part in parts:
            assert not (difference := first_difference(whole[part], resumed[part], part)), (step, difference)
