"""What kind of dataset a loader reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import libcst as cst

from ..index import patterns as m
from ..index.search import code_for, findall
from ..ir.project import Class, Project
from .bindings import bindings
from .loader_calls import made_by
from .resolve import returned_values
from .samples import samples_are_tensors

Dataset = Literal["map", "sized", "unsized"]
CHAIN = "torch.utils.data.ChainDataset"


def _iterable_classes(project: Project) -> dict[str, Dataset]:
    """The file's own iterable datasets, and whether they know their length."""
    found: dict[str, Dataset] = {}
    kept = project.kept_streams
    for cls in project.classes.values():
        bases = [project.qualified(base.value) or "" for part in cls.lineage for base in part.node.bases]
        if any(base.rpartition(".")[2] == "IterableDataset" or base in kept for base in bases):
            is_sized = "__len__" in cls.methods or any(kept.get(base) for base in bases)
            found[cls.name] = "sized" if is_sized else "unsized"
    return found


def unknown_dataset(project: Project, owner: Class | None = None) -> Dataset:
    """What kind a dataset may be of which nothing is known, but that a class names it, if one does."""
    nodes = [part.node for part in owner.lineage] if owner else [each.node for each in project.statements]
    return least([*_iterable_classes(project).values(), *_kept_kinds(project, nodes)])


def least(kinds: Collection[Dataset]) -> Dataset:
    """The kind that promises least."""
    return "unsized" if "unsized" in kinds else "sized" if "sized" in kinds else "map"


def _kept_kinds(project: Project, nodes: Iterable[cst.CSTNode]) -> Iterator[Dataset]:
    """The kinds of iterable datasets in modules that stay, as far as code names them, or what makes them."""
    if not project.kept_streams:
        return
    for node in nodes:
        for named in findall(node, m.Name() | m.Attribute()):
            if isinstance(named, cst.Name | cst.Attribute) and (kind := _kept_kind(project, named)):
                yield kind


def _kept_kind(project: Project, named: cst.BaseExpression) -> Dataset | None:
    is_sized = project.kept_streams.get(project.qualified(named) or "")
    return None if is_sized is None else "sized" if is_sized else "unsized"


def dataset_of(project: Project, call: cst.Call, owner: Class | None) -> Dataset | None:
    """What kind of dataset a loader is given; None: it cannot be told."""
    named = [arg.value for arg in call.args if arg.keyword and arg.keyword.value == "dataset"]
    first = [arg.value for arg in call.args[:1] if not arg.keyword and not arg.star]
    values = named or first
    iterable = _iterable_classes(project)
    kinds = {_kind(project, value, iterable, owner) for value in values}
    return kinds.pop() if len(kinds) == 1 else None


def _kind(
    project: Project,
    value: cst.BaseExpression,
    iterable: dict[str, Dataset],
    owner: Class | None,
) -> Dataset | None:
    if isinstance(value, cst.Call) and project.qualified(value.func) == CHAIN:
        return _chained(project, _elements(value), iterable, owner)
    if isinstance(value, cst.BinaryOperation):
        first = _kind(project, value.left, iterable, owner)
        return (
            first if first in (None, "map") else _chained(project, [value.left, value.right], iterable, owner)
        )
    if isinstance(value, cst.Call) and isinstance(value.func, cst.Name):
        if value.func.value in iterable:
            return iterable[value.func.value]
        if value.func.value in project.classes:
            return "map" if owner or _is_of_torch(project, project.classes[value.func.value]) else None
        if (project.qualified(value.func) or "").startswith("torch."):
            return "map"
    if isinstance(value, cst.Call) and (project.qualified(value.func) or "").startswith("torch.utils.data."):
        return "map"
    if isinstance(value, cst.Call) and (kept := _kept_kind(project, value.func)):
        return kept
    kinds = {_kind(project, found, iterable, owner) for found in _held(project, owner, value)}
    return kinds.pop() if len(kinds) == 1 else None


def _is_of_torch(project: Project, cls: Class) -> bool:
    """Whether what a class inherits from is the project's own, or torch's."""
    names = (base.value for part in cls.lineage for base in part.node.bases)
    outer = (project.qualified(name) or "?" for name in names if code_for(name) not in project.classes)
    return all(name.startswith(("torch.utils.data.", "torchvision.datasets.")) for name in outer)


def _elements(call: cst.Call) -> list[cst.BaseExpression]:
    """The elements of a list that a call is given; none where they stand elsewhere."""
    given = call.args[0].value if call.args else None
    return [element.value for element in given.elements] if isinstance(given, cst.List | cst.Tuple) else []


def _chained(
    project: Project,
    parts: list[cst.BaseExpression],
    iterable: dict[str, Dataset],
    owner: Class | None,
) -> Dataset:
    """A chain of iterable datasets knows its length if each of them does."""
    unknown = unknown_dataset(project, owner)
    kinds = {_kind(project, part, iterable, owner) or unknown for part in parts}
    return "sized" if kinds == {"sized"} else "unsized"


def _held(
    project: Project, owner: Class | None, value: cst.BaseExpression, unpacked: bool = False
) -> list[cst.BaseExpression]:
    """All that a variable or an attribute may hold, or be unpacked from; none: that is not known.

    In a class it is what the class assigns, anywhere; in a main, the calls that make objects which get there.
    """
    if not m.matches(value, m.Name() | m.Attribute(value=m.Name("self"))):
        return []
    if owner is None:
        return list(made_by(project, value))
    bound = [each for part in owner.lineage for each in bindings(part.node, value)]
    held = [each.held or (each.value if unpacked else None) for each in bound]
    return [each for each in held if each] if all(held) else []


def all_tensors(project: Project, calls: Collection[cst.Call], owner: Class | None) -> bool:
    """Whether every loader surely reads a TensorDataset, or a part of one."""
    first = [call.args[0].value for call in calls if call.args and not call.args[0].keyword]
    are = _TensorDatasets(project, owner)
    return len(first) == len(calls) and all(are.surely(value, 8) for value in first)


@dataclass(frozen=True)
class _TensorDatasets:
    project: Project
    owner: Class | None

    def surely(self, value: cst.BaseExpression | None, depth: int) -> bool:
        """Whether an expression is one, whatever it stands for."""
        if value is None or not depth:
            return False
        if isinstance(value, cst.Call):
            return self._makes_one(value, depth - 1)
        if samples_are_tensors(self.project, value):
            return True
        held = _held(self.project, self.owner, value, unpacked=True)
        return bool(held) and all(self.surely(found, depth - 1) for found in held)

    def _makes_one(self, call: cst.Call, depth: int) -> bool:
        if self.owner and m.matches(call.func, m.Attribute(value=m.Name("self"))):
            method = self.owner.methods.get(cst.ensure_type(call.func, cst.Attribute).attr.value)
            returned = returned_values(method) if method and not method.decorators else []
            return bool(returned) and all(self.surely(each, depth) for each in returned)
        name = (self.project.qualified(call.func) or "").removeprefix("torch.utils.data.")
        if name in ("random_split", "Subset") and call.args and not call.args[0].keyword:
            return self.surely(call.args[0].value, depth)
        return name == "TensorDataset"
