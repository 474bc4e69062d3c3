"""The parts of a syntax tree's nodes that are code: whitespace and punctuation are passed over."""

from __future__ import annotations

import dataclasses
import re
from functools import cache

import libcst as cst

PUNCTUATION = re.compile(
    r"whitespace|.*(lines|par|bracket|brace|whitespace)$"
    r"|(asynchronous|arrow|colon|comma|comment|dot|empty_lines|encoding|end|equal|first_colon|footer|from_"
    r"|has_trailing_newline|header|indent|lines_after_decorators|newline|posonly_ind|relative|second_colon"
    r"|semicolon|separator|start|trailing_comma)$"
)
"""Fields that hold no code."""

SOURCE_ORDER = {
    cst.Arg: ("keyword", "value"),
    cst.ClassDef: ("decorators", "name", "type_parameters", "bases", "keywords", "body"),
    cst.ExceptHandler: ("type", "name", "body"),
    cst.ExceptStarHandler: ("type", "name", "body"),
    cst.FunctionDef: ("decorators", "name", "type_parameters", "params", "returns", "body"),
    cst.IfExp: ("body", "test", "orelse"),
    cst.ImportFrom: ("module", "names"),
    cst.Lambda: ("params", "body"),
    cst.MatchAs: ("pattern", "name"),
    cst.MatchCase: ("pattern", "guard", "body"),
    cst.Param: ("name", "annotation", "default"),
    cst.Parameters: ("posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg"),
    cst.TypeAlias: ("name", "type_parameters", "value"),
    cst.With: ("items", "body"),
}
"""The fields of nodes that declare them in another order than that of the source."""


@cache
def fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """The fields of a kind of node that hold code, in the order of the source."""
    if kind in SOURCE_ORDER:
        return SOURCE_ORDER[kind]
    return tuple(each.name for each in dataclasses.fields(kind) if not PUNCTUATION.match(each.name))


@cache
def is_node(kind: type) -> bool:
    """Whether values of a type are nodes: to ask `isinstance` of each takes long, as their base is abstract."""
    return issubclass(kind, cst.CSTNode)


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes right below a node, in the order of the source."""
    found: list[cst.CSTNode] = []
    for name in fields(type(node)):
        value = getattr(node, name)
        if is_node(value.__class__):
            found.append(value)
        elif isinstance(value, list | tuple):
            found.extend(value)
    return found
