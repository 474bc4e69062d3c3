"""A process that has torch, Lightning and what they load late: it forks one for each Python program it is told of.

To start Python with these takes longer than most of what tests run. A line of its input is a list of programs to start
side by side (see `worlds.Program`); it answers with their exit codes.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

MODULES = """
    torch lightning.pytorch lightning.pytorch.cli torchmetrics omegaconf hydra rich.progress sklearn.datasets
    fsspec.implementations.local torch.distributed.checkpoint torch.distributed.optim torch.utils.tensorboard
    lightning.pytorch.strategies.ddp torch.distributed.algorithms.ddp_comm_hooks.default_hooks torch.profiler
    torch.utils.serialization.config fsspec.implementations.chained s3fs rich.syntax
    """.split()

Program = dict[str, Any]


def started(program: Program) -> int:
    """The program's process."""
    if child := os.fork():
        return child
    status = 1
    try:
        _become(program)
        _run(*program["arguments"])
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _run(path: str, *arguments: str) -> None:
    if path == "-m":
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(path, run_name="__main__")


def _become(program: Program) -> None:
    """What the system would do, and Python when it starts."""
    os.environ.clear()
    os.environ.update(program["environment"])
    os.chdir(program["folder"])
    output = os.open(program["output"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(output, stream)
    is_module = program["arguments"][0] == "-m"
    sys.argv = program["arguments"][is_module:]
    paths = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[0:1] = [os.getcwd() if is_module else str(Path(sys.argv[0]).parent), *paths]


def ended(children: list[int], seconds: float) -> list[int]:
    """Their exit codes; they are killed when their time is over."""
    deadline = time.monotonic() + seconds
    codes: dict[int, int] = {}
    while len(codes) < len(children):
        child, status = os.waitpid(-1, os.WNOHANG)
        if child:
            codes[child] = os.waitstatus_to_exitcode(status)
        elif time.monotonic() > deadline:
            for each in children:
                if each not in codes:
                    os.kill(each, signal.SIGKILL)
        else:
            time.sleep(0.005)
    return [codes[child] for child in children]


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what modules print is no answer
    for module in MODULES:
        importlib.import_module(module)
    # CPython 3.11 takes a lock in a forked child that another thread may hold: let threads come to rest
    os.register_at_fork(before=lambda: time.sleep(0.01))
    gc.freeze()  # no child need go through all of this
    for line in sys.stdin:
        asked = json.loads(line)
        codes = ended([started(each) for each in asked["programs"]], asked["seconds"])
        print(json.dumps(codes), file=answers, flush=True)


if __name__ == "__main__":
    main()
