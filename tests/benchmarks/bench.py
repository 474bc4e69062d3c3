"""Time per optimizer step: the generated script, a loop written by hand, and Lightning, in one run.

    python tests/benchmarks/bench.py                      # all of it, about ten minutes
    python tests/benchmarks/bench.py --workload tiny --processes 1 --rounds 3

Every side runs in a process of its own, on one thread; rounds interleave the sides, and each round starts
with another. A process's time per step is the median over its epochs of the epoch's length divided by its
steps; the table has medians over rounds, and ratios that are medians of the ratios within a round. Its last
column says whether a side ended with the weights of the loop written by hand: then both did the same work.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
LOG_EVERY = 50
WARM_UP_EPOCHS = 1


@dataclass(frozen=True)
class Workload:
    """A model of `workloads/`, and how much of it is run."""

    name: str
    class_name: str
    batch_size: int
    steps: int  # of each epoch
    epochs: int
    clip: float | None = None

    @property
    def model(self) -> Path:
        return HERE / "workloads" / f"{self.name}.py"

    def spec(self, fused: bool) -> str:
        clip = f"gradient_clip_val: {self.clip}, " if self.clip else ""
        lines = [
            "strategy: ddp",
            "seed_everything: 1",
            f"trainer: {{{clip}log_every_n_steps: {LOG_EVERY}, max_epochs: {self.epochs}}}",
            "checkpoint: false",
        ]
        return "\n".join([*lines, "optimizer: {fused: true}" if fused else ""])


WORKLOADS = [
    Workload("tiny", "Tiny", 16, steps=500, epochs=5),
    Workload("mlp", "Mlp", 32, steps=60, epochs=5),
    Workload("transformer", "Transformer", 8, steps=20, epochs=5, clip=1.0),
]


@dataclass(frozen=True)
class Side:
    """One of those that are compared; `kind` is how side.py runs it."""

    name: str
    kind: str
    fused: bool = False


SIDES = [
    Side("by hand", "by_hand"),
    Side("generated", "generated"),
    Side("generated, fused", "generated", fused=True),
    Side("Lightning", "lightning"),
]


@dataclass(frozen=True)
class Measurement:
    seconds_per_step: float
    checksum: float
    parameters: int


def build_scripts(workload: Workload, folder: Path, script: Path | None) -> dict[bool, Path]:
    """The generated scripts without and with fused optimizers; `script` stands in for both."""
    if script:
        return {False: script, True: script}
    scripts = {}
    for fused in (False, True):
        spec = folder / f"{workload.name}_{fused}.yaml"
        spec.write_text(workload.spec(fused))
        scripts[fused] = folder / f"train_{workload.name}_{fused}.py"
        command = [sys.executable, "-m", "ddpgen", "build", str(workload.model), "--strategy", str(spec)]
        subprocess.run([*command, "-o", str(scripts[fused])], check=True, stdout=subprocess.DEVNULL)
    return scripts


def measure(
    workload: Workload, side: Side, processes: int, script: Path, folder: Path, clock: str
) -> Measurement:
    """Run one side once."""
    job = folder / "job.json"
    job.write_text(json.dumps(_job(workload, processes, script, folder, clock)))
    start = [sys.executable]
    if processes > 1:
        start += ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    # one thread for each process, so that one process and two are the same work on two cores
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [*start, str(HERE / "side.py"), side.kind, str(job)], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{workload.name}, {side.name}, {processes} processes:\n{done.stdout}\n{done.stderr}")
    result = json.loads((folder / "result.json").read_text())
    assert len(result["times"]) == workload.steps * workload.epochs, len(result["times"])
    return Measurement(_seconds_per_step(result["times"], workload), result["checksum"], result["parameters"])


def _job(workload: Workload, processes: int, script: Path, folder: Path, clock: str) -> dict[str, Any]:
    return {
        "workload": workload.name,
        "class": workload.class_name,
        "model": str(workload.model),
        "script": str(script),
        "rows": workload.batch_size * workload.steps * processes,
        "epochs": workload.epochs,
        "clip": workload.clip,
        "log_every": LOG_EVERY,
        "clock": clock,
        "out": str(folder),
        "result": str(folder / "result.json"),
    }


def _seconds_per_step(times: list[float], workload: Workload) -> float:
    """The median over epochs, from the first step of each to its last: without what lies between epochs."""
    epochs = [times[i : i + workload.steps] for i in range(0, len(times), workload.steps)]
    return median((epoch[-1] - epoch[0]) / (len(epoch) - 1) for epoch in epochs[WARM_UP_EPOCHS:])


def run_rounds(
    workload: Workload, processes: int, rounds: int, sides: list[Side], script: Path | None, clock: str
) -> dict[Side, list[Measurement]]:
    results: dict[Side, list[Measurement]] = {side: [] for side in sides}
    with tempfile.TemporaryDirectory() as name:
        scripts = build_scripts(workload, Path(name), script)
        for round_ in range(rounds):
            for side in _rotated(sides, round_):
                measured = measure(workload, side, processes, scripts[side.fused], Path(name), clock)
                results[side].append(measured)
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return results


def _rotated(sides: list[Side], by: int) -> list[Side]:
    by %= len(sides)
    return sides[by:] + sides[:by]


def rows(workload: Workload, processes: int, results: dict[Side, list[Measurement]]) -> Iterator[str]:
    baseline = next(iter(results.values()))
    for side, measured in results.items():
        ratios = [m.seconds_per_step / b.seconds_per_step for m, b in zip(measured, baseline, strict=True)]
        microseconds = median(m.seconds_per_step for m in measured) * 1e6
        same = "yes" if {m.checksum for m in measured} == {b.checksum for b in baseline} else "no"
        name = f"{workload.name} ({measured[0].parameters:,} parameters)"
        spread = f"{min(ratios):.3f} to {max(ratios):.3f}"
        cells = [name, processes, side.name, f"{microseconds:,.0f}", f"{median(ratios):.3f}", spread, same]
        yield f"| {' | '.join(map(str, cells))} |"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [workload.name for workload in WORKLOADS]
    parser.add_argument("--workload", choices=names, action="append", help="only this one; may be repeated")
    parser.add_argument("--processes", type=int, action="append", help="1 and 2 if left out")
    parser.add_argument(
        "--side", choices=[side.name for side in SIDES], action="append", help="beside `by hand`"
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--script", type=Path, help="run this script in place of a freshly built one")
    parser.add_argument(
        "--clock", choices=["wall", "cpu"], default="wall", help="`cpu`, where others use the machine"
    )
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    chosen = arguments.workload or [workload.name for workload in WORKLOADS]
    sides = [side for side in SIDES if not arguments.side or side.name in ("by hand", *arguments.side)]
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    print(f"{arguments.rounds} rounds, {arguments.clock} time, {machine}")
    print("\n| model | processes | side | µs per step | ratio | its range over rounds | same weights |")
    print("|---|--:|---|--:|--:|---|---|")
    for workload in (workload for workload in WORKLOADS if workload.name in chosen):
        for processes in arguments.processes or [1, 2]:
            results = run_rounds(
                workload, processes, arguments.rounds, sides, arguments.script, arguments.clock
            )
            print("\n".join(rows(workload, processes, results)), flush=True)


if __name__ == "__main__":
    main()
