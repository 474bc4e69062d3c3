"""A run's folder: whose it is, and what becomes of what another run has left there."""

import os
from functools import cache
from pathlib import Path

import torch

from ..distributed.ranks import Ranks
from .randomness import gather_from_ranks
from .remote import saves_remotely
from .sharded_checkpoint import file_in, keeps_folders

TRAINED_IN: list[Path] = []


def own_name() -> str:
    """A name for this run; torchrun's restarts of it have the same."""
    attempt = Path(os.environ.get("TORCHELASTIC_ERROR_FILE", ""))  # NAME/attempt_0/0/..
    return attempt.parts[-4] if attempt.name else os.urandom(8).hex()


def claim_folder(out: Path, ranks: Ranks, files: list[str], keep: bool = False) -> str:
    """The run that trains in `out`; what another left is set aside. Every rank calls this."""
    if not saves_remotely() and ":/" in str(out):
        raise SystemExit(f"{out} is no folder: build with a URL as checkpoint.dir")
    own = own_name()
    problem, names, aside = "", out / "run-id", out / "earlier" / f"before-{own}"
    try:
        if ranks.rank == 0:
            out.mkdir(parents=True, exist_ok=True)
            is_own = names.exists() and own in names.read_text()
            left = (path for name in [*files, names.name] for path in out.glob(name))
            for path in () if keep or is_own else left:
                move_aside(path, aside)
            with names.open("a") as file:  # a line for each start
                file.write(f"{own}\n")
            own = names.read_text().split()[0]
    except OSError as error:
        problem = f"cannot train in {out}: {error}"
    own, problem = gather_from_ranks((own, problem), ranks)[0]
    if problem:
        raise SystemExit(problem)
    return str(own)


def move_aside(path: Path, folder: Path) -> None:
    """Move a file, or a folder, into a folder that is made for it."""
    if saves_remotely():
        folder.mkdir(parents=True, exist_ok=True)
        path.rename(folder / path.name)
    else:
        os.renames(path, folder / path.name)


def is_saved_again(path: str, run: str, step: int) -> bool:
    """Whether an earlier start of the run has saved this, at this step or later."""
    if keeps_folders():
        path = str(file_in(Path(path)))
    try:
        saved = torch.load(path, "cpu", weights_only=True, mmap=True)
        return bool(saved["run"] == run and saved["global_step"] >= step)
    except Exception:  # noqa: BLE001  # another program's file, or a damaged one
        return False


@cache
def is_started_again(out: Path) -> bool:
    """Whether torchrun has started a run again that trains in `out`, as this process first asks."""
    owner = out / "run-id"
    return owner.exists() and own_name() in owner.read_text().split()


def keeps_folder(out: Path, given: str | Path | None) -> bool:
    """Whether this process has trained in the folder, or goes on from a checkpoint in it."""
    again = out in TRAINED_IN
    TRAINED_IN.append(out)
    if again or given is None or given in ("last", "best"):
        return again or given is not None
    folders = Path(given).absolute().parents
    return out.absolute() in folders and (out / "earlier").absolute() not in folders


def of_fit(file: Path) -> Path:
    """The file of this training: the first in the folder has its name, and each has one of its own."""
    number = TRAINED_IN.count(file.parent)
    own = f"{file.stem}-of-fit-{number}{file.suffix}"
    return file.with_name(own) if number > 1 else file
