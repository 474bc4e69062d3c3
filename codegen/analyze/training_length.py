"""How long training goes on: its epochs and its optimizer steps."""

from __future__ import annotations

from ..ir.plans import Lines
from .facts import Facts

ACCUMULATE = "config.accumulate_grad_batches"


def has_max_epochs(facts: Facts) -> bool:
    """Whether the number of epochs is limited."""
    epochs = facts.settings.max_epochs
    return epochs != -1 and not (epochs is None and facts.has_max_steps)


def has_open_end(facts: Facts) -> bool:
    """Whether the number of epochs is known only when the script runs."""
    open_steps = facts.settings.max_epochs is None and facts.is_expression("max_steps")
    return facts.is_expression("max_epochs") or open_steps


def _end_of_training(facts: Facts) -> str:
    """The limits of epochs and of steps, as arguments."""
    epochs = "config.max_epochs" if has_max_epochs(facts) else str(facts.settings.max_epochs)
    return f"{epochs}, config.max_steps" if facts.has_max_steps else epochs


def epochs(facts: Facts) -> str:
    """What the outer loop iterates."""
    if has_open_end(facts):
        return f"epochs_from(first_epoch, {_end_of_training(facts)})"
    if has_max_epochs(facts):
        return "range(first_epoch, config.max_epochs)"
    return "itertools.count(first_epoch)"


def stop_lines(facts: Facts, whole_epochs: str) -> Lines:
    """Leave a loop after so many whole epochs, if training is to stop."""
    return f"if {facts.stop_condition(whole_epochs)}:", "    break"


def stepping_batches(facts: Facts) -> str:
    """The number of optimizer steps that there will be."""
    if not facts.is_sized or facts.settings.max_epochs == -1:
        return _steps_without_end(facts)
    steps = f"math.ceil(num_batches / {ACCUMULATE})" if facts.sets_accumulation else "num_batches"
    if facts.is_expression("max_epochs") or facts.is_expression("max_steps"):
        return f"all_steps({steps}, {_end_of_training(facts)})"
    if not has_max_epochs(facts):
        return "config.max_steps"
    total = f"{steps} * config.max_epochs"
    return f"min({total}, config.max_steps)" if facts.has_max_steps else total


def _steps_without_end(facts: Facts) -> str:
    """The same, where epochs set no limit to it."""
    if facts.is_expression("max_steps"):
        return "all_steps(0, -1, config.max_steps)"
    return "config.max_steps" if facts.has_max_steps else 'float("inf")'
