"""Which class is trained, and which one brings the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

import libcst as cst

from ... import messages
from ...diagnostics import CompileError, Diagnostic
from ...ir.project import Class, Entry, Kind, Project
from ...lightning.api import is_shipped
from ..metaclasses.reading import check_metaclass
from .unread import unread, unread_modules


def choose_model(
    project: Project,
    entry: Entry,
    wanted: str | None,
    place: messages.Place | None = None,
    made: Set[str] = frozenset(),
) -> Class:
    """The LightningModule to train: the one wanted, the entry's, or the only one that nothing else derives from.

    `place` is where the wanted one is named, if in a file; those `made` may be meant though others derive from them.
    Raises CompileError where there is none or where several could be meant.
    """
    wanted = wanted if wanted is not None else _class_name(entry.model) or entry.model_class
    if wanted is not None:
        return _named(project, "module", wanted, place)
    candidates = _most_likely(project, _leaves(project, "module", made))
    if len(candidates) > 1:
        at = (project.source, candidates[1].node.name)
        raise CompileError([messages.several_models(at, [cls.name for cls in candidates])])
    if not candidates:
        raise CompileError(
            list(_unfound(project, entry))
            or [
                messages.no_model(project.source.path, _overrides(project), _uses_fabric(project)),
                *_lacking(project),
            ]
        )
    return candidates[0]


def _uses_fabric(project: Project) -> bool:
    return any(project.lightning_name(each.func) == "Fabric" for each in project.index.of_kind(cst.Call))


def _overrides(project: Project) -> tuple[str, ...]:
    """Those that may name a model in the configuration that the file is started with, if it is with one."""
    packages = {bound.module.partition(".")[0] for bound in project.imports}
    takes = not packages.isdisjoint(("hydra", "omegaconf"))
    return project.configuration.overrides if project.configuration and takes else ()


def _lacking(project: Project) -> list[Diagnostic]:
    """What the code asks the project's modules for, and is not there: it may be what gives the model."""
    return [each for each in project.notes if each.code == "module-lacks"]


def choose_data(
    project: Project, entry: Entry, wanted: str | None, model: Class, place: messages.Place | None = None
) -> Class | None:
    """The LightningDataModule to use; None: the model has loaders of its own.

    Raises CompileError where several could be meant.
    """
    wanted = wanted if wanted is not None else _class_name(entry.data) or entry.data_class
    if wanted is not None:
        return _named(project, "data", wanted, place)
    if "train_dataloader" in model.methods or entry.names_model:
        return None
    candidates = _leaves(project, "data")
    if len(candidates) > 1:
        at = (project.source, candidates[1].node.name)
        raise CompileError([messages.several_data_modules(at, [cls.name for cls in candidates])])
    return candidates[0] if candidates else None


KINDS = {"module": "LightningModule", "data": "LightningDataModule"}


def _of_kind(project: Project, kind: Kind) -> dict[str, Class]:
    return {name: cls for name, cls in project.classes.items() if cls.kind == kind}


def _named(project: Project, kind: Kind, wanted: str, place: messages.Place | None) -> Class:
    """The class of that name. Raises CompileError where there is none."""
    known = _of_kind(project, kind)
    if wanted not in known:
        path = project.source.path
        raise CompileError([messages.unknown_class(path, place, wanted, KINDS[kind], list(known))])
    return known[wanted]


def _leaves(project: Project, kind: Kind, made: Set[str] = frozenset()) -> list[Class]:
    """The classes that nothing else derives from, and those `made`."""
    known = _of_kind(project, kind)
    bases = {base.name for cls in known.values() for base in cls.lineage[1:]}
    return [cls for name, cls in known.items() if name not in bases or name in made]


def _most_likely(project: Project, models: list[Class]) -> list[Class]:
    """Classes at the top level rather than others, then those of the entry's, then those that can be trained."""
    for is_likely in (
        lambda cls: not cls.within,
        lambda cls: cls.path == project.source.path,
        lambda cls: "training_step" in cls.methods,
    ):
        models = list(filter(is_likely, models)) or models
    return models


def check_reachable(project: Project, *classes: Class | None) -> Iterator[Diagnostic]:
    """Classes that the script's own `main` could not make, as they are defined inside a function."""
    for cls in classes:
        if cls is not None and cls.within:
            yield messages.model_in_a_function((project.source, cls.node.name), cls.name)


def check_bases(project: Project, nodes: Iterable[cst.BaseStatement]) -> Iterator[Diagnostic]:
    """Classes that look like models, whose bases are known only when the code runs."""
    for cls in (each for node in nodes for each in project.index.within(node, cst.ClassDef)):
        known = project.classes.get(cls.name.value)
        if (known is None or known.kind == "other") and has_steps(cls):
            for base in (each.value for each in cls.bases if not each.keyword):
                if _is_made(project, base):
                    yield messages.made_base((project.source, base), cls.name.value)
        if known is not None and known.kind != "other":
            for written in _metaclasses(cls):
                yield from check_metaclass(project, known, written)


def _metaclasses(cls: cst.ClassDef) -> Iterator[cst.Arg]:
    """What it says that the class is made by."""
    for argument in cls.keywords:
        if argument.keyword is not None and argument.keyword.value == "metaclass":
            yield argument


def has_steps(cls: cst.ClassDef) -> bool:
    """Whether a class looks like a model."""
    names = {each.name.value for each in cls.body.body if isinstance(each, cst.FunctionDef)}
    return bool(names & {"training_step", "validation_step", "configure_optimizers"})


def _is_made(project: Project, base: cst.BaseExpression) -> bool:
    """Whether a base is the result of a call, or a variable's value."""
    if not isinstance(base, cst.Name):
        return isinstance(base, cst.Call)
    return base.value not in project.classes and project.qualified(base) in (None, base.value)


def _class_name(call: cst.Call | None) -> str | None:
    return call.func.value if call and isinstance(call.func, cst.Name) else None


def _unfound(project: Project, entry: Entry) -> Iterator[Diagnostic]:
    """What is to name one, and classes that look like models and cannot be taken for one."""
    if entry.cli is not None:
        span = project.source.span(entry.cli)
        yield messages.cli_without_class((span, project.source.line_of(span)), "model")
    folders = unread_modules(project)
    for cls in project.classes.values():
        if cls.kind == "other" and "training_step" in cls.own_methods:
            at, module = (project.source, cls.node.name), _unread_base(project, cls)
            if module:
                yield messages.model_base_unread(at, cls.name, module, folders.get(module))
            else:
                yield messages.model_base_unknown(at, cls.name, [*_shipped_bases(project, cls)])


def _shipped_bases(project: Project, cls: Class) -> Iterator[str]:
    """The bases that Lightning itself ships, where it is not installed."""
    names = (project.qualified(base.value) or "" for base in cls.node.bases)
    yield from filter(is_shipped, names)


def _unread_base(project: Project, cls: Class) -> str | None:
    """The module of a base that is imported from where nothing of the project's is found."""
    modules = {bound.name: bound.module for bound in unread(project)}
    for base in (each.value for part in cls.lineage for each in part.node.bases):
        while isinstance(base, cst.Attribute):
            base = base.value
        if isinstance(base, cst.Name) and base.value in modules:
            return modules[base.value]
    return None
