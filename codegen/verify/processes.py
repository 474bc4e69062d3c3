"""Starts the processes of one side, as torchrun would, and waits for them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

OF_OTHER_RUNS = ("PL_", "SLURM_", "TORCHELASTIC_", "MASTER_", "JSM_", "OMPI_", "PMI_", "PMIX_", "MV2_")
PLACES = frozenset({"RANK", "LOCAL_RANK", "GROUP_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"})
GRACE_SECONDS = 20.0  # for processes to end when they are told to


def run_side(job: Mapping[str, Any], folder: Path, program: str = "ddpgen.watch") -> str:
    """Do the job in as many processes as it says; what went wrong, in words, empty if nothing did."""
    folder.mkdir()
    file, log = folder / "job.yaml", folder / "log.txt"
    # unlike JSON, YAML has keys that are numbers
    file.write_text(yaml.safe_dump(job), "utf-8")
    code = exit_code(_command(job["world"], program, file), folder, log)
    return _failure(folder, log) if code else ""


def exit_code(command: Sequence[str], folder: Path, log: Path) -> int:
    """How a program ends that is started in a folder, and writes what it says to `log`."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=environment(folder), stdout=output, stderr=output)
        try:
            return process.wait()
        except BaseException:
            _end(process)
            raise


def _command(world: int, program: str, file: Path) -> list[str]:
    launcher = ["torch.distributed.run", "--standalone", f"--nproc-per-node={world}", "-m"]
    return [sys.executable, "-m", *(launcher if world > 1 else []), program, str(file)]


def environment(folder: Path) -> dict[str, str]:
    """The user's own, without what belongs to other runs, for the CPU, and leaving nothing behind."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(OF_OTHER_RUNS) and name not in PLACES
    }
    return ours | {
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(folder),
        "WANDB_MODE": "offline",
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()  # which torchrun hands on to its ranks
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def _failure(folder: Path, log: Path) -> str:
    """The first rank's traceback; without any, the end of what was printed."""
    tracebacks = sorted(folder.glob("failure.*.txt"))
    if tracebacks:
        return tracebacks[0].read_text("utf-8").rstrip()
    return "\n".join(log.read_text("utf-8", "replace").splitlines()[-30:]) or "it ended without a word"
