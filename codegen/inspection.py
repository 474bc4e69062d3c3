"""What `ddpgen inspect` finds in a file: classes, and for each what of Lightning's it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import libcst as cst

from .compile import analyzed, linked
from .diagnostics import CompileError, Diagnostic, format_text
from .facts.code.member_access import usage_of
from .facts.code.parameters import parameters
from .facts.code.usage import LogCall, Usage
from .facts.data.loaders import loader_facts
from .facts.data.modules_as_data import with_data_modules
from .facts.logging.logging import logging_facts
from .facts.optimizers.form import OptimizerForm, optimizer_form
from .facts.optimizers.manual import decision
from .index.search import code_for
from .ir.project import Class, Project
from .lightning import api, lightning_1
from .link.link import link
from .render.check import undefined_names
from .spec.load import load_spec
from .values.report import CallReport, ExpressionReport, calls_in, expressions_at


@dataclass(frozen=True)
class ClassReport:
    """What was found of one LightningModule or LightningDataModule."""

    name: str
    kind: str
    path: str
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


def inspect(path: Path, roots: tuple[Path, ...] = ()) -> Report:
    """Read the file at `path`, and say what it holds. Raises CompileError where it cannot be read."""
    try:
        project = with_data_modules(linked(path, path, roots, load_spec("ddp"), None, ()))
        said = tuple(dict.fromkeys(_problems(project, _classes(project))))
    except CompileError as error:  # such as settings that a LightningCLI has from its file
        project, said = link(path, path.parent, roots), tuple(error.diagnostics)
    reports = tuple(_class_report(project, cls) for cls in _classes(project))
    return Report(project.source.path, reports, said)


def _classes(project: Project) -> list[Class]:
    return [cls for cls in project.classes.values() if cls.kind != "other"]


def inspect_values(
    path: Path, place: tuple[int, int | None], roots: tuple[Path, ...] = ()
) -> list[ExpressionReport]:
    """What the expressions in a line of the file may be; with a column, the innermost one there.

    Raises CompileError where the file cannot be read.
    """
    return expressions_at(link(path, path.parent, roots), *place)


def inspect_calls(path: Path, roots: tuple[Path, ...] = ()) -> list[CallReport]:
    """What each call in the file, and in the modules of the project that it imports, may call.

    Raises CompileError where one of them cannot be read.
    """
    return calls_in(link(path, path.parent, roots, embeds_all=True))


def _problems(project: Project, classes: list[Class]) -> Iterator[Diagnostic]:
    """What stops a build of any of the models; without a model, why there is none."""
    bases = {base.name for cls in classes for base in cls.lineage[1:]}
    models: list[str | None] = [cls.name for cls in classes if cls.kind == "module" and cls.name not in bases]
    undefined = undefined_names(ast.parse(project.source.text))
    for name in models or [None]:
        try:
            yield from analyzed(project, undefined, load_spec("ddp"), name).notes
        except CompileError as error:
            yield from error.diagnostics


def _class_report(project: Project, cls: Class) -> ClassReport:
    usage = usage_of(project, cls)
    facts = logging_facts(project, cls, usage)
    keys = {key for call in facts.calls if call.is_sure for key in _keys(call)}
    span = project.source.span(cls.node.name)
    data = cls if cls.kind == "data" else None
    loaders = (loader_facts(project, hook, cls, data) for hook in ("train_dataloader", "val_dataloader"))
    methods = set(cls.methods)
    return ClassReport(
        name=cls.name,
        kind="LightningModule" if cls.kind == "module" else "LightningDataModule",
        path=span.path,
        line=span.line,
        bases=tuple(base.name for base in cls.lineage[1:]),
        hyperparameters=tuple(
            f"{parameter.name} = {parameter.default}" if parameter.default else parameter.name
            for parameter in parameters(cls)
        ),
        steps=tuple(sorted(methods & (api.STEPS | api.UNCALLED))),
        hooks=tuple(sorted(methods & (api.HOOKS | api.UNSUPPORTED_HOOKS.keys() | lightning_1.HOOKS.keys()))),
        optimizer=_optimizers(project, cls, usage) if "configure_optimizers" in methods else "",
        logged=tuple(sorted(keys)),
        loaders=tuple(f"{loader.hook}: {_dataset(loader.dataset)}" for loader in loaders if loader),
    )


def _keys(call: LogCall) -> list[str]:
    """The names that a call logs under; the code that makes them, where they are no plain strings."""
    logged = call.arguments[0].value if call.arguments else cst.Dict([])
    if not isinstance(logged, cst.Dict):
        return [call.key or _code(logged)]
    entries = [
        element.key if isinstance(element, cst.DictElement) else element for element in logged.elements
    ]
    return [key.raw_value if isinstance(key, cst.SimpleString) else _code(key).strip(", ") for key in entries]


def _code(node: cst.CSTNode) -> str:
    return code_for(node)


def _dataset(kind: str) -> str:
    return {"map": "map-style", "sized": "iterable, of known length", "unsized": "iterable"}[kind]


def _optimizers(project: Project, cls: Class, usage: Usage) -> str:
    defaults = {each.name: each.default for each in parameters(cls) if each.default is not None}
    if decision(project, cls, usage, defaults, None, None, []).off:
        return "stepped by hand"
    return _optimizer(optimizer_form(project, cls, []))


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
    blocks = ["\n".join(_class_lines(found, report.path)) for found in report.classes]
    problems = [format_text(problem) for problem in report.problems]
    if not any(problem.severity == "error" for problem in report.problems):
        problems.append("Nothing stands in the way of a script.")
    return "\n\n".join([*blocks, *problems])


def _class_lines(found: ClassReport, path: str) -> Iterator[str]:
    bases = f" ({', '.join(found.bases)})" if found.bases else ""
    where = f"line {found.line}" if found.path == path else f"{found.path}:{found.line}"
    yield f"{found.name}{bases}: {found.kind}, {where}"
    rows = {
        "arguments": found.hyperparameters,
        "steps": found.steps,
        "hooks": found.hooks,
        "optimizer": (found.optimizer,) if found.optimizer else (),
        "logged": found.logged,
        "data": found.loaders,
    }
    yield from (f"  {title:10} {', '.join(values)}" for title, values in rows.items() if values)
