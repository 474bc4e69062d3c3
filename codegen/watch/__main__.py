"""One rank of one side: `python -m ddpgen.watch JOB.yaml` runs the user's code, or the script, and watches it."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

import torch
import yaml

from .job import Job
from .lightning_side import run_under_lightning
from .mirrored import copy_before_writing
from .recorder import Recorder, Stop
from .records import Comparison, Keeper, Sink
from .script_side import run_script


def watch(job: Job) -> None:
    """Run the job's program until it ends or has taken enough steps; leave what was seen in the job's folder."""
    rank = int(os.environ.get("RANK", 0))
    folder = Path(job["folder"])
    is_script = job["side"] == "script"
    sink: Sink = Comparison(Path(job["reference"]), folder, rank) if is_script else Keeper(folder, rank)
    recorder = Recorder(job["steps"], sink)
    # a thread's worth of work for each process, so that sums are split up alike on both sides
    torch.set_num_threads(1)
    copy_before_writing(Path(job["mirror"]))
    os.chdir(job["cwd"])
    sys.argv = [job["program"], *job["arguments"]]
    sys.path[0:1] = job["path"]
    try:
        with recorder.watching():
            run_script(job, sink) if is_script else run_under_lightning(job, sink)
    except Stop:
        pass
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    sink.close()


def do(job: Job) -> None:
    """Do the job; leave a traceback where it fails."""
    try:
        watch(job)
    except BaseException:
        failure = Path(job["folder"], f"failure.{os.environ.get('RANK', 0)}.txt")
        failure.write_text(traceback.format_exc(), "utf-8")
        raise


if __name__ == "__main__":
    do(yaml.safe_load(Path(sys.argv[1]).read_text("utf-8")))
    # a program that was stopped has not taken down its process group, and gloo may abort when the interpreter ends
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
