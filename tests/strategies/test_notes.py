"""Which checkpoint a run goes on from that torchrun starts again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ddpgen.strategies.checkpoints.resuming import note_newest, noted

WHOLE: dict[str, Any] = {"rng_states": []}
WITHIN: dict[str, Any] = {"rng_states": [], "within_epoch": True}


@pytest.fixture
def by_torchrun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", "/tmp/torchelastic/first/attempt_0/0/error.json")


def saved(folder: Path, *checkpoints: tuple[str, dict[str, Any]]) -> Path:
    """The note of a run that saved these, one after the other."""
    note = folder / "notes" / "newest-checkpoint-0"
    for name, checkpoint in checkpoints:
        (folder / name).touch()
        note_newest(note, folder / name, checkpoint)
    return note


@pytest.mark.usefixtures("by_torchrun")
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
    assert noted(note)[-1:] == ([tmp_path / newest] if newest else [])


@pytest.mark.usefixtures("by_torchrun")
def test_one_that_was_removed_since(tmp_path: Path) -> None:
    note = saved(tmp_path, ("a", WHOLE), ("b", WHOLE))
    (tmp_path / "b").unlink()
    assert noted(note)[-1:] == [tmp_path / "a"]


@pytest.mark.usefixtures("by_torchrun")
def test_a_run_of_its_own_has_nothing_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = saved(tmp_path, ("a", WHOLE))
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", "/tmp/torchelastic/second/attempt_1/0/error.json")
    assert not noted(note)
    note_newest(note, tmp_path / "b", WHOLE)
    assert "a" not in [Path(each).name for each in note.read_text().split()]


def test_without_torchrun_none_is_started_again(tmp_path: Path) -> None:
    assert not noted(saved(tmp_path, ("a", WHOLE)))
