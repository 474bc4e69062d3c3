"""What a run notes beside its checkpoints."""

import os
from pathlib import Path


def note(line: str) -> None:
    if int(os.environ.get("RANK", "0")) == 0:
        with Path("notes.txt").open("a") as file:
            file.write(f"{line}\n")
