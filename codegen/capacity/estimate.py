"""The order of an estimate: each candidate's script is built, and takes one step without data."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .. import messages
from ..diagnostics import CompileError
from ..spec.load import LoadedSpec
from ..verify.plan import Plan
from ..verify.processes import run_side
from ..verify.verify import Request as Preparation
from ..verify.verify import prepare
from .candidates import Candidate, shared_models, spec_of, unscaled, whole_models

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """For which model."""

    model: Path
    loaded: LoadedSpec
    devices: int
    model_class: str | None = None
    data_class: str | None = None
    roots: tuple[Path, ...] = ()
    arguments: tuple[str, ...] = ()  # of the user's own main


@dataclass(frozen=True)
class Estimate:
    """What a candidate takes of one rank, in bytes; None: that is not known, and `problem` says why."""

    candidate: Candidate
    parameters: int | None = None
    buffers: int = 0
    gradients: int | None = None
    states: int | None = None
    peak: int | None = None
    sent: int | None = None
    problem: str = ""
    block: str | None = None  # a class of which the model has several, with most of its parameters


def estimates(request: Request, tell: Tell) -> list[Estimate]:
    """One of each candidate.

    Raises CompileError where none of them can be built.
    """
    if missing := [name for name in ("torch", "tqdm") if find_spec(name) is None]:
        raise CompileError([messages.not_installed(missing, "torch")])
    with tempfile.TemporaryDirectory(prefix="ddpgen-plan-") as made:
        folder = Path(made).resolve()
        found = _tried(request, whole_models(request.devices), folder / "whole", tell)
        if request.devices > 1:
            block = next((each.block for each in found if each.block), None)
            candidates = shared_models(request.loaded.file.data or {}, block)
            found += _tried(request, candidates, folder / "shared", tell)
        return found


def _tried(request: Request, candidates: Sequence[Candidate], folder: Path, tell: Tell) -> list[Estimate]:
    """The candidates' estimates, whose scripts run one after the other in children of one process."""
    refused: dict[str, CompileError] = {}
    plans: dict[str, Plan] = {}
    for each in candidates:
        try:
            plans[each.name] = _prepared(request, each, folder / each.name)
        except CompileError as error:
            refused[each.name] = error
    if len(refused) == len(candidates) and "single" in refused:
        raise refused["single"]
    tell(", ".join(plans))
    jobs = {name: _job(request, plan, name, folder / name) for name, plan in plans.items()}
    if jobs:
        failure = run_side({"jobs": [*jobs.values()], "world": 1}, folder / "run", "ddpgen.watch.memory")
        if failure:
            raise CompileError([messages.not_estimated(failure.splitlines()[-1])])
    return [
        (
            Estimate(each, problem=refused[each.name].diagnostics[0].message)
            if each.name in refused
            else _read(each, folder / each.name / "found.json", plans[each.name])
        )
        for each in candidates
    ]


def _prepared(request: Request, candidate: Candidate, folder: Path) -> Plan:
    def prepared(loaded: LoadedSpec, place: Path) -> Plan:
        named = (request.model, loaded, request.model_class, request.data_class, request.roots)
        return prepare(Preparation(*named, arguments=request.arguments), place)

    loaded = spec_of(request.loaded, candidate)
    folder.mkdir(parents=True)
    plan = prepared(loaded, folder / "mirror")
    if plan.analysis.facts.precision.scales:
        return prepared(unscaled(loaded), folder / "unscaled")
    return plan


def _job(request: Request, plan: Plan, name: str, folder: Path) -> dict[str, Any]:
    job = plan.script_job(folder, folder)
    return {**job, "side": "memory", "world": 1 if name == "single" else request.devices}


def _read(candidate: Candidate, file: Path, plan: Plan) -> Estimate:
    if not file.is_file():
        return Estimate(candidate, problem="its process was ended from outside")
    found = json.loads(file.read_text("utf-8"))
    problem = plan.mirror.as_users(found.pop("problem"))
    return replace(Estimate(candidate, problem=problem), **found)
