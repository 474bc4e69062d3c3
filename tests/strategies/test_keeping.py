"""More than one checkpoint: however a save ends, and whichever file is damaged, a run finds one that is whole."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from ddpgen.strategies.checkpoints import keeping
from ddpgen.strategies.checkpoints.checkpoint import read_checkpoint
from ddpgen.strategies.checkpoints.keeping import (
    kept_paths,
    newest_intact,
    put_first,
    write_kept,
    write_kept_shares,
)
from ddpgen.strategies.checkpoints.sharded_checkpoint import TensorReader, remove_checkpoint
from ddpgen.strategies.distributed.ranks import Ranks

ALONE = Ranks(0, 0, 1)


def checkpoint(epoch: int) -> dict[str, Any]:
    return {"epoch": epoch, "rng_states": [], "state_dict": {"weight": torch.full((4000,), float(epoch))}}


@pytest.fixture
def last(tmp_path: Path) -> Path:
    """The newest of three, of epochs 2, 1 and 0."""
    path = tmp_path / "last.ckpt"
    for epoch in range(3):
        write_kept(path, checkpoint(epoch), 3)
    return path


def epochs(last: Path, number: int = 3) -> list[int]:
    return [read_checkpoint(path)["epoch"] for path in kept_paths(last, number) if path.exists()]


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_the_newest_are_kept(last: Path) -> None:
    assert epochs(last) == [2, 1, 0]
    write_kept(last, checkpoint(3), 3)
    assert epochs(last) == [3, 2, 1]
    assert {path.name for path in last.parent.iterdir()} == {"last.ckpt", "last-1.ckpt", "last-2.ckpt"}


def test_one_that_is_missing_is_filled_before_another_goes(last: Path) -> None:
    last.with_name("last-1.ckpt").unlink()
    write_kept(last, checkpoint(3), 3)
    assert epochs(last) == [3, 2, 0]


class Stopped(BaseException):
    """As by a kill."""


def stops() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in ("rename", "replace", "unlink"):
        yield name, getattr(Path, name)


@pytest.mark.parametrize("after", range(5))
def test_a_save_that_is_stopped_anywhere_leaves_those_before_it(
    last: Path, after: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before each of the operations on files: the new file's name, the oldest's removal, and three renames."""
    done = []

    def counting(operation: Callable[..., Any]) -> Callable[..., Any]:
        def stopping(*arguments: Any, **options: Any) -> Any:
            if len(done) == after:
                raise Stopped
            done.append(operation)
            return operation(*arguments, **options)

        return stopping

    with monkeypatch.context() as patched:
        for name, operation in stops():
            patched.setattr(Path, name, counting(operation))
        with pytest.raises(Stopped):
            write_kept(last, checkpoint(3), 3)
    found = newest_intact(last, 3, ALONE)
    assert read_checkpoint(found)["epoch"] == 2
    said = capsys.readouterr().out
    assert said == ("" if found == last else f"{last} is missing; going on from {found}\n")
    write_kept(last, checkpoint(3), 3)
    assert epochs(last)[:2] == [3, 2]


@pytest.mark.parametrize("kind", ["a bit", "half", "empty"])
def test_a_damaged_one_stands_aside(last: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    if kind == "a bit":
        damage(last)
    else:
        last.write_bytes(last.read_bytes()[: 900 if kind == "half" else 0])
    before = last.with_name("last-1.ckpt")
    assert newest_intact(last, 3, ALONE) == before
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{last} is damaged: ")
    assert line.endswith(f"; going on from {before}")
    write_kept(last, checkpoint(2), 3)
    assert epochs(last) == [2, 1, 0], "what was whole is still there"
    assert last.with_name("last.ckpt.damaged").exists()


def test_what_cannot_be_read_is_not_damaged(last: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a file system is away for a moment: a run that went on from an older one would lose what is there."""

    def stale(path: Path) -> None:
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))

    with monkeypatch.context() as patched:
        patched.setattr(keeping, "require_intact", stale)
        with pytest.raises(SystemExit, match=r"^cannot read .*last.ckpt: \[Errno \d+\] Stale file handle$"):
            newest_intact(last, 3, ALONE)
    assert newest_intact(last, 3, ALONE) == last


def test_where_all_are_damaged_nothing_is_moved(last: Path) -> None:
    for path in kept_paths(last, 3):
        damage(path)
    for _ in range(2):
        with pytest.raises(
            SystemExit, match=r"last.ckpt is damaged: .*; .*last-1.ckpt is .*; .*last-2.ckpt is"
        ):
            newest_intact(last, 3, ALONE)


def test_where_none_is_there_a_run_begins(tmp_path: Path) -> None:
    assert newest_intact(tmp_path / "last.ckpt", 2, ALONE) == tmp_path / "last.ckpt"


def test_folders_and_files_take_turns(last: Path) -> None:
    new = last.with_name("new")
    new.mkdir()
    put_first(new, last, 2)
    assert last.is_dir()
    write_kept(last, checkpoint(3), 2)
    write_kept(last, checkpoint(4), 2)
    assert epochs(last, 2) == [4, 3]


# ---- two ranks -------------------------------------------------------------------------------------------


def each_rank_writes_folders(ranks: Ranks) -> tuple[str, list[str], str]:
    """The tensor that is damaged is one that rank 1 alone reads."""
    keeping.keeps_folders = lambda: True
    last = Path("last.ckpt")
    for epoch in range(3):
        state = checkpoint(epoch)
        state["state_dict"] |= {"bias": torch.full((3000,), float(epoch))}
        write_kept_shares(last, state, 2)
    kept = sorted(path.name for path in Path().glob("last*"))
    if ranks.rank == 0:
        damage_tensor(last)
    dist.barrier()
    said = io.StringIO()
    with redirect_stdout(said):
        found = newest_intact(last, 2, ranks)
    dist.barrier()
    if ranks.rank == 0:
        remove_checkpoint(last.with_name("last.ckpt.damaged"))
    return found.name, kept, said.getvalue()


def damage_tensor(folder: Path) -> None:
    stored = [*TensorReader(folder).read_metadata().storage_data.values()]
    part = stored[1]
    file = folder / part.relative_path
    data = bytearray(file.read_bytes())
    data[part.offset + part.length // 2] ^= 1
    file.write_bytes(data)


def test_all_ranks_go_on_from_the_same(two_ranks: Callable[..., list[Any]]) -> None:
    outcomes = two_ranks(each_rank_writes_folders)
    for found, kept, _ in outcomes:
        assert (found, kept) == ("last-1.ckpt", ["last-1.ckpt", "last.ckpt"])
    (_, _, first), (_, _, second) = outcomes
    assert first.startswith("last.ckpt is damaged: ")
    assert first.endswith("going on from last-1.ckpt\n")
    assert second == ""
