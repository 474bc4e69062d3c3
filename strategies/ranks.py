"""Who this process is among those that train together."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Ranks:
    """This process's place among those that train together."""

    rank: int  # among all nodes' processes; 0 alone writes files
    local_rank: int  # among this node's; picks the device
    world_size: int

    @property
    def is_main(self) -> bool:
        return self.rank == 0


def ranks_from_env() -> Ranks:
    """What torchrun says in the environment; without torchrun, a world of one."""
    env = os.environ
    rank, local_rank = int(env.get("RANK", 0)), int(env.get("LOCAL_RANK", 0))
    return Ranks(rank, local_rank, world_size=int(env.get("WORLD_SIZE", 1)))


def sole_rank() -> Ranks:
    """A world of one; several processes would overwrite each other's files."""
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise SystemExit("this script trains in one process: start it with python")
    return Ranks(rank=0, local_rank=0, world_size=1)
