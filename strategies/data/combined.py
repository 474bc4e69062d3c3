"""Several loaders that are read together."""

from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import Any

from .data import listed
from .limits import limited_length


def may_have_streams() -> bool:
    """Whether one of several loaders may have no length."""
    return True


class CombinedLoader:
    """Reads several loaders together; batches come in the shape in which the loaders stand."""

    def __init__(self, iterables: Any, mode: str = "min_size") -> None:
        self.iterables = iterables
        self.mode = mode
        self.limits: list[int] | None = None  # batches of each loader

    @property
    def loaders(self) -> list[Any]:
        """Each loader, in the order in which they are read."""
        return listed(self.iterables)

    def prepare(self, change: Callable[[Any], Any]) -> None:
        """Put what `change` makes of each loader in its place."""
        self.iterables = replaced(self.iterables, map(change, self.loaders))

    def __len__(self) -> int:
        if may_have_streams():
            lengths: list[Any] = [
                limited_length(loader, None) for loader in self.loaders
            ]
        else:
            lengths = [len(loader) for loader in self.loaders]
        counts: Iterator[int] = map(min, lengths, self.limits or lengths)
        return min(counts) if self.mode == "min_size" else max(counts)

    def __iter__(self) -> Iterator[Any]:
        loaders = self.loaders
        iterators = [iter(loader) for loader in loaders]  # at once: each draws a seed
        rows: Iterable[Any]
        if self.mode == "max_size_cycle":
            rows = cycled(loaders, iterators)
        elif self.mode == "max_size":
            rows = zip_longest(*iterators)
        else:
            rows = zip(*iterators, strict=False)
        return (replaced(self.iterables, iter(row)) for row in rows)


def cycled(loaders: list[Any], iterators: list[Iterator[Any]]) -> Iterator[list[Any]]:
    """Rows of batches until each loader has come to its end; those that do early begin again."""
    ended = [False] * len(loaders)
    while True:
        row = []
        for place, loader in enumerate(loaders):
            try:
                row.append(next(iterators[place]))
            except StopIteration:
                ended[place] = True
                if all(ended):
                    return
                iterators[place] = iter(loader)
                row.append(next(iterators[place]))
        yield row


def combined(loaders: Any) -> CombinedLoader:
    """The loaders, to be read until the longest comes to its end, unless it is said how."""
    if not isinstance(loaders, CombinedLoader):
        return CombinedLoader(loaders, "max_size_cycle")
    if loaders.mode not in ("min_size", "max_size", "max_size_cycle"):
        raise ValueError(f"training has no mode {loaders.mode!r}")
    return loaders


def replaced(structure: Any, values: Iterator[Any]) -> Any:
    """The same structure, with the values in the places of what stands in it."""
    if isinstance(structure, dict):
        return {key: replaced(part, values) for key, part in structure.items()}
    if isinstance(structure, list | tuple):
        return type(structure)([replaced(part, values) for part in structure])
    return next(values)
