"""From an entry file to a project: its modules made one source, and what that holds."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from .. import messages
from ..diagnostics import CompileError, Diagnostic
from ..ir.project import Asked, Configuration, Load, Project, made_by
from ..source.definitions import Import
from ..source.lightning_names import in_plain_words
from ..source.source import Source
from ..source.suites import in_blocks
from ..spec.load import LoadedSpec
from ..spec.sections.strategy_spec import Imports
from .absent import absent_imports, not_installed
from .cli.settings import read_cli
from .configuration.code import CONFIGURATION, IMPORT_MODULE, INSTANTIATE
from .configuration.module import ConfigurationModule, configuration_module
from .flatten import flatten
from .idle_statements import idle_statements, without
from .modules.found_roots import said_of_roots, with_found_roots
from .modules.graph import Definition, External, Graph, surely_imports
from .modules.module import Module
from .modules.packages import described_package
from .modules.reached_files import entry_graph
from .modules.unread_bases import unread_bases
from .named import check_named, classes_in_script, idle_callbacks, kept_imports
from .naming import Names
from .optional import optional_modules
from .project import read_project
from .reach import Reach, does_something
from .running.loading import with_loaded
from .spec.class_paths import ClassPaths
from .spec.code import OPTIMIZER_CLASS
from .spec.module import SpecModule, spec_module
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
    knows_made: bool = False,
) -> Project:
    """The project of the entry at `path`, for a script that is to stand in `folder`.

    A LightningCLI is the spec's, or written out as a class, which the code goes on with. What `loads` give is known,
    and with `knows_made` what `instantiate` makes of it, be that no class that becomes part of the script.

    Raises CompileError where a module is missing, damaged, or cannot become part of the script, or a class that the
    spec names.
    """
    source, asked_roots = Source.read(path), roots
    graph, found_roots = with_found_roots(source, path, roots)
    idle = list(idle_statements(graph))
    said = [each.said for each in idle]
    if idle:
        source = Source.parse(source.path, without(graph, idle))
        graph = entry_graph(source, path, graph.roots.given)
    graph = replace(graph, embeds_all=embeds_all, folder=folder.resolve())
    cli = read_cli(ClassPaths(graph), spec, model_name, overrides) if spec else None
    told, spec = (cli.told, cli.told.spec) if cli else (None, spec)
    if cli and writes_cli:
        told = cli.written()
        roots = graph.roots.given
        graph = replace(entry_graph(source, path, roots), folder=graph.folder, texts=cli.texts())
    if spec and spec.spec.imports is Imports.EMBED_ALL:
        graph = replace(graph, embeds_all=True)
    paths = ClassPaths(graph)
    graph = replace(graph, spec=spec_module(spec, paths, cli, writes_cli)) if spec else graph
    graph = replace(
        graph, configuration=configuration_module(graph, overrides, loads, said, knows_made), touching={}
    )
    wrong = list(check_named(graph, spec)) if spec else []
    reach = _reached(graph)
    optional = list(optional_modules(reach))
    if stay := frozenset(each for each, _, _ in optional if not reach.graph.touches_lightning(each)):
        reach = _reached(replace(reach.graph, stay=stay))
    reach.notes += [_said_of(*each, stays=each[0] in stay) for each in optional]
    reach.notes += [*(idle_callbacks(spec, paths) if spec else ()), *(cli.notes() if cli else ()), *said]
    reach.notes += [*_said_of_packages(reach), *_said_of_blocks(reach), *said_of_roots(path, found_roots)]
    graph = reach.graph
    reach.notes += [each for each in graph.unfound if each.severity != "error"]
    reach.notes += [note for module in graph.closure(graph.entry) for note in module.notes]
    unfound = [each for each in graph.unfound if each.severity == "error"]
    if problems := [*wrong, *unfound, *reach.problems]:
        raise CompileError(problems)
    kept, names = set(_kept_modules(reach)), None
    has_others = any(module is not graph.entry for module, _ in reach.in_order)
    if kept or has_others or graph.entry.binds_anew or reach.looks_up:
        names = Names(reach)
        source = flatten(reach, names)
    source = in_plain_words(in_blocks(source))
    doing = frozenset(_doing_modules(reach))
    composed = graph.configuration.files if graph.configuration else ()
    told_in = (each.resolve() for each in told.files) if told else ()
    read = (path for path, module in graph.read.items() if not module.place.is_far)
    files = tuple(sorted({*read, *told_in, *composed}))
    folders = tuple(_folders(graph, kept | doing, folder.resolve()))
    project = read_project(source, frozenset(kept), folders)
    project = replace(
        project,
        files=files,
        docstring=ast.get_docstring(graph.entry.tree) or "",
        doing=doing,
        lacking=frozenset(reach.lacking),
        passed_on=dict(_passed_on(graph, project.imports)),
        kept_streams=kept_streams(graph, kept),
        notes=tuple(dict.fromkeys(reach.notes)),
        told_by_cli=told,
        roots=graph.roots.given,
        asked=Asked(asked_roots, overrides),
        absent=dict(absent_imports(graph, project.imports)),
        not_installed=frozenset(not_installed(project.imports)),
        unread_bases=dict(unread_bases(graph, project.imports, names.of_definition if names else None)),
    )
    project = with_loaded(project, reach)
    project = _with_spec(project, graph, graph.spec, names) if graph.spec and names else project
    own = graph.configuration
    return _with_configuration(project, own, names) if own and names else project


def _with_configuration(project: Project, own: ConfigurationModule, names: Names) -> Project:
    """The project, with what the configuration holds apart from what the script needs of its code."""
    held = names.of_definition[Definition(own, CONFIGURATION)]
    instantiate, importing = (
        names.of_definition.get(Definition(own, each)) for each in (INSTANTIATE, IMPORT_MODULE)
    )
    makers = {
        names.of_definition.get(each.definition): made_by(place) for place, each in enumerate(own.makers)
    }
    statement = next(each for each in project.statements if held in each.names)
    others = tuple(each for each in project.statements if each is not statement)
    known = {name: key for name, key in makers.items() if name}
    configuration = Configuration(
        statement, instantiate, own.is_composed, own.loads, known, importing, own.evaluated
    )
    return replace(project, statements=others, configuration=configuration)


def _with_spec(project: Project, graph: Graph, spec: SpecModule, names: Names) -> Project:
    """The project, with what the spec describes apart from what the user has written as code."""
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


def _reached(graph: Graph) -> Reach:
    """What is reached, once the modules are known that hold bases of models, or decorators of them and of mains."""
    reach = Reach(graph)
    reach.run()
    while True:
        bases, decorators = reach.modules_with_bases(), reach.modules_with_decorators()
        if not bases | decorators:
            return reach
        graph = replace(
            graph,
            with_bases=graph.with_bases | bases,
            with_decorators=graph.with_decorators | decorators,
            touching={},
        )
        reach = Reach(graph)
        reach.run()


def _said_of(module: Module, node: ast.stmt, reason: str, stays: bool) -> Diagnostic:
    """What the user should know of a module that is imported in branches and functions alone."""
    end = node.lineno, len(module.lines[node.lineno - 1])
    place = module.shown_place((node.lineno, node.col_offset), end)
    said = messages.optional_module_stays if stays else messages.optional_module_taken
    return said(place, module.place.name, reason)


def _said_of_packages(reach: Reach) -> Iterator[Diagnostic]:
    """What the user should know of code of installed packages that becomes part of the script."""
    taken = (module.place for module, chunk in reach.in_order if not chunk.is_import)
    names = sorted({place.name for place in taken if place.is_far})
    for top, modules in groupby(names, lambda name: name.partition(".")[0]):
        package = described_package(top)
        told = package.name, package.version, package.licence
        yield messages.package_taken(reach.graph.entry.path, *told, [*modules])


def _said_of_blocks(reach: Reach) -> Iterator[Diagnostic]:
    """Modules that are imported in a `with`, which may do something to them, and become part of the script."""
    for module, node in ((module, node) for module, chunk in reach.chunks for node in chunk.nodes):
        inner = [*surely_imports(node)] if isinstance(node, ast.With) else []
        taken = {
            each.place.name
            for part in inner
            for each in reach.graph.imported_by(module, part)
            if reach.graph.is_embedded(each)
        }
        if taken:
            end = node.lineno, len(module.lines[node.lineno - 1])
            place = module.shown_place((node.lineno, node.col_offset), end)
            yield messages.imported_within(place, sorted(taken))


def _kept_modules(reach: Reach) -> Iterator[str]:
    """The project's modules that the script goes on importing."""
    for resolved in (each for found in reach.resolved.values() for each in found):
        if isinstance(resolved.target, External) and resolved.target.bound.is_local:
            yield resolved.target.bound.module
    yield from (bound.module for bound in kept_imports(reach.graph))
    for node, alias in reach.graph.entry.imports.values():
        if alias.name != "*":
            target = reach.graph.imported(reach.graph.entry, node, alias)
            if isinstance(target, External) and target.bound.is_local:
                yield target.bound.module


def _doing_modules(reach: Reach) -> Iterator[str]:
    """Modules that stay, and that do something when they are imported, such as to enter classes into a table."""
    graph = reach.graph
    places = [(module, node) for module, chunk in reach.in_order if chunk.is_import for node in chunk.nodes]
    imported = {
        each
        for module, node in places
        if isinstance(node, ast.Import | ast.ImportFrom)
        for each in graph.imported_by(module, node)
        if not graph.is_embedded(each)
    }
    for each in imported:
        if any(does_something(graph, inner) for inner in graph.closure(each)):
            yield each.place.name


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
