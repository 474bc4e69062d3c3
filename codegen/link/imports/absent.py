"""What is imported from modules that the project seems to have, and is not in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from ... import messages
from ...diagnostics import Diagnostic
from ...source.definitions import Import
from ...source.names import Importing, bound_by
from ..modules.files import is_installed
from ..modules.graph import Graph
from ..modules.module import Module
from ..modules.scopes import Position

BINDING = re.compile(r"\b(exec|globals|vars)\(")
"""By which a module may bind names that its text does not show, as protobuf's do."""


def absent_imports(graph: Graph, imports: Iterable[Import]) -> Iterator[tuple[str, str]]:
    """The dotted names of such imports, and the module or the name that is missing."""
    for bound in imports:
        module = graph.module(bound.module)
        if bound.is_local:
            if module and bound.attribute and not _has(graph, module, bound.attribute):
                yield bound.target, bound.target
        elif not (bound.level or bound.is_star or is_installed(bound.module)):
            if _is_folder(graph, bound.target) or graph.module(bound.target):
                continue  # such a folder, or a module in one, is imported without an __init__
            if not (module or _is_own(graph, _top(bound))):
                continue
            yield bound.target, bound.target if module or _is_folder(graph, bound.module) else bound.module


def said_of_absent(graph: Graph, modules: Iterable[str]) -> Iterator[Diagnostic]:
    """What is said of those in modules that a script goes on importing, but of those that code tries."""
    kept = [module for name in modules if (module := graph.module(name))]
    for module in dict.fromkeys(each for first in kept for each in graph.closure(first)):
        tried = {part for node in module.nodes if isinstance(node, ast.Try) for part in ast.walk(node)}
        for node in module.all_imports:
            if node not in tried and not module.may_skip(node):
                names = dict.fromkeys(dict(absent_imports(graph, _bound(graph, node))).values())
                if names:
                    yield messages.import_absent(module.shown_place(*_stretch(node)), [*names])


def _bound(graph: Graph, node: Importing) -> Iterator[Import]:
    """What an import binds that is written without dots."""
    for alias in node.names if isinstance(node, ast.Import) or not node.level else ():
        module = alias.name if isinstance(node, ast.Import) else node.module or ""
        attribute = None if isinstance(node, ast.Import) or alias.name == "*" else alias.name
        yield Import(bound_by(alias, node), module, attribute, is_local=graph.module(module) is not None)


def _stretch(node: Importing) -> tuple[Position, Position]:
    end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return (node.lineno, node.col_offset), end


def _has(graph: Graph, module: Module, name: str) -> bool:
    """Whether a module has, or may have, an attribute."""
    own = {*module.binders, *module.imports} & {name, "__getattr__"}
    may_bind = bool(module.stars or name.startswith("__") or BINDING.search(module.text))
    return bool(own) or may_bind or graph.module(f"{module.place.name}.{name}") is not None


def _top(bound: Import) -> str:
    return bound.module.partition(".")[0]


def _is_own(graph: Graph, top: str) -> bool:
    """Whether what is imported by a name is the project's: Python prefers a package to a folder without an __init__.

    Where the project imports modules from such a folder there is no such package.
    """
    if graph.module(top):
        return True
    modules = (each for first in graph.first_modules for each in graph.closure(first))
    return _is_folder(graph, top) and any(each.place.name.startswith(f"{top}.") for each in modules)


def _is_folder(graph: Graph, name: str) -> bool:
    """Whether a folder of the project's, with modules somewhere in it, has the name."""
    folders = (folder.joinpath(*name.split(".")) for folder in graph.roots.folders)
    return any(next(folder.rglob("*.py"), None) for folder in folders if folder.is_dir())


def not_installed(imports: Iterable[Import]) -> Iterator[str]:
    """The modules of other packages that are not installed where ddpgen runs."""
    others = (each.module for each in imports if not (each.is_local or each.level))
    yield from (module for module in others if module and not is_installed(module))
