"""The user's project as data: imports, statements and classes, before anything is decided about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import libcst as cst

from .lightning_api import PACKAGES
from .script import Import, Origin
from .source import Source

STARRED = frozenset(
    "LightningModule LightningDataModule Trainer Callback seed_everything LightningCLI".split()
)
"""Names that `from lightning import *` brings in."""

Kind = Literal["module", "data", "other"]


@dataclass(frozen=True)
class Class:
    """A class of the user's, with its bases in the same file."""

    name: str
    node: cst.ClassDef
    kind: Kind  # a LightningModule, a LightningDataModule, or neither
    bases: tuple[Class, ...]  # those defined in the file, nearest first

    @property
    def lineage(self) -> tuple[Class, ...]:
        """The class and its bases in the file, in the order in which attributes are looked up."""
        seen: dict[str, Class] = {self.name: self}
        for base in self.bases:
            for ancestor in base.lineage:
                seen.setdefault(ancestor.name, ancestor)
        return tuple(seen.values())

    @property
    def own_methods(self) -> dict[str, cst.FunctionDef]:
        return {node.name.value: node for node in self.node.body.body if isinstance(node, cst.FunctionDef)}

    @property
    def methods(self) -> dict[str, cst.FunctionDef]:
        """Own and inherited methods, as far as the file defines them."""
        merged: dict[str, cst.FunctionDef] = {}
        for ancestor in reversed(self.lineage):
            merged.update(ancestor.own_methods)
        return merged


@dataclass(frozen=True)
class Statement:
    """A top-level statement that is no import."""

    names: tuple[str, ...]  # what it binds
    node: cst.BaseStatement | cst.SimpleStatementLine
    code: str
    origin: Origin
    uses: frozenset[str]  # the module's names that it refers to
    always: bool  # it does something beyond binding names


@dataclass(frozen=True)
class Entry:
    """The code that builds a Trainer and fits, as far as it is simple enough to become `main`."""

    seed: cst.Call | None = None
    trainer: cst.Call | None = None
    model: cst.Call | None = None
    data: cst.Call | None = None


@dataclass(frozen=True)
class Project:
    """One model file, read."""

    source: Source
    imports: tuple[Import, ...]
    statements: tuple[Statement, ...]
    classes: Mapping[str, Class]
    entry: Entry = field(default_factory=Entry)
    future_imports: tuple[str, ...] = ()

    @cached_property
    def _bound(self) -> dict[str, Import]:
        return {bound.name: bound for bound in self.imports}

    def _from_star(self, name: str) -> str:
        """A name that no import binds: one of Lightning's, where all of those are imported, else itself."""
        stars = (bound.module for bound in self.imports if bound.is_star)
        package = next((module for module in stars if module.partition(".")[0] in PACKAGES), None)
        return f"{package}.{name}" if package and name in STARRED and name not in self.classes else name

    def qualified(self, node: cst.BaseExpression) -> str | None:
        """The dotted name that an expression stands for, through the file's imports."""
        if isinstance(node, cst.Attribute):
            base = self.qualified(node.value)
            return f"{base}.{node.attr.value}" if base else None
        if not isinstance(node, cst.Name):
            return None
        bound = self._bound.get(node.value)
        if bound is None:
            return self._from_star(node.value)
        return f"{bound.module}.{bound.attribute}" if bound.attribute else bound.module

    def lightning_name(self, node: cst.BaseExpression) -> str | None:
        """The name in Lightning's API that an expression stands for, such as `LightningModule`."""
        dotted = self.qualified(node)
        if dotted is None or dotted.partition(".")[0] not in ("lightning", "pytorch_lightning"):
            return None
        return dotted.rpartition(".")[2]
