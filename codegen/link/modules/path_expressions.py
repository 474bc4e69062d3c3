"""Folders that code names, computed without running it."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from pathlib import Path

from ...source.marked_folders import ROOT_FINDERS, marked

SAME = frozenset(
    "str Path PurePath abspath realpath normpath fspath resolve absolute as_posix expanduser".split()
)
"""Functions and methods whose path leads to where the one leads that they are given."""


def bound_once(tree: ast.Module) -> dict[str, ast.expr]:
    """What names are given at the top level, those that are given one value alone."""
    targets = [
        (node.targets[0].id, node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    ]
    names = [name for name, _ in targets]
    return {name: value for name, value in targets if names.count(name) == 1}


def folder_named(node: ast.expr, file: Path, bound: dict[str, ast.expr], depth: int = 9) -> Path | None:
    """The path that an expression in `file` gives, with what its names are `bound` to; None: it is not known."""

    def of(each: ast.expr) -> Path | None:
        return folder_named(each, file, bound, depth - 1) if depth else None

    match node:
        case ast.Constant(str(text)):
            return Path(text)
        case ast.Name("__file__"):
            return file
        case ast.Name(name):
            return of(bound[name]) if name in bound else None
        case ast.Attribute(attr="pardir" | "curdir" as name):
            return Path(getattr(os, name))
        case ast.Attribute(value, "parent"):
            return above(of(value), 1)
        case ast.Subscript(ast.Attribute(value, "parents"), ast.Constant(int(count))):
            return above(of(value), count + 1)
        case ast.BinOp(left, ast.Div(), right):
            return joined([of(left), of(right)])
        case ast.Call(func, given, keywords):
            return _called(_name(func), func, given, keywords, of)
    return None


def _called(
    name: str,
    func: ast.expr,
    given: list[ast.expr],
    keywords: list[ast.keyword],
    of: Callable[[ast.expr], Path | None],
) -> Path | None:
    """What a call of a function, or of a method of a path, gives."""
    method_of = func.value if isinstance(func, ast.Attribute) else None
    if name in ("getcwd", "cwd"):
        return Path.cwd()
    if name in ROOT_FINDERS:
        start = [*given, *(each.value for each in keywords if each.arg == "search_from")]
        return _marked(of(start[0]), keywords) if start else None
    if name == "dirname" and given:
        return above(of(given[0]), 1)
    if name == "join" and given:
        return joined([of(each) for each in given])
    if name == "with_name" and method_of and len(given) == 1:
        return joined([above(of(method_of), 1), of(given[0])])
    if name == "joinpath" and method_of:
        return joined([of(method_of), *map(of, given)])
    if name not in SAME:
        return None
    return joined([of(each) for each in given]) if given else of(method_of) if method_of else None


def above(path: Path | None, count: int) -> Path | None:
    for _ in range(count if path else 0):
        path = path and (path.parent if path.name not in ("", "..") else path / "..")
    return path


def joined(parts: list[Path | None]) -> Path | None:
    known = [part for part in parts if part is not None]
    return Path(*known) if len(known) == len(parts) else None


def _marked(start: Path | None, keywords: list[ast.keyword]) -> Path | None:
    given = next((ast.unparse(each.value) for each in keywords if each.arg == "indicator"), None)
    return marked(start, given) if start else None


def _name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
