"""Which checkpoint is loaded: one that was asked for, or the newest of a run that is started again."""

from pathlib import Path
from typing import Any

from ..callbacks.callbacks import Checkpoint
from ..callbacks.model_checkpoint import ModelCheckpoint
from ..loggers.files import atomic_write_text
from .claiming import own_name

NOTES: list[Path] = []


def checkpoint_asked_for(trainer: Any, given: str | Path | None) -> Path | None:
    """By its path, the best, or the newest of those that are kept as the last, if there is one."""
    callbacks = trainer.callbacks
    if given == "best":
        found = (each for each in callbacks if isinstance(each, Checkpoint))
        best: Any = next(found)
        if not best.best_model_path:
            raise ValueError("there is no best checkpoint: none was saved")
        return Path(best.best_model_path)
    if given == "last":
        kept = [each for each in callbacks if isinstance(each, ModelCheckpoint)]
        paths = [path for each in kept for path in each.last_checkpoints()]
        return max(paths, key=lambda path: path.stat().st_mtime, default=None)
    return Path(given) if given is not None else None


def path_asked_for(trainer: Any, given: Any) -> Any:
    """The same, as the object is told that reads it: what is given by its path stays as it is."""
    if given in ("best", "last"):
        found = checkpoint_asked_for(trainer, given)
        return None if found is None else str(found)
    return given


def note_of_fit(folder: Path) -> Path:
    """The file that says from which checkpoints this call of `fit` can go on."""
    NOTES.append(folder / f"newest-checkpoint-{len(NOTES)}")
    return NOTES[-1]


def noted(note: Path) -> list[Path]:
    """The checkpoints of this run that a note names, as far as they are still there."""
    run, *names = note.read_text().splitlines() if note.exists() else [""]
    return [path for path in map(Path, names) if run == own_name() and path.exists()]


def note_newest(note: Path, path: Path, checkpoint: dict[str, Any]) -> None:
    """Note a checkpoint from which the run can go on, at the start of an epoch; one from within an epoch no more."""
    paths = [each for each in noted(note) if each != path.absolute()]
    if "rng_states" in checkpoint and not checkpoint.get("within_epoch"):
        paths.append(path.absolute())
    note.parent.mkdir(parents=True, exist_ok=True)
    atomic_write_text(note, "\n".join([own_name(), *map(str, paths)]))
