"""What imports bind: dotted names of libraries'."""

from __future__ import annotations

import builtins
from collections.abc import Collection, Mapping

import libcst as cst

from ..index import Index, Variable
from ..lightning.api import OF_OTHERS, TYPED_DICTS, is_lightnings
from .abstract import External, Lightning, Unknown, Value
from .decorators import gives_back_class

BUILTINS = frozenset(dir(builtins))

KEEPING_PACKAGES = frozenset("""
    abc absl attr beartype click contextlib dataclasses enum functools hydra jaxtyping lightning lightning_fabric numba
    pytorch_lightning torch typer typing typing_extensions
    """.split())
"""Packages whose decorators give back what they are put on, or something that calls it as it is."""


class ImportedNames:
    """Expressions that name something of a library's, through imports alone."""

    def __init__(
        self,
        index: Index,
        local_modules: Collection[str] = (),
        passed_on: Mapping[str, str] | None = None,
        data_bases: Collection[cst.CSTNode] = (),
    ) -> None:
        self._index, self._local = index, frozenset(local_modules)
        self._passed_on = passed_on or {}  # what these have of libraries
        self._data_bases = data_bases  # bases that stand for LightningDataModule

    def of(self, name: str, level: int = 0) -> External:
        """The library's thing of a dotted name."""
        module = name = self._passed_on.get(name, name)
        is_local = level > 0
        while module and not is_local:
            is_local = module in self._local
            module = module.rpartition(".")[0]
        if is_lightnings(name) and name.rpartition(".")[2] in TYPED_DICTS:
            return External("builtins.dict")
        if is_lightnings(name) and not is_local:
            return Lightning(OF_OTHERS.get(name, name))
        return External("." * level + name, is_local)

    def imported(self, alias: cst.ImportAlias) -> External:
        """What an import binds."""
        statement, name = self._index.parent(alias), dotted(alias.name)
        if isinstance(statement, cst.ImportFrom):
            module = dotted(statement.module) if statement.module else ""
            return self.of(f"{module}.{name}".lstrip("."), len(statement.relative))
        return self.of(name if alias.asname else name.partition(".")[0])

    def external(self, node: cst.BaseExpression) -> External | None:
        """What a dotted expression names; None: more than imports has a say in it."""
        if node in self._data_bases:
            return Lightning("lightning.pytorch.LightningDataModule")
        if isinstance(node, cst.Attribute):
            base = self.external(node.value)
            return self.member(base, node.attr.value) if base else None
        if not isinstance(node, cst.Name) or (variable := self._index.variable(node)) is None:
            return None
        if not variable.bindings:
            return self.builtin(variable)
        aliases = [each.by for each in variable.bindings if isinstance(each.by, cst.ImportAlias)]
        found = {self.imported(each) for each in aliases}
        is_only_imported = len(aliases) == len(variable.bindings)
        return found.pop() if is_only_imported and len(found) == 1 else None

    def member(self, base: External, name: str) -> External:
        dots = len(base.name) - len(base.name.lstrip("."))
        return self.of(f"{base.name.lstrip('.')}.{name}", dots) if not base.is_local else _local(base, name)

    def builtin(self, variable: Variable) -> External | None:
        """A builtin, or what a star import of a library's brings in."""
        if variable.scope.kind == "module" and variable.name in BUILTINS:
            return External(f"builtins.{variable.name}")
        return None

    def from_star(self, variable: Variable) -> Value | None:
        """What a star import may bring in under a name that nothing binds."""
        modules = [dotted(each.module) for each in variable.scope.module.stars if each.module]
        if not modules:
            return None
        places = " or ".join(f"`from {module} import *`" for module in modules)
        return Unknown(f"`{variable.name}` may come from {places}", None)

    def keeps_class(self, node: cst.ClassDef) -> bool:
        """Whether the decorators of a class surely give back the class."""
        return all(self._keeps(each.decorator) for each in node.decorators)

    def _keeps(self, decorator: cst.BaseExpression) -> bool:
        external = self.external(decorator.func if isinstance(decorator, cst.Call) else decorator)
        if external is None:
            return gives_back_class(self._index, decorator)
        return external.package in KEEPING_PACKAGES


def _local(base: External, name: str) -> External:
    return External(f"{base.name}.{name}", is_local=True)


def dotted(node: cst.CSTNode) -> str:
    """A dotted name as text."""
    if isinstance(node, cst.Attribute):
        return f"{dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""
