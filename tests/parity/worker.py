"""One rank of a world that does many jobs, one after the other: `python -m parity.reference JOBS.json`.

Starting Python, torch and Lightning takes far longer than to train one of the models here. A job that fails ends
the process, as its process group can't be trusted any more; whoever started it goes on with the job after it.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

JOB_SECONDS = 30.0  # a deadlock ends here: the rank dies, with a traceback of where it stood

Job = dict[str, Any]


def do_jobs(run: Callable[[Job], object], prepared: Callable[[Sequence[Job]], Iterable[Job]] = iter) -> None:
    """Run each of the jobs in its own folder and leave there what it returned, or its traceback."""
    rank = os.environ.get("RANK", "0")
    # a thread's worth of work for each process, so that sums are split up alike on both sides
    torch.set_num_threads(1)
    # CPython 3.11 takes a lock in a forked child that a thread of gloo's may have held: let those come to rest
    os.register_at_fork(before=lambda: time.sleep(0.01))
    for job in prepared(json.loads(Path(sys.argv[1]).read_text())):
        folder = Path(job["folder"])
        with _as_new_process(job, folder):
            try:
                torch.save(run(job), folder / f"result.{rank}.pt")
            except BaseException:
                (folder / f"failure.{rank}.txt").write_text(traceback.format_exc())
                # neither atexit handlers nor a process group may hold up the end
                os._exit(1)


@contextmanager
def _as_new_process(job: Job, folder: Path) -> Iterator[None]:
    """Undo what a job leaves behind in this process, and end the process if the job takes too long."""
    environment, arguments, modules = dict(os.environ), sys.argv, set(sys.modules)
    os.environ["DDPGEN_HOOK_LOG"] = str(folder / "hooks")
    os.environ["MASTER_PORT"] = str(job["port"])
    os.chdir(folder)
    rank = os.environ.get("RANK", "0")
    with open(f"timeout.{rank}.txt", "w") as file:
        faulthandler.dump_traceback_later(JOB_SECONDS, exit=True, file=file)
        yield
        faulthandler.cancel_dump_traceback_later()
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = arguments
    for name in set(sys.modules) - modules:
        if name.startswith("parity_model"):
            del sys.modules[name]
    torch.use_deterministic_algorithms(False)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    # ends the workers that persist until their loader is collected
    gc.collect()
    gc.freeze()  # the next time need not go through torch and Lightning again
