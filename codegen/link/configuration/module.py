"""The configurations that are known when building as a module of the project."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ... import messages
from ...diagnostics import CompileError, Diagnostic, Span
from ...ir.project import Load, shown_place
from ...source.hydra import INSTANTIATING
from ...source.names import free_name
from ...source.source_text import Line, decoded
from ..modules.files import Place
from ..modules.graph import Definition, Graph
from ..modules.module import Module, shown_path
from ..modules.scopes import Position
from ..stored.entered import shown
from ..stored.store import Store, store_of
from .assigned import assigned_targets
from .code import IMPORT_MODULE, INSTANTIATE, TAKEN, ConfigurationCode, Named
from .composed import TOP
from .evaluated import names_evaluated
from .held import ChoicesOpen, Configuration, Node, NotHeld, Setting
from .hydra_main import DECORATOR, composed_for, hydra_mains, passed_beside
from .job_name import job_named
from .loaded import loaded
from .makers import NAME, Maker, imports_for_effect, makers, written_mappings
from .originals import original_named
from .targets import Targets

NAME_BEHIND = re.compile(r"[.:]\w+$")
"""What stands behind a module in the name of what it has."""


@dataclass(frozen=True, eq=False)
class ConfigurationModule(Module):
    """The configurations, as code; each line of it stands for that of a setting."""

    spans: tuple[Span, ...] = ()  # for each line
    files: tuple[Path, ...] = ()
    instead: Mapping[str, str] = field(
        default_factory=dict
    )  # its functions, by those in whose place they are
    makers: tuple[Maker, ...] = ()
    understood: frozenset[Definition] = frozenset()  # those of which it is known what they make of something
    is_composed: bool = False  # the first of them is that of a main of hydra's
    loads: Mapping[Load, int] = field(default_factory=dict)  # which of them a call gives
    evaluated: frozenset[str] | None = None  # names that their texts may hand to resolvers; None: any
    chosen: Mapping[str, str | None] = field(default_factory=dict)  # of groups of hydra's

    @cached_property
    def shown_files(self) -> dict[str, list[str]]:
        return {
            shown: decoded(shown, Path(shown)).split("\n") for shown in {each.path for each in self.spans}
        }

    def line(self, number: int, text: str | None = None) -> Line:
        span = self.spans[number - 1]
        code = self.lines[number - 1] if text is None else text
        return Line(span.path, span.line, code, whole=(span.column - 1, span.end_column - 1))

    def shown_place(self, start: Position, end: Position) -> messages.Place:
        span = self.spans[start[0] - 1]
        return span, self.shown_files[span.path][span.line - 1]


def configuration_module(
    graph: Graph,
    overrides: tuple[str, ...],
    loads: Iterable[Load],
    notes: list[Diagnostic],
    knows_made: bool = False,
    ignores_strategies: bool = False,
    makes_trainers: bool = True,
) -> ConfigurationModule | None:
    """The configurations, of hydra's with `overrides`; None: there are none, or what they hold is not known.

    Of that `notes` tell: of an error, where there are overrides for it. Where the script has no classes for what is
    made of them, hydra makes it, unless `knows_made` says that it matters what that is. It `ignores_strategies` where
    the spec says by which one is trained; without `makes_trainers` nothing makes those that are named.
    """
    store = store_of(graph)
    composed = _composed(graph, overrides, loads, store, notes)
    for load in (each for each in loads if each.variables):
        notes.append(_decided(graph, load))
    held, names = [composed] if composed else [], {TOP}
    places, calls = dict[object, int](), dict[Load, int]()
    for load in (each for each in loads if each.by != DECORATOR):
        source = load.file, load.folder, load.by, load.overrides
        if source not in places:
            top = free_name(load.file.stem, names)
            try:
                held.append(loaded(load, top, graph.roots.folder, store))
            except NotHeld:  # it is as if its path were not known
                continue
            names.add(top)
            places[source] = len(held) - 1
        calls[load] = places[source]
    return _module(graph, held, bool(composed), calls, knows_made, ignores_strategies, makes_trainers)


def _decided(graph: Graph, load: Load) -> Diagnostic:
    """What the environment of the build has to do with which file it is."""
    path, line, column = load.place
    text = next(each.lines[line - 1] for each in graph.read.values() if each.path == path)
    place = Span(path, line, column, line, len(text) + 1), text
    return messages.configuration_by_environment(place, _shown(graph, load.file), load.variables)


def _composed(
    graph: Graph, overrides: tuple[str, ...], loads: Iterable[Load], store: Store, notes: list[Diagnostic]
) -> Configuration | None:
    mains = hydra_mains(graph)
    if not mains:
        return None
    try:
        found = composed_for(graph, mains, overrides, loads, store)
    except NotHeld as error:
        original = original_named(graph, mains, overrides)
        notes.append(_said_of(graph, mains[0].shown_place, error, overrides, store, original))
        return None
    notes += job_named(graph, found.files)
    return found


def _said_of(
    graph: Graph,
    place: messages.Place,
    error: NotHeld,
    overrides: tuple[str, ...],
    store: Store,
    original: str | None,
) -> Diagnostic:
    """Why nothing is composed; an error, where that was asked for, or where hydra might import an `original` class."""
    if isinstance(error, ChoicesOpen):
        said = messages.choices_open(place, graph.source.path, error.choices, overrides, original or "")
    else:
        unread = [shown(each) for each in store.doubtful]
        said = messages.configuration_unknown(place, str(error), bool(overrides), unread, original or "")
    return said if original == "" else replace(said, severity="error")


def _module(
    graph: Graph,
    held: list[Configuration],
    is_composed: bool,
    calls: Mapping[Load, int],
    knows_made: bool,
    ignores_strategies: bool,
    makes_trainers: bool,
) -> ConfigurationModule | None:
    settings = tuple(each.settings for each in held)
    modules = tuple(_modules(graph, settings))
    makes = not any(map(imports_for_effect, modules))  # else what does so is left alone
    making = tuple(makers(graph, modules)) if makes else ()
    passed = passed_beside(graph, (each.definition.name for each in making))
    targets = Targets(
        graph, TAKEN, passed, ignores_strategies=ignores_strategies, makes_trainers=makes_trainers
    )
    named = Named(modules, _texts(modules, settings), dict(_written(modules)), makes)
    code = ConfigurationCode(settings, targets, making, named, knows_made, assigned_targets(modules))
    lines = code.lines()
    if not held and not code.named:
        return None
    path = next(iter(held[0].files if held else ()), graph.roots.entry.path)
    spans = {name: span for each in held for name, span in each.spans.items()}
    top = Span(_shown(graph, path), 1, 1, 1, 2)
    places = tuple(_seen(graph, spans[name]) if name in spans else top for _, name in lines)
    return ConfigurationModule(
        Place(path, path.stem, path.parent),
        top.path,
        "\n".join(line for line, _ in lines),
        spans=places,
        files=tuple(dict.fromkeys(file for each in held for file in each.files)),
        instead=_instead(code),
        makers=making if code.named else (),
        understood=frozenset(targets.makers),
        is_composed=is_composed,
        loads=calls,
        evaluated=names_evaluated(_settings_in([*settings]), modules) if is_composed else None,
        chosen=held[0].chosen if is_composed else {},
    )


def _modules(graph: Graph, settings: Iterable[Node]) -> Iterator[Module]:
    """The modules that the entry imports, and those that a configuration names, with what they import."""
    imported = (graph.entry, *graph.closure(graph.entry))
    found = dict.fromkeys(each for each in imported if each.place.path not in graph.idle)
    texts = {each.value for node in settings for each in _settings_in(node) if isinstance(each.value, str)}
    names = {part for text in texts for part in (text, NAME_BEHIND.sub("", text)) if NAME.fullmatch(part)}
    for name in sorted(names):
        with suppress(CompileError):  # who needs the module says it
            named = graph.module(name)
            found |= dict.fromkeys(graph.closure(named) if named else ())
    yield from found


def _instead(code: ConfigurationCode) -> dict[str, str]:
    """The functions that the code has in the place of others."""
    hydras = dict.fromkeys(INSTANTIATING, INSTANTIATE) if code.replaces else {}
    return hydras | ({"importlib.import_module": IMPORT_MODULE} if code.named else {})


def _texts(modules: Iterable[Module], settings: Iterable[Node]) -> dict[str, Setting]:
    """What is said in the configurations, and what stands in quotes in the code."""
    nodes = (node for module in modules for node in module.nodes)
    quoted = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    held = (each for node in settings for each in _settings_in(node))
    found = {text: Setting("", text) for text in sorted(quoted)}
    return found | {each.value: each for each in held if isinstance(each.value, str)}


def _written(modules: Iterable[Module]) -> Iterator[tuple[str, Node]]:
    """The mappings that code writes out, by where they begin."""
    for module in modules:
        for node, held in written_mappings(module):
            span, _ = module.shown_place((node.lineno, node.col_offset), (node.lineno, node.col_offset + 1))
            yield shown_place((span.path, span.line, span.column)), held


def _settings_in(node: Node) -> Iterator[Setting]:
    if isinstance(node, Setting):
        yield node
    else:
        for each in node.values() if isinstance(node, dict) else node:
            yield from _settings_in(each)


def _seen(graph: Graph, span: Span) -> Span:
    """The place, as it is shown, in one line."""
    end = span.end_column if span.end_line == span.line else span.column + 1
    return Span(_shown(graph, Path(span.path)), span.line, span.column, span.line, end)


def _shown(graph: Graph, path: Path) -> str:
    return shown_path(path, graph.roots.entry.path, Path(graph.source.path))
