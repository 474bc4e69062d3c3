"""How ranks are divided into groups that train by themselves."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from ddpgen.strategies.distributed.ranks import ranks_from_env
from ddpgen.strategies.distributed.replicas import agent_store, enter_replica, is_first_of_replicas

NAMES = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK")


def place(monkeypatch: pytest.MonkeyPatch, *places: int) -> None:
    monkeypatch.setattr(os, "environ", dict(zip(NAMES, map(str, places), strict=True)))


@pytest.mark.parametrize(
    ("given", "size", "number", "expected"),
    [
        ((5, 1, 8, 4, 1), 2, 2, (1, 1, 2, 2, 0)),  # two groups on each node
        ((6, 2, 8, 4, 1), 4, 1, (2, 2, 4, 4, 0)),  # one
        ((13, 1, 16, 4, 3), 8, 1, (5, 1, 8, 4, 1)),  # each on two nodes
        ((3, 3, 4, 4, 0), 1, 3, (0, 3, 1, 1, 0)),
    ],
)
def test_a_rank_finds_its_group(
    given: tuple[int, ...],
    size: int,
    number: int,
    expected: tuple[int, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place(monkeypatch, *given)
    assert enter_replica(size) == number
    assert tuple(int(os.environ[name]) for name in NAMES) == expected
    assert ranks_from_env().world_size == size
    assert not is_first_of_replicas()


@pytest.mark.parametrize(
    ("given", "size"), [((0, 0, 8, 4, 0), 3), ((0, 0, 12, 4, 0), 6), ((0, 0, 4, 4, 0), 8)]
)
def test_groups_that_do_not_fit_stop_the_script(
    given: tuple[int, ...], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(monkeypatch, *given)
    with pytest.raises(SystemExit, match=f"into groups of {size}"):
        enter_replica(size)


def test_one_process_is_the_first_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {})
    assert enter_replica(4) == 0
    assert is_first_of_replicas()


def test_other_launchers_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    place(monkeypatch, 0, 0, 4, 4, 0)
    with pytest.raises(SystemExit, match="need torchrun"):
        agent_store(timedelta(seconds=1), "all")
