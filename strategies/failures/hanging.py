"""A rank that hangs ends the job, after all have told where they are."""

import faulthandler
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cache
from tempfile import TemporaryFile
from typing import Any

import torch

from ..distributed.process_group import own_store
from ..distributed.ranks import Ranks
from .causes import PATIENCE, place_of, record_failure


class HangWatch:
    """Ends the job when a rank begins no batch for too long: with all stacks, and which rank is behind."""

    # A thread of each rank looks at the clock, and into their store, where one has others tell.

    def __init__(self) -> None:
        self.batches, self.since = 0, 0.0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def begin(self, ranks: Ranks, timeout: float) -> None:
        """From now on. Every rank calls this."""
        self.ranks, self.timeout = ranks, timeout
        self.store = own_store(ranks)
        self.is_over.clear()
        self.begin_batch()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def begin_batch(self) -> None:
        self.batches += 1
        self.since = time.monotonic()

    def end(self) -> None:
        """What comes now may take its time."""
        self.is_over.set()
        if self.thread.ident:  # it has begun
            self.thread.join()
        faulthandler.cancel_dump_traceback_later()

    def watch(self) -> None:
        with suppress(RuntimeError):  # torchrun has ended, and with it the store
            while not self.is_over.wait(min(1.0, self.timeout / 10)):
                # from C, should Python let no other thread run, this one neither
                is_alone = self.ranks.world_size == 1
                faulthandler.dump_traceback_later(self.timeout, exit=is_alone, file=2)
                is_late = time.monotonic() - self.since > self.timeout
                if is_late or self.store.check(["hung"]):
                    try:
                        self.stop()
                    finally:
                        os._exit(1)

    def stop(self) -> None:
        """Tell where this rank is; the first that was late finds out which is behind."""
        faulthandler.cancel_dump_traceback_later()
        own = str(self.ranks.rank)
        asking = self.store.compare_set("hung", "", own).decode()
        self.store.set(f"place-{own}", json.dumps(self.place()))
        self.print(stacks_of_threads())
        if asking == own:
            self.store.set("found", json.dumps(behind_of(self.places(), int(own))))
        with suppress(RuntimeError):  # the other has ended meanwhile
            self.store.wait(["found"], timedelta(seconds=2 * PATIENCE))
            telling, found = json.loads(self.store.get("found"))
            if telling == self.ranks.rank:
                cause = f"no batch for {self.timeout:g} seconds: {found}"
                self.print(cause)
                record_failure(cause, "", time.time() - self.timeout)
            else:
                time.sleep(1)  # that one is to end first

    def print(self, lines: str) -> None:
        name = f"[rank{self.ranks.rank}]: "
        print(name + lines.replace("\n", f"\n{name}"), file=sys.stderr, flush=True)

    def place(self) -> tuple[int, int, str]:
        """Batches and collectives that this rank has begun, and where it is."""
        main = sys._current_frames()[threading.main_thread().ident or 0]
        begun, waits = pending_collective()
        return self.batches, begun, place_of(traceback.extract_stack(main)) + waits

    def places(self) -> list[Any]:
        """Those of all ranks; none of one that does not answer."""
        until, found = time.monotonic() + PATIENCE, []
        for rank in range(self.ranks.world_size):
            left = max(until - time.monotonic(), 0.1)
            place = None
            with suppress(RuntimeError):
                self.store.wait([f"place-{rank}"], timedelta(seconds=left))
                place = json.loads(self.store.get(f"place-{rank}"))
            found.append(place)
        return found


@contextmanager
def watching() -> Iterator[None]:
    """Have the watch end with the function that this decorates, however that ends."""
    try:
        yield
    finally:
        hang_watch().end()


@cache
def hang_watch() -> HangWatch:
    """This process's."""
    return HangWatch()


def behind_of(places: list[Any], asking: int) -> tuple[int, str]:
    """Which rank tells, and what: who has begun the fewest batches and collectives, and where all are."""
    headway = [tuple(place[:2]) if place else (-1, -1) for place in places]
    behind = headway.index(min(headway))
    is_one = len(places) > 1 and min(headway) < max(headway)
    lines = [f"rank {behind} is behind" if is_one else "no rank is behind another"]
    at: dict[str, list[str]] = {}
    for rank, place in enumerate(places):
        where = (
            f"after {place[0]} batches at {place[2]}" if place else "does not answer"
        )
        at.setdefault(where, []).append(str(rank))
    lines += [f"rank {', '.join(ranks)}: {where}" for where, ranks in at.items()]
    return behind if places[behind] else asking, "\n".join(lines)


def pending_collective() -> tuple[int, str]:
    """How many collectives this rank has begun, and for which it waits, by torch's flight recorder."""
    recorder: Any = torch._C._distributed_c10d
    told = json.loads(recorder._dump_fr_trace_json(True, True))
    begun = (
        int(each["last_enqueued_collective"]) for each in told["pg_status"].values()
    )
    left = (each for each in told.get("entries", ()) if not each["retired"])
    waits = [f"{w['profiling_name']} {w['collective_seq_id']}" for w in left]
    return sum(begun), f", waits in {', '.join(waits)}" if waits else ""


def stacks_of_threads() -> str:
    """What each thread of this process does."""
    with TemporaryFile("w+") as file:
        faulthandler.dump_traceback(file)
        file.seek(0)
        return file.read().rstrip()
