"""Who this process is among those that train together."""

import os
from typing import NamedTuple

from .launchers import launch_variables


class Ranks(NamedTuple):
    """This process's place among those that train together."""

    rank: int  # among all nodes' processes; 0 alone writes files
    local_rank: int  # among this node's; picks the device
    world_size: int


def ranks_from_env() -> Ranks:
    """What torchrun says in the environment; without torchrun, a world of one."""
    alone = {"RANK": 0, "LOCAL_RANK": 0, "WORLD_SIZE": 1}
    return Ranks(
        *(int(launch_variables().get(name, value)) for name, value in alone.items())
    )


def sole_rank() -> Ranks:
    """A world of one; several processes would overwrite each other's files."""
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise SystemExit("this script trains in one process: start it with python")
    return Ranks(rank=0, local_rank=0, world_size=1)
