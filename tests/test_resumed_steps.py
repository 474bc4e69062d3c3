"""A run goes on from what a ModelCheckpoint saves within epochs, to the bits of one that never stopped (12.4)."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from parity.differences import first_difference
from worlds import Runs, ran, run

SOURCES = Path(__file__).with_name("resumed_steps")

SAVES = '[ModelCheckpoint(folder, "{epoch}-{step}", save_top_k=-1, every_n_train_steps=int("1"))]'
TRAINER = "max_epochs=2, "
LOADER = "DataLoader(Noisy(), 2, shuffle=True, num_workers=WORKERS)"

IMPORT = ("import random\n", "import random\nfrom datetime import timedelta\n")

DEFERRED = """[
        ModelCheckpoint(
            folder, "{step}", "val_loss", save_top_k=-1, every_n_train_steps=2, save_on_train_epoch_end=False
        ),
        ModelCheckpoint(folder, "best-{epoch}-{step}", "val_loss", save_top_k=2),
    ]"""
TIMED = '[ModelCheckpoint(folder, "{step}", save_top_k=-1, train_time_interval=timedelta(seconds=0))]'

CHANGES = {
    "steps": {},
    "accumulated": {TRAINER: TRAINER + "accumulate_grad_batches=2, val_check_interval=5, "},
    "deferred": {SAVES: DEFERRED, TRAINER: TRAINER + "accumulate_grad_batches=2, val_check_interval=3, "},
    "stream": {LOADER: "DataLoader(Stream(), 2, num_workers=WORKERS)", SAVES: TIMED},
    "limited": {LOADER: "DataLoader(Stream(), 2)", TRAINER: TRAINER + 'limit_train_batches=int("5"), '},
    "cut": {TRAINER: "max_epochs=3, max_steps=11, val_check_interval=3, "},
}

RUNS = {
    1: [("steps", 2), ("accumulated", 0), ("deferred", 2), ("stream", 2), ("limited", 0), ("cut", 0)],
    2: [("steps", 0), ("accumulated", 2), ("deferred", 0), ("stream", 0), ("limited", 0)],
}
"""With so many workers."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What runs leave that go on from each checkpoint."""
    runs = Runs(SOURCES, tmp_path_factory.mktemp("resumed"))
    for name, changes in CHANGES.items():
        code = (SOURCES / "main.py").read_text()
        for old, new in [*changes.items(), *([IMPORT] if "timedelta" in str(changes) else [])]:
            assert code.count(old) == 1
            code = code.replace(old, new)
        (runs / f"{name}.py").write_text(code)
        runs.build(name, "strategy: ddp", "-o", str(runs / f"train_{name}.py"), source=f"{name}.py")
    for world, variants in RUNS.items():
        for name, workers in variants:
            job = {"program": str(runs / f"train_{name}.py"), "path": [str(runs.folder)], "arguments": []}
            job |= {"cwd": str(runs / f"{name}-{world}"), "weights": None, "log": str(runs / f"{name}.log")}
            runs.jobs.append({**job, "environment": {"WORKERS": str(workers)}})
        run(runs.folder, runs.jobs, world)
        runs.jobs.clear()
    for log in runs.folder.glob("*.log"):
        raise AssertionError(log.read_text())
    return runs


@pytest.mark.processes
@pytest.mark.parametrize(
    ("name", "world"), [(name, world) for world, variants in RUNS.items() for name, _ in variants]
)
def test_a_resumed_run_ends_as_one_that_never_stopped(name: str, world: int, trained: Runs) -> None:
    results = torch.load(trained / f"{name}-{world}" / "results.pt")
    whole = results.pop("whole")
    assert results
    for step, resumed in results.items():
        for part in ("weights", "optimizer", "counts", "metrics", "draws"):
            assert not (difference := first_difference(whole[part], resumed[part], part)), (step, difference)
        assert resumed["saved"] == whole["saved"][whole["saved"].index(step) + 1 :]


MANUAL = """
        loss = self.layer(batch).square().mean()
        self.optimizers().zero_grad()
        self.manual_backward(loss)
        self.optimizers().step()
"""
INIT = "self.layer = nn.Linear(6, 1)"
REFUSED = {
    "manual": (
        "",
        {
            INIT: f"{INIT}\n        self.automatic_optimization = False",
            "\n        return self.layer(batch).square().mean()\n": MANUAL,
        },
    ),
    "reloaded": ("\ntrainer: {reload_dataloaders_every_n_epochs: 1}", {}),
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What becomes of runs that go on from the middle of an epoch, and from its end."""
    runs = Runs(SOURCES, tmp_path_factory.mktemp("refused"))
    for name, (spec, changes) in REFUSED.items():
        code = (SOURCES / "refused.py").read_text()
        for old, new in changes.items():
            assert code.count(old) == 1
            code = code.replace(old, new)
        (runs / f"{name}.py").write_text(code)
        said = runs.build(
            name, f"strategy: ddp{spec}", "-o", str(runs / f"train_{name}.py"), source=f"{name}.py"
        )
        assert "error" not in said
        for path in ("", "kept/step=6.ckpt", "kept/step=4.ckpt"):
            job = {"program": str(runs / f"train_{name}.py"), "path": [str(runs.folder)], "weights": None}
            job |= {"cwd": str(runs / name), "log": str(runs / f"{name}-{path[-6:-5]}.log")}
            runs.jobs.append({**job, "arguments": [path] if path else []})
    run(runs.folder, runs.jobs, 1)
    return runs


@pytest.mark.processes
@pytest.mark.parametrize("name", REFUSED)
def test_no_run_goes_on_within_an_epoch_where_its_rest_is_not_known(name: str, refused: Runs) -> None:
    """Of what a ModelCheckpoint has saved there; the end of an epoch will do."""
    logs = sorted(log.name for log in refused.folder.glob(f"{name}-*.log"))
    assert logs == [f"{name}-6.log"]
    told = (refused / logs[0]).read_text().splitlines()[-1]
    assert told == "SystemExit: this checkpoint was saved within an epoch: resume one of an epoch's end"
    assert (refused / name / "steps").read_text() == "8"
    (note,) = (refused / name).rglob("newest-checkpoint*")
    assert "step=" not in note.read_text()  # the epoch's end, which comes behind its last step, would be lost


@pytest.mark.processes
def test_a_run_that_fails_within_an_epoch_is_saved_there(tmp_path: Path) -> None:
    """By the rank that fails, alone; what it says is what has failed it."""
    runs = Runs(SOURCES, tmp_path)
    code = (SOURCES / "refused.py").read_text()
    code = code.replace("every_n_train_steps=2", "every_n_train_steps=2, save_on_exception=True")
    code = code.replace("        return self", "        assert batch_idx < 3\n        return self", 1)
    (runs / "failing.py").write_text(code)
    runs.build("failing", "strategy: ddp", "-o", str(runs / "train_failing.py"), source="failing.py")
    ended, said = ran(runs / "train_failing.py", folder=tmp_path)
    assert (ended, said.splitlines()[-1]) == (1, "AssertionError")
    saved = {each.name: torch.load(each) for each in (tmp_path / "kept").iterdir()}
    assert {name: bool(each["places"]) for name, each in saved.items()} == {
        "step=2.ckpt": True,
        "step=3.ckpt": False,
    }


@pytest.mark.parametrize("steps", ["2", 'int("2")'])
def test_with_join_saving_within_epochs_is_refused(steps: str, tmp_path: Path) -> None:
    code, spec = (SOURCES / "refused.py").read_text(), tmp_path / "spec.yaml"
    (tmp_path / "main.py").write_text(code.replace("every_n_train_steps=2", f"every_n_train_steps={steps}"))
    spec.write_text("strategy: ddp\nddp: {join: true}\n")
    result = CliRunner().invoke(main, ["build", str(tmp_path / "main.py"), "--strategy", str(spec)])
    assert result.exit_code == 1
    assert (
        f"{spec}:2:7: error[not-with-join]: `join` and `saving`: checkpoints are saved within"
        in result.output
    )
