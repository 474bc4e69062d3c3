"""What is imported and not found, and what else is wrong only because of it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic, Span
from ...ir.project import Project
from ...source.definitions import Import
from ...source.repository import standing_elsewhere

OF_NO_MODELS = {*sys.stdlib_module_names, "ray", "torch", "torchvision", "torchmetrics", "transformers"}
"""Packages of which it is known that no class of theirs is a LightningModule."""

FOLLOWING = frozenset({"no-model", "fit-argument-unknown", "callback-unread"})
"""What is said of objects of classes that are not found."""


def unread(project: Project) -> Iterator[Import]:
    """Imports from modules that are not found and may have models."""
    for bound in (*project.imports, *project.inner_imports):
        is_open = bound.module.partition(".")[0] not in OF_NO_MODELS
        if is_open and not (bound.is_local or bound.is_lightnings or bound.level):
            yield bound


def unread_modules(project: Project) -> dict[str, str]:
    """Those modules of which the repository has files: the folders that hold them."""
    imported = {bound.module for bound in project.imports}
    modules = dict.fromkeys(
        bound.module for bound in unread(project) if bound.module in imported & project.not_installed
    )
    found = standing_elsewhere(modules, Path(project.source.path))
    return {name: Path(os.path.relpath(folder)).as_posix() for name, folder in found.items()}


def without_followers(project: Project, diagnostics: Collection[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics, with one of all that is not found in the place of those that follow from it."""
    said = [each for each in diagnostics if not (each.code == "no-data" and _sets_loader(diagnostics))]
    if not any(each.code in FOLLOWING for each in said):
        return said
    gone = [*_gone(project, said)]
    found = {bound.module for bound in gone}
    elsewhere = {name: folder for name, folder in unread_modules(project).items() if name not in found}
    lost = [*gone, *(each for each in unread(project) if each.module in elsewhere)]
    others = {each.target for each in lost}
    bases = {name: base for name, base in _unread_bases(project, said).items() if base not in others}
    missing = [each for each in _needed(project, said, elsewhere) if each not in gone]
    lost += missing
    derived = _derived(project, lost) | bases.keys()
    place = _named_by_file(project, gone)
    following = [
        each for each in said if _follows(each, lost, derived) or (place and each.code in FOLLOWING)
    ]  # what a file has made is not known without one of its classes
    if not following:
        return said
    absent = [*dict.fromkeys(project.absent[each.target] for each in gone)]
    modules = [*(each.module for each in missing), *bases.values()]
    packages = dict.fromkeys(each.partition(".")[0] for each in modules)
    cause = messages.import_not_found(project.source.path, elsewhere, absent, [*packages], bases)
    if place:
        cause = replace(cause, span=place, source_line=project.source.line_of(place))
    return [cause, *(each for each in said if each not in following and not _asks_for_data(each))]


def _named_by_file(project: Project, gone: Collection[Import]) -> Span | None:
    """Where a configuration names what is not there; None: code does."""
    targets = {each.target for each in gone}
    nodes = project.index.of_kind(cst.ImportFrom, cst.Import)
    spans = (project.source.span(node) for node in nodes if targets.intersection(_targets(node)))
    return next((each for each in spans if not each.path.endswith(".py")), None)


def told_of_absent(project: Project) -> Iterator[Diagnostic]:
    """Imports of the project's own that are not there, unless the code tries them."""
    found = dict[tuple[str, int, int], dict[str, Span]]()
    for node in project.index.of_kind(cst.ImportFrom, cst.Import):
        names = [project.absent[each] for each in _targets(node) if each in project.absent]
        if names and project.index.ancestor(node, cst.Try) is None:
            span = project.source.span(node)  # of one statement's, each name may have one of its own by now
            found.setdefault((span.path, span.line, span.column), {}).update(dict.fromkeys(names, span))
    for absent in found.values():
        span = max(absent.values())
        yield messages.import_absent((span, project.source.line_of(span)), [*absent])


def _targets(node: cst.CSTNode) -> Iterator[str]:
    """The dotted names of what a statement imports."""
    assert isinstance(node, cst.ImportFrom | cst.Import)
    code = cst.Module([]).code_for_node
    module = f"{code(node.module)}." if isinstance(node, cst.ImportFrom) and node.module else ""
    for each in () if isinstance(node.names, cst.ImportStar) else node.names:
        yield module + code(each.name)


def _gone(project: Project, said: Collection[Diagnostic]) -> Iterator[Import]:
    """Imports of what the project does not have; of branches and functions, those of which something is said."""
    for each in dict.fromkeys((*project.imports, *project.inner_imports)):
        is_run = each in project.imports or any(_names(one, each.target) for one in said)
        if is_run and each.target in project.absent:
            yield each


def _asks_for_data(said: Diagnostic) -> bool:
    """Whether it says that an evaluation has no data, which may be what is not found."""
    return said.code == "evaluation-stops" and said.message.endswith("to be given data here.")


def _sets_loader(said: Collection[Diagnostic]) -> bool:
    """Whether something assigns the hook that would give the training data, which is said of it."""
    return any(each.code == "assigned-hook" and "`train_dataloader`" in each.message for each in said)


def _needed(project: Project, said: Collection[Diagnostic], elsewhere: Collection[str]) -> Iterator[Import]:
    """Imports of packages that are not installed, of whose classes something is said."""
    named = [each for each in said if each.code != "no-model"]
    for each in unread(project):
        is_missing = each.module in project.not_installed and each.module not in elsewhere
        if is_missing and any(_follows(one, [each]) for one in named):
            yield each


def _unread_bases(project: Project, said: Collection[Diagnostic]) -> dict[str, str]:
    """Bases of packages that are not installed, of classes of which something is said, or that may be the model's."""
    bases = {
        name: base
        for name, base in project.unread_bases.items()
        if base.partition(".")[0] not in OF_NO_MODELS
    }
    named = {name for name in bases if any(_names(each, name) for each in said)}
    if any(each.code == "no-model" for each in said):
        named |= {project.called(call) for call in project.index.of_kind(cst.Call)}
    return {name: base for name, base in bases.items() if name in named}


def _names(said: Diagnostic, name: str) -> bool:
    return said.code in FOLLOWING and re.search(rf"`{re.escape(name)}\b", said.message) is not None


def _derived(project: Project, lost: Collection[Import]) -> set[str]:
    """The project's classes that have what is not found for a base."""
    names = {each.name for each in lost}
    return {cls.name for cls in project.classes.values() if names.intersection(cls.resolution_order)}


def _follows(said: Diagnostic, lost: Collection[Import], derived: Collection[str] = ()) -> bool:
    """Whether something is wrong only because what has one of these names is not found."""
    if said.code == "no-model":
        return bool(derived) or any(each.attribute is None or each.attribute[:1].isupper() for each in lost)
    names = {name for each in lost for name in (each.name, each.module)} | {*derived}
    return any(_names(said, name) for name in names)
