"""Checkpoints that loggers keep a copy of."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor


def unlogged_checkpoints(
    checkpoints: Any, logged: Mapping[str, float]
) -> list[tuple[float, str]]:
    """Time and path of each file that was written since it was `logged`, oldest first."""
    last, best = checkpoints.last_model_path, checkpoints.best_model_path
    files = {
        path
        for path in (last, best, *checkpoints.best_k_models)
        if Path(path).is_file()
    }
    found = sorted((Path(path).stat().st_mtime, path) for path in files)
    return [(time, path) for time, path in found if time > logged.get(path, 0)]


def checkpoint_score(checkpoints: Any, path: str) -> Any:
    """The value that the file was kept for."""
    scores = {checkpoints.last_model_path: checkpoints.current_score}
    scores |= {checkpoints.best_model_path: checkpoints.best_model_score}
    score = (scores | checkpoints.best_k_models)[path]
    return score.item() if isinstance(score, Tensor) else score


def checkpoint_metadata(checkpoints: Any, path: str, kind: str) -> dict[str, Any]:
    """What is noted beside a checkpoint's copy."""
    names = ("monitor", "mode", "save_last", "save_top_k", "save_weights_only")
    settings = {name: getattr(checkpoints, name) for name in names}
    settings["_every_n_train_steps"] = checkpoints.every_n_train_steps or 0
    score = checkpoint_score(checkpoints, path)
    return {"score": score, "original_filename": Path(path).name, kind: settings}
