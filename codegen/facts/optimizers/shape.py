"""What `configure_optimizers` returns its optimizers in."""

from __future__ import annotations

from enum import Enum


class Shape(str, Enum):
    """What stands round an optimizer, or several."""

    NOTHING = "nothing"  # it returns none
    OPTIMIZER = "optimizer"  # as it is
    DICT = "dict"
    TUPLE = "tuple"
    LIST = "list"
    LISTS = "lists"  # one of optimizers, one of schedulers
    UNKNOWN = "unknown"  # until the script runs
