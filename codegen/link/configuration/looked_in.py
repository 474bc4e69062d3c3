"""The folders of hydra's files that code names as seen from its own file, for a script that stands elsewhere."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..modules.graph import Graph
from ..modules.module import Module
from ..modules.path_expressions import bound_once, folder_named
from ..modules.scopes import Position
from .hydra_main import DECORATOR, dotted, named_arguments

LOOKING = frozenset({DECORATOR, "hydra.initialize"})
"""Functions that look for a folder from the file in which they are called."""

FOLDER, VERSION = "config_path", "version_base"

BESIDE_BY_DEFAULT = "1.1"
"""The version of hydra that looks beside the code where no folder is named: the default."""


@dataclass(frozen=True)
class Reseen:
    """A stretch of code that names a folder, and what is to stand in its place."""

    start: Position
    end: Position
    text: str
    asks_os: bool = False  # for what takes its place


def folders_reseen(graph: Graph, module: Module) -> Iterator[Reseen]:
    """What makes such a folder the same one for a script in another folder than the module's."""
    if not graph.stands_elsewhere(module) or "hydra" not in module.text:
        return
    way, bound = os.path.relpath(module.place.path.parent, graph.folder), bound_once(module.tree)
    for call in (node for node in module.nodes if isinstance(node, ast.Call)):
        if _called(graph, module, call.func) in LOOKING:
            given = dict(named_arguments(call.keywords, bound))
            node = call.args[0] if call.args else given.get(FOLDER)
            if node is not None:
                yield from _reseen(node, way, folder_named(node, module.place.path, bound))
            elif _looks_beside(given):
                yield _said(call.keywords[0], way)


def _called(graph: Graph, module: Module, function: ast.expr) -> str:
    """The library's name of a function, be it imported where it is called."""
    head, _, rest = ast.unparse(function).partition(".")
    for node in module.all_imports:
        of_hydra = isinstance(node, ast.ImportFrom) and node.module == "hydra"
        if of_hydra and (found := next((a.name for a in node.names if (a.asname or a.name) == head), None)):
            return ".".join(filter(None, ("hydra", found, rest)))
    return ast.unparse(function) if head == "hydra" else dotted(graph, module, function)


def _reseen(node: ast.expr, way: str, folder: Path | None) -> Iterator[Reseen]:
    """The folder with the way to the code's own before it, where it is none that the code computes whole."""
    start, end = _stretch(node)
    if isinstance(node, ast.Constant):
        text = node.value
        if isinstance(text, str) and "://" not in text and not os.path.isabs(text):
            yield Reseen(start, end, _quoted(os.path.normpath(os.path.join(way, text))))
    elif folder is None or not folder.is_absolute():
        yield Reseen(start, start, f".path.join({_quoted(way)}, ", asks_os=True)
        yield Reseen(end, end, ")")


def _looks_beside(given: dict[str | None, ast.expr]) -> bool:
    """Whether it looks beside the code where it is given no folder."""
    version = given.get(VERSION)
    is_old = version is None or (isinstance(version, ast.Constant) and version.value == BESIDE_BY_DEFAULT)
    return bool(given) and None not in given and is_old


def _said(before: ast.keyword, way: str) -> Reseen:
    start = before.lineno, before.col_offset
    return Reseen(start, start, f"{FOLDER}={_quoted(way)}, ")


def _stretch(node: ast.expr) -> tuple[Position, Position]:
    end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return (node.lineno, node.col_offset), end


def _quoted(path: str) -> str:
    shown = Path(path).as_posix()
    return f'"{shown}"' if '"' not in shown else repr(shown)
