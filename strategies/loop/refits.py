"""Trainers train once, or go on from the epoch that they have reached."""

from typing import Any

HAVE_TRAINED: list[Any] = []


def require_first_fit(trainer: Any) -> None:
    """End the run where a trainer is to train again: Lightning's goes on, and this script starts anew."""
    if any(each is trainer for each in HAVE_TRAINED):
        raise SystemExit("this trainer has trained already: make one for each fit")
    HAVE_TRAINED.append(trainer)


def require_epochs_left(trainer: Any) -> None:
    """End the run where a trainer is to train on for no epoch more: Lightning's would do nothing."""
    if trainer.current_epoch >= trainer.config.max_epochs:
        raise SystemExit(
            f"this trainer has trained for all of its {trainer.config.max_epochs} epochs: "
            "let it have more, or make one for each fit"
        )
