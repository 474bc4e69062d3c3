"""Where the ranks of a job find one another: a store for each job, as torchrun's agent keeps one."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from torch.distributed import TCPStore

Job = dict[str, Any]

KEPT = 10  # each has about nine open files


def with_stores(jobs: Sequence[Job]) -> Iterator[Job]:
    """The jobs, each when its store is there: a rank that comes before it waits for a third of a second and more.

    The first rank keeps that of the next job, to which others may come first, and those of some jobs before, in which
    others may still be.
    """
    if "RANK" in os.environ:
        os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "True"
    if os.environ.get("RANK") != "0":
        yield from jobs
        return
    kept = deque(map(_store, jobs[:1]), maxlen=KEPT)
    for job, following in zip_longest(jobs, jobs[1:]):
        if following:
            kept.append(_store(following))
        yield job


def _store(job: Job) -> TCPStore:
    return TCPStore("127.0.0.1", job["port"], is_master=True, wait_for_workers=False)
