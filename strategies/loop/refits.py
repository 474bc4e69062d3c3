"""Trainers that may be told to fit twice."""

from typing import Any

HAVE_TRAINED: list[Any] = []


def require_first_fit(trainer: Any) -> None:
    """End the run where a trainer is to train again: Lightning's goes on, and this script starts anew."""
    if any(each is trainer for each in HAVE_TRAINED):
        raise SystemExit("this trainer has trained already: make one for each fit")
    HAVE_TRAINED.append(trainer)
