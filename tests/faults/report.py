"""What has become of each fault, as a table."""

from __future__ import annotations

import time
from dataclasses import dataclass

from .cases import Case
from .playing import Result

ROW = "{:40} {:14} {:>6} {:>7} {:>6} {:>6}"


@dataclass
class Sums:
    is_control: bool
    cases: int = 0
    struck: int = 0
    kept: int = 0
    same: int = 0

    def add(self, result: Result) -> None:
        self.cases += 1
        self.struck += result.struck
        self.kept += result.is_kept
        self.same += result.is_same


class Report:
    """Of all that was played."""

    def __init__(self, seed: int) -> None:
        self.seed, self.begun = seed, time.monotonic()
        self.sums: dict[tuple[str, str], Sums] = {}
        self.kills = self.problems = 0
        print(f"seed {seed}", flush=True)

    def add(self, case: Case, result: Result) -> None:
        """What is wrong is said at once."""
        self.sums.setdefault((case.fault.name, case.unbroken.name), Sums(case.fault.is_control)).add(result)
        self.kills += result.killed
        if case.fault.is_control:
            return
        self.problems += len(result.problems)
        for problem in result.problems:
            print(f"{case.name}: {problem}", flush=True)
        if result.problems:
            print(f"    --seed {self.seed} --case {case.name!r}", flush=True)

    def end(self) -> int:
        """The exit code."""
        print(ROW.format("fault", "script-ranks", "cases", "strikes", "kept", "same"))
        for (fault, script), sums in self.sums.items():
            print(ROW.format(fault, script, sums.cases, sums.struck, sums.kept, sums.same))
            if sums.is_control and sums.kept == sums.cases:
                self.problems += 1
                print("    this should have been seen")
        seconds = time.monotonic() - self.begun
        print(f"{self.kills} kills, {self.problems} problems, {seconds:.0f} seconds")
        return int(self.problems > 0 or not self.sums)
