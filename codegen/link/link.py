"""From an entry file to a project: its modules made one source, and what that holds."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ..diagnostics import CompileError, Diagnostic
from ..ir.project import Asked, Configuration, Load, ModuleFile, Project, Statement, made_by
from ..source.definitions import Import
from ..source.lightning_names import in_plain_words
from ..source.source import Source
from ..source.suites import in_blocks
from ..spec.load import LoadedSpec
from .configuration.code import CONFIGURATION, IMPORT_MODULE, INSTANTIATE
from .described import (
    Described,
    describe_configurations,
    describe_spec,
    entry_described,
    leave_out_branches,
    leave_out_unnamed,
    read_module_files,
)
from .flatten import flatten, is_seen_from_elsewhere
from .imports.absent import absent_imports, not_installed, said_of_absent
from .imports.restarred import restarred
from .modules.graph import Definition, External, Graph
from .modules.module import Chunk, Module
from .modules.unread_bases import unread_bases
from .naming import Names, renamed_definitions
from .project import read_project, shown_from
from .reach.reach import Reach
from .reach.reached import doing_modules, kept_modules, reached
from .read_annotations import annotations_differ
from .running.late import draws_or_sets
from .running.loading import with_loaded
from .running.named_bases import by_super
from .running.noted import is_known_elsewhere
from .running.other_names import by_public_names, by_what_they_hold
from .running.unpacked import by_items
from .spec.code import OPTIMIZER_CLASS
from .spec.named import classes_in_script
from .streams import kept_streams


def link(
    path: Path,
    folder: Path,
    roots: tuple[Path, ...] = (),
    embeds_all: bool = False,
    spec: LoadedSpec | None = None,
    overrides: tuple[str, ...] = (),
    model_name: str | None = None,
    writes_cli: bool = False,
    loads: tuple[Load, ...] = (),
    files: tuple[ModuleFile, ...] = (),
    knows_made: bool = False,
    makes_trainers: bool = True,
    converting: frozenset[str] = frozenset(),
    errors: tuple[Diagnostic, ...] = (),
) -> Project:
    """The project of the entry at `path`, for a script that is to stand in `folder`.

    A LightningCLI is the spec's, or written out as a class, which the code goes on with. Modules of `files` are
    imported, not loaded. What `loads` give is known,
    and with `knows_made` what `instantiate` makes of it, be that no class that becomes part of the script; of Trainers
    that it names nothing is made without `makes_trainers`. What is `converting` them is part of the script.
    Branches in which `errors` stand, of a build that was refused, and that it rules out, end the run.

    Raises CompileError where a module is missing, damaged, or cannot become part of the script, or a class that the
    spec names.
    """
    asked = Asked(roots, overrides)
    described = entry_described(path, roots, folder, embeds_all)
    leave_out_branches(described, asked, loads, errors)
    read_module_files(described, files)
    if spec:
        describe_spec(described, spec, asked, model_name, writes_cli)
    names_strategy = spec is not None and spec.is_given("trainer.strategy")
    describe_configurations(described, asked, loads, knows_made, names_strategy, makes_trainers)
    leave_out_unnamed(described)
    reach = reached(described.graph, converting)
    unfound = [each for each in reach.graph.said_of_unfound() if each.severity == "error"]
    if problems := [*described.problems, *unfound, *reach.problems, *restarred(reach)]:
        raise CompileError(problems)
    source, names = _in_one_source(described.source, reach)
    reach.notes += renamed_definitions(reach, names) if names else ()
    project = _project(source, reach, described, names, asked)
    named = [*by_what_they_hold(project), *by_public_names(project)]
    if changes := [*by_super(project), *by_items(project), *named]:
        project = _project(source.changed(changes), reach, described, names, asked)
    project = with_loaded(project, reach)
    if names:
        project = _with_spec(project, reach.graph, names)
        project = _with_configuration(project, reach.graph, names)
    return project


def _in_one_source(source: Source, reach: Reach) -> tuple[Source, Names | None]:
    """The source of all modules that become part of the script, with the names there; None: the entry's stay."""
    entry, names = reach.graph.entry, None
    has_others = any(module is not entry for module, _ in reach.in_order)
    has_others = has_others or is_seen_from_elsewhere(reach.graph)
    names_stars = bool(reach.graph.library_stars(entry)) and not reach.graph.keeps_stars(entry)
    if has_others or names_stars or entry.binds_anew or reach.looks_up or any(kept_modules(reach)):
        names = Names(reach)
        source = flatten(reach, names)
    return in_plain_words(in_blocks(source)), names


def _project(
    source: Source, reach: Reach, described: Described, names: Names | None, asked: Asked
) -> Project:
    """What the source holds, and what else is known of its modules."""
    graph = reach.graph
    kept, doing = set(kept_modules(reach)), frozenset(doing_modules(reach))
    project = read_project(source, frozenset(kept), tuple(_folders(graph, kept | doing, graph.folder)))
    inner = tuple(dict.fromkeys(_inner_imports(reach)))
    imports = (*project.imports, *inner)
    project = replace(project, statements=tuple(_with_effects(project, reach)))
    if annotations_differ(reach.chunks):
        project = _with_quotes(project, reach)
    return replace(
        project,
        files=described.files,
        docstring=ast.get_docstring(graph.entry.tree) or "",
        doing=doing,
        lacking=frozenset(reach.resolution.lacking),
        passed_on=dict(_passed_on(graph, project.imports)),
        kept_streams=kept_streams(graph, kept),
        notes=tuple(dict.fromkeys([*reach.notes, *described.notes, *said_of_absent(graph, sorted(kept))])),
        told_by_cli=described.told,
        kept_fields=frozenset(_fields(graph, kept)),
        kept_packages=frozenset(_packages(graph, kept)),
        noted=frozenset(_noted(project, reach)),
        roots=graph.roots.given,
        asked=asked,
        inner_imports=inner,
        absent=dict(absent_imports(graph, imports)),
        not_installed=frozenset(not_installed(imports)),
        unread_bases=dict(unread_bases(graph, project.imports, names.of_definition if names else None)),
    )


def _with_effects(project: Project, reach: Reach) -> Iterator[Statement]:
    """The statements; always needed are those that draw random numbers, or set something up, while they bind a name."""
    drawing = set(_at(project, reach, lambda module, chunk: draws_or_sets(reach.graph, module, chunk)))
    for each in project.statements:
        yield replace(each, always=True) if each in drawing else each


def _with_quotes(project: Project, reach: Reach) -> Project:
    """The project, with the annotations in quotes that some of its modules postpone."""
    postponing = set(_at(project, reach, lambda module, _: module.postpones_annotations))
    return replace(
        project,
        statements=tuple(replace(each, postpones=each in postponing) for each in project.statements),
        future_imports=tuple(each for each in project.future_imports if each != "annotations"),
    )


def _noted(project: Project, reach: Reach) -> Iterator[str]:
    """The definitions that modules which stay, or libraries, have been told of."""
    for each in _at(project, reach, lambda module, chunk: is_known_elsewhere(reach.graph, module, chunk)):
        yield from each.names


def _at(project: Project, reach: Reach, counts: Callable[[Module, Chunk], bool]) -> Iterator[Statement]:
    """The statements that are made of those that count, of the modules' own."""
    folder, made_up = os.path.dirname(project.source.path), _made_up(reach.graph)
    places = {
        (shown_from(folder, module.path), node.lineno)  # behind decorators, as a statement's origin is
        for module, chunk in reach.chunks
        if module not in made_up and counts(module, chunk)
        for node in chunk.nodes
    }
    for each in project.statements:
        lines = range(each.origin.first_line, each.origin.last_line + 1)
        if any(path == each.origin.path and line in lines for path, line in places):
            yield each


def _made_up(graph: Graph) -> set[Module | None]:
    """The modules that are no files of the user's."""
    return {graph.spec, graph.configuration, *graph.making_values}


def _inner_imports(reach: Reach) -> Iterator[Import]:
    """What branches and functions import that goes on being imported."""
    graph = reach.graph
    for module, chunk in reach.chunks:
        for node, _ in (each for uses in chunk.uses for each in uses.imports):
            for alias in node.names:
                target = graph.imported(module, node, alias, may_fail=True) if alias.name != "*" else None
                if isinstance(target, External):
                    yield target.bound


def _with_configuration(project: Project, graph: Graph, names: Names) -> Project:
    """The project, with what the configuration holds apart from what the script needs of its code."""
    own = graph.configuration
    if own is None:
        return project
    held = names.of_definition[Definition(own, CONFIGURATION)]
    instantiate, importing = (
        names.of_definition.get(Definition(own, each)) for each in (INSTANTIATE, IMPORT_MODULE)
    )
    makers = {
        names.of_definition.get(each.definition): made_by(place)
        for place, each in enumerate(own.makers)
        if each.definition in own.understood
    }
    statement = next(each for each in project.statements if held in each.names)
    others = tuple(each for each in project.statements if each is not statement)
    known = {name: key for name, key in makers.items() if name}
    configuration = Configuration(
        statement, instantiate, own.is_composed, own.loads, known, importing, own.evaluated, own.chosen
    )
    return replace(project, statements=others, configuration=configuration)


def _with_spec(project: Project, graph: Graph, names: Names) -> Project:
    """The project, with what the spec describes apart from what the user has written as code."""
    spec = graph.spec
    if spec is None:
        return project
    spans = {statement: project.source.span(statement.node) for statement in project.statements}
    of_spec = [
        each
        for each, span in spans.items()
        if span.path == spec.path and each.names in ((), (OPTIMIZER_CLASS,))
    ]
    return replace(
        project,
        statements=tuple(each for each in project.statements if each not in of_spec),
        spec_trainer=next((each for each in of_spec if not each.names), None),
        spec_optimizer=next((each for each in of_spec if each.names), None),
        spec_code=spec.text,
        spec_classes=classes_in_script(graph, names),
    )


def _fields(graph: Graph, modules: Iterable[str]) -> Iterator[str]:
    """The fields that the classes of modules declare, as dataclasses do, and models of pydantic's."""
    for module in filter(None, map(graph.module, modules)):
        for cls in (node for node in module.nodes if isinstance(node, ast.ClassDef)):
            declared = (node.target for node in cls.body if isinstance(node, ast.AnnAssign))
            yield from (target.id for target in declared if isinstance(target, ast.Name))


def _packages(graph: Graph, modules: Iterable[str]) -> Iterator[str]:
    """The packages that modules import, and the modules that these import, in functions too."""
    reached = {each for module in filter(None, map(graph.module, modules)) for each in graph.closure(module)}
    for node in (node for module in reached for node in module.nodes):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _passed_on(graph: Graph, imports: Iterable[Import]) -> Iterator[tuple[str, str]]:
    """What modules that stay have by importing it from libraries."""
    for bound in imports:
        first = graph.first_import(bound)
        if bound.is_local and not (first.is_local or first.level):
            yield bound.target, first.target


def _folders(graph: Graph, kept: set[str], folder: Path) -> Iterator[str]:
    """The folders from which kept modules are imported, where Python would not look there by itself."""
    roots = {module.place.root for name in kept if (module := graph.module(name))}
    for root in sorted(roots - {folder}):
        yield Path(os.path.relpath(root, folder)).as_posix()
