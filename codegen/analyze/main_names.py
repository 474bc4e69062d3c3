"""What the names in a user's own main stand for, told by name alone: a variable is the same wherever it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

import libcst as cst

from ..index.search import nodes
from .bindings import assignments
from .literals import code_of
from .resolve import Found, returned_values

Node = TypeVar("Node", bound=cst.CSTNode)
Names = Mapping[str, list[cst.BaseExpression]]
"""What is held under a name: a variable's or an attribute's code, or `make()` for what a function returns."""

Named = tuple[str, cst.BaseExpression]


def step(names: Names, node: cst.BaseExpression) -> Found[Names] | None:
    """What an expression stands for, followed no further."""
    values = names.get(name_of(node))
    return None if values is None else [(names, value) for value in values]


def name_of(node: cst.BaseExpression) -> str:
    """The name that an expression is held under."""
    return f"{code_of(node.func)}()" if isinstance(node, cst.Call) else code_of(node)


def grouped(named: Iterable[Named]) -> Names:
    names: dict[str, list[cst.BaseExpression]] = {}
    for name, value in named:
        names.setdefault(name, []).append(value)
    return names


def nodes_of(kind: type[Node] | tuple[type[Node], ...], trees: Iterable[cst.CSTNode]) -> Iterator[Node]:
    for tree in trees:
        yield from nodes(tree, *(kind if isinstance(kind, tuple) else (kind,)))


def calls_on(name: str, trees: Iterable[cst.CSTNode]) -> Iterator[tuple[cst.Call, cst.BaseExpression]]:
    """Calls of a method of this name, each with what stands for the object."""
    for call in nodes_of(cst.Call, trees):
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == name:
            yield call, call.func.value


# ---- what gives names to things --------------------------------------------------------------------------


def assigned(nodes: Iterable[cst.CSTNode]) -> Iterator[Named]:
    """What is assigned to variables and attributes."""
    for target, value in (each for node in nodes for each in assignments(node)):
        yield code_of(target), value
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            yield from _parts(target, value)


def _parts(target: cst.Tuple, value: cst.Tuple) -> Iterator[Named]:
    pairs = zip(target.elements, value.elements)  # noqa: B905  # Python checks it
    return ((code_of(each.value), part.value) for each, part in pairs)


def unpacked(nodes: Iterable[cst.CSTNode], results: Names) -> Iterator[Named]:
    """The parts of tuples, under the variables that take them, where a call gives one of the `results`."""
    for target, value in (each for node in nodes for each in assignments(node)):
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Call):
            for found in results.get(f"{code_of(value.func).rpartition('.')[2]}()", ()):
                if isinstance(found, cst.Tuple) and len(found.elements) == len(target.elements):
                    yield from _parts(target, found)


def returned(nodes: Iterable[cst.CSTNode]) -> Iterator[Named]:
    """What functions return, and properties hold."""
    for function in nodes_of(cst.FunctionDef, nodes):
        name = f"self.{function.name.value}" if _is_property(function) else f"{function.name.value}()"
        yield from ((name, value) for value in returned_values(function) if value)


def _is_property(node: cst.FunctionDef) -> bool:
    names = {code_of(each.decorator).rpartition(".")[2] for each in node.decorators}
    return bool(names & {"property", "cached_property"})


def annotated(nodes: Iterable[cst.CSTNode]) -> Iterator[Named]:
    """Parameters with what makes objects of the classes that they are said to be of."""
    for parameter in nodes_of(cst.Param, nodes):
        if parameter.annotation:
            yield parameter.name.value, cst.Call(parameter.annotation.annotation)
