"""The types that annotations name, as objects: OmegaConf checks and converts values by them."""

from __future__ import annotations

import ast
import operator
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from .values import Scope, Unread, Values, unread

SCALARS = (bool, int, float, str, bytes, Path, NoneType)


def annotation(node: ast.expr, scope: Scope, values: Values) -> Any:
    """Raises Unread."""
    match node:
        case ast.Constant(None):
            return NoneType
        case ast.Constant(str(text)):
            return annotation(_parsed(text), scope, values)
        case ast.BinOp(left, ast.BitOr(), right):
            either = annotation(left, scope, values), annotation(right, scope, values)
            return Union[either]  # noqa: UP007
        case ast.Subscript(owner, index):
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            generic = annotation(owner, scope, values)
            return _subscripted(generic, tuple(_argument(each, scope, values) for each in parts), node)
        case ast.Name() | ast.Attribute():
            found = values.of(node, scope)
            is_type = isinstance(found, type) or get_origin(found) or _is_of_typing(found)
            return found if is_type else unread(node)
    return unread(node)


def _argument(node: ast.expr, scope: Scope, values: Values) -> Any:
    is_plain = isinstance(node, ast.Constant) and not isinstance(node.value, str | None)
    return values.of(node, scope) if is_plain else annotation(node, scope, values)


def _subscripted(generic: Any, parts: tuple[Any, ...], node: ast.expr) -> Any:
    try:
        return operator.getitem(generic, parts if len(parts) > 1 else parts[0])
    except (TypeError, KeyError):
        return unread(node)


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        raise Unread(f"`{text}` is no type") from None


def _is_of_typing(found: object) -> bool:
    return getattr(found, "__module__", "") == "typing"


def is_replaced_whole(type_: Any) -> bool:
    """Whether a value of the type is never mixed with another: a number, a text, a list of them."""
    if get_origin(type_) in (Union, UnionType):
        return all(map(is_replaced_whole, get_args(type_)))
    return is_scalar(type_) or type_ in (list, tuple) or get_origin(type_) in (list, tuple)


def is_scalar(type_: Any) -> bool:
    """Whether a value of the type cannot be changed."""
    if get_origin(type_) in (Union, UnionType):
        return all(map(is_scalar, get_args(type_)))
    return type_ in SCALARS or (isinstance(type_, type) and issubclass(type_, Enum))
