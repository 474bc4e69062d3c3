"""A run claims its folder before it trains."""

from __future__ import annotations

from pathlib import Path

import pytest
from ddpgen.strategies.checkpoints.claiming import claim_folder, keeps_folder
from ddpgen.strategies.distributed.ranks import Ranks

ALONE = Ranks(0, 0, 1)


def test_other_peoples_files_stay(tmp_path: Path) -> None:
    for name in ("last.ckpt", "best.ckpt", "train.py"):
        (tmp_path / name).write_text(name)
    claim_folder(tmp_path, ALONE, ["last.ckpt"])
    assert {path.name for path in tmp_path.iterdir()} == {"run-id", "earlier", "best.ckpt", "train.py"}
    (aside,) = (tmp_path / "earlier").iterdir()
    assert [path.read_text() for path in aside.iterdir()] == ["last.ckpt"]


def test_a_run_that_goes_on_keeps_what_is_there(tmp_path: Path) -> None:
    first = claim_folder(tmp_path, ALONE, ["last.ckpt"])
    (tmp_path / "last.ckpt").touch()
    assert claim_folder(tmp_path, ALONE, ["last.ckpt"], keep=True) == first
    assert (tmp_path / "last.ckpt").exists()
    assert claim_folder(tmp_path, ALONE, ["last.ckpt"]) != first
    assert not (tmp_path / "last.ckpt").exists()


def test_a_folder_that_cannot_be_written_to_is_found_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=r"cannot train in .*file/out: .*Not a directory"):
        claim_folder(tmp_path / "file" / "out", ALONE, ["last.ckpt"])


@pytest.mark.parametrize(
    ("given", "keeps"),
    [
        (None, False),
        ("last", True),
        ("out/last.ckpt", True),
        ("out/earlier/before-1/last.ckpt", False),
        ("elsewhere/last.ckpt", False),
    ],
)
def test_which_checkpoints_are_of_the_folders_run(
    given: str | None, keeps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ddpgen.strategies.checkpoints.claiming.TRAINED_IN", [])
    assert keeps_folder(Path("out"), given) == keeps
    assert keeps_folder(Path("out"), None), "the same process trains again"
