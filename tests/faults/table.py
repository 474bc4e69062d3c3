"""The README's table of what happens when something goes wrong, and which faults show it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
MARKS = "<!-- faults: python tests/inject_faults.py --update -->\n", "<!-- end of faults -->\n"


@dataclass(frozen=True)
class Row:
    """What a script does; beside it Lightning 2.6.6, with the same model struck in the same way."""

    when: str
    faults: tuple[str, ...]
    script: str
    lightning: str


ROWS = (
    Row(
        "a process is killed as it writes a checkpoint, or at any other time",
        ("killed at a file operation", "killed at any time", "a rank is killed"),
        "the checkpoint before is whole, and `--resume` ends with the bits of a run that never stopped; the steps "
        "since that checkpoint are trained again, and a ModelCheckpoint's files of theirs are written over; one that "
        "was about to be replaced may stay",
        "the checkpoint before is whole; what goes on from it draws other random numbers, and a file that was about to "
        "be replaced stays for good, and those of steps that are trained again pile up as `-v1`",
    ),
    Row(
        "a process raises, or exits",
        ("a rank raises", "a rank exits"),
        "it ends with its own exit code, the others as they lose it; `--resume` ends with the same bits",
        "the same files are left; what goes on draws other random numbers",
    ),
    Row(
        "a process hangs, with `failures: {hang_timeout: ...}`",
        ("a rank hangs",),
        "all print where they are, which rank is behind and what it waits for, and end with exit code 1; `--resume` "
        "ends with the same bits",
        "all wait until the timeout of the process group",
    ),
    Row(
        "a process is killed as it begins in the folder of another run",
        ("killed as it claims a folder",),
        "the other run's files are set aside whole, whenever it begins again, and it trains as in an empty folder",
        "the other run's files stay where they are: new ones are named `last-v1.ckpt`",
    ),
    Row(
        "SIGTERM, SIGUSR1 or SIGINT, with `preemption`",
        ("told by SIGTERM", "told by SIGUSR1", "told by SIGINT"),
        "all ranks save after the same step, say so in one line, and end with exit code 143; no step is lost",
        "nothing is saved. SIGTERM ends one process with exit code 0; where one of two ranks gets it, both wait until "
        "the timeout",
    ),
    Row(
        "torchrun starts the processes again",
        ("torchrun starts it again: killed", "torchrun starts it again: raised"),
        "they go on from `last.ckpt`, to the same bits",
        "training begins anew, unless the code gives a `ckpt_path`",
    ),
    Row(
        "the disk is full, or read-only",
        ("the disk is full", "the disk is read-only"),
        "exit code 1, and the checkpoint before is whole",
        "the same, with 80 lines of which the last names a file in `/tmp`",
    ),
    Row(
        "the run's folder is removed",
        ("the folder is removed",),
        "exit code 1 at the next save",
        "it is made anew at the next save",
    ),
    Row(
        "a process is killed at any time, with `checkpoint: {dir: s3://...}`, or another URL",
        ("killed at any time, in a bucket",),
        "the checkpoint before is whole, and `--resume` ends with the same bits",
        "the checkpoint before is whole; what goes on draws other random numbers",
    ),
    Row(
        "such a place does not answer",
        ("the bucket does not answer",),
        "it is asked for a few seconds more, as s3fs does; then exit code 1 in a sentence, and the checkpoint before "
        "is whole",
        "the same, with a traceback of 158 lines",
    ),
    Row(
        "a bit of a checkpoint is flipped",
        ("a bit is flipped",),
        "refused in a sentence, or the bit is one that says nothing: no other value is ever loaded",
        "loaded without a word (29 of 40)",
    ),
    Row(
        "a checkpoint is cut short",
        ("a file is cut short",),
        "refused in a sentence, and left as it is",
        "a traceback of 47 lines: `OSError: [Errno 22] Invalid argument`",
    ),
    Row(
        "the newest checkpoint is cut short, with `checkpoint: {keep: 2}`",
        ("the newest is cut short",),
        "all ranks go on from the one before it, to the same bits",
        "a traceback, as above",
    ),
    Row(
        "another program's file is in its place, or one that would run code",
        ("a foreign file",),
        "refused, left as it is; no code in it is run",
        "refused with a traceback of 45 lines",
    ),
    Row(
        "the link between two nodes is cut for a second",
        ("the link is cut for a second",),
        "training goes on, to the same bits",
        "training goes on, to the same bits",
    ),
    Row(
        "the link between two nodes is cut for good",
        ("the link is cut",),
        "all ranks end after the spec's `process_group.timeout`; `--resume` ends with the same bits",
        "all ranks end after the timeout; what goes on draws other random numbers",
    ),
)


def table() -> str:
    rows = "".join(f"| {row.when} | {row.script} | {row.lightning} |\n" for row in ROWS)
    return f"| when | a script | Lightning |\n|---|---|---|\n{rows}"


def update() -> None:
    """Write the README's."""
    before, _, rest = README.read_text("utf-8").partition(MARKS[0])
    README.write_text(f"{before}{MARKS[0]}{table()}{MARKS[1]}{rest.partition(MARKS[1])[2]}", "utf-8")
