"""The function that hydra calls with its configuration, and where the decorator looks for that."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TypeGuard

from ... import messages
from ...ir.project import Load
from ...source.hydra import NAMES, Told, told_by
from ..modules.files import Roots
from ..modules.graph import Definition, External, Graph
from ..modules.module import Module
from ..modules.path_expressions import bound_once
from ..modules.scopes import Use
from ..stored.store import Store
from .composed import Primary, composed, without_ending
from .held import Configuration, NotHeld
from .loaded import started_from

DECORATOR = "hydra.main"
PUTTING = frozenset({"dict", "update"})
"""Calls by which a mapping holds what they are given."""

NO_TEXT = "what its decorator is given is no plain text"

NO_OVERRIDE = (
    "`{}` is no override. A script is built for the settings of one run: of hydra's options it may be told "
    "`--config-name`, `--config-path` and `--config-dir`"
)

FROM_FILE = ", as it is named from the folder of this file"

NOTHING_LOCAL = frozenset[str]()

OPTIONS = {"config_path": ("--config-path", "FOLDER"), "config_name": ("--config-name", "NAME")}
"""What says on the command line what the decorator does not."""


KEPT: ContextVar[dict[tuple[Primary, str | None, tuple[str, ...], Roots], Configuration]] = ContextVar("KEPT")
"""What has been composed; without `composed_once` nothing is kept."""


@dataclass(frozen=True)
class HydraMain:
    """`@hydra.main(...)`, or `hydra.main(...)(function)`, with what it is given."""

    module: Module
    node: ast.FunctionDef
    decorator: ast.Call
    arguments: dict[str, str | None]  # those that are literals
    unread: frozenset[str]  # those that are expressions, or may be

    @property
    def function(self) -> str:
        """Its name."""
        return self.node.name

    @property
    def names(self) -> frozenset[str]:
        """Its own, and that of the class which has it."""
        classes = (each for each in self.module.nodes if isinstance(each, ast.ClassDef))
        return frozenset({self.function, *(each.name for each in classes if self.node in each.body)})

    @property
    def parameter(self) -> str:
        """What it calls its configuration; empty: it takes none."""
        return next((each.arg for each in (*self.node.args.posonlyargs, *self.node.args.args)), "")

    @property
    def shown_place(self) -> messages.Place:
        call = self.decorator
        end = call.end_lineno or call.lineno, call.end_col_offset or call.col_offset
        return self.module.shown_place((call.lineno, call.col_offset), end)

    @property
    def version_base(self) -> str | None:
        """The version of hydra whose defaults hold; None: the one that is installed. Raises NotHeld."""
        if "version_base" in self.unread:
            raise NotHeld(NO_TEXT)
        return self.arguments.get("version_base", "1.1")

    @property
    def place(self) -> tuple[str, int, int]:
        span, _ = self.shown_place
        return span.path, span.line, span.column

    def primary(self, told: Told) -> Primary:
        """The configuration that it starts from, if so told another one than the decorator names. Raises NotHeld."""
        if unread := self.unread - told.replaced:
            options = [f"{option} {value}" for name, (option, value) in OPTIONS.items() if name in unread]
            asked = f". Say it as hydra's command line does: `-- {' '.join(options)}`" if options else ""
            asked += FROM_FILE if "config_path" in unread and options else ""
            raise NotHeld(NO_TEXT + asked)
        folder = told.folder or self.arguments.get("config_path", "." if self.version_base == "1.1" else None)
        name = told.name or self.arguments.get("config_name")
        is_named = name is not None or (folder is not None and told.overrides)
        if not is_named or "://" in (folder or ""):
            raise NotHeld("nothing says in which file it is")
        place = (self.module.place.path.parent / folder).resolve() if folder is not None else None
        return Primary(place, without_ending(name or ""))


def composed_for(
    graph: Graph, mains: list[HydraMain], arguments: tuple[str, ...], loads: Iterable[Load], store: Store
) -> Configuration:
    """What is composed; of mains whose decorators hold expressions `loads` know the files. Raises NotHeld."""
    told, known = told_by(arguments), {load.place: started_from(load) for load in loads}
    found = list(dict.fromkeys(known.get(main.place) or main.primary(told) for main in mains))
    if len(found) > 1:
        raise NotHeld("several functions ask for several configurations")
    if told.options:
        raise NotHeld(NO_OVERRIDE.format(told.options[0]))
    added = Path(told.added).resolve() if told.added else None
    primary, version = replace(found[0], added=added), mains[0].version_base
    kept, place = KEPT.get({}) if store == Store() else {}, (primary, version, told.overrides, graph.roots)
    if place not in kept:
        kept[place] = composed(primary, version, told.overrides, folder_of=graph.roots.folder, store=store)
    return kept[place]


@contextmanager
def composed_once() -> Iterator[None]:
    """Keep what is composed, in which nothing changes while one script is compiled."""
    before = KEPT.set({})
    try:
        yield
    finally:
        KEPT.reset(before)


def hydra_mains(graph: Graph) -> list[HydraMain]:
    """The entry's own, and those of the modules that it imports which are called otherwise than by their guards."""
    modules = dict.fromkeys((graph.entry, *graph.closure(graph.entry)))
    mains = [found for module in modules for found in _mains_in(graph, module)]
    uses = [(module, use) for module in modules for use in _uses_in(module)] if len(mains) > 1 else []
    own = [
        each for each in mains if each.module is graph.entry or any(_is_of(graph, each, *use) for use in uses)
    ]
    return own or mains


def _uses_in(module: Module) -> Iterator[Use]:
    """The names that a module's code takes of modules, where it is imported."""
    chunks = (chunk for chunk in module.chunks if module.is_entry or not chunk.is_guard)
    yield from (use for chunk in chunks for uses in chunk.uses for use in uses.names)


def _is_of(graph: Graph, main: HydraMain, module: Module, use: Use) -> bool:
    """Whether a use is, or may be, of that function."""
    imported = use.local_import and graph.imported(module, *use.local_import)
    target = imported or graph.resolve(module, use.name)
    if isinstance(target, External) and not target.bound.is_local:
        return False
    named = isinstance(target, External) and target.bound.target.endswith(
        tuple(f".{each}" for each in main.names)
    )
    own = isinstance(target, Definition) and target.module is main.module and target.name in main.names
    return own or named or not main.names.isdisjoint(use.attributes)


def _mains_in(graph: Graph, module: Module) -> Iterator[HydraMain]:
    ours = [chunk for chunk in module.chunks if module.is_entry or not chunk.is_guard]
    wrapped = _wrapped_by_calls(chain.from_iterable(chunk.nodes for chunk in ours))
    for node, local in _functions(each for chunk in ours for each in chunk.nodes):
        given = [*node.decorator_list, *(() if local else wrapped.get(node.name, ()))]
        for call in (each for each in given if isinstance(each, ast.Call)):
            if dotted(graph, module, call.func) == DECORATOR:
                yield HydraMain(module, node, call, *_read(graph, module, call, local))


def _wrapped_by_calls(nodes: Iterable[ast.AST]) -> dict[str, list[ast.Call]]:
    """What is called as a decorator would be, as in `main(...)(function)`, by the function's name."""
    found = defaultdict[str, list[ast.Call]](list)
    for node in (each for part in nodes for each in ast.walk(part)):
        match node:
            case ast.Call(ast.Call() as wrapper, [ast.Name(function)]):
                found[function].append(wrapper)
    return found


def _functions(
    nodes: Iterable[ast.AST], local: frozenset[str] = NOTHING_LOCAL
) -> Iterator[tuple[ast.FunctionDef, frozenset[str]]]:
    """Functions, of those of classes the static ones, with the names that are bound in what is round them."""
    for node in nodes:
        inner = local
        if isinstance(node, ast.FunctionDef):
            yield node, local
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            inner = local | {*_names_bound(node)}
        if isinstance(node, ast.ClassDef):
            yield from ((each, inner) for each in node.body if _is_static(each))
        elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _functions(ast.iter_child_nodes(node), inner)


def _is_static(node: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    """Whether it is a function that a class has as it is."""
    match node:
        case ast.FunctionDef(decorator_list=[ast.Name("staticmethod"), *_]):
            return True
    return False


def _names_bound(defined: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    """The names that it binds, or something in it."""
    for node in ast.walk(defined):
        match node:
            case (
                ast.Name(name, ast.Store())
                | ast.arg(name)
                | ast.FunctionDef(name)
                | ast.alias(asname=str(name))
            ):
                yield name
            case ast.alias(name):
                yield name.partition(".")[0]


def dotted(graph: Graph, module: Module, node: ast.expr) -> str:
    """The library's name that a dotted expression stands for."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(graph, module, node.value)}.{node.attr}"
    target = graph.resolve(module, node.id) if isinstance(node, ast.Name) else None
    if not isinstance(target, External):
        return ""
    return graph.first_import(target.bound).target


def _read(
    graph: Graph, module: Module, call: ast.Call, local: frozenset[str]
) -> tuple[dict[str, str | None], frozenset[str]]:
    """The arguments of a decorator that are literals, or constants, and the names of those that are neither.

    What has a `local` name is none.
    """
    bound = {name: each for name, each in bound_once(module.tree).items() if name not in local}
    given = dict(zip(NAMES, call.args, strict=False)) | dict(named_arguments(call.keywords, bound))
    constants = {
        name: each if isinstance(each, ast.Name) and each.id in local else _constant(graph, module, each)
        for name, each in given.items()
    }
    known = {
        name: each.value
        for name, each in constants.items()
        if name and isinstance(each, ast.Constant) and isinstance(each.value, str | None)
    }
    unread = [name for name in given if name not in known]
    return known, frozenset(NAMES if None in unread else filter(None, unread))


def _constant(graph: Graph, module: Module, node: ast.expr) -> ast.expr:
    """What an expression is, of a variable that a module of the project's sets once what that sets it to."""
    target = graph.followed(graph.resolve(module, node.id)) if isinstance(node, ast.Name) else None
    return (target.assigned if isinstance(target, Definition) else None) or node


def named_arguments(
    keywords: Iterable[ast.keyword], bound: Mapping[str, ast.expr]
) -> Iterator[tuple[str | None, ast.expr]]:
    """Arguments by name; those of a mapping that is written at the top level by its keys, of others by None."""
    for each in keywords:
        mapping = bound.get(each.value.id) if isinstance(each.value, ast.Name) else each.value
        if each.arg or not isinstance(mapping, ast.Dict):
            yield each.arg, each.value
            continue
        for key, value in zip(mapping.keys, mapping.values, strict=True):
            name = key.value if isinstance(key, ast.Constant) else None
            yield (name if isinstance(name, str) else None), value


def passed_beside(graph: Graph, makers: Iterable[str] = ()) -> frozenset[str]:
    """What calls of `instantiate` are given by name, and of `makers`, or find in mappings, in any of the modules."""
    trees = (module.tree for module in graph.closure(graph.entry))
    names = {"instantiate", "call", *PUTTING, *makers}
    return frozenset(name for tree in trees for node in ast.walk(tree) for name in _put_by(node, names))


def _put_by(node: ast.AST, callees: Collection[str]) -> Iterator[str]:
    """The names under which a call gives something, or a mapping is given it."""
    match node:
        case ast.Call(func, keywords=keywords) if ast.unparse(func).rpartition(".")[2] in callees:
            yield from (each.arg for each in keywords if each.arg)
        case ast.Subscript(slice=ast.Constant(str(name)), ctx=ast.Store()):
            yield name
        case ast.Dict(keys):
            yield from (
                each.value for each in keys if isinstance(each, ast.Constant) and isinstance(each.value, str)
            )
        case ast.Call(ast.Attribute(attr="setdefault"), [ast.Constant(str(name)), *_]):
            yield name
