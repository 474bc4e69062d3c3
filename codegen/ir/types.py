"""Where the code names types that say something to readers and type checkers, and do nothing when it runs."""

from __future__ import annotations

import libcst as cst

from .project import Project

CASTS = frozenset({"typing.cast", "typing_extensions.cast"})
VARIABLES = frozenset({"typing.TypeVar", "typing_extensions.TypeVar", "typing.NewType"})
"""Functions that are told types."""

GENERICS = ("typing.", "typing_extensions.", "collections.abc.")
BUILTIN_GENERICS = frozenset({"dict", "frozenset", "list", "set", "tuple", "type"})
"""What types are made of, with others in brackets."""

LITERAL = frozenset({"typing.Literal", "typing_extensions.Literal"})
"""Whose brackets hold plain values, which may be texts."""

PARTS = cst.Index | cst.SubscriptElement | cst.List | cst.Element


def is_type(project: Project, node: cst.CSTNode) -> bool:
    """Whether a name, or a quoted one, is a type of an annotation, or of what annotations alone use: `A = list[B]`."""
    index = project.index
    if index.ancestor(node, cst.Annotation):
        return True
    inner, outer = node, index.parent(node)
    if isinstance(node, cst.SimpleString) and not isinstance(outer, PARTS):
        return False  # what is quoted may be any text
    while _is_made_of_types(project, outer):
        inner, outer = outer, index.parent(outer)  # type: ignore[assignment, arg-type]  # no None is made of types
    if isinstance(outer, cst.Arg):
        holder = index.parent(outer)
        return _is_told_a_type(project, holder, outer) or (
            isinstance(holder, cst.ClassDef) and inner is not node
        )
    return (
        isinstance(outer, cst.Assign | cst.AnnAssign) and inner is outer.value and _names_type(project, outer)
    )


def _is_made_of_types(project: Project, node: cst.CSTNode | None) -> bool:
    if isinstance(node, cst.Subscript):
        name = project.qualified(node.value) or ""
        return name not in LITERAL and (name.startswith(GENERICS) or name in BUILTIN_GENERICS)
    is_union = isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr)
    return is_union or isinstance(node, PARTS)


def _is_told_a_type(project: Project, call: cst.CSTNode | None, argument: cst.Arg) -> bool:
    if not isinstance(call, cst.Call):
        return False
    name, is_first = project.qualified(call.func), argument is call.args[0]
    return (name in CASTS and is_first) or (name in VARIABLES and not is_first)


def _names_type(project: Project, node: cst.Assign | cst.AnnAssign) -> bool:
    """Whether a statement binds one name of a module, which is used as a type alone."""
    targets = [each.target for each in node.targets] if isinstance(node, cst.Assign) else [node.target]
    variables = [project.index.variable(each) for each in targets if isinstance(each, cst.Name)]
    return len(targets) == len(variables) and all(
        each and each.scope.kind == "module" and all(is_type(project, use) for use in each.uses)
        for each in variables
    )
