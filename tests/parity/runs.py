"""The runs of all selected cases, under Lightning and of the scripts, each world's when a test first asks for it."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from .building import build_script
from .cases import RESUMED, Case
from .processes import do_all, failure_of
from .worker import Job


@dataclass(frozen=True)
class ScriptRun:
    """What a script left in the folder given as --out."""

    out: Path

    @property
    def checkpoint_path(self) -> Path:
        return self.out / "last.ckpt"

    @property
    def checkpoint(self) -> dict[str, Any]:
        """Without the run's name, which no other has."""
        loaded: dict[str, Any] = torch.load(self.checkpoint_path, map_location="cpu", weights_only=True)
        return {key: value for key, value in loaded.items() if key != "run"}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The metrics, line by line; a model that logs nothing needs no file."""
        file = self.out / "metrics.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@dataclass
class Runs:
    """Runs the cases and finds what they left."""

    folder: Path
    cases: Sequence[Case]
    started: set[int] = field(default_factory=set)

    def reference(self, case: Case, world: int) -> list[dict[str, Any]]:
        """What Lightning made of it, rank by rank."""
        folder = self._result("reference", case.name, world, f"Lightning fails on {case.name}")
        return [torch.load(folder / f"result.{rank}.pt", weights_only=False) for rank in range(world)]

    def script(self, case: Case, world: int) -> ScriptRun:
        """What the script left behind."""
        folder = self._result("scripts", f"{case.name}-run", world, f"The script of {case.name} fails")
        return ScriptRun(folder / "out")

    def resumed_script(self, case: Case, world: int) -> ScriptRun:
        """What the script left behind that was stopped and then resumed."""
        self._result(
            "scripts", f"{case.name}-stopped", world, f"The script of {case.name} fails, when stopped early"
        )
        folder = self._result(
            "scripts", f"{case.name}-resumed", world, f"The script of {case.name} does not resume"
        )
        return ScriptRun(folder.with_name(f"{case.name}-stopped") / "out")

    def hook_logs(self, case: Case, world: int) -> dict[str, list[list[Any]]]:
        """For each rank the calls that the model wrote down: Lightning's and the script's."""
        names = {"reference": case.name, "scripts": f"{case.name}-run"}
        folders = {kind: self.folder / f"{kind}-{world}" / name for kind, name in names.items()}
        return {
            kind: [json.loads(file.read_text()) for file in sorted(folder.glob("hooks.*.json"))]
            for kind, folder in folders.items()
        }

    def _result(self, kind: str, name: str, world: int, message: str) -> Path:
        if world not in self.started:
            self.started.add(world)
            self._run(world)
        folder = self.folder / f"{kind}-{world}" / name
        if failure := failure_of(folder):
            raise AssertionError(f"{message}:\n{failure}")
        return folder

    def _run(self, world: int) -> None:
        """Side by side: one alone waits for its own ranks much of the time."""
        cases = [case for case in self.cases if world in case.worlds]
        with ThreadPoolExecutor(2) as pool:
            runs = [
                pool.submit(self._run_references, cases, world),
                pool.submit(self._run_scripts, cases, world),
            ]
            for run in runs:
                run.result()

    def _run_references(self, cases: Iterable[Case], world: int) -> None:
        folder = self._kind("reference", world)
        jobs: list[Job] = [
            {
                "folder": str(folder / case.name),
                "source": str(case.source),
                "has_entry_code": case.has_entry_code,
                "spec": case.settings,
                "model": case.model,
                "data": case.data,
            }
            for case in cases
        ]
        do_all("reference", jobs, world, folder)

    def _run_scripts(self, cases: Iterable[Case], world: int) -> None:
        folder = self._kind("scripts", world)
        jobs: list[Job] = []
        for case in cases:
            try:
                script = build_script(case, self.folder / "built")
            # errors in the model and bugs of the compiler alike: they are this case's alone
            except Exception:
                text = f"It was not built:\n{traceback.format_exc()}"
                for run in _arguments(case, folder):
                    _note_failure(folder / f"{case.name}-{run}", text)
                continue
            jobs += [
                {"folder": str(folder / f"{case.name}-{run}"), "script": str(script), "arguments": arguments}
                for run, arguments in _arguments(case, folder).items()
            ]
        do_all("scripts", jobs, world, folder)

    def _kind(self, kind: str, world: int) -> Path:
        folder = self.folder / f"{kind}-{world}"
        folder.mkdir(exist_ok=True)
        return folder


def _arguments(case: Case, folder: Path) -> dict[str, list[str]]:
    """The command lines: of the whole run, and of the same in two parts."""
    runs = {"run": ["--out", "out", *case.options]}
    if case.name in RESUMED:
        again = ["--out", str(folder / f"{case.name}-stopped" / "out")]
        runs["stopped"] = [*again, "--max-epochs", str(RESUMED[case.name])]
        runs["resumed"] = [*again, "--resume"]
    return runs


def _note_failure(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "failure.txt").write_text(text)
