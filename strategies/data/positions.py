"""Where in an epoch's batches a run is, and how another run goes on with the next of them."""

import json
import pickle
import random
import warnings
from collections.abc import Callable, Iterator
from copy import copy, deepcopy
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast
from zlib import crc32

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset

from ..checkpoints.checkpoint import as_plain, is_plain
from ..checkpoints.randomness import rng_state, set_rng_state
from ..distributed.ranks import Ranks
from .data import generator_states, set_generator_states


def place_of_rank(places: list[Any], ranks: Ranks) -> Any:
    """What this rank had of an epoch when it was left."""
    if len(places) != ranks.world_size:
        raise SystemExit(
            f"the checkpoint was saved within an epoch by {len(places)} ranks: go on with as "
            "many, or from a checkpoint of an epoch's end"
        )
    return places[ranks.rank]


class Draws:
    """Random states, and those of generators that a loader or its sampler has."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader
        self.has_generators = True  # of their own

    def state(self) -> dict[str, Any]:
        """All of them, in plain values and tensors."""
        state = rng_state()
        if self.has_generators:
            state["generators"] = generator_states(self.loader)
        return state

    def set(self, state: dict[str, Any]) -> None:
        """Draw on from there."""
        set_rng_state(state)
        if self.has_generators:
            set_generator_states(state["generators"], self.loader)


class KeptOrder:
    """An epoch's order of samples, drawn again where a run goes on, which leaves out what it has trained."""

    def __init__(self, order: Any, draws: Draws) -> None:
        self.order, self.draws = order, draws
        self.drawn_from: dict[str, Any] = {}
        self.marks = [0]  # of the batches up to each one
        self.place: dict[str, Any] | None = None  # to go on from
        self.idle = 0  # batches of nothing, by which workers come to their turn

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Any]:
        place, self.place = self.place, None
        if place:
            self.draws.set(place["drawn_from"])
        self.drawn_from, self.marks = self.draws.state(), [0]
        batches = self.marked()
        if place:
            next(islice(batches, place["count"], place["count"]), None)
            if self.marks[-1] != place["mark"]:
                raise SystemExit("this epoch's batches are not those of the checkpoint")
            self.draws.set(place["now"])
            if self.idle:
                yield from [[]] * self.idle
        yield from batches

    def marked(self) -> Iterator[Any]:
        """The batches, each noted."""
        for batch in self.order:
            self.marks.append(crc32(repr(batch).encode(), self.marks[-1]))
            yield batch


class KeptBatches:
    """A loader's batches, and the place within an epoch from which a run goes on."""

    def __init__(self, loader: Any) -> None:
        self.loader, self.draws = loader, Draws(loader)
        self.going_on: dict[str, Any] | None = None
        self.began_with: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.loader)

    def go_on_from(self, place: dict[str, Any]) -> int:
        """Have the next epoch begin there; how many batches it leaves out."""
        self.going_on = place
        return int(place["count"])


class SampledBatches(KeptBatches):
    """A loader's batches, of which a run that goes on within an epoch reads those that are left."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        self.order = KeptOrder(loader.batch_sampler, self.draws)
        self.loader = copy(loader)  # the one that is given stays as it is
        # workers that are kept would read on in the order that they began with
        vars(self.loader).update(batch_sampler=self.order, _iterator=None)

    def __iter__(self) -> Iterator[Any]:
        place, self.going_on = self.going_on, None
        self.order.place = place
        if place:
            self.draws.set(place["began_with"])
        self.began_with = self.draws.state()
        batches: Iterator[Any] = iter(self.loader)
        if place:
            self.draws.set(place["now"])  # there may be no batch left
        return batches

    def place(self, count: int) -> dict[str, Any]:
        """Where `count` batches of this epoch are trained."""
        return {
            "count": count,
            "mark": self.order.marks[count],
            "began_with": self.began_with,
            "drawn_from": self.order.drawn_from,
            "now": self.draws.state(),
        }


class WorkersBatches(SampledBatches):
    """The same of workers that draw random numbers for their samples."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        self.states: list[Any] = [None] * loader.num_workers  # after their last batches
        self.kept: list[Any] = []  # to go on from
        if self.states:
            self.loader.collate_fn = StatedCollate(loader.collate_fn)

    def __iter__(self) -> Iterator[Any]:
        place, kept = self.going_on, self.kept
        self.states = [None] * len(self.states)
        first = 0
        self.loader.worker_init_fn = self.draws.loader.worker_init_fn
        if place and self.states:
            first, self.states = place["count"], list(kept)
            self.order.idle = first % len(kept)
            self.loader.worker_init_fn = StatedWorker(self.loader.worker_init_fn, kept)
        batches = super().__iter__()
        return self.unpacked(batches, first) if self.states else batches

    def unpacked(self, batches: Iterator[Any], first: int) -> Iterator[Any]:
        """The batches alone; worker after worker gives one."""
        count = len(self.states)
        for turn, (batch, state) in enumerate(batches, first - first % count):
            if turn >= first:
                self.states[turn % count] = state
                yield batch

    def place(self, count: int) -> dict[str, Any]:
        states = [each and pickle.loads(each) for each in self.states]
        return {**super().place(count), "workers": states}

    def go_on_from(self, place: dict[str, Any]) -> int:
        if len(place["workers"]) != self.loader.num_workers:
            count = len(place["workers"])
            raise SystemExit(f"the checkpoint was saved with {count} workers: go on so")
        if self.loader.persistent_workers:
            warn_of_new_workers()
        self.kept = [each and pickle.dumps(each) for each in place["workers"]]
        return super().go_on_from(place)


def warn_of_new_workers() -> None:
    """Say that nobody keeps what persistent workers draw."""
    warnings.warn(
        "persistent workers are new ones where a run goes on: what they draw in later epochs "
        "is not what they would have drawn",
        stacklevel=3,
    )


@dataclass
class StatedCollate:
    """Makes batches, and tells a worker's random state after each."""

    collate: Callable[[Any], Any]

    def __call__(self, samples: Any) -> tuple[Any, bytes | None]:
        if isinstance(samples, list) and not samples:
            return None, None
        return self.collate(samples), pickle.dumps(worker_rng_state())


def worker_rng_state() -> dict[str, Any]:
    """The states of a worker's random numbers, which has no device."""
    numpy_state = cast(Any, np.random.get_state())
    return {
        "python": random.getstate(),
        "numpy": (numpy_state[0], numpy_state[1].tolist(), *numpy_state[2:]),
        "torch": torch.get_rng_state(),
        "device": None,
    }


@dataclass
class StatedWorker:
    """Has a worker draw on from where its predecessor was."""

    init: Callable[[int], None] | None
    states: list[bytes | None]

    def __call__(self, worker_id: int) -> None:
        if self.init is not None:
            self.init(worker_id)
        if (state := self.states[worker_id]) is not None:
            set_rng_state(pickle.loads(state))


class ReplayedBatches(KeptBatches):
    """A stream's batches, which a run that goes on within an epoch reads again up to its place."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        self.before_last: dict[str, Any] = {"draws": None}
        self.count = 0  # batches read, of which one may be read ahead
        self.has_ended = False

    def __iter__(self) -> Iterator[Any]:
        place, self.going_on = self.going_on, None
        if place:
            self.draws.set(place["began_with"])
        self.began_with, self.count = self.draws.state(), self.skipped(place)
        if self.has_ended:
            self.draws.set(cast(Any, place)["now"])
            return iter(())
        batches, drawn = iter(self.loader), self.draws.state()
        if place:
            self.draws.set(place["now"])  # there may be no batch left
        return self.counted(batches, place, drawn)

    def skipped(self, place: dict[str, Any] | None) -> int:
        """How many batches need not be read again."""
        self.has_ended = False
        return 0

    def counted(
        self,
        batches: Iterator[Any],
        place: dict[str, Any] | None,
        drawn: dict[str, Any],
    ) -> Iterator[Any]:
        """Each batch that is not trained yet."""
        ended = object()
        if place:
            self.draws.set(drawn)
        trained, ahead = (place["count"], place["ahead"]) if place else (0, 0)
        while True:
            if place and self.count == trained and ahead:
                self.draws.set(place["before_last"])
            elif place and self.count == trained:
                self.draws.set(place["now"])
            self.before_last = self.here()
            if (batch := next(batches, ended)) is ended:
                self.has_ended = True
                return
            self.count += 1
            if place and ahead and self.count == trained + 1:
                self.draws.set(place["now"])
            if self.count > trained:
                yield batch

    def here(self) -> dict[str, Any]:
        """Where the next batch is read."""
        return {"draws": self.draws.state()}

    def place(self, count: int) -> dict[str, Any]:
        """Where `count` batches of this epoch are trained."""
        return {
            "count": count,
            "ahead": self.count - count,
            "began_with": self.began_with,
            "before_last": self.before_last["draws"],
            "now": self.draws.state(),
        }


class StatefulBatches(ReplayedBatches):
    """The batches of a loader that tells its place by itself, or whose stream does."""

    def __init__(self, loader: Any, teller: Any) -> None:
        super().__init__(loader)
        self.teller = teller

    def skipped(self, place: dict[str, Any] | None) -> int:
        if not place or "state" not in place:
            return super().skipped(place)
        self.has_ended = place["has_ended"]
        if not self.has_ended:  # else it would begin again
            self.teller.load_state_dict(place["state"])
        return int(place["count"])

    def here(self) -> dict[str, Any]:
        return {"state": deepcopy(self.teller.state_dict()), **super().here()}

    def place(self, count: int) -> dict[str, Any]:
        place = super().place(count)
        if self.has_ended and not place["ahead"]:
            return {**place, "state": None, "has_ended": True}
        state = (self.before_last if place["ahead"] else self.here())["state"]
        if not is_plain(state):
            warnings.warn(
                f"the state of {type(self.teller).__name__} holds what a checkpoint cannot hold: "
                "a run that goes on within an epoch reads its batches again",
                stacklevel=2,
            )
            return place
        return {**place, "state": as_plain(state), "has_ended": False}

    def go_on_from(self, place: dict[str, Any]) -> int:
        if getattr(self.loader, "persistent_workers", False):
            warn_of_new_workers()
        return super().go_on_from(place)


class StatedStream(IterableDataset[Any]):
    """A stream that workers read; its state has what they draw beside it."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.draws: dict[str, Any] | None = None  # to go on with
        self.has_begun = False

    def __len__(self) -> int:
        return len(self.stream)

    def __iter__(self) -> Iterator[Any]:
        draws, self.draws = self.draws, None
        goes_on, self.has_begun = self.has_begun and draws is not None, True
        if draws and not goes_on:
            set_rng_state(plain_rng_state(draws))
        samples = iter(self.stream)
        if draws and goes_on:  # what it draws as it begins is drawn already
            set_rng_state(plain_rng_state(draws))
        yield from samples
        self.has_begun = False

    def state_dict(self) -> dict[str, Any]:
        """Both; what is drawn as a text, as a loader that looks for what has changed goes through each number."""
        state = worker_rng_state()
        state["torch"] = state["torch"].tolist()
        return {
            "stream": self.stream.state_dict(),
            "draws": json.dumps(state),
            "has_begun": self.has_begun,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on there."""
        self.stream.load_state_dict(state_dict["stream"])
        self.draws = json.loads(state_dict["draws"])
        self.has_begun = state_dict["has_begun"]


def plain_rng_state(told: dict[str, Any]) -> dict[str, Any]:
    """What JSON has made lists of."""
    version, numbers, gauss = told["python"]
    return {
        **told,
        "python": (version, tuple(numbers), gauss),
        "numpy": tuple(told["numpy"]),
        "torch": torch.tensor(told["torch"], dtype=torch.uint8),
    }


def is_stateful(each: Any) -> bool:
    """Whether an object tells where it is, and goes on from there."""
    return hasattr(each, "state_dict") and hasattr(each, "load_state_dict")


def stateful_batches(loader: Any) -> StatefulBatches | None:
    """None: neither the loader nor its stream tells its place, where it is read."""
    stream = getattr(loader, "dataset", None)
    streams = isinstance(stream, IterableDataset)
    if is_stateful(loader) and (streams or not isinstance(loader, DataLoader)):
        if is_stateful(stream) and loader.num_workers:
            loader = copy(loader)  # the one that is given stays as it is
            vars(loader).update(dataset=StatedStream(stream), _iterator=None)
        return StatefulBatches(loader, loader)
    is_here = isinstance(loader, DataLoader) and streams and not loader.num_workers
    return StatefulBatches(loader, stream) if is_here and is_stateful(stream) else None


def kept_batches(loader: Any) -> Any:
    """A loader's batches, from a place within which another run can go on."""
    if (batches := stateful_batches(loader)) is not None:
        return batches
    is_sampled = isinstance(loader, DataLoader) and loader.batch_sampler is not None
    if is_sampled and not isinstance(loader.dataset, IterableDataset):
        return WorkersBatches(loader)
    return ReplayedBatches(loader)
