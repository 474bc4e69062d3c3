"""The first rank that fails tells the cause; the others end with it."""

import atexit
import ctypes
import json
import os
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import torch
import torch.distributed as dist

from ..distributed.process_group import own_store
from ..distributed.ranks import Ranks

PATIENCE = 10.0  # seconds, in which torchrun ends the ranks that a failed one has left


def end_together(ranks: Ranks) -> None:
    """Have a failure told once, and no rank outlive it, nor torchrun. Every rank calls this."""
    store, is_over = own_store(ranks), threading.Event()
    sys.excepthook = partial(tell_failure, ranks, store)
    watch = threading.Thread(target=end_with_others, args=(ranks, store, is_over))
    watch.daemon = True
    watch.start()
    atexit.register(watch.join)
    atexit.register(is_over.set)  # before: the last that is registered is called first
    if sys.platform == "linux" and "TORCHELASTIC_RUN_ID" in os.environ:
        pr_set_pdeathsig = 1  # the kernel sends the signal when torchrun has ended
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def tell_failure(
    ranks: Ranks,
    store: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
) -> None:
    """In the place of Python's report: a traceback by the first rank to fail, a line by the others."""
    said = traceback.format_exception_only(kind, error)[-1].strip()
    place, name = place_of(traceback.extract_tb(trace)), f"[rank{ranks.rank}]: "
    if kind is KeyboardInterrupt:
        print(f"{name}interrupted at {place}", file=sys.stderr, flush=True)
        return
    is_left = isinstance(error, dist.DistError) or "gloo" in said  # by another
    first = first_failure(store, None if is_left else f"{name}{said} ({place})")
    if not first.startswith(name):
        print(f"{name}stopped at {place} by {first}", file=sys.stderr, flush=True)
        signal.signal(signal.SIGTERM, end_quietly)
        time.sleep(PATIENCE)  # no launcher has ended it: the failure is its own, too
    whole = "".join(traceback.format_exception(kind, error, trace))
    is_kept = record_failure(f"{said} ({place})", whole, time.time())
    lines = own_traceback(kind, error, trace) if is_kept else whole
    print(name + lines.rstrip().replace("\n", f"\n{name}"), file=sys.stderr, flush=True)


def first_failure(store: Any, own: str | None) -> str:
    """What the first rank to fail has told all; `own`, where that is this one."""
    with suppress(RuntimeError):  # the store may have ended, as torchrun may
        if own is not None:
            told: str = store.compare_set("failed", "", own).decode()
            return told
        if store.check(["failed"]):
            return str(store.get("failed").decode())
    return own or "the loss of another rank"


def end_with_others(ranks: Ranks, store: Any, is_over: threading.Event) -> None:
    """End this rank where another has failed, and neither its connection nor torchrun tells it."""
    name = f"[rank{ranks.rank}]: "
    with suppress(RuntimeError):  # torchrun has ended, and with it the store
        while not is_over.wait(1):
            if store.check(["failed"]):
                first = store.get("failed").decode()
                if not first.startswith(name) and not is_over.wait(2 * PATIENCE):
                    print(f"{name}stopped by {first}", file=sys.stderr, flush=True)
                    record_failure(f"stopped by {first}", "", time.time())
                    os._exit(1)  # the main thread may wait for ever
                break


def end_quietly(number: int, frame: FrameType | None) -> None:
    """As torchrun has a failure to tell, this rank's end is none."""
    sys.stdout.flush()
    os._exit(0)


def record_failure(cause: str, whole: str, at: float) -> bool:
    """Have torchrun's summary tell the cause, the earliest of all ranks; whether it is kept in a file."""
    file = os.environ.get("TORCHELASTIC_ERROR_FILE")
    if not file:
        return False
    extra = {"py_callstack": cause, "timestamp": str(int(at))}
    told = {"message": {"message": cause, "extraInfo": extra}, "traceback": whole}
    with suppress(OSError):
        Path(file).write_text(json.dumps(told))
        return True
    return False


def own_traceback(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> str:
    """The traceback without what torch's own functions do in between."""
    told = traceback.TracebackException(kind, error, trace)
    library = str(Path(torch.__file__).parent)
    own = [each for each in told.stack if not each.filename.startswith(library)]
    told.stack[:] = own or told.stack
    return "".join(told.format())


def place_of(stack: traceback.StackSummary) -> str:
    """The innermost line that is of no library."""
    standard = str(Path(os.__file__).parent)
    own = [
        each
        for each in stack
        if not each.filename.startswith((standard, "<"))
        and "-packages" not in each.filename
    ]
    innermost = (own or stack)[-1]
    return f"{Path(innermost.filename).name}:{innermost.lineno} in {innermost.name}"
