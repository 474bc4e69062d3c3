"""Batch samplers that are made anew of what they were made with, as Lightning's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ddpgen.strategies.data.batch_samplers import keeping_arguments, made_anew
from lightning.fabric.utilities.data import _replace_dunder_methods
from lightning.pytorch.utilities.data import _dataloader_init_kwargs_resolve_sampler
from torch.utils.data import BatchSampler, DataLoader


def by_length(base: Any = BatchSampler) -> Any:
    class ByLength(base):
        """Keeps but what it makes of its arguments."""

        def __init__(
            self, sampler: Any, batch_size: int, drop_last: bool = False, *, key: Any = None
        ) -> None:
            self.order = sorted(sampler, key=key)
            self.batch_size, self.epoch, self.drop_last = batch_size * 2, 0, drop_last

        def __iter__(self) -> Iterator[list[int]]:
            rows = self.order[self.epoch :]
            yield from (rows[at : at + self.batch_size] for at in range(0, len(rows), self.batch_size))

        def __len__(self) -> int:
            return -(-len(self.order) // self.batch_size)

    return ByLength


def with_rest() -> Any:
    class WithRest(by_length()):  # type: ignore[misc]  # made here
        def __init__(self, extra: int, **rest: Any) -> None:
            super().__init__(**rest)
            self.order = self.order[:extra]

    return WithRest


def negative(row: int) -> int:
    return -row


MADE: dict[str, Callable[[Any], Any]] = {
    "by place": lambda kind: kind(range(9), 2, key=negative),
    "by name": lambda kind: kind(batch_size=1, sampler=range(9), drop_last=True, key=negative),
    "with defaults": lambda kind: kind(range(9), batch_size=3),
}


def lightnings(kind: Any, make: Callable[[Any], Any], set_later: dict[str, Any], stage: Any = None) -> Any:
    with _replace_dunder_methods(BatchSampler):
        made = make(kind)
        for name, value in set_later.items():
            setattr(made, name, value)
    loader = DataLoader(range(9), batch_sampler=made)  # type: ignore[arg-type, var-annotated]  # a sequence
    return _dataloader_init_kwargs_resolve_sampler(loader, [5, 2, 7], stage)["batch_sampler"]


@pytest.mark.parametrize("set_later", [{}, {"epoch": 1}, {"batch_size": 3}], ids=str)
@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_what_is_made_anew_is_lightnings(make: Callable[[Any], Any], set_later: dict[str, Any]) -> None:
    made = make(keeping_arguments(by_length()))
    for name, value in set_later.items():
        setattr(made, name, value)
    ours, reference = made_anew(made, {"sampler": [5, 2, 7]}), lightnings(by_length(), make, set_later)
    assert list(ours) == list(reference)
    assert ours.drop_last == reference.drop_last


def test_a_class_below_is_made_of_what_it_was_given_itself() -> None:
    def make(kind: Any) -> Any:
        return kind(2, sampler=range(9), batch_size=1, key=negative)

    kind = with_rest()
    for each in kind.__mro__[:2]:
        keeping_arguments(each)
    assert list(made_anew(make(kind), {"sampler": [5, 2, 7]})) == list(lightnings(with_rest(), make, {}))


def test_another_argument_takes_the_place_of_what_was_given_or_not() -> None:
    kind = keeping_arguments(by_length())
    for made in (kind(range(9), 2, True), kind(range(9), 2, drop_last=True), kind(range(9), 2)):
        assert not made_anew(made, {"sampler": [1], "drop_last": False}).drop_last


def test_what_takes_no_sampler_is_refused_in_a_sentence() -> None:
    class Fixed(BatchSampler):
        def __init__(self, rows: Any) -> None:
            super().__init__(rows, 2, False)

    with pytest.raises(SystemExit, match="the batches of Fixed: it has to take a"):
        made_anew(keeping_arguments(Fixed)(range(3)), {"sampler": [1]})
