"""The classes at the spec's class paths: in which module each is, and what its constructor takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ...lightning.api import CALLBACKS, IDLE_CALLBACKS, INSTEAD, LOGGERS, PACKAGES, TUNING_CALLBACKS
from ...runtime.constructed import signature_of
from ...spec.init_args.kept_defaults import is_torchs
from ...spec.init_args.object_defaults import described
from ...spec.init_args.signature import (
    ENUMERATIONS,
    Parameter,
    Signature,
    is_opaque,
    signature_in,
    with_whole_names,
)
from ..modules.graph import Definition, External, Graph, ModuleReference
from ..modules.module import Module

SHORT = {
    **dict.fromkeys(
        (*CALLBACKS, *IDLE_CALLBACKS, *TUNING_CALLBACKS, *INSTEAD), "lightning.pytorch.callbacks"
    ),
    **dict.fromkeys(LOGGERS, "lightning.pytorch.loggers"),
}
"""Lightning's classes that go by their names alone, and where they are."""

MODULE = "module"
"""The section of torch's modules, of which a library may have some with other names."""

OF_TORCH = {"optimizer": "torch.optim", "lr_scheduler": "torch.optim.lr_scheduler", MODULE: "torch.nn"}
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
    signatures: dict[str, Signature | None] = field(default_factory=dict)  # those that were asked for
    modules: dict[str, str] = field(
        default_factory=dict
    )  # of classes that were asked for by their names alone

    def whole(self, path: str, section: str = "") -> str:
        """The path with its module, where a section of the spec has it."""
        module, _, name = path.rpartition(".")
        entry = self.graph.entry
        if module == "__main__" or (not module and isinstance(self.graph.resolve(entry, name), Definition)):
            return f"{entry.place.name}.{name}"
        if module:
            return path
        of_lightning = SHORT.get(name) if section not in OF_TORCH else None
        top = of_lightning or self._module_of(name) or self._torchs(name, section) or entry.place.name
        return f"{top}.{name}"

    def _torchs(self, name: str, section: str) -> str | None:
        """The module of torch's that a name leads to; None: none."""
        top = OF_TORCH.get(section)
        return top if section != MODULE or is_torchs(f"{top}.{name}") else None

    def _module_of(self, name: str) -> str:
        """The one module of the project's that has a class of this name; empty: there are none, or several."""
        if name not in self.modules:
            every = self.graph.closure(self.graph.entry) if name.isidentifier() else ()
            found = {self._class(module, name) for module in every if name in module.binders}
            only, *others = [*filter(None, found), None]
            self.modules[name] = only.module.place.name if only and others == [None] else ""
        return self.modules[name]

    def is_idle(self, path: str) -> bool:
        """Whether it is one of Lightning's callbacks that the script does without."""
        whole, left_out = self.whole(path), IDLE_CALLBACKS | TUNING_CALLBACKS.keys()
        return whole.partition(".")[0] in PACKAGES and whole.rpartition(".")[2] in left_out

    def is_display(self, path: str) -> bool:
        """Whether it is a class of the project's that derives from one of Lightning's that shows something, alone."""
        found = self.found(path)
        bases = self._names_of_bases(found) - {"object"} if found else set[str]()
        return len(bases) == 1 and bases <= IDLE_CALLBACKS

    def is_own(self, path: str) -> bool:
        """Whether the path leads into one of the project's modules."""
        return self.graph.module(path.rpartition(".")[0]) is not None

    def found(self, path: str) -> Found | None:
        """The project's class at a whole path."""
        module, _, name = path.rpartition(".")
        return self._class(self.graph.module(module), name)

    def signature(self, path: str) -> Signature | None:
        """What the class at a whole path takes; None: that cannot be read."""
        if path not in self.signatures:
            self.signatures[path] = self._signature_at(path)
        return self.signatures[path]

    def take(self, path: str, found: Found) -> None:
        """A class under a path of its own, as nothing leads to the one of a function."""
        self.signatures[path] = self._read(found)

    def _signature_at(self, path: str) -> Signature | None:
        found = self.found(path)
        return self._read(found) if found else _lightnings(path)

    def _read(self, found: Found) -> Signature | None:
        try:
            return self._signature(found, ()) or Signature({})
        except _Unreadable:
            return None

    def members(self, path: str) -> frozenset[str] | None:
        """Those of the project's enumeration at a whole path; None: it is none."""
        found = self.found(path)
        if found is None or not ENUMERATIONS & self._names_of_bases(found):
            return None
        named = (part.targets[0] for part in found.node.body if isinstance(part, ast.Assign))
        return frozenset(target.id for target in named if isinstance(target, ast.Name))

    def methods(self, path: str) -> frozenset[str]:
        """Those of the project's class at a whole path, and of its bases."""
        found = self.found(path)
        return frozenset(self._methods_of(found)) if found else frozenset()

    def _methods_of(self, found: Found, below: tuple[ast.ClassDef, ...] = ()) -> Iterator[str]:
        yield from (part.name for part in found.node.body if isinstance(part, ast.FunctionDef))
        for base in found.node.bases:
            inner = self._class(found.module, ast.unparse(base))
            if inner and inner.node not in (found.node, *below):
                yield from self._methods_of(inner, (*below, found.node))

    def is_class(self, path: str) -> bool:
        """Whether there is a class at a whole path, of which objects can be described; a library's, by its looks."""
        module, _, name = path.rpartition(".")
        if self.graph.module(module) is None:
            return bool(module) and name[:1].isupper()
        found = self.found(path)
        return found is not None and "TypedDict" not in self._names_of_bases(found)

    def meaning(self, module: Module, dotted: str, seen: tuple[str, ...] = ()) -> str:
        """The whole path of what a module calls `dotted`; of an alias, the types that it stands for."""
        name, _, rest = dotted.partition(".")
        target = self.graph.resolve(module, name)
        if isinstance(target, External):
            return ".".join(filter(None, (target.bound.module, target.bound.attribute, rest)))
        if isinstance(target, ModuleReference):
            return f"{target.name}.{rest}" if rest else target.name
        if not isinstance(target, Definition):
            return dotted
        if rest or dotted in seen or _class(target):
            return ".".join(filter(None, (target.module.place.name, target.name, rest)))
        return self._alias(target, (*seen, dotted))

    def _alias(self, target: Definition, seen: tuple[str, ...]) -> str:
        """What a variable stands for, where that is a type; what a call makes, such as a TypeVar, may be any."""
        nodes = (node for chunk in target.module.binders.get(target.name, []) for node in chunk.nodes)
        value = next((node.value for node in nodes if isinstance(node, ast.Assign | ast.AnnAssign)), None)
        if not isinstance(value, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp):
            return "object"
        return (
            with_whole_names(ast.unparse(value), lambda each: self.meaning(target.module, each, seen))
            or "object"
        )

    # ---- constructors ------------------------------------------------------------------------------------

    def _signature(self, found: Found, below: tuple[ast.ClassDef, ...]) -> Signature | None:
        """None: neither the class nor its bases have a constructor. Raises _Unreadable."""
        if found.node in below or is_opaque(found.node):
            raise _Unreadable
        own = signature_in(found.node)
        if own is None:
            return self._of_bases(found, below)
        own = own.changed(lambda each: self._with_whole_names(found.module, each))
        if not (own.takes_any or own.is_dataclass):
            return own
        try:
            return own.on_top_of(self._of_bases(found, below) or Signature({}))
        except _Unreadable:
            return own

    def _of_bases(self, found: Found, below: tuple[ast.ClassDef, ...]) -> Signature | None:
        for base in found.node.bases:
            name = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
            inner = self._class(found.module, name)
            taken = (
                self._signature(inner, (*below, found.node))
                if inner
                else self._of_library(found.module, name)
            )
            if taken is not None:
                return taken
        return None

    def _of_library(self, module: Module, name: str) -> Signature | None:
        path = self.meaning(module, name)
        taken = _lightnings(path)
        if taken is None and path.rpartition(".")[2] not in WITHOUT_CONSTRUCTORS:
            raise _Unreadable
        return taken if taken and taken.parameters else None

    def _with_whole_names(self, module: Module, parameter: Parameter) -> Parameter:
        def meaning(dotted: str) -> str:
            return self.meaning(module, dotted)

        whole = with_whole_names(parameter.written, meaning)
        return replace(parameter, annotation=whole, described=described(parameter.default, meaning))

    # ---- classes -----------------------------------------------------------------------------------------

    def _class(self, module: Module | None, name: str) -> Found | None:
        """The class that a name of a module's stands for, of modules that stay too."""
        target = self.graph.followed(self.graph.resolve(module, name)) if module else None
        return _class(target) if isinstance(target, Definition) else None

    def _names_of_bases(self, found: Found, below: tuple[ast.ClassDef, ...] = ()) -> set[str]:
        """Of all bases that are libraries'."""
        names = set[str]()
        for base in found.node.bases if found.node not in below else ():
            inner = self._class(found.module, ast.unparse(base))
            path = self.meaning(found.module, ast.unparse(base).partition("[")[0])
            own = {path.rpartition(".")[2]}
            names |= self._names_of_bases(inner, (*below, found.node)) if inner else own
        return names


WITHOUT_CONSTRUCTORS = frozenset("object Callback Checkpoint ABC Generic Protocol".split())
"""Bases that add nothing to what a constructor takes."""


class _Unreadable(Exception):
    """A constructor that is not known."""


def _class(target: Definition) -> Found | None:
    """The class, where the name is surely one's."""
    chunks = target.module.binders.get(target.name, [])
    nodes = [node for chunk in chunks for node in ast.walk(ast.Module(list(chunk.nodes), []))]
    classes = [node for node in nodes if isinstance(node, ast.ClassDef) and node.name == target.name]
    return Found(target.module, classes[0]) if classes else None


def _lightnings(path: str) -> Signature | None:
    """What the script's class takes, where the path is of one of Lightning's that it has too."""
    name = path.rpartition(".")[2]
    is_known = path.partition(".")[0] in PACKAGES and name in {*CALLBACKS, *LOGGERS}
    return signature_of(name) if is_known else None
