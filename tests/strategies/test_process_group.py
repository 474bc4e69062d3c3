"""The way into the process group and to the device; what goes wrong there ends in a sentence, not in a traceback."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from ddpgen.strategies.distributed.process_group import (
    join_process_group,
    kind_of,
    local_device,
    wait_for_ranks,
)
from ddpgen.strategies.distributed.ranks import Ranks

CPU = torch.device("cpu")
MINUTE = timedelta(minutes=1)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def torchrun_says(monkeypatch: pytest.MonkeyPatch, port: object, world_size: int = 1) -> None:
    place = {"RANK": 0, "WORLD_SIZE": world_size, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    for name, value in place.items():
        monkeypatch.setenv(name, str(value))


@pytest.fixture(autouse=True)
def _leave() -> Iterator[None]:
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


def sentence(backend: str = "gloo", timeout: timedelta = MINUTE) -> str:
    """What `join_process_group` ends with."""
    with pytest.raises(SystemExit) as stop:
        join_process_group(CPU, backend, timeout)
    shown = None if stop.value.__suppress_context__ else stop.value.__context__
    assert shown is None  # no "during handling of the above exception"
    assert not dist.is_initialized()
    return str(stop.value)


# ---- joining ---------------------------------------------------------------------------------------------


def test_a_world_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    torchrun_says(monkeypatch, free_port())
    join_process_group(CPU, "gloo", MINUTE)
    assert (dist.get_rank(), dist.get_world_size(), dist.get_backend()) == (0, 1, "gloo")
    wait_for_ranks()
    assert dist.is_initialized()


def test_without_a_process_group_there_is_no_one_to_wait_for() -> None:
    wait_for_ranks()


@pytest.mark.parametrize("device", [CPU, torch.device("cuda", 1)], ids=str)
def test_the_group_is_told_of_a_gpu(monkeypatch: pytest.MonkeyPatch, device: torch.device) -> None:
    """Semantics 15.1: `device_id` for what is no CPU."""
    asked: list[Any] = []
    torchrun_says(monkeypatch, free_port())
    monkeypatch.setattr(
        dist, "init_process_group", lambda *arguments, **options: asked.append((arguments, options))
    )
    join_process_group(device, "gloo", timedelta(minutes=7))
    expected = {"timeout": timedelta(minutes=7), "device_id": None if device is CPU else device}
    ((arguments, options),) = asked
    assert arguments == ("gloo",)
    assert options.items() >= expected.items()


# ---- what goes wrong -------------------------------------------------------------------------------------


def test_an_address_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """For real: a second run on the machine, with torchrun's default port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        torchrun_says(monkeypatch, listener.getsockname()[1])
        said = sentence()
    assert said.startswith("cannot join the process group: ")
    assert "EADDRINUSE" in said


def test_ranks_that_do_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    torchrun_says(monkeypatch, free_port(), world_size=2)
    assert "1/2 clients joined" in sentence(timeout=timedelta(seconds=1))


@pytest.mark.parametrize("missing", ["RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"])
def test_an_environment_without_torchrun(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    torchrun_says(monkeypatch, free_port())
    monkeypatch.delenv(missing)
    said = sentence()
    assert said.startswith("cannot join the process group: ")
    assert missing in said


def test_a_port_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    torchrun_says(monkeypatch, "http")
    assert "'http'" in sentence()


def test_a_network_interface_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    torchrun_says(monkeypatch, free_port())
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "nowhere0")
    assert "nowhere0" in sentence()


@pytest.mark.skipif(dist.is_nccl_available(), reason="this torch has NCCL")
def test_a_backend_that_this_torch_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    torchrun_says(monkeypatch, free_port())
    assert sentence("nccl") == "cannot join the process group: Distributed package doesn't have NCCL built in"


def test_another_group_is_an_error_of_the_script_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    torchrun_says(monkeypatch, free_port())
    join_process_group(CPU, "gloo", MINUTE)
    with pytest.raises(SystemExit, match="twice"):
        join_process_group(CPU, "gloo", MINUTE)


# ---- devices ---------------------------------------------------------------------------------------------


def has(monkeypatch: pytest.MonkeyPatch, kind: str | None, count: int) -> list[int]:
    """A machine that says it has so many devices of a kind; those that were made the current one."""
    current: list[int] = []
    found = torch.device(kind) if kind else None
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda check_available: found)
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: count)
    monkeypatch.setattr(torch.accelerator, "set_device_index", current.append)
    return current


def test_without_a_gpu_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    has(monkeypatch, None, 0)
    assert local_device(Ranks(rank=5, local_rank=3, world_size=8)) == CPU


@pytest.mark.parametrize("kind", ["cuda", "xpu"])
@pytest.mark.parametrize("local_rank", [0, 1])
def test_the_local_rank_picks_the_gpu(monkeypatch: pytest.MonkeyPatch, kind: str, local_rank: int) -> None:
    current = has(monkeypatch, kind, 2)
    ranks = Ranks(rank=4 + local_rank, local_rank=local_rank, world_size=8)
    assert local_device(ranks) == local_device(ranks, kind) == torch.device(kind, local_rank)
    assert current == [local_rank] * 2


def test_a_gpu_that_is_not_there_ends_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    current = has(monkeypatch, "cuda", 2)
    with pytest.raises(SystemExit, match="no GPU for local rank 2 on this node"):
        local_device(Ranks(rank=2, local_rank=2, world_size=3))
    assert current == []


@pytest.mark.parametrize(("world_size", "kind"), [(1, "mps"), (2, "cpu")])
def test_mps_trains_in_one_process(monkeypatch: pytest.MonkeyPatch, world_size: int, kind: str) -> None:
    has(monkeypatch, "mps", 1)
    assert local_device(Ranks(rank=0, local_rank=0, world_size=world_size)).type == kind


def test_the_cpu_on_a_machine_with_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    current = has(monkeypatch, "cuda", 2)
    assert local_device(Ranks(rank=0, local_rank=0, world_size=1), "cpu") == CPU
    assert current == []


@pytest.mark.parametrize("found", [None, "cuda"])
def test_a_kind_that_is_not_there_ends_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, found: str | None
) -> None:
    has(monkeypatch, found, 1)
    with pytest.raises(SystemExit, match="this machine has no xpu device"):
        local_device(Ranks(rank=0, local_rank=0, world_size=1), "xpu")


def test_lightnings_names_of_accelerators() -> None:
    assert [kind_of(name) for name in ("auto", "gpu", None)] == [None] * 3
    assert [kind_of(name) for name in ("cpu", "cuda", "mps")] == ["cpu", "cuda", "mps"]
    with pytest.raises(SystemExit, match="does not train on tpu"):
        kind_of("tpu")


# ---- two ranks -------------------------------------------------------------------------------------------

TIMEOUT = 8.0  # a busy machine may hold up one rank for seconds
DELAY = 10.0


def each_rank_wait(ranks: Ranks) -> float:
    """Join with little patience, and wait while rank 0 takes its time; how long that was."""
    import_module("torch.distributed.nn")  # seconds, which the other rank would wait for
    dist.barrier()
    dist.destroy_process_group()
    port = Path("port")
    if ranks.rank == 0:
        Path("chosen").write_text(str(free_port()))
        Path("chosen").rename(port)
    while not port.exists():
        time.sleep(0.01)
    os.environ |= {
        "RANK": str(ranks.rank),
        "WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": port.read_text(),
    }
    join_process_group(CPU, "gloo", timedelta(seconds=TIMEOUT))
    started = time.monotonic()
    if ranks.rank == 0:
        time.sleep(DELAY)
    wait_for_ranks()
    value = torch.ones(())
    dist.all_reduce(value)
    assert value == 2
    return time.monotonic() - started


@pytest.mark.processes
def test_a_long_download_is_waited_for_longer_than_the_groups_timeout(two_ranks: Any) -> None:
    """Semantics 2.1: `prepare_data` stands inside a barrier with effectively no timeout."""
    assert all(DELAY - 0.5 < seconds < 60 for seconds in two_ranks(each_rank_wait))
