"""Runs projects under Lightning with their expressions watched, each in a child: `observing_runner.py FOLDER FOUND`.

Writes a line of JSON for each: its name, how many places were compared, what was seen that was not predicted, and what
the run raised.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import patch

import ddpgen
import lightning.pytorch as pl
import torch
from ddpgen.link.link import link
from ddpgen.strategies.command_line.named_modules import ModuleHere
from observed import compared, run_watched, surprises

QUIET = {"enable_model_summary": False}
ON_ONE_CPU = {"accelerator": "cpu", "devices": 1, "strategy": "auto"}


def observe(folder: Path) -> dict[str, object]:
    """Run the project in this process."""
    entry = next(folder.rglob("main.py"))
    project = link(entry, entry.parent, embeds_all=True)
    os.chdir(folder)
    sys.path[0:1] = [str(entry.parent), str(folder / "src"), str(folder)]
    original = pl.Trainer.__init__

    def init(self: Any, **arguments: Any) -> None:
        original(self, **{"logger": False, **arguments, **QUIET, **ON_ONE_CPU})

    silent = io.StringIO()
    linked = patch.object(ddpgen, "module_here", ModuleHere, create=True)  # as the script has it
    with patch.object(pl.Trainer, "__init__", init), linked, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
            seen, error = run_watched(project.source.text, str(entry))
    return {
        "name": folder.name,
        "compared": compared(project, seen),
        "surprises": list(surprises(project, seen)),
        "error": repr(error) if error else "",
    }


def main() -> None:
    torch.set_num_threads(1)
    for folder in sorted(Path(sys.argv[1]).iterdir()):
        if os.fork():
            os.wait()
            continue
        line = json.dumps(observe(folder))
        with Path(sys.argv[2]).open("a") as found:
            found.write(f"{line}\n")
        os._exit(0)


if __name__ == "__main__":
    main()
