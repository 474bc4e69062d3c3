"""The classes at the spec's class paths: in which module each is, and what its constructor takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..constructed import Parameter, Signature, signature_of
from ..lightning_api import CALLBACKS, IDLE_CALLBACKS, INSTEAD, LOGGERS, PACKAGES
from ..spec_values import ENUMERATIONS
from .graph import Definition, External, Graph
from .module import Module

SHORT = {
    **dict.fromkeys((*CALLBACKS, *IDLE_CALLBACKS, *INSTEAD), "lightning.pytorch.callbacks"),
    **dict.fromkeys(LOGGERS, "lightning.pytorch.loggers"),
}
"""Lightning's classes that go by their names alone, and where they are."""

OF_TORCH = {"optimizer": "torch.optim", "lr_scheduler": "torch.optim.lr_scheduler"}
"""Where such names lead in these sections."""


@dataclass(frozen=True)
class Found:
    """A class of the project's, and the module that defines it."""

    module: Module
    node: ast.ClassDef


@dataclass(frozen=True)
class ClassPaths:
    """Class paths as seen from the entry."""

    graph: Graph

    def whole(self, path: str, section: str = "") -> str:
        """The path with its module, where a section of the spec has it."""
        module, _, name = path.rpartition(".")
        entry = self.graph.entry
        if module == "__main__" or (not module and isinstance(self.graph.resolve(entry, name), Definition)):
            return f"{entry.place.name}.{name}"
        if module:
            return path
        return f"{SHORT.get(name) or OF_TORCH.get(section) or entry.place.name}.{name}"

    def is_own(self, path: str) -> bool:
        """Whether the path leads into one of the project's modules."""
        return self.graph.module(path.rpartition(".")[0]) is not None

    def found(self, path: str) -> Found | None:
        """The project's class at a whole path."""
        module, _, name = path.rpartition(".")
        return self._class(self.graph.module(module), name)

    def signature(self, path: str) -> Signature:
        """What the class at a whole path takes; of a library's that is not known."""
        found = self.found(path)
        if found is None:
            return _signature(path)
        own = next((each for each in self._with_bases(found) if _constructor(each.node)), None)
        if own and (constructor := _constructor(own.node)):
            return _with_annotations(constructor)
        bases = (path for each in self._with_bases(found) for path in self._libraries(each))
        return next((each for each in map(_signature, bases) if each.parameters), Signature({}))

    def enumeration(self, path: str, annotation: str) -> str | None:
        """The whole path of the project's enumeration that an annotation in the class at `path` means."""
        found = self._meant(path, annotation)
        if found is None or not ENUMERATIONS & self._names_of_bases(found):
            return None
        return f"{found.module.place.name}.{found.node.name}"

    def is_object(self, path: str, annotation: str) -> bool:
        """Whether an annotation in the class at `path` means a class of the project's that is no mapping."""
        found = self._meant(path, annotation)
        return found is not None and "TypedDict" not in self._names_of_bases(found)

    def _meant(self, path: str, annotation: str) -> Found | None:
        found = self.found(path)
        return self._class(found.module, annotation) if found else None

    def _class(self, module: Module | None, name: str) -> Found | None:
        """The class that a name of a module's stands for, of modules that stay too."""
        target = self.graph.resolve(module, name) if module else None
        if isinstance(target, External) and target.bound.is_local and target.bound.attribute:
            inner = self.graph.module(target.bound.module)
            return self._class(inner, target.bound.attribute) if inner is not module else None
        if not isinstance(target, Definition):
            return None
        chunks = target.module.binders.get(target.name, [])
        nodes = (node for chunk in chunks for node in chunk.nodes)
        return next((Found(target.module, node) for node in nodes if isinstance(node, ast.ClassDef)), None)

    # ---- bases -------------------------------------------------------------------------------------------

    def _with_bases(self, found: Found) -> Iterator[Found]:
        """The class and those of its bases that are the project's, nearest first."""
        yield found
        for base in found.node.bases:
            inner = self._class(found.module, ast.unparse(base))
            if inner and inner.node is not found.node:
                yield from self._with_bases(inner)

    def _libraries(self, found: Found) -> Iterator[str]:
        """The paths of its bases that are libraries'."""
        for base in found.node.bases:
            name, _, rest = ast.unparse(base).partition(".")
            target = self.graph.resolve(found.module, name)
            if isinstance(target, External):
                yield ".".join(filter(None, (target.bound.module, target.bound.attribute, rest)))

    def _names_of_bases(self, found: Found) -> set[str]:
        libraries = (path for each in self._with_bases(found) for path in self._libraries(each))
        return {path.rpartition(".")[2] for path in libraries}


def _constructor(node: ast.ClassDef) -> ast.FunctionDef | None:
    methods = (part for part in node.body if isinstance(part, ast.FunctionDef))
    return next((method for method in methods if method.name == "__init__"), None)


def _with_annotations(constructor: ast.FunctionDef) -> Signature:
    """The parameters' types; what they are by default is the user's to say again."""
    arguments = constructor.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    types = {each.arg: ast.unparse(each.annotation) if each.annotation else "" for each in every}
    return Signature({name: Parameter(annotation) for name, annotation in types.items()})


def _signature(path: str) -> Signature:
    """What the script's class takes, where the path is of one of Lightning's that it has too."""
    name = path.rpartition(".")[2]
    is_known = path.partition(".")[0] in PACKAGES and name in {*CALLBACKS, *LOGGERS}
    return signature_of(name) if is_known else Signature({})
