"""Files that are no files to be read, and characters that would command the terminal that they are shown on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main
from ddpgen.code_frame import HARMLESS
from ddpgen.source.text_file import MOST_BYTES

MODEL = """\
import lightning as L
import torch

SEED = {seed}


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    async def fetched(self):
        return self.layer

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(8, 2), 4)


L.seed_everything(SEED, workers=True)
"""

WITHOUT_END: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a large file": lambda path: path.write_bytes(b"x" * (MOST_BYTES + 1)),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ddpgen(*arguments: str) -> str:
    started = time.monotonic()
    said = CliRunner().invoke(main, list(arguments)).output
    assert time.monotonic() - started < 5
    return said


@pytest.mark.parametrize("make", WITHOUT_END.values(), ids=WITHOUT_END)
def test_what_would_not_answer_or_never_end_is_refused(folder: Path, make: Callable[[Path], object]) -> None:
    make(folder / "model.py")
    make(folder / "spec.yaml")
    (folder / "net.py").write_text(MODEL.format(seed=1))
    reason = "It is no regular file" if (folder / "model.py").stat().st_size <= MOST_BYTES else "MiB"
    for command in ("build", "inspect"):
        said = ddpgen(command, "model.py")
        assert "error[unreadable]" in said
        assert reason in said
    said = ddpgen("build", "net.py", "--strategy", "spec.yaml")
    assert "error[spec-unreadable]" in said or "error[yaml-too-large]" in said
    (folder / ".ddpgen").mkdir()
    make(folder / ".ddpgen" / "train_ddp.py.txt")
    assert "wrote" in ddpgen("build", "net.py", "--strategy", "ddp")
    assert "up to date: 1 of 1" in ddpgen("check", ".")


def test_nothing_that_is_shown_commands_the_terminal(folder: Path) -> None:
    title, turned = "\x1b]0;pwned\x07", "\u202e"
    name = f"mo{title}del.py"
    code = MODEL.format(seed=1).replace("super()", f"super(){title}").replace("2, 1", f"2, 1  # {turned}")
    (folder / name).write_text(code)
    for command in ("build", "inspect"):
        said = ddpgen(command, name)
        assert "\u241b]0;pwned\u2407" in said
        assert not set(said) & set(map(chr, HARMLESS))
    (folder / name).write_text(MODEL.format(seed=1))
    said = (
        ddpgen("build", name, "-o", "train.py")
        + ddpgen("explain", "train.py")
        + ddpgen("explain", "train.py:9")
    )
    assert "\u241b]0;pwned" in said
    assert not set(said) & set(map(chr, HARMLESS))


@pytest.mark.parametrize("seed", ["7", '"7"'])
def test_a_seed_in_a_variable_and_coroutines(folder: Path, seed: str) -> None:
    (folder / "model.py").write_text(MODEL.format(seed=seed))
    said = ddpgen("build", "model.py", "-o", "train.py")
    script = (folder / "train.py").read_text()
    assert "    seed: int = 7\n" in script, said
    assert "    async def fetched(self):" in script


def test_a_seed_that_is_not_known(folder: Path) -> None:
    (folder / "model.py").write_text(MODEL.format(seed='int("7")'))
    assert "error[entry-statement-lost]" in ddpgen("build", "model.py")


@pytest.mark.parametrize("is_root", [True, False], ids=["root", "below one"])
@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ("[project]\nname = net\n", "Invalid value (at line 2, column 8)"),
        ('[tool.black]\nline-length = "wide"\n', "'wide'"),
        ("[tool.black]\ntarget-version = ['py27']\n", "PY27"),
    ],
)
def test_black_settings_that_cannot_be_read_stop_no_build(
    folder: Path, settings: str, reason: str, is_root: bool
) -> None:
    (folder / "plain").mkdir()
    (folder / "net" / "inner").mkdir(parents=True)
    for name in ("plain", "net/inner"):
        (folder / name / "model.py").write_text(MODEL.format(seed=1))
    (folder / "net" / "pyproject.toml").write_text(settings)
    if is_root:
        (folder / "net" / ".git").mkdir()
    said = ddpgen("build", "net/inner/model.py", "--strategy", "ddp")
    assert "net/pyproject.toml:1:1: warning[unreadable-black-settings]" in said
    assert reason in said
    assert "warning" not in ddpgen("build", "plain/model.py", "--strategy", "ddp")
    scripts = (folder / name / "train_ddp.py" for name in ("plain", "net/inner"))
    assert len({script.read_text().replace("net/inner", "plain") for script in scripts}) == 1
    assert "up to date: 2 of 2" in ddpgen("check", ".")
    assert "up to date: 2 of 2" in ddpgen("check", ".", "--rebuild")
