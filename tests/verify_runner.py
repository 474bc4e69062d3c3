"""Does many jobs of `ddpgen verify` in one process, each in a child that has torch and Lightning: for the tests."""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from pathlib import Path

import lightning.pytorch
import torch
from ddpgen.watch.__main__ import do
from ddpgen.watch.job import Job

PRELOADED = (lightning.pytorch, torch)  # for all children


def in_child(job: Job, port: int) -> None:
    """Fork, and leave what goes wrong in the job's folder."""
    if child := os.fork():
        os.waitpid(child, 0)
        return
    os.environ["MASTER_PORT"] = str(port)
    try:
        do(job)
    except BaseException:
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    # CPython 3.11 takes a lock in a forked child that another thread may hold: let threads come to rest
    os.register_at_fork(before=lambda: time.sleep(0.01))
    gc.freeze()  # no child need go through all of torch and Lightning
    for each in json.loads(Path(sys.argv[1]).read_text()):
        in_child(each, each.pop("port"))
