"""What `ddpgen inspect` finds in a file: classes, and for each what of Lightning's it uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import libcst as cst

from . import lightning_api as api
from .analyze import analyze
from .analyze.data import loader_facts
from .analyze.hyperparameters import parameters
from .analyze.logging import logging_facts
from .analyze.optimizers import OptimizerForm, optimizer_form
from .analyze.usage import usage_of
from .diagnostics import CompileError, Diagnostic, format_text
from .link import link
from .project import Class, Project
from .spec import load_spec


@dataclass(frozen=True)
class ClassReport:
    """What was found of one LightningModule or LightningDataModule."""

    name: str
    kind: str
    line: int
    bases: tuple[str, ...]
    hyperparameters: tuple[str, ...]
    steps: tuple[str, ...]
    hooks: tuple[str, ...]
    optimizer: str
    logged: tuple[str, ...]
    loaders: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What was found in a file, and what stands in the way of a script."""

    path: str
    classes: tuple[ClassReport, ...]
    problems: tuple[Diagnostic, ...]

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def inspect(path: Path) -> Report:
    """Read the file at `path`, and say what it holds. Raises CompileError where it cannot be read."""
    project = link(path, path.parent)
    classes = [cls for cls in project.classes.values() if cls.kind != "other"]
    return Report(
        project.source.path,
        tuple(_class_report(project, cls) for cls in classes),
        tuple(dict.fromkeys(_problems(project, classes))),
    )


def _problems(project: Project, classes: list[Class]) -> Iterator[Diagnostic]:
    """What stops a build of any of the models; without a model, why there is none."""
    bases = {base.name for cls in classes for base in cls.lineage[1:]}
    models: list[str | None] = [cls.name for cls in classes if cls.kind == "module" and cls.name not in bases]
    for name in models or [None]:
        try:
            yield from analyze(project, load_spec("ddp"), name, None).notes
        except CompileError as error:
            yield from error.diagnostics


def _class_report(project: Project, cls: Class) -> ClassReport:
    usage = usage_of(project, cls)
    facts = logging_facts(project, cls, usage)
    keys = {
        call.key or cst.Module([]).code_for_node(call.node.args[0].value)
        for call in facts.calls
        if call.node.args
    }
    data = cls if cls.kind == "data" else None
    loaders = (loader_facts(project, hook, cls, data) for hook in ("train_dataloader", "val_dataloader"))
    methods = set(cls.methods)
    return ClassReport(
        name=cls.name,
        kind="LightningModule" if cls.kind == "module" else "LightningDataModule",
        line=project.source.span(cls.node.name).line,
        bases=tuple(base.name for base in cls.lineage[1:]),
        hyperparameters=tuple(
            f"{parameter.name} = {parameter.default}" if parameter.default else parameter.name
            for parameter in parameters(cls)
        ),
        steps=tuple(sorted(methods & (api.STEPS | api.UNCALLED))),
        hooks=tuple(sorted(methods & (api.HOOKS | api.UNSUPPORTED_HOOKS | api.REMOVED_HOOKS.keys()))),
        optimizer=_optimizer(optimizer_form(project, cls, [])) if "configure_optimizers" in methods else "",
        logged=tuple(sorted(keys)),
        loaders=tuple(f"{loader.hook}: {_dataset(loader.dataset)}" for loader in loaders if loader),
    )


def _dataset(kind: str) -> str:
    return {"map": "map-style", "sized": "iterable, of known length", "unsized": "iterable"}[kind]


def _optimizer(form: OptimizerForm) -> str:
    if not form.exists:
        return "none"
    if not form.is_sure:
        return "known when the script runs"
    schedule = form.schedule
    if schedule is None:
        return "one optimizer"
    every = (
        f"every {schedule.frequency} {schedule.interval}s"
        if schedule.frequency > 1
        else f"every {schedule.interval}"
    )
    watches = f", watching {schedule.monitor}" if schedule.on_plateau else ""
    return f"one optimizer, a scheduler that steps {every}{watches}"


def report_text(report: Report) -> str:
    """The report for people."""
    blocks = ["\n".join(_class_lines(found)) for found in report.classes]
    problems = [format_text(problem) for problem in report.problems]
    if not any(problem.severity == "error" for problem in report.problems):
        problems.append("Nothing stands in the way of a script.")
    return "\n\n".join([*blocks, *problems])


def _class_lines(found: ClassReport) -> Iterator[str]:
    bases = f" ({', '.join(found.bases)})" if found.bases else ""
    yield f"{found.name}{bases}: {found.kind}, line {found.line}"
    rows = {
        "arguments": found.hyperparameters,
        "steps": found.steps,
        "hooks": found.hooks,
        "optimizer": (found.optimizer,) if found.optimizer else (),
        "logged": found.logged,
        "data": found.loaders,
    }
    yield from (f"  {title:10} {', '.join(values)}" for title, values in rows.items() if values)
