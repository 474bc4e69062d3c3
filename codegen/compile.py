"""The pipeline: a model file and a spec in, one script out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import libcst as cst

from . import messages
from .accounting import left_over
from .analysis import Analysis, analyze
from .diagnostics import CompileError, Diagnostic, in_order
from .facts.entry.lightning_cli import does_more_than_fit
from .facts.entry.uncalled_fits import training_left_out, with_start_asked
from .facts.in_any_case import wrong_in_any_case
from .facts.main.instantiation import (
    asks_what_is_made,
    converting_elsewhere,
    for_want_of_configuration,
    names_idle_trainers,
)
from .facts.main.loaded_files import loads_elsewhere, loads_of
from .facts.main.told.module_files import module_files
from .facts.main.told.unread_modules import told_of_modules
from .facts.main.trainer_calls import with_hooks_open
from .facts.model.unread import told_of_absent, without_followers
from .index import Index
from .index import patterns as m
from .ir.project import Project, Statement
from .link.configuration.hydra_main import composed_once
from .link.link import link
from .lower import lower
from .render.check import check, names_not_its_own, undefined_names
from .render.format import black_settings, formatted, style
from .render.render import render
from .source.definitions import Lowered
from .source.source import Source
from .spec.load import LoadedSpec
from .values import takes_positional

OPTION_PARSERS = frozenset("argparse configargparse jsonargparse simple_parsing tap".split())
"""Packages by which code reads a command line of its own; what takes arguments by their places, it says."""

ARGUMENT_PARSERS = frozenset("absl click docopt fire typer tyro".split())
"""Those that may take arguments by their places, as functions' parameters say or a text."""


@dataclass(frozen=True)
class Compiled:
    """A script's text, what it was made from, and what the user should know of how it was made."""

    text: str
    notes: tuple[Diagnostic, ...]
    files: tuple[Path, ...]
    style: str  # black's
    analysis: Analysis
    lowered: Lowered


def compile_script(
    model: Path,
    spec: LoadedSpec,
    model_name: str | None = None,
    data_name: str | None = None,
    script: Path | None = None,
    roots: tuple[Path, ...] = (),
    overrides: tuple[str, ...] = (),
) -> Compiled:
    """Read, analyze, lower, render, format and check; `script` is where it is to stand.

    `overrides` are what hydra, or a LightningCLI, is given beside its files.

    Raises CompileError with everything that is wrong with the user's code.
    """
    script = script or model.with_name(f"train_{spec.name}.py")
    read = partial(linked, model, script, roots, spec, model_name, overrides)
    try:
        project = read()
    except CompileError as error:
        raise CompileError([*error.diagnostics, *_wrong_in_code(model, script, roots, spec)]) from None
    project, undefined, found = _analyzed_as_configured(
        project, read, lambda each, names: analyzed(each, names, spec, model_name, data_name, script.name)
    )
    lowered = lower(
        found.project,
        found.statements,
        found.own_main,
        found.rewrites,
        bool(found.script.data_members) or found.rewrites.names_data_base,
        found.script.hparams_class,
        found.script.keeps_initial_hparams,
        found.runs,
    )
    _refuse_namesake(project, found.script.module)
    mode, unread = black_settings(model.parent)
    text = render(found.script, lowered, project, mode.line_length)
    text = formatted(text, mode)
    own_modules = frozenset(bound.module for bound in project.imports if bound.is_local)
    check(text, _methods(found), undefined, own_modules)
    return Compiled(text, in_order((*found.notes, *unread)), project.files, style(mode), found, lowered)


def _analyzed_as_configured(
    project: Project,
    read: Callable[[tuple[Diagnostic, ...]], Project],
    analyzed: Callable[[Project, frozenset[str]], Analysis],
) -> tuple[Project, frozenset[str], Analysis]:
    """What is found, once branches end the run that would stop the build, and that the configuration rules out.

    Raises CompileError with what still does.
    """
    errors = tuple[Diagnostic, ...]()
    while True:
        undefined = undefined_names(ast.parse(project.source.text))
        try:
            return project, undefined, analyzed(project, undefined)
        except CompileError as error:
            errors += tuple(each for each in error.diagnostics if each.severity == "error")
            anew = read(errors) if project.configuration else project
            if anew.source.text == project.source.text:
                raise
            project = anew


def _wrong_in_code(
    model: Path, script: Path, roots: tuple[Path, ...], spec: LoadedSpec
) -> Iterator[Diagnostic]:
    """What is wrong with the code whatever the spec says, where the spec itself is wrong."""
    if spec.problems:
        yield from wrong_in_any_case(link(model, script.parent, roots))


@composed_once()
def linked(
    model: Path,
    script: Path,
    roots: tuple[Path, ...],
    spec: LoadedSpec,
    model_name: str | None,
    overrides: tuple[str, ...],
    errors: tuple[Diagnostic, ...] = (),
) -> Project:
    """The project, once it is known what its code does with a LightningCLI, and which configurations it loads.

    `errors` are why a build was refused before.
    """
    link_with = partial(
        link,
        model,
        script.parent,
        roots,
        spec=spec,
        model_name=model_name,
        overrides=overrides,
        errors=errors,
    )
    project = link_with()
    if does_more_than_fit(project):
        link_with = partial(link_with, writes_cli=True)
        project = link_with()
    whole = project
    if loads_elsewhere(project):
        with suppress(CompileError):  # what cannot become part of a script stays where it is
            whole = link_with(embeds_all=True)
    if files := module_files(whole, script, overrides):
        link_with = partial(link_with, files=files)
        project = whole = link_with()
        if loads_elsewhere(project):
            with suppress(CompileError):
                whole = link_with(embeds_all=True)
    if loads := loads_of(whole, script, overrides):
        link_with = partial(link_with, loads=loads)
        project = link_with()
    if asks_what_is_made(project):
        link_with = partial(link_with, knows_made=True)
        project = link_with()
    if converting := converting_elsewhere(project):
        link_with = partial(link_with, converting=converting)
        project = link_with()
    if names_idle_trainers(project):
        project = link_with(makes_trainers=False)
    takes = project.told_by_cli or (project.configuration and project.configuration.is_read)
    return _with_unused(project, overrides) if overrides and not takes else project


def _with_unused(project: Project, overrides: tuple[str, ...]) -> Project:
    """With a note on what the code itself reads of its command line. Raises CompileError where nothing does."""
    errors = [each for each in project.notes if each.severity == "error"]
    if errors or not _reads(project, overrides[0]):
        raise CompileError(errors or [messages.overrides_unused(project.source.path, overrides)])
    left = messages.overrides_left(project.source.path, overrides)
    return replace(project, notes=(*project.notes, left))


def _reads(project: Project, argument: str) -> bool:
    """Whether the code may take such an argument of its command line."""
    imported = project.packages | project.kept_packages
    is_option = argument.startswith("-") or takes_positional(project.index)
    by_parser = imported & (OPTION_PARSERS | ARGUMENT_PARSERS if is_option else ARGUMENT_PARSERS)
    return bool(by_parser or project.index.attributes("argv"))


def analyzed(
    project: Project,
    undefined: frozenset[str],
    spec: LoadedSpec,
    model_name: str | None = None,
    data_name: str | None = None,
    script_name: str = "train.py",
) -> Analysis:
    """What is found and decided, once nothing stands in a script's way.

    Raises CompileError with everything that does; `undefined` are names that the project defines nowhere.
    """
    is_named = model_name is not None or spec.spec.model.class_path is not None
    try:
        found = analyze(project, spec, model_name, data_name, script_name)
    except CompileError as error:
        said = _undefined_in(project, project.statements, undefined)
        errors = (each for each in said if each.severity == "error")
        known = with_hooks_open(error.diagnostics)
        wrong = without_followers(project, for_want_of_configuration(project, known))
        wrong = told_of_modules(project, wrong)
        raise CompileError([*(wrong if is_named else with_start_asked(project, wrong)), *errors]) from None
    if found.facts.own_main is None and not found.project.entry.names_model and not is_named:
        found = replace(found, notes=(*found.notes, *training_left_out(project)))
    found = replace(found, notes=(*found.notes, *told_of_absent(project)))
    return _accounted(project, _without_undefined(found, undefined))


def _accounted(project: Project, found: Analysis) -> Analysis:
    """With notes on the statements that the script does without. Raises CompileError where an argument is lost."""
    said = left_over(project, found)
    if any(each.severity == "error" for each in said):
        raise CompileError(said)
    return replace(found, notes=(*found.notes, *said))


def _without_undefined(found: Analysis, undefined: frozenset[str]) -> Analysis:
    """With a warning of names that functions to be taken over leave undefined. Raises CompileError of others."""
    said = list(_undefined_in(found.project, (*found.statements, *found.own_main), undefined))
    if any(each.severity == "error" for each in said):
        raise CompileError(said)
    return replace(found, notes=(*found.notes, *said))


def _undefined_in(
    project: Project, statements: tuple[Statement, ...], undefined: frozenset[str]
) -> Iterator[Diagnostic]:
    """Names that statements leave undefined, each where it stands first, outside of functions if it does."""
    source, index = project.source, project.index
    told = project.lacking | {name for s in statements for name in _tried(index, s.node)}
    undefined = undefined - told
    postpones = "annotations" in project.future_imports
    nodes = (
        node
        for s in statements
        for node in index.within(s.node, cst.Name)
        if not ((postpones or s.postpones) and index.ancestor(node, cst.Annotation))
    )
    unbound = [node for node in nodes if node.value in undefined and _is_unbound(index, node)]
    first = {node.value: node for node in reversed(unbound)}
    first |= {node.value: node for node in reversed(unbound) if not index.function_of(node)}
    for name, node in first.items():
        yield messages.undefined_name((source, node), name, name in _undefined_there(source, node))


def _is_unbound(index: Index, node: cst.Name) -> bool:
    """Whether a name is a variable that nothing gives a value."""
    variable = index.variable(node)
    return variable is not None and not variable.bindings


def _undefined_there(source: Source, node: cst.CSTNode) -> frozenset[str]:
    """The names that the node's own file leaves undefined, unless a star import brings them in."""
    lines = source.files.get(source.span(node).path, source.lines)
    return names_not_its_own(ast.parse("\n".join(lines)))


def _tried(index: Index, statement: cst.CSTNode) -> Iterator[str]:
    """Names that the code finds out about itself: `try: get_ipython` with `except NameError`."""
    for node in index.within(statement, cst.Try):
        kinds = [each.type for each in node.handlers if each.type]
        if any(index.matching(each, m.Name("NameError")) for each in kinds):
            yield from (name.value for name in index.within(node.body, cst.Name))


def _refuse_namesake(project: Project, module: str | None) -> None:
    """A module of the user's that has the name of the one beside the script. Raises CompileError."""
    if any(bound.module.partition(".")[0] == module for bound in project.imports):
        raise CompileError([messages.module_named_so(f"{module}")])


def _methods(found: Analysis) -> list[tuple[str, str]]:
    """Every method of the user's classes that the script takes over."""
    lineage = dict.fromkeys(part for cls in found.facts.served for part in cls.lineage)
    return [(part.name, method) for part in lineage for method in part.written_methods]
