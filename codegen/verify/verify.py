"""The order of a verification: build, run the one side, run the other, compare."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .. import messages
from ..compile import compile_script
from ..diagnostics import CompileError
from ..ir.files import files_of
from ..output.merge import unsettled
from ..output.outcome import place_of
from ..output.write import present_text
from ..spec.load import LoadedSpec, LossKind, Strategy
from .plan import Plan, mirror_of, roots_of
from .processes import run_side
from .report import Verdict, read_verdict

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """What is to be verified, and how far."""

    model: Path
    loaded: LoadedSpec
    model_class: str | None = None
    data_class: str | None = None
    roots: tuple[Path, ...] = ()
    script: Path | None = None  # None: one that is built for this
    world: int = 1
    steps: int = 20
    arguments: tuple[str, ...] = ()  # of the user's own main


class Failed(Exception):
    """One of the sides did not get through."""

    def __init__(self, side: str, output: str) -> None:
        self.side, self.output = side, output
        super().__init__(f"{side} failed:\n{output}")


def verify(request: Request, tell: Tell) -> Verdict:
    """Run both sides in a folder that is removed afterwards, and compare what they did.

    Raises CompileError where there is nothing to run, Failed where one does not get through.
    """
    _check(request)
    with tempfile.TemporaryDirectory(prefix="ddpgen-verify-") as made:
        folder = Path(made).resolve()
        plan = prepare(request, folder / "mirror")
        plan.mirror.store(folder / "untouched")
        reference, script = folder / "lightning", folder / "script"
        _run(plan, "your code under Lightning", plan.lightning_job(reference), reference, tell)
        plan.mirror.restore(folder / "untouched")  # the script finds nothing of what that run has left
        _run(plan, "the script", plan.script_job(script, reference), script, tell)
        return read_verdict(reference, script, request.world, request.steps)


def _run(plan: Plan, side: str, job: Mapping[str, Any], place: Path, tell: Tell) -> None:
    tell(side)
    if failure := run_side(job, place):
        raise Failed(side, plan.mirror.as_users(failure))


def _check(request: Request) -> None:
    missing = [name for name in ("torch", "lightning", "tqdm") if find_spec(name) is None]
    if missing:
        raise CompileError([messages.not_installed(missing, "verify")])
    if request.world > 1 and request.loaded.spec.strategy is Strategy.SINGLE:
        raise CompileError([messages.one_process_alone(request.loaded.place("strategy"), request.world)])
    if request.world > 1 and request.loaded.spec.strategy is Strategy.FSDP:
        raise CompileError([messages.fsdp_not_compared(request.loaded.place("strategy"))])
    if request.loaded.spec.strategy is Strategy.MODEL_PARALLEL:
        raise CompileError([messages.model_parallel_not_compared(request.loaded.place("strategy"))])
    if differing := list(_differing(request)):
        raise CompileError([messages.not_compared(request.loaded.key_place(key), key) for key in differing])
    if request.script is not None and not request.script.is_file():
        raise CompileError([messages.no_script(request.script.as_posix())])


def _differing(request: Request) -> Iterator[str]:
    """Settings under which the script is meant to differ from Lightning."""
    if request.world > 1:
        yield from (
            key
            for key in ("ddp.comm_hook", "ddp.local_sgd", "ddp.join", "data_parallel_group", "layer_sync")
            if request.loaded.is_given(key)
        )
    if request.loaded.spec.fsdp.mixed_precision:
        yield "fsdp.mixed_precision"
    if request.loaded.spec.compile:
        yield "compile"
    if request.loaded.spec.loss is LossKind.SUM:
        yield "loss"
    if request.loaded.spec.microbatch:
        yield "microbatch"


def _refuse_conflicts(script: Path, generated: str) -> None:
    text = present_text(script) or ""
    if standing := unsettled(text, generated):
        raise CompileError([messages.conflict_stands(place_of(script, text, standing[0]))])


def prepare(request: Request, folder: Path) -> Plan:
    """Build the script where it would stand, but in the mirror.

    Raises CompileError with everything that is wrong with the user's code.
    """
    model, loaded = request.model, request.loaded
    place = request.script or model.parent / f"train_{loaded.name}.py"
    compiled = compile_script(model, loaded, request.model_class, request.data_class, place, request.roots)
    if request.script is not None:
        _refuse_conflicts(request.script, compiled.text)
    roots = roots_of(model, compiled.analysis.project.roots)
    mirror = mirror_of(model, place, roots, folder)
    if request.script is None:
        for path, text in files_of(place, compiled.text):
            mirror.place(path).unlink(missing_ok=True)
            mirror.place(path).write_text(text, "utf-8")
    arguments = request.arguments
    return Plan(
        mirror, model, place, compiled.analysis, loaded, arguments, request.steps, request.world, roots
    )
