"""What running a statement runs, as against what is run when a function is called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef
Held = ast.Attribute | ast.Subscript
"""What belongs to an object."""

ASKING = frozenset("""
    absolute as_posix copy endswith exists format get is_dir is_file items join joinpath keys lower lstrip read_text
    replace resolve rstrip split splitlines startswith strip upper values
    """.split())
"""Methods that change nothing, of strings, mappings and paths."""

CONSTRUCTORS = ("__new__", "__init__", "__post_init__")


def executed(node: ast.AST, within: bool = False) -> Iterator[ast.AST]:
    """What a statement runs: of functions the defaults, of classes the bodies; types and decorators aside."""
    if isinstance(node, Function | ast.Lambda):
        for default in filter(None, (*node.args.defaults, *node.args.kw_defaults)):
            yield from executed(default)
        if within:
            yield from _within(node)
    elif isinstance(node, ast.ClassDef):
        for each in node.body:
            yield from executed(each)
    elif not is_guard(node):
        yield node
        for field, child in ast.iter_fields(node):
            if field != "annotation":
                for each in child if isinstance(child, list) else [child]:
                    if isinstance(each, ast.AST):
                        yield from executed(each, within)


def _within(node: Function | ast.Lambda) -> Iterator[ast.AST]:
    """A function that another defines may be called by it."""
    for each in node.body if isinstance(node.body, list) else [node.body]:
        yield from executed(each, within=True)


def is_guard(node: ast.AST) -> bool:
    """Whether it runs only where the script is started, or never."""
    return isinstance(node, ast.If) and bool(re.search("__name__|TYPE_CHECKING", ast.unparse(node.test)))


def head_of(node: ast.expr) -> ast.expr:
    """What the chain of calls and attributes begins with."""
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node
