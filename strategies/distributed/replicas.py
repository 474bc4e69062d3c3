"""Ranks in groups, of which each trains a model of its own: a world by itself."""

import os
from datetime import timedelta
from importlib import import_module
from typing import Any

import torch
import torch.distributed as dist

from .ranks import ranks_from_env


def enter_replica(size: int) -> int:
    """This rank's group of `size` successive ones, of which alone the environment tells from now on."""
    env, job = os.environ, ranks_from_env()
    if job.world_size == 1:
        return 0
    nearby = int(env.get("LOCAL_WORLD_SIZE", "1"))  # ranks on this node
    if job.world_size % size or (nearby % size and size % nearby):
        raise SystemExit(
            f"{job.world_size} ranks, {nearby} on each node, cannot be divided into "
            f"groups of {size}"
        )
    number = job.rank // size
    nodes = max(size // nearby, 1)  # of a group
    places = {
        "REPLICA": number,
        "REPLICAS": job.world_size // size,
        "RANK": job.rank % size,
        "WORLD_SIZE": size,
        "LOCAL_WORLD_SIZE": min(size, nearby),
        "GROUP_RANK": int(env.get("GROUP_RANK", "0")) % nodes,
    }
    env.update({name: str(place) for name, place in places.items()})
    return number


def agent_store(timeout: timedelta, group: str) -> Any:
    """What torchrun keeps for the ranks of a group, for as long as one of the job runs."""
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True":
        raise SystemExit("groups of ranks need torchrun: start the script with it")
    address, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    kinds: Any = dist
    whole = kinds.TCPStore(address, port, is_master=False, timeout=timeout)
    return kinds.PrefixStore(f"attempt-{attempt}/{group}", whole)


def join_replica(device: torch.device, backend: str, timeout: timedelta) -> None:
    """Meet the other ranks of the group. Every rank calls this."""
    import_module("torch.distributed.nn")  # later, its defaults would hold the group
    ranks, device_id = ranks_from_env(), device if device.type == "cuda" else None
    try:
        dist.init_process_group(
            backend,
            timeout=timeout,
            store=agent_store(timeout, f"replica-{os.environ['REPLICA']}"),
            rank=ranks.rank,
            world_size=ranks.world_size,
            device_id=device_id,
        )
    except (RuntimeError, ValueError) as error:  # such as an address in use
        raise SystemExit(f"cannot join the process group: {error}") from None


def wait_for_replicas() -> None:
    """Wait for the ranks of all groups, however long a download takes. Every rank calls this once."""
    if "REPLICAS" in os.environ:
        patience = timedelta(days=1)
        store = agent_store(patience, "all")
        ranks = int(os.environ["REPLICAS"]) * ranks_from_env().world_size
        if store.add("arrived", 1) == ranks:
            store.set("complete", "")
        store.wait(["complete"], patience)


def is_first_of_replicas() -> bool:
    """Whether it is the first rank of the first group."""
    return os.environ.get("REPLICA", "0") == "0" and ranks_from_env().rank == 0
