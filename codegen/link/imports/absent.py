"""What is imported from modules that the project seems to have, and is not in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...source.definitions import Import
from ..modules.files import is_installed
from ..modules.graph import Graph
from ..modules.module import Module


def absent_imports(graph: Graph, imports: Iterable[Import]) -> Iterator[tuple[str, str]]:
    """The dotted names of such imports, and the module or the name that is missing."""
    for bound in imports:
        module = graph.module(bound.module)
        if bound.is_local:
            if module and bound.attribute and not _has(graph, module, bound.attribute):
                yield bound.target, bound.target
        elif not (bound.level or bound.is_star or is_installed(bound.module)):
            if module or _is_folder(graph, bound.module):
                yield bound.target, bound.target
            elif graph.module(_top(bound)) or _is_folder(graph, _top(bound)):
                yield bound.target, bound.module


def _has(graph: Graph, module: Module, name: str) -> bool:
    """Whether a module has, or may have, an attribute."""
    own = {*module.binders, *module.imports} & {name, "__getattr__"}
    return bool(own or module.stars or name.startswith("__") or graph.module(f"{module.place.name}.{name}"))


def _top(bound: Import) -> str:
    return bound.module.partition(".")[0]


def _is_folder(graph: Graph, name: str) -> bool:
    """Whether a folder of the project's, with modules somewhere in it, has the name."""
    folders = (folder.joinpath(*name.split(".")) for folder in graph.roots.folders)
    return any(next(folder.rglob("*.py"), None) for folder in folders if folder.is_dir())


def not_installed(imports: Iterable[Import]) -> Iterator[str]:
    """The modules of other packages that are not installed where ddpgen runs."""
    others = (each.module for each in imports if not (each.is_local or each.level))
    yield from (module for module in others if module and not is_installed(module))
