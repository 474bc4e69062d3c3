"""An entry's modules, and those that a spec, LightningCLI's settings and configurations are written as."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from .. import messages
from ..diagnostics import Diagnostic
from ..ir.project import Asked, Load, ModuleFile
from ..ir.told_by_cli import ToldByCli
from ..source.source import Source
from ..spec.load import LoadedSpec
from ..spec.sections.strategy_spec import Imports, Strategy
from .branches.ruled_out import ruled_out
from .cli.settings import read_cli
from .configuration.module import configuration_module
from .idle_statements import idle_statements, without
from .module_files import modules_of_files
from .modules.found_roots import root_for_named, said_of_roots, with_found_roots
from .modules.graph import Graph
from .modules.module import entry_roots
from .modules.reached_files import entry_graph
from .running.automain import started_in_a_guard
from .running.unnamed_methods import idle_modules
from .running.without_unnamed import without_unnamed
from .spec.class_paths import ClassPaths
from .spec.module import spec_module
from .spec.named import check_named, idle_callbacks
from .trainers.functions import trainer_functions


@dataclass
class Described:
    """The graph of the modules, and what there is to say of what describes them."""

    source: Source  # the entry's
    graph: Graph
    told: ToldByCli | None = None
    notes: list[Diagnostic] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)

    @property
    def files(self) -> tuple[Path, ...]:
        """Those that were read."""
        graph = self.graph
        modules = {path for path, module in graph.read.items() if not module.place.is_far}
        told = {each.resolve() for each in self.told.files} if self.told else set()
        composed = graph.configuration.files if graph.configuration else ()
        return tuple(sorted({*modules, *told, *composed}))


def entry_described(path: Path, roots: tuple[Path, ...], folder: Path, embeds_all: bool) -> Described:
    """The entry at `path` and what it imports, without statements that do nothing for a script in `folder`."""
    source = Source.read(path)
    if text := started_in_a_guard(source.text):
        source = Source.parse(source.path, text)
    graph, found_roots = with_found_roots(source, path, roots)
    idle = list(idle_statements(graph))
    if idle:
        source = Source.parse(source.path, without(graph, idle))
        graph = entry_graph(source, path, graph.roots.given)
    made = trainer_functions(graph)
    if made.texts:
        source = Source.parse(source.path, made.texts.get(path.resolve(), source.text))
        graph = replace(entry_graph(source, path, graph.roots.given), texts=made.texts)
    notes = [*said_of_roots(path, found_roots), *(each.said for each in idle), *made.said]
    return Described(source, replace(graph, embeds_all=embeds_all, folder=folder.resolve()), notes=notes)


def leave_out_branches(
    described: Described, asked: Asked, loads: Iterable[Load], errors: tuple[Diagnostic, ...]
) -> None:
    """Have the run end where branches begin that a script cannot have, and that the configuration rules out.

    Such are those in which `errors` stand, too, of a build that was refused.
    """
    graph = described.graph
    found = ruled_out(graph, asked.overrides, loads, errors)
    if not found.texts:
        return
    path, texts = graph.roots.entry.path, {**graph.texts, **found.texts}
    source = Source.parse(described.source.path, texts.get(path.resolve(), described.source.text))
    anew = entry_graph(source, path, graph.roots.given)
    described.source = source
    described.graph = replace(anew, texts=texts, embeds_all=graph.embeds_all, folder=graph.folder)
    described.notes += found.said


def read_module_files(described: Described, files: tuple[ModuleFile, ...]) -> None:
    """Have modules imported by names that the code loads from these files, where that imports Lightning."""
    found = modules_of_files(described.graph, files) if files else None
    described.problems += found.problems if found else ()
    if found is None or not found.texts:
        return
    described.graph = replace(described.graph, roots=found.roots)
    _read_anew(described, {**described.graph.texts, **found.texts})
    described.notes += found.said


def describe_spec(
    described: Described, spec: LoadedSpec, asked: Asked, model_name: str | None, writes_cli: bool
) -> None:
    """Add what a spec describes, or the settings of the code's LightningCLI; of this a class where it `writes_cli`.

    Raises CompileError where there are settings that are not known.
    """
    graph = described.graph
    cli = read_cli(ClassPaths(graph), spec, model_name, asked.overrides)
    if cli:
        described.told, spec = cli.written() if writes_cli else cli.told, cli.told.spec
        described.notes += cli.notes()
    if cli and writes_cli:
        texts = {**graph.texts, **cli.texts()}
        graph = Graph(graph.roots, graph.source, graph.embeds_all, folder=graph.folder, texts=texts)
    if spec.spec.imports is Imports.EMBED_ALL:
        graph = replace(graph, embeds_all=True)
    if spec.spec.strategy is not Strategy.SINGLE or ".predict(" in graph.entry.text:
        graph = replace(graph, makes_batches_anew=True, touching={})
    paths = ClassPaths(graph)
    described.notes += idle_callbacks(spec, paths)
    described.graph = replace(graph, spec=spec_module(spec, paths, cli, writes_cli))
    described.problems += check_named(described.graph, spec)


def describe_configurations(
    described: Described,
    asked: Asked,
    loads: Iterable[Load],
    knows_made: bool,
    ignores_strategies: bool,
    makes_trainers: bool = True,
) -> None:
    """Add the configurations that are known."""
    loads, how = tuple(loads), (knows_made, ignores_strategies, makes_trainers)
    _compose(described, asked, loads, how, described.notes)
    while (root := root_for_named(described.graph)) is not None:
        described.graph = _with_root(described.graph, root)
        _compose(described, asked, loads, how, [])
    made = trainer_functions(described.graph) if described.graph.configuration else None
    if made and made.texts:
        _read_anew(described, {**described.graph.texts, **made.texts})
        _compose(described, asked, loads, how, [])
        described.notes += made.said


def _compose(
    described: Described,
    asked: Asked,
    loads: tuple[Load, ...],
    how: tuple[bool, bool, bool],
    notes: list[Diagnostic],
) -> None:
    idle = idle_modules(replace(described.graph, configuration=None))
    graph = replace(described.graph, idle=idle)
    module = configuration_module(graph, asked.overrides, loads, notes, *how)
    described.graph = replace(graph, configuration=module, touching={})


def _with_root(graph: Graph, root: Path) -> Graph:
    """The graph, with modules looked for in one more folder, and no configuration yet."""
    roots = entry_roots(graph.roots.entry.path, graph.source.text, (*graph.roots.given, root))
    roots = replace(roots, by_file=graph.roots.by_file)
    return _unread(replace(graph, roots=roots, configuration=None))


def _unread(graph: Graph) -> Graph:
    return replace(graph, values={}, read={}, named={}, direct={}, touching={}, damages={}, unfound={})


def leave_out_unnamed(described: Described) -> None:
    """Have models of installed packages read without the methods that nothing in a run names."""
    graph = described.graph
    own = graph.configuration
    if own and any(each.definition.module.place.is_far for each in own.makers):
        return
    texts, left = without_unnamed(graph)
    if not texts:
        return
    read = {path: module for path, module in graph.read.items() if not module.place.is_far}
    anew = replace(graph, texts={**graph.texts, **texts}, read=read, named={}, direct={})
    described.graph = replace(anew, touching={}, damages={}, unread={}, unfound={})
    described.notes.append(messages.methods_left_out(graph.entry.path, left))


def _read_anew(described: Described, texts: Mapping[Path, str]) -> None:
    """Have the modules read with some of them as other texts, and no configuration yet."""
    graph, source = described.graph, described.source
    source = Source.parse(source.path, texts.get(graph.roots.entry.path.resolve(), source.text))
    described.source = source
    described.graph = _unread(replace(graph, source=source, configuration=None, texts=texts))
