"""What fits, as a table, as sentences and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from ..spec.load import LoadedSpec
from .candidates import UNCOUNTED, written
from .estimate import Estimate

LEFT_FREE = 0.1
"""Of a device's memory: for the backend, and for what lies between tensors."""

UNITS = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3))


@dataclass(frozen=True)
class Need:
    """What there is."""

    devices: int
    memory: int  # bytes of each


def fits(estimate: Estimate, need: Need) -> bool | None:
    """Whether a rank has room for it; None: that is not known."""
    free = need.memory * (1 - LEFT_FREE)
    kept = [estimate.parameters, estimate.gradients, estimate.states]
    if estimate.peak is not None:
        return estimate.peak <= free
    return False if sum(each or 0 for each in kept) > free else None


def first_that_fits(found: Sequence[Estimate], need: Need) -> Estimate | None:
    """The first for all devices."""
    on_all = [each for each in found if need.devices == 1 or each.candidate.name != "single"]
    return next((each for each in on_all if fits(each, need)), None)


def table(found: Sequence[Estimate], need: Need) -> Table:
    """For people."""
    shown = Table(title_justify="left", caption_justify="left")
    shown.add_column("strategy", overflow="fold")
    titles = ("parameters", "gradients", "states", "rest of a step", "in all", "sent a step")
    for title in titles:
        shown.add_column(title, justify="right")
    shown.add_column("fits")
    words = {True: ("yes", "green"), False: ("no", "red"), None: ("?", "dim")}
    for each in found:
        sizes = (each.parameters, each.gradients, each.states, rest(each), each.peak, each.sent)
        word, style = words[fits(each, need)]
        shown.add_row(each.candidate.name, *map(_size, sizes), Text(word, style=style))
    return shown


def rest(estimate: Estimate) -> int | None:
    """What else is in memory when the most is: activations, buffers, a batch, what is gathered or sent."""
    if estimate.peak is None or estimate.states is None:
        return None
    return estimate.peak - (estimate.parameters or 0) - (estimate.gradients or 0) - estimate.states


def _size(size: int | None) -> str:
    if size is None:
        return "?"
    name, unit = next(((name, unit) for name, unit in UNITS if size >= unit), ("B", 1))
    return f"{size / unit:.{0 if unit == 1 or size >= 100 * unit else 1}f} {name}"


def sentences(found: Sequence[Estimate], loaded: LoadedSpec) -> Iterator[str]:
    """What could not be counted, and what was left out."""
    problems = dict[str, list[str]]()
    for each in found:
        if each.problem:
            problems.setdefault(each.problem, []).append(each.candidate.name)
    yield from (f"{', '.join(names)}: {problem}" for problem, names in problems.items())
    if left_out := [key for key in UNCOUNTED if loaded.is_given(key)]:
        yield f"Counted without {' and '.join(f'`{key}`' for key in left_out)}."


def as_data(found: Sequence[Estimate], need: Need, loaded: LoadedSpec) -> dict[str, Any]:
    """For machines: sizes in bytes."""
    first = first_that_fits(found, need)
    return {
        "devices": need.devices,
        "memory": need.memory,
        "strategies": [
            {
                "name": each.candidate.name,
                "parameters": each.parameters,
                "gradients": each.gradients,
                "states": each.states,
                "buffers": each.buffers,
                "peak": each.peak,
                "sent": each.sent,
                "fits": fits(each, need),
                "problem": each.problem or None,
                "spec": written(loaded, each.candidate),
            }
            for each in found
        ],
        "first": first.candidate.name if first else None,
    }
