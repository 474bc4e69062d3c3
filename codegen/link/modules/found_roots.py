"""Folders that modules are imported from which Python would not find where the entry stands."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ... import messages
from ...diagnostics import Diagnostic
from ...source.marked_folders import ROOT_FINDERS
from ...source.repository import declared, holds_projects, is_module, repository_of
from ...source.source_text import SourceText
from .files import is_installed, source_folders
from .graph import Graph
from .module import Module
from .path_expressions import bound_once, folder_named
from .reached_files import entry_graph

PATH = "sys.path"
MARK = re.compile("|".join((r"sys\.path", "addsitedir", *ROOT_FINDERS)))
"""What a module's text has that may add to Python's path."""


@dataclass(frozen=True)
class FoundRoot:
    """A folder as if `--root` had named it, and the modules for which it is one that could be meant."""

    folder: Path
    guessed_for: tuple[str, ...] = ()


def with_found_roots(
    source: SourceText, path: Path, roots: tuple[Path, ...]
) -> tuple[Graph, tuple[FoundRoot, ...]]:
    """The graph of what the entry imports, and the folders that hold what else would not be found.

    Where the code itself says none, a folder is taken if it alone of those that could be meant holds a module.
    """
    found = list[FoundRoot]()
    while True:
        graph = entry_graph(source, path, (*roots, *(each.folder for each in found)))
        missing = list(dict.fromkeys(_missing(graph, graph.entry)))
        next_root = _added(graph, missing) or _on_python_path(missing) or _guessed(path, missing)
        if next_root is None or next_root.folder in (each.folder for each in found):
            return graph, tuple(found)
        found.append(next_root)


def said_of_roots(path: Path, found: Iterable[FoundRoot]) -> Iterator[Diagnostic]:
    for each in found:
        if each.guessed_for:
            shown = Path(os.path.relpath(each.folder)).as_posix()
            yield messages.root_found(path.as_posix(), each.guessed_for, shown)


def root_for_named(graph: Graph) -> Path | None:
    """A folder that Python looks in, and that holds what the configuration alone names; None: there is none."""
    missing = list(dict.fromkeys(_missing(graph, graph.configuration))) if graph.configuration else []
    added = _added(graph, missing) or _on_python_path(missing)
    return None if added is None or added.folder in graph.roots.given else added.folder


def _missing(graph: Graph, first: Module) -> Iterator[tuple[str, ...]]:
    """What is imported and found nowhere: names of which one being a module would do."""
    for module in graph.closure(first):
        for node in module.all_imports:
            for names in _named(node):
                if names and not is_installed(names[0]) and not any(map(graph.module, names)):
                    yield names


def _named(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, ...]]:
    if isinstance(node, ast.Import):
        yield from ((alias.name,) for alias in node.names)
    elif not node.level:
        yield (node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names))


# ---- where the code looks --------------------------------------------------------------------------------


def _added(graph: Graph, missing: Collection[tuple[str, ...]]) -> FoundRoot | None:
    """The first of the folders that the code itself adds to Python's path that holds one of them."""
    modules = graph.closure(graph.entry) if missing else ()
    folders = (each for module in modules if MARK.search(module.text) for each in _added_by(module))
    holding = (each for each in folders if any(_holds(each, names) for names in missing))
    return next(map(FoundRoot, holding), None)


def _added_by(module: Module) -> Iterator[Path]:
    """What a module puts into `sys.path`; what is no absolute path is seen from where the program starts."""
    bound = bound_once(module.tree)
    file = module.place.path
    for node in module.nodes:
        for each in _put_into_path(node):
            if found := folder_named(each, file, bound):
                yield from ((start / found).resolve() for start in dict.fromkeys((Path.cwd(), file.parent)))


def _put_into_path(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.AugAssign(target, ast.Add(), ast.List(given)) if ast.unparse(target) == PATH:
            yield from given
        case ast.Assign([ast.Subscript(target, ast.Slice())], ast.List(given)) if ast.unparse(target) == PATH:
            yield from given
        case ast.Assign([target], ast.BinOp(left, ast.Add(), right)) if ast.unparse(target) == PATH:
            yield from (each for side in (left, right) if isinstance(side, ast.List) for each in side.elts)
        case ast.Assign([target], ast.List(given)) if ast.unparse(target) == PATH:
            yield from (each for each in given if not isinstance(each, ast.Starred))
        case ast.Call(ast.Attribute(ast.Name("site"), "addsitedir"), [given]):
            yield given
        case ast.Call(ast.Attribute(ast.Attribute(ast.Name("sys"), "path"), method), [*_, given]):
            if method in ("append", "insert"):
                yield given
            elif method == "extend" and isinstance(given, ast.List | ast.Tuple):
                yield from given.elts
        case ast.Call(ast.Attribute(attr=name) | ast.Name(name), keywords=keywords) if name in ROOT_FINDERS:
            if any(each.arg == "pythonpath" and ast.unparse(each.value) == "True" for each in keywords):
                yield node


def _on_python_path(missing: Iterable[tuple[str, ...]]) -> FoundRoot | None:
    """The first of the folders of PYTHONPATH's sources that holds one of them."""
    folders = (each for each in source_folders() if any(_holds(each, names) for names in missing))
    return next(map(FoundRoot, folders), None)


# ---- where it may be meant -------------------------------------------------------------------------------


def _guessed(path: Path, missing: Iterable[tuple[str, ...]]) -> FoundRoot | None:
    """The folder that alone holds one of them: the current one, one above the entry, or the `src` in one of these.

    Of the packages that the project says it needs none is taken to be its own.
    """
    repository = repository_of(path.resolve())
    others = declared(repository) if repository else frozenset()
    missing = [names for names in missing if names[0].partition(".")[0] not in others]
    for names in missing:
        holders = [folder for folder in _near(path.resolve()) if _holds(folder, names)]
        if len(holders) == 1:
            (holder,) = holders
            return FoundRoot(holder, tuple(each[0] for each in missing if _holds(holder, each)))
    return None


def _near(entry: Path) -> Iterator[Path]:
    repository = repository_of(entry)
    above = [each for each in entry.parents if repository and repository in (each, *each.parents)]
    here = Path.cwd().resolve()
    for folder in dict.fromkeys([*above, *([] if holds_projects(here) else [here])]):
        yield folder
        if folder / "src" not in above:
            yield folder / "src"


def _holds(folder: Path, names: Iterable[str]) -> bool:
    return any(is_module(folder.joinpath(*name.split("."))) for name in names)
