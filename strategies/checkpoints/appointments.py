"""The step after which all ranks save, or leave: agreed on when it is time, at no cost to other steps."""

import atexit
import os
import select
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch.distributed as dist

from ..distributed.process_group import own_store
from ..distributed.ranks import Ranks

CALLS: list[str] = []
NEVER = 10**18


class Agreement:
    """Has all ranks act after the same step, each time that one of them wishes it."""

    # A thread of each rank looks into their store. When it finds a wish there, it tells which
    # step its rank has begun; all go on to the last that any has. Only that step waits.

    PAUSE = 0.25  # seconds

    def __init__(self, ranks: Ranks) -> None:
        self.ranks, self.store = ranks, shared_diary(ranks)
        self.begun, self.last = 1, NEVER  # steps
        self.turn = 0  # how often they have acted
        self.is_asked = self.is_told = self.is_over = False
        self.agreed, self.lock = threading.Event(), threading.Lock()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self) -> None:
        """Until training is over, or the other ranks are."""
        with suppress(RuntimeError):
            while not self.is_over:
                self.listen()
                if not self.is_asked and self.store.check([f"wish-{self.turn}"]):
                    self.meet()

    def listen(self) -> None:
        """Pause, and make a wish of this rank known."""

    def meet(self) -> None:
        """Find the last step that a rank has begun."""
        # before the step is read: the other thread does the opposite
        self.is_asked = True
        self.tell(self.begun)
        begun = (
            self.store.get(f"begun-{self.turn}-{rank}")
            for rank in range(self.ranks.world_size)
        )
        self.last = max(map(int, begun))
        self.agreed.set()

    def tell(self, step: int) -> None:
        """Once, which step this rank has begun."""
        with self.lock:
            if not self.is_told:
                self.store.set(f"begun-{self.turn}-{self.ranks.rank}", str(step))
                self.is_told = True

    def is_due(self) -> bool:
        """Whether all ranks act now. Every rank calls this after each step."""
        self.begun += 1
        if not self.is_asked:
            return False
        self.agreed.wait()
        if self.begun <= self.last:
            return False
        self.agreed.clear()
        self.last, self.turn, self.is_told = NEVER, self.turn + 1, False
        self.is_asked = False  # last: the thread looks for the next wish
        return True

    def end(self) -> None:
        """There are no more steps."""
        self.tell(NEVER)
        self.is_over = True
        self.thread.join()


class Appointments(Agreement):
    """Has all ranks leave after the same step, once one of them is told to by a signal."""

    def __init__(
        self, ranks: Ranks, signals: list[str], grace: float, exit_code: int
    ) -> None:
        super().__init__(ranks)
        self.grace, self.exit_code = grace, exit_code
        self.wish, self.told_at = "", 0.0
        self.names = {int(signal.Signals[name]): name for name in signals}
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.writer, False)
        # from C, while Python waits for other ranks: the thread reads it
        self.wakeup = signal.set_wakeup_fd(self.writer, warn_on_full_buffer=False)
        self.before = {each: signal.signal(each, ignored) for each in self.names}
        # torchrun tells the whole group, and a loader's workers would end at once
        os.register_at_fork(after_in_child=os.setpgrp)
        self.thread.start()

    def listen(self) -> None:
        """The first signal makes it known; Ctrl-C once more, and not by a launcher at once, ends this process."""
        if not select.select([self.reader], [], [], self.PAUSE)[0]:
            return
        for number in os.read(self.reader, 64):
            if number not in self.names:
                continue
            if not self.wish:
                self.wish, self.told_at = self.names[number], time.monotonic()
                self.store.compare_set("wish-0", "", self.wish)
            elif number == signal.SIGINT and time.monotonic() > self.told_at + 1:
                os._exit(128 + number)

    def meet(self) -> None:
        """The same, but not for longer than there is time."""
        self.wish = self.store.get("wish-0").decode()
        give_up = threading.Timer(self.grace, self.give_up)
        give_up.daemon = True
        give_up.start()
        super().meet()

    def give_up(self) -> None:
        """Leave without saving, before the scheduler has the process killed."""
        if not self.is_over:
            print(
                f"no step has ended within {self.grace:g} seconds: left without saving"
            )
            os._exit(self.exit_code)

    def leave(self, saved: Path, step: int, requeues: bool = False) -> None:
        """End the process. Every rank calls this."""
        if self.ranks.rank == 0:
            if requeues:
                requeue()
            print(f"{self.wish} after step {step}: saved {saved}", flush=True)
        self.is_over = True  # but signals stay without effect
        self.thread.join()  # one that is in the store as Python ends would abort it
        if self.ranks.world_size > 1:
            dist.barrier()  # a launcher ends the others when one has left
            atexit.unregister(dist.destroy_process_group)
            dist.destroy_process_group()
        raise SystemExit(self.exit_code)

    def end(self) -> None:
        """Signals do what they did before."""
        super().end()
        for number, handler in self.before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self.wakeup)
        os.close(self.reader)
        os.close(self.writer)


class SharedClock(Agreement):
    """Has all ranks save after the same step, every so many seconds by the first one's clock."""

    def __init__(self, ranks: Ranks, seconds: float) -> None:
        super().__init__(ranks)
        self.clock = Clock(seconds)
        self.thread.start()

    def listen(self) -> None:
        """The first rank tells the others when it is time."""
        time.sleep(self.PAUSE)
        if self.ranks.rank == 0 and self.clock.is_due():
            self.store.set(f"wish-{self.turn}", "")


class Clock:
    """Tells when it is time to save, every so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.due_at = time.monotonic() + seconds

    def is_due(self) -> bool:
        """Whether it is time, once."""
        now = time.monotonic()
        if now < self.due_at:
            return False
        self.due_at = now + self.seconds
        return True


def shared_diary(ranks: Ranks) -> Any:
    """What all ranks look into."""
    name = f"appointments-{len(CALLS)}"  # of this training of several
    CALLS.append(name)
    stores: Any = dist
    return stores.PrefixStore(name, own_store(ranks))


def ignored(number: int, frame: Any) -> None:
    """The thread that reads signals does what there is to do."""


def requeue() -> None:
    """Have Slurm start the job once more."""
    job = os.environ.get("SLURM_JOB_ID")
    task = os.environ.get("SLURM_ARRAY_TASK_ID")
    if job is not None:
        job = f"{os.environ['SLURM_ARRAY_JOB_ID']}_{task}" if task else job
        subprocess.run(["scontrol", "requeue", job], check=False)
