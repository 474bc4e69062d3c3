"""The bases of classes, and the order in which Python looks attributes up in them."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from ..index import Index
from .abstract import Class, External
from .imports import ImportedNames

TYPES = frozenset({"builtins.type", "abc.ABCMeta"})
"""What makes classes, and leaves them as they are written."""

PLAIN = frozenset("builtins.object typing.Generic typing.Protocol abc.ABC".split())
"""Bases that give objects nothing of interest."""


@dataclass(frozen=True)
class OpenBase:
    """A base that is known when the class is made: the expression that gives it."""

    node: cst.BaseExpression


Base = Class | External | OpenBase


class Bases:
    """The user's classes with their bases, as far as these stand still in the code."""

    def __init__(self, index: Index, names: ImportedNames) -> None:
        self._index, self._names = index, names
        self._orders: dict[Class, tuple[Base, ...]] = {}

    def of(self, cls: Class) -> list[Base]:
        """The bases, as written."""
        return [base for each in cls.node.bases for base in self._resolved(each.value, 8)]

    def order(self, cls: Class) -> tuple[Base, ...]:
        """The class and its bases, in the order in which attributes are looked up."""
        if cls not in self._orders:
            self._orders[cls] = (cls,)  # a class that seems to be its own base
            bases = self.of(cls)
            orders: list[list[Base]] = [
                list(self.order(each)) if isinstance(each, Class) else [each] for each in bases
            ]
            self._orders[cls] = (cls, *_merged([*orders, bases]))
        return self._orders[cls]

    def metaclass(self, cls: Class) -> Base | None:
        """What makes a class, as it says itself or a base of the user's; None: nothing of its own."""
        for part in self.order(cls):
            for each in part.node.keywords if isinstance(part, Class) else ():
                if each.keyword is not None and each.keyword.value == "metaclass":
                    return self._resolved(each.value, 8)[0]
        return None

    def makes_types(self, metaclass: Class) -> bool:
        """Whether a class of the user's surely derives from Python's own metaclasses alone."""
        order = self.order(metaclass)
        bases = [each for each in order if not isinstance(each, Class)]
        return bool(bases) and all(map(self.is_type, bases))

    def is_type(self, metaclass: Base) -> bool:
        """Whether it is one of Python's own."""
        return isinstance(metaclass, External) and metaclass.name in TYPES

    def _is_type_of(self, node: cst.Call) -> bool:
        """Whether it is `type(LightningModule)`, which is Python's own."""
        called, given = self._names.external(node.func), [
            self._names.external(each.value) for each in node.args
        ]
        is_type = called is not None and called.name == "builtins.type" and len(given) == 1
        return is_type and all(each is not None and _is_plainly_made(each) for each in given)

    def _resolved(self, node: cst.BaseExpression, depth: int) -> list[Base]:
        if isinstance(node, cst.Subscript):  # Base[int]
            return self._resolved(node.value, depth)
        if external := self._names.external(node):
            return [external]
        if isinstance(node, cst.Call) and self._is_type_of(node):
            return [External("builtins.type")]
        bindings = self._index.bindings(node) if isinstance(node, cst.Name) and depth else []
        found = [self._bound(each.by, depth) for each in bindings]
        if len(found) == 1 and found[0]:
            return [found[0]]
        names = {each.name.rpartition(".")[2] for each in found if isinstance(each, External)}
        if len(names) == 1 and all(isinstance(each, External) for each in found):
            return [each for each in found[:1] if each]  # one thing, imported from one place or another
        return [OpenBase(node)]

    def _bound(self, by: cst.CSTNode, depth: int) -> Base | None:
        """What one binding of a name makes of it; None: that is not plain to see."""
        if isinstance(by, cst.ClassDef):
            return Class(by) if self._names.keeps_class(by) else None
        if isinstance(by, cst.ImportAlias):
            return self._names.imported(by)
        if isinstance(by, cst.Assign) and all(isinstance(each.target, cst.Name) for each in by.targets):
            return self._resolved(by.value, depth - 1)[0]
        return None


def _is_plainly_made(base: External) -> bool:
    """Whether a library's class is made by `type` itself."""
    return base.name == "torch.nn.Module" or base.lightning in ("LightningModule", "LightningDataModule")


def _merged(orders: list[list[Base]]) -> list[Base]:
    """The C3 linearization; where there is none, the order in which bases are first met."""
    merged: list[Base] = []
    while orders := [order for order in orders if order]:
        heads = [order[0] for order in orders]
        tails = [each for order in orders for each in order[1:]]
        head = next((head for head in heads if head not in tails), heads[0])
        merged.append(head)
        orders = [[each for each in order if each != head] for order in orders]
    return merged
