"""What kind of dataset a loader reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal as Choice

import libcst as cst

from ...ir.project import Class, Project
from ...values import COMPUTED, External, Instance, Sequence, Unknown, Value, Values, ValueSet, values_of
from ...values import Class as UserClass
from .loader_calls import is_iterator
from .samples import samples_are_tensors
from .unread import defines, is_stream_by_name, may_be_stream

Dataset = Choice["map", "sized", "unsized"]
OF_TORCH = ("torch.utils.data.", "torchvision.datasets.")
CHAIN = "torch.utils.data.ChainDataset"
PARTS = ("torch.utils.data.Subset", "torch.utils.data.random_split")


def least(kinds: Collection[Dataset]) -> Dataset:
    """The kind that promises least."""
    return "unsized" if "unsized" in kinds else "sized" if "sized" in kinds else "map"


@dataclass(frozen=True)
class Datasets:
    """Tells datasets apart, of which a class's hook makes loaders, or a main."""

    project: Project
    owner: Class | None

    @cached_property
    def values(self) -> Values:
        return values_of(self.project)

    # ---- what is known of none ---------------------------------------------------------------------------

    @cached_property
    def unknown(self) -> Dataset:
        """What kind a dataset may be of which nothing is known, but that the code names it, if it does."""
        owners: list[cst.CSTNode] = [part.node for part in self.owner.lineage] if self.owner else []
        nodes = owners or [each.node for each in self.project.statements]
        classes = [UserClass(cls.node) for cls in self.project.classes.values()]
        streams = [kind for cls in classes if (kind := self._stream(cls))]
        return least([*streams, *self._kept(nodes)])

    def _stream(self, cls: UserClass) -> Dataset | None:
        """The kind of an iterable class of the file's: whether it knows its length; None: it is no such class."""
        kept, names = self.project.kept_streams, [each.name for each in self.values.library_bases(cls)]
        if not any(name.rpartition(".")[2] == "IterableDataset" or name in kept for name in names):
            return None
        is_sized = any(map(_has_length, self.values.bases(cls))) or any(kept.get(name) for name in names)
        return "sized" if is_sized else "unsized"

    def _kept(self, nodes: Iterable[cst.CSTNode]) -> Iterator[Dataset]:
        """The kinds of iterable datasets in modules that stay, as far as code names them, or what makes them."""
        if not self.project.kept_streams:
            return
        for node in nodes:
            for named in self.project.index.within(node, cst.Name, cst.Attribute):
                if kind := self._kept_kind(self.project.qualified(named)):
                    yield kind

    def _kept_kind(self, name: str | None) -> Dataset | None:
        is_sized = self.project.kept_streams.get(name or "")
        return None if is_sized is None else "sized" if is_sized else "unsized"

    # ---- one dataset -------------------------------------------------------------------------------------

    def kind(self, found: ValueSet | None, seen: frozenset[Value] = frozenset()) -> Dataset | None:
        """What kind a loader's dataset is; None: it cannot be told.

        What is `seen` is a sum that a dataset is a part of, as `data = data + more` in a loop is of itself.
        """
        kinds = (
            {self._kind(each, seen) for each in found.without_none if each not in seen} if found else set()
        )
        return kinds.pop() if len(kinds) == 1 else None

    def _kind(self, value: Value, seen: frozenset[Value]) -> Dataset | None:
        if isinstance(value, Unknown):
            return self._sum(value, seen | {value})
        if isinstance(value, Sequence):
            return "map" if value.kind in ("list", "tuple") else None
        if not isinstance(value, Instance):
            return None
        if isinstance(value.cls, UserClass):
            stream = self._stream(value.cls)
            if stream or may_be_stream(self.values, value):
                return stream
            return "map" if self.owner or self._is_of_torch(value.cls) else None
        name = value.cls.name if isinstance(value.cls, External) else ""
        if name == CHAIN:
            return self._chain(value, seen | {value})
        is_map = name.startswith("torch.") and not is_stream_by_name(name)
        return "map" if is_map else self._kept_kind(name)

    def _is_of_torch(self, cls: UserClass) -> bool:
        """Whether what a class inherits from is the project's own, or torch's."""
        are_known = len(self.values.bases(cls)) >= len(cls.node.bases)
        return are_known and all(each.name.startswith(OF_TORCH) for each in self.values.library_bases(cls))

    def _sum(self, value: Unknown, seen: frozenset[Value]) -> Dataset | None:
        """Of datasets that are added: those without an index are read one after the other."""
        if value.reason != COMPUTED or not isinstance(value.node, cst.BinaryOperation):
            return None
        parts = [self.values.of(value.node.left), self.values.of(value.node.right)]
        first = self.kind(parts[0], seen)
        return first if first in (None, "map") else self._least_of(parts, seen)

    def _chain(self, value: Instance, seen: frozenset[Value]) -> Dataset:
        lists = [each for each in self._given(value, "datasets") if isinstance(each, Sequence)]
        return self._least_of([self.values.elements(each) for each in lists], seen)

    def _least_of(self, parts: Iterable[ValueSet], seen: frozenset[Value]) -> Dataset:
        """A chain of iterable datasets knows its length if each of them does."""
        values = (each for part in parts for each in part.without_none if each not in seen)
        kinds = {self._kind(each, seen) or self.unknown for each in values}
        return "sized" if kinds == {"sized"} else "unsized"

    # ---- tensors -----------------------------------------------------------------------------------------

    def is_of_tensors(self, found: ValueSet | None, depth: int = 8) -> bool:
        """Whether it surely is a TensorDataset, or a part of one."""
        values = found.without_none if found and depth else ()
        return bool(values) and all(self._is_of_tensors(each, depth) for each in values)

    def _is_of_tensors(self, value: Value, depth: int) -> bool:
        if not isinstance(value, Instance) or not isinstance(value.cls, External):
            return samples_are_tensors(self.project, value)
        if value.cls.name in PARTS:
            return self.is_of_tensors(self._given(value, "dataset"), depth - 1)
        return value.cls.name == "torch.utils.data.TensorDataset"

    def _given(self, value: Instance, name: str) -> ValueSet:
        """What the first parameter is given by the call that makes an object."""
        node = value.node if isinstance(value.node, cst.Call) else None
        given = self.values.arguments(node, [name]).get(name) if node else None
        return given.values if given else ValueSet(())


def _has_length(cls: UserClass | External) -> bool:
    return defines(cls, "__len__")


def is_iterable_alone(values: Values, value: Value) -> bool:
    """Whether it is an iterator, or an object of the project's, that gives batches and may not know how many."""
    if is_iterator(value):
        return True
    if not isinstance(value, Instance) or not isinstance(value.cls, UserClass):
        return False
    bases = values.bases(value.cls)
    is_own = not any(values.library_bases(value.cls)) and any(defines(each, "__iter__") for each in bases)
    return is_own and not any(map(_has_length, bases))
