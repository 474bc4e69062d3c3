"""Run generated scripts as `python SCRIPT.py ARGUMENTS`, each as a main program, in one process one after another."""

from __future__ import annotations

import runpy
import sys

from stores import with_stores

from .worker import Job, do_jobs


def run_script(job: Job) -> None:
    """Run it to its end; a process group that it made is its own to take down."""
    sys.argv = [job["script"], *job["arguments"]]
    try:
        runpy.run_path(job["script"], run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise
    foreign = {"lightning", "pytorch_lightning", "ddpgen"} & sys.modules.keys()
    assert not foreign, f"the script imports {foreign}"


if __name__ == "__main__":
    do_jobs(run_script, with_stores)
