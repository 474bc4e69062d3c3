"""The round trip in a repository of git's: built, committed, edited, changed, built again, merged, cloned, checked."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import change, run

DIGITS = Path(__file__).parents[2] / "generated_examples" / "digits"

EDIT = ("optimizer.step()\n", "optimizer.step()  # mine\n")
BUILD = ("build", "model.py", "--strategy", "ddp.yaml")


def git(*arguments: str, fails: bool = False) -> str:
    """What git says, without the settings of this machine."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *who, *arguments], env=environment, capture_output=True, text=True)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout


def commit(message: str) -> None:
    git("add", "--all")
    git("commit", "--quiet", "-m", message)


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The digits example's script, built and committed."""
    repository = tmp_path / "repository"
    repository.mkdir()
    monkeypatch.chdir(repository)
    for name in ("model.py", "ddp.yaml"):
        shutil.copy(DIGITS / name, repository)
    git("init", "--quiet")
    assert run(*BUILD).exit_code == 0
    commit("Built")
    return Path("train_ddp.py")


def test_the_round_trip(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("check").exit_code == 0
    change(script, *EDIT)
    commit("Edited")
    assert run("check").exit_code == 0

    change(Path("model.py"), "max_epochs=3", "max_epochs=4")
    stale = run("check")
    assert stale.exit_code == 1
    assert "model.py has changed" in stale.stderr
    assert git("status", "--short") == " M model.py\n", "checking writes nothing"

    assert run(*BUILD).exit_code == 0
    assert run("check").exit_code == 0
    counts = [line.split("\t") for line in git("diff", "--numstat").splitlines()]
    assert counts == [
        ["3", "3", ".ddpgen/train_ddp.py.txt"],  # the line, the source's digest, the text's
        ["1", "1", "model.py"],
        ["1", "1", "train_ddp.py"],
    ]
    commit("Built again")
    assert EDIT[1] in script.read_text()
    assert [line for line in run("diff", script).stdout.splitlines()[2:] if line[0] in "+-"] == [
        "-                optimizer.step()",
        "+                optimizer.step()  # mine",
    ]

    clone = tmp_path / "clone"
    git("clone", "--quiet", ".", str(clone))
    monkeypatch.chdir(tmp_path)
    assert run("check", "clone").exit_code == 0
    ast.parse((clone / script).read_text())


def test_branches_that_both_built(script: Path) -> None:
    """What git cannot merge in the record, a build puts right."""
    git("checkout", "--quiet", "-b", "branch")
    change(Path("model.py"), "max_epochs=3", "max_epochs=4")
    change(script, *EDIT)
    run(*BUILD)
    commit("On the branch")
    git("checkout", "--quiet", "main")
    change(
        Path("model.py"), "F.cross_entropy(self(x), y)", "F.cross_entropy(self(x), y, label_smoothing=0.1)"
    )
    change(script, "loss.backward()\n", "loss.backward()  # main's\n")
    run(*BUILD)
    commit("On main")
    git("merge", "--quiet", "branch", fails=True)
    assert git("diff", "--name-only", "--diff-filter=U") == ".ddpgen/train_ddp.py.txt\n"

    damaged = run("check")
    assert damaged.exit_code == 1
    assert "error[record-damaged]" in damaged.stderr
    built = run(*BUILD)
    assert built.exit_code == 0, built.stderr
    assert run("check").exit_code == 0
    commit("Merged")
    text = script.read_text()
    for part in (EDIT[1], "loss.backward()  # main's\n", "max_epochs: int = 4", "label_smoothing=0.1"):
        assert part in text
    assert len(run("diff", script).stdout.splitlines()[2:]) < 20, "the two edits, and nothing else"


def test_a_conflict_is_settled_and_committed(script: Path) -> None:
    change(script, "max_epochs: int = 3", "max_epochs: int = 30")
    commit("Edited")
    change(Path("model.py"), "max_epochs=3", "max_epochs=4")
    assert run(*BUILD).exit_code == 1
    assert git("status", "--short").splitlines() == [
        " M .ddpgen/train_ddp.py.txt",
        " M model.py",
        " M train_ddp.py",
        "?? .ddpgen/train_ddp.py.txt.earlier",
        "?? train_ddp.py.yours",
    ]
    assert run("check").exit_code == 1
    assert run(*BUILD, "--ours").exit_code == 0
    assert run("check").exit_code == 0
    assert "?? " not in git("status", "--short")
    assert "max_epochs: int = 30" in script.read_text()
