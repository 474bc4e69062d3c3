"""Runs many programs, each in a child of one process that has torch and Lightning: `project_runner.py JOBS.json`.

A job is a program (a file, or a module of a folder), its arguments, and where to leave the weights that Lightning
trained; the script's own weights stand in its checkpoint.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import sys
import time
import traceback
from collections.abc import Sequence
from functools import wraps
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
import torch._dynamo  # the first optimizer would import it, in each child anew
import torch.distributed.fsdp  # and this, the first sharded model
import torch.distributed.optim  # and this, the first sharded one
from stores import with_stores

Job = dict[str, Any]


def run(job: Job) -> None:
    """Run the job's program in this process."""
    torch.set_num_threads(1)
    os.environ["MASTER_PORT"] = str(job["port"])
    Path(job["cwd"]).mkdir(exist_ok=True)
    os.chdir(job["cwd"])
    sys.argv = [job["program"], *job["arguments"]]
    sys.path[0:1] = job["path"]
    os.environ |= job.get("environment", {})
    if job["weights"]:
        _train_under_lightning(job)
    elif job.get("is_lightnings"):
        runpy.run_path(job["program"], run_name="__main__")
    else:
        # a script that imports Lightning, or has a module import it, fails
        packages = ("lightning", "pytorch_lightning")
        for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
            sys.modules[name] = None  # type: ignore[assignment]  # which makes its import fail
        runpy.run_path(job["program"], run_name="__main__")


def _train_under_lightning(job: Job) -> None:
    import lightning.pytorch as pl
    from lightning.pytorch.callbacks import ModelCheckpoint

    original = pl.Trainer.__init__
    made = []

    @wraps(original)  # which parsers read
    def init(self: Any, **arguments: Any) -> None:
        quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
        asked = str(arguments.get("strategy", ""))
        of_two = asked if asked.startswith("ddp_find_unused") else "ddp"
        devices = {
            "accelerator": "cpu",
            "devices": job["world"],
            "strategy": of_two if job["world"] > 1 else "auto",
        }
        given = arguments.get("callbacks") or []
        saves = any(
            isinstance(each, ModelCheckpoint) for each in (given if isinstance(given, Sequence) else [given])
        )
        original(self, **{"enable_checkpointing": saves, **arguments, **quiet, **devices})
        made.append(self)

    with patch.object(pl.Trainer, "__init__", init):
        if "module" in job:
            runpy.run_module(job["module"], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(job["program"], run_name="__main__")
    if made[-1].global_rank == 0:
        torch.save(made[-1].lightning_module.state_dict(), job["weights"])


def run_in_child(job: Job) -> None:
    """Fork; what goes wrong is left in the job's log, also a signal, but where the job's environment asks for one."""
    if child := os.fork():
        _, status = os.waitpid(child, 0)
        if status and not job.get("environment"):
            with Path(job["log"]).open("a") as log:
                log.write(f"rank {os.environ.get('RANK', 0)}: ended by signal {os.WTERMSIG(status)}\n")
        return
    if "prints" in job:
        sys.stdout = Path(job["prints"]).open("a")  # noqa: SIM115 - until the child ends
    try:
        run(job)
    except BaseException:
        with Path(job["log"]).open("a") as log:
            log.write(traceback.format_exc())
    finally:
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    # CPython 3.11 takes a lock in a forked child that another thread may hold: let threads come to rest
    os.register_at_fork(before=lambda: time.sleep(0.01))
    jobs = json.loads(Path(sys.argv[1]).read_text())
    if any(job["weights"] or job.get("is_lightnings") for job in jobs):
        import lightning.pytorch  # noqa: F401 - once for all of them
    gc.freeze()  # no child need go through all of torch and Lightning
    for each in with_stores(jobs):
        run_in_child(each)
