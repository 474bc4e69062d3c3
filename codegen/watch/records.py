"""What was seen of a run: kept for one side, compared with that for the other."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

Values = Mapping[str, Mapping[str, Tensor]]
"""By kind, such as `weight`, and by name."""

KEPT_BYTES = 2**32
"""So much is kept of one run's values; of later ones a digest, which tells that they differ, but not by how much."""


class Sink(Protocol):
    """Takes what is seen."""

    def step(self, number: int, values: Values) -> None: ...

    def metrics(self, step: int, values: Mapping[str, float]) -> None: ...

    def close(self) -> None: ...


def step_file(folder: Path, rank: int, number: int) -> Path:
    return folder / f"step-{number:06}.{rank}.pt"


def metrics_file(folder: Path, rank: int) -> Path:
    return folder / f"metrics.{rank}.json"


def digest(tensor: Tensor) -> str:
    """Of its values; both zeros count as one."""
    plain = (tensor + 0).contiguous() if tensor.is_floating_point() else tensor.contiguous()
    return blake2b(plain.cpu().reshape(-1).view(torch.uint8).numpy().tobytes()).hexdigest()


def _plain(tensor: Tensor) -> Tensor:
    tensor = tensor.detach()
    return (tensor.to_dense() if tensor.layout != torch.strided else tensor).cpu()


class Keeper:
    """Keeps the values of each step in a file of its own."""

    def __init__(self, folder: Path, rank: int) -> None:
        self.folder, self.rank = folder, rank
        self.kept = 0
        self.rows: list[tuple[int, dict[str, float]]] = []

    def step(self, number: int, values: Values) -> None:
        plain = {kind: {name: _plain(each) for name, each in of.items()} for kind, of in values.items()}
        size = sum(each.nbytes for of in plain.values() for each in of.values())
        self.kept += size
        record: Any = plain
        if self.kept > KEPT_BYTES:
            record = {kind: {name: digest(each) for name, each in of.items()} for kind, of in plain.items()}
        torch.save(record, step_file(self.folder, self.rank, number))

    def metrics(self, step: int, values: Mapping[str, float]) -> None:
        self.rows.append((step, dict(values)))

    def close(self) -> None:
        metrics_file(self.folder, self.rank).write_bytes(pickle.dumps(self.rows))


@dataclass
class Finding:
    """What was compared of one kind, and the first difference: its name, its size, and where it is."""

    compared: int = 0
    step: int | None = None
    name: str = ""
    difference: str = ""


@dataclass
class Comparison:
    """Compares each step with that of the same number which was kept."""

    reference: Path
    folder: Path
    rank: int
    findings: dict[str, Finding] = field(default_factory=dict)
    taken: int = 0
    rows: list[tuple[int, dict[str, float]]] = field(default_factory=list)

    def step(self, number: int, values: Values) -> None:
        self.taken = number
        file = step_file(self.reference, self.rank, number)
        kept = torch.load(file, weights_only=True) if file.exists() else {}
        for kind in kept:
            finding = self.findings.setdefault(kind, Finding())
            finding.compared += len(kept[kind])
            if finding.step is None:
                self._note(finding, number, kept[kind], values[kind])

    def _note(
        self, finding: Finding, number: int, expected: Mapping[str, Any], found: Mapping[str, Tensor]
    ) -> None:
        for name in dict.fromkeys([*expected, *found]):
            difference = _difference(expected.get(name), found.get(name))
            if difference:
                finding.step, finding.name, finding.difference = number, name, difference
                return

    def metrics(self, step: int, values: Mapping[str, float]) -> None:
        self.rows.append((step, dict(values)))

    def close(self) -> None:
        self.findings["metric"] = self._of_metrics()
        report = {
            "expected": len(list(self.reference.glob(f"step-*.{self.rank}.pt"))),
            "taken": self.taken,
            "findings": {kind: asdict(finding) for kind, finding in self.findings.items()},
        }
        (self.folder / f"report.{self.rank}.json").write_text(json.dumps(report), "utf-8")

    def _of_metrics(self) -> Finding:
        """Row by row, in the order in which they were logged."""
        expected = pickle.loads(metrics_file(self.reference, self.rank).read_bytes())
        finding = Finding(compared=sum(len(values) for _, values in expected))
        for kept, own in zip_longest(expected, self.rows):
            if kept is None or own is None:
                step, values = kept or own
                side = "Lightning" if kept is None else "the script"
                finding.step, finding.name, finding.difference = step, ", ".join(values), f"{side} logs none"
                return finding
            for name in dict.fromkeys([*kept[1], *own[1]]):
                if difference := _of_numbers(kept[1].get(name), own[1].get(name), kept[0], own[0]):
                    finding.step, finding.name, finding.difference = kept[0], name, difference
                    return finding
        return finding


def _of_numbers(expected: float | None, found: float | None, step: int, own_step: int) -> str:
    if expected is None or found is None:
        return f"{'Lightning' if expected is None else 'the script'} logs none"
    if step != own_step:
        return f"the script logs it for step {own_step}"
    if expected == found or (expected != expected and found != found):
        return ""
    return _sizes(expected, found)


def _sizes(expected: float, found: float) -> str:
    return f"{expected:.9g} under Lightning, {found:.9g} in the script: off by {abs(expected - found):.2g}"


def _difference(expected: Any, found: Tensor | None) -> str:
    """How two values differ, in words; empty where they are equal in every bit."""
    if expected is None or found is None:
        return f"{'Lightning' if expected is None else 'the script'} has none"
    found = _plain(found)
    if isinstance(expected, str):
        return "" if digest(found) == expected else "differs"
    if (expected.shape, expected.dtype) != (found.shape, found.dtype):
        shapes = (f"{tuple(each.shape)} of {each.dtype}" for each in (expected, found))
        return "{} under Lightning, {} in the script".format(*shapes)
    if _equal(expected, found):
        return ""
    if expected.numel() == 1:
        return _sizes(expected.item(), found.item())
    distance = (expected.double() - found.double()).abs()
    return f"{int((distance != 0).sum())} of {distance.numel()} values, off by up to {distance.max():.2g}"


def _equal(expected: Tensor, found: Tensor) -> bool:
    """NaN equals NaN."""
    numbers = expected.isnan().logical_not()
    return torch.equal(numbers, found.isnan().logical_not()) and torch.equal(
        expected[numbers], found[numbers]
    )
