"""What kind of dataset a loader reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import libcst as cst
import libcst.matchers as m

from ..index.search import findall
from ..ir.project import Class, Project
from .resolve import returned_values

Dataset = Literal["map", "sized", "unsized"]
Places = Sequence[cst.CSTNode]
"""Where variables are set: the classes of a hook's owner, or a function of a main's."""

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


def dataset_of(project: Project, places: Places, call: cst.Call, owner: Class | None) -> Dataset | None:
    """What kind of dataset a loader is given; None: it cannot be told."""
    named = [arg.value for arg in call.args if arg.keyword and arg.keyword.value == "dataset"]
    first = [arg.value for arg in call.args[:1] if not arg.keyword and not arg.star]
    values = named or first
    iterable = _iterable_classes(project)
    kinds = {_kind(project, places, value, iterable, owner) for value in values}
    return kinds.pop() if len(kinds) == 1 else None


def _kind(
    project: Project,
    places: Places,
    value: cst.BaseExpression,
    iterable: dict[str, Dataset],
    owner: Class | None,
) -> Dataset | None:
    if isinstance(value, cst.Call) and project.qualified(value.func) == CHAIN:
        return _chained(project, places, _elements(value), iterable, owner)
    if isinstance(value, cst.BinaryOperation):
        first = _kind(project, places, value.left, iterable, owner)
        return (
            first
            if first in (None, "map")
            else _chained(project, places, [value.left, value.right], iterable, owner)
        )
    if isinstance(value, cst.Call) and isinstance(value.func, cst.Name):
        if value.func.value in iterable:
            return iterable[value.func.value]
        if value.func.value in project.classes or (project.qualified(value.func) or "").startswith("torch."):
            return "map"
    if isinstance(value, cst.Call) and (project.qualified(value.func) or "").startswith("torch.utils.data."):
        return "map"
    if isinstance(value, cst.Call) and (kept := _kept_kind(project, value.func)):
        return kept
    target = m.matches(value, m.Name() | m.Attribute(value=m.Name("self")))
    assigned = _assigned_values(places, value) if target else []
    kinds = {_kind(project, places, found, iterable, owner) for found in assigned}
    return kinds.pop() if len(kinds) == 1 else None


def _elements(call: cst.Call) -> list[cst.BaseExpression]:
    """The elements of a list that a call is given; none where they stand elsewhere."""
    given = call.args[0].value if call.args else None
    return [element.value for element in given.elements] if isinstance(given, cst.List | cst.Tuple) else []


def _chained(
    project: Project,
    places: Places,
    parts: list[cst.BaseExpression],
    iterable: dict[str, Dataset],
    owner: Class | None,
) -> Dataset:
    """A chain of iterable datasets knows its length if each of them does."""
    unknown = unknown_dataset(project, owner)
    kinds = {_kind(project, places, part, iterable, owner) or unknown for part in parts}
    return "sized" if kinds == {"sized"} else "unsized"


def _assigned_values(
    places: Places, target: cst.BaseExpression, unpacked: bool = False
) -> list[cst.BaseExpression]:
    """What is assigned to a target in some places, alone or, where `unpacked` says so, among others."""
    found = []
    for place in places:
        for node in findall(place, m.Assign()):
            assert isinstance(node, cst.Assign)
            targets: list[cst.CSTNode] = [each.target for each in node.targets]
            if unpacked:
                tuples = [each for each in targets if isinstance(each, cst.Tuple)]
                targets += [element.value for each in tuples for element in each.elements]
            if any(each.deep_equals(target) for each in targets):
                found.append(node.value)
    return found


def all_tensors(project: Project, places: Places, calls: Collection[cst.Call], owner: Class | None) -> bool:
    """Whether every loader surely reads a TensorDataset, or a part of one."""
    first = [call.args[0].value for call in calls if call.args and not call.args[0].keyword]
    are = _TensorDatasets(project, places, owner)
    return len(first) == len(calls) and all(are.surely(value, 8) for value in first)


@dataclass(frozen=True)
class _TensorDatasets:
    project: Project
    places: Places
    owner: Class | None

    def surely(self, value: cst.BaseExpression | None, depth: int) -> bool:
        """Whether an expression is one, whatever it stands for."""
        if value is None or not depth:
            return False
        if isinstance(value, cst.Call):
            return self._makes_one(value, depth - 1)
        if not m.matches(value, m.Name() | m.Attribute(value=m.Name("self"))):
            return False
        assigned = _assigned_values(self.places, value, unpacked=True)
        return bool(assigned) and all(self.surely(found, depth - 1) for found in assigned)

    def _makes_one(self, call: cst.Call, depth: int) -> bool:
        if self.owner and m.matches(call.func, m.Attribute(value=m.Name("self"))):
            method = self.owner.methods.get(cst.ensure_type(call.func, cst.Attribute).attr.value)
            returned = returned_values(method) if method and not method.decorators else []
            return bool(returned) and all(self.surely(each, depth) for each in returned)
        name = (self.project.qualified(call.func) or "").removeprefix("torch.utils.data.")
        if name in ("random_split", "Subset") and call.args and not call.args[0].keyword:
            return self.surely(call.args[0].value, depth)
        return name == "TensorDataset"
