"""What was compared, and the first difference of each kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

KINDS = {
    "loss": "losses",
    "learning rate": "learning rates",
    "gradient": "gradients",
    "weight": "weights",
    "buffer": "buffers",
    "metric": "logged metrics",
}
"""In the order in which one makes the next differ."""


@dataclass(frozen=True)
class Row:
    """One kind of value: how many were compared, and where the first differs."""

    kind: str
    compared: int
    difference: str  # empty: they are equal
    step: int | None = None
    name: str = ""


@dataclass(frozen=True)
class Verdict:
    """The outcome, kind by kind."""

    rows: tuple[Row, ...]
    steps: int
    world: int
    notes: tuple[str, ...]

    @property
    def is_equal(self) -> bool:
        return not any(row.difference for row in self.rows)

    def row(self, kind: str) -> Row:
        """What is said of `kind`."""
        return next(row for row in self.rows if row.kind == kind)


def read_verdict(reference: Path, script: Path, world: int, wanted: int) -> Verdict:
    """The verdict from what the ranks left in the two folders."""
    reports = [json.loads((script / f"report.{rank}.json").read_text("utf-8")) for rank in range(world)]
    steps = min(report["expected"] for report in reports)
    rows = [_steps_row(reports), *(_row(kind, reports) for kind in KINDS)]
    facts = json.loads((reference / "facts.json").read_text("utf-8"))
    return Verdict(tuple(rows), steps, world, tuple(_notes(facts, steps, wanted)))


def _steps_row(reports: list[Mapping[str, Any]]) -> Row:
    for rank, report in enumerate(reports):
        expected, taken = report["expected"], report["taken"]
        if expected != taken:
            sentence = f"rank {rank}: {expected} under Lightning, {taken} in the script"
            return Row("optimizer steps", expected, sentence, min(expected, taken) + 1)
    return Row("optimizer steps", sum(report["expected"] for report in reports), "")


def _row(kind: str, reports: list[Mapping[str, Any]]) -> Row:
    """Over all ranks: the difference at the earliest step. What is logged, rank 0 writes."""
    of_ranks = [(rank, report["findings"].get(kind)) for rank, report in enumerate(reports)]
    found = [(rank, each) for rank, each in of_ranks if each and (kind != "metric" or rank == 0)]
    compared = sum(each["compared"] for _, each in found)
    differing = [(each["step"], rank, each) for rank, each in found if each["step"] is not None]
    if not differing:
        return Row(kind, compared, "")
    step, rank, first = min(differing, key=lambda each: each[:2])
    name, difference = first["name"], first["difference"]
    where = f" on rank {rank}" if len(reports) > 1 else ""
    # what is logged has Lightning's own count of steps
    place = f"logged under step {step}" if kind == "metric" else f"step {step}{where}"
    return Row(kind, compared, f"{place}, {name}: {difference}", step, name)


def _notes(facts: Mapping[str, Any], steps: int, wanted: int) -> Iterator[str]:
    if not facts["version"].startswith(LIGHTNING):
        yield f"Lightning {facts['version']} is installed; scripts follow {LIGHTNING}."
    if steps < wanted:
        yield f"Training ended after {steps} optimizer steps."
    if facts["is_within_first_epoch"] and steps == wanted:
        epoch = facts["steps_per_epoch"]
        how = f"`--steps {epoch + 1}` goes on to there" if epoch else "More `--steps` go on to there"
        yield f"What is validated and logged at an epoch's end was not reached. {how}."


LIGHTNING = "2.6.6"


def table(verdict: Verdict) -> Table:
    """The verdict for people."""
    shown = Table(title_justify="left", caption_justify="left")
    for title in ("compared", "values", "result"):
        shown.add_column(title, justify="right" if title == "values" else "left", overflow="fold")
    for row in verdict.rows:
        result = Text(row.difference or "equal", style="red" if row.difference else "green")
        if not row.compared and not row.difference:
            result = Text("none to compare", style="dim")
        shown.add_row(KINDS.get(row.kind, row.kind), str(row.compared), result)
    return shown
