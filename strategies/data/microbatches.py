"""Batches that go through the model in parts."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from torch import Tensor


def microbatches(
    parts: Iterable[tuple[Any, float]],
) -> Iterator[tuple[Any, float, bool]]:
    """Each part of a batch, its share in the batch's mean, and whether it is the last."""
    weighed = list(parts)
    total = sum(weight for _, weight in weighed)
    for place, (part, weight) in enumerate(weighed, start=1):
        yield part, weight / total, place == len(weighed)


def split_batch(batch: Any, size: int) -> Iterator[tuple[Any, int]]:
    """Parts of at most `size` samples, with their numbers of samples."""
    fields = batch if isinstance(batch, list | tuple) else [batch]
    lengths = {each for field in fields for each in lengths_in(field, lists=False)}
    if len(lengths) != 1:
        raise ValueError(f"tensors of {sorted(lengths)} rows: split batches yourself")
    for count in lengths:
        for start in range(0, count, size):
            place = slice(start, min(start + size, count))
            parts = [part_of(field, count, place) for field in fields]
            part = parts[0] if fields is not batch else collected(batch, parts)
            yield part, place.stop - start


def lengths_in(value: Any, lists: bool = True) -> Iterator[int]:
    """The number of rows of each tensor in it."""
    if isinstance(value, Tensor):
        yield from value.shape[:1]
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from lengths_in(each, lists)
    elif isinstance(value, list | tuple):
        for each in value if lists else ():
            yield from lengths_in(each)
    elif not isinstance(value, bool | int | float | str | bytes | None):
        raise TypeError(f"parts of a {type(value).__name__}: split batches yourself")


def part_of(value: Any, count: int, place: slice) -> Any:
    """What a part of a batch of `count` samples has of it."""
    if isinstance(value, Tensor):
        return value[place] if value.ndim else value
    if isinstance(value, Mapping):
        kind: Any = type(value)
        return kind({key: part_of(each, count, place) for key, each in value.items()})
    if not isinstance(value, list | tuple):
        return value  # one for all samples
    is_of_fields = set(lengths_in(value)) == {count}
    if is_of_fields == (len(value) == count):
        raise ValueError(f"a list of {len(value)} values: split batches yourself")
    if is_of_fields:
        return collected(value, [part_of(each, count, place) for each in value])
    return value[place]  # one for each sample


def collected(like: Any, parts: list[Any]) -> Any:
    """The parts as a list or a tuple of the same kind."""
    kind: Any = type(like)
    return kind(*parts) if hasattr(like, "_fields") else kind(parts)
