"""Which checkpoint a run goes on from that torchrun starts again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ddpgen.strategies.checkpoints.resuming import note_newest, noted_checkpoint
from ddpgen.strategies.distributed.ranks import Ranks

WHOLE: dict[str, Any] = {"rng_states": []}
WITHIN: dict[str, Any] = {"rng_states": [], "within_epoch": True}
ALONE = Ranks(0, 0, 1)


@pytest.fixture
def restarted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")


def saved(folder: Path, *checkpoints: tuple[str, dict[str, Any]]) -> Path:
    """The note of a run that saved these, one after the other."""
    note = folder / "notes" / "newest-checkpoint-0"
    for name, checkpoint in checkpoints:
        (folder / name).touch()
        note_newest(note, folder / name, checkpoint)
    return note


@pytest.mark.usefixtures("restarted")
@pytest.mark.parametrize(
    ("checkpoints", "newest"),
    [
        ([], None),
        ([("a", WHOLE), ("b", WHOLE)], "b"),
        ([("a", WHOLE), ("b", WHOLE), ("a", WHOLE)], "a"),
        ([("a", WITHIN)], None),
        ([("a", WHOLE), ("b", WITHIN)], "a"),
        # the newest is written again within the next epoch
        ([("a", WHOLE), ("last", WHOLE), ("last", WITHIN)], "a"),
        ([("a", WHOLE), ("last", WHOLE), ("last", WITHIN), ("last", WHOLE)], "last"),
        ([("weights", {"state_dict": {}})], None),
    ],
)
def test_the_newest_from_which_the_run_can_go_on(
    tmp_path: Path, checkpoints: list[tuple[str, dict[str, Any]]], newest: str | None
) -> None:
    note = saved(tmp_path, *checkpoints)
    assert noted_checkpoint(note, ALONE) == (newest and tmp_path / newest)


@pytest.mark.usefixtures("restarted")
def test_one_that_was_removed_since(tmp_path: Path) -> None:
    note = saved(tmp_path, ("a", WHOLE), ("b", WHOLE))
    (tmp_path / "b").unlink()
    assert noted_checkpoint(note, ALONE) == tmp_path / "a"


def test_a_run_of_its_own_forgets_the_one_before(tmp_path: Path) -> None:
    note = saved(tmp_path, ("a", WHOLE))
    assert noted_checkpoint(note, ALONE) is None
    assert not note.exists()
