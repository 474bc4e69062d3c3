"""Runs code with each of its expressions watched, and compares what is seen with what was predicted."""

from __future__ import annotations

import ast
import functools
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import libcst as cst
from ddpgen.ir.project import Project
from ddpgen.values import (
    BoundMethod,
    Class,
    Descriptor,
    Dict,
    External,
    Function,
    Instance,
    Literal,
    Member,
    Option,
    Partial,
    Sequence,
    Super,
    Unknown,
    Value,
    values_of,
)
from libcst.metadata import MetadataWrapper, PositionProvider

Place = tuple[int, int, int, int]
WATCH = "__watch__"

SKIPPED = (ast.Constant, ast.Starred, ast.Slice, ast.FormattedValue, ast.JoinedStr)


class Instrumented(ast.NodeTransformer):
    """Has each expression that is read told to a function, with its place."""

    def __init__(self) -> None:
        self.places: list[Place] = []

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            if isinstance(node, ast.JoinedStr):
                return node
            place = (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
            self.generic_visit(node)
            if isinstance(node, SKIPPED):
                return node
            self.places.append(place)
            number = ast.Constant(len(self.places) - 1)
            call = ast.Call(ast.Name(WATCH, ast.Load()), [number, node], [])
            return ast.fix_missing_locations(ast.copy_location(call, node))
        if isinstance(node, ast.AnnAssign):
            node.value = self.visit(node.value) if node.value else None
            return node
        if isinstance(node, ast.arg | ast.pattern):
            return node
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        returns, node.returns = node.returns, None
        self.generic_visit(node)
        node.returns = returns
        return node


@dataclass
class Seen:
    """What was seen at each place."""

    places: list[Place]
    names: frozenset[str]  # of the module's classes and functions
    values: dict[int, dict[tuple[str, ...], None]] = field(default_factory=dict)

    def watch(self, number: int, value: Any) -> Any:
        self.values.setdefault(number, {})[shape(value)] = None
        return value


def shape(value: Any) -> tuple[str, ...]:
    """What is compared of a value."""
    kind = type(value)
    if value is None or value is ... or kind in (bool, int, float, str):
        return ("literal", kind.__name__, repr(value))
    if isinstance(value, types.FunctionType):
        code = value.__code__
        return ("function", code.co_name, str(code.co_firstlineno), code.co_filename)
    if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
        code = value.__func__.__code__
        return ("method", code.co_name, str(code.co_firstlineno), code.co_filename)
    if isinstance(value, functools.partial):
        return ("partial",)
    if isinstance(value, super):
        return ("super",)
    if isinstance(value, type):
        return ("class", value.__name__, value.__module__)
    if isinstance(value, property | staticmethod | classmethod):
        return ("descriptor",)
    if kind.__module__ == "__main__":
        return ("instance", kind.__name__)
    if isinstance(value, dict):
        return ("dict",)
    if kind in (list, tuple, set, frozenset) or isinstance(value, types.GeneratorType):
        return ("sequence", kind.__name__)
    return ("other", f"{kind.__module__}.{kind.__name__}")


FILE = "<watched>"


def run_watched(text: str, path: str, arguments: tuple[str, ...] = ()) -> tuple[Seen, BaseException | None]:
    """Run the code as a main; what it raises comes back, beside what was seen until then."""
    transformer = Instrumented()
    tree = ast.parse(text)
    names = frozenset(n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef | ast.FunctionDef))
    watched = transformer.visit(tree)
    seen = Seen(transformer.places, names)
    module = types.ModuleType("__main__")
    vars(module).update({WATCH: seen.watch, "__file__": path})
    before, sys.argv, own = sys.argv, [path, *arguments], sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        exec(compile(watched, FILE, "exec", dont_inherit=True), vars(module))
        return seen, None
    except (Exception, SystemExit) as error:
        return seen, error
    finally:
        sys.argv, sys.modules["__main__"] = before, own


# ---- comparison ------------------------------------------------------------------------------------------


def surprises(project: Project, seen: Seen) -> Iterator[str]:
    """What was seen where it was not predicted."""
    values = values_of(project)
    expressions = _expressions(project)
    for number, shapes in seen.values.items():
        node = expressions.get(seen.places[number])
        if node is None:
            continue
        predicted = values.of(node)
        for each in shapes:
            if not any(_is_seen(value, each, seen.names) for value in predicted):
                code = cst.Module([]).code_for_node(node)
                yield f"{seen.places[number][0]}: `{code}` was {each}, not {list(map(_short, predicted))}"


def compared(project: Project, seen: Seen) -> int:
    """How many places were compared."""
    expressions = _expressions(project)
    return sum(seen.places[number] in expressions for number in seen.values)


def _expressions(project: Project) -> dict[Place, cst.BaseExpression]:
    wrapper = MetadataWrapper(project.source.module, unsafe_skip_copy=True)
    found: dict[Place, cst.BaseExpression] = {}
    for node, place in wrapper.resolve(PositionProvider).items():
        if isinstance(node, cst.BaseExpression) and node in project.index:
            start, end = place.start, place.end
            wide = int(isinstance(node, cst.Tuple | cst.GeneratorExp) and bool(node.lpar))
            found.setdefault((start.line, start.column - wide, end.line, end.column + wide), node)
    return found


def _is_seen(value: Value, shape: tuple[str, ...], names: frozenset[str]) -> bool:
    """Whether a value that is predicted covers what was seen; `names` as in `Seen`."""
    kind = shape[0]
    is_users = kind in ("function", "method") and shape[-1] == FILE
    # a class that the module does not define is a library's, which `namedtuple` names the module in
    is_users = is_users or (kind == "instance" and shape[1] in names)
    is_users = is_users or (kind == "class" and shape[1] in names and shape[2] == "__main__")
    if isinstance(value, Unknown):
        return True
    if isinstance(value, Literal):
        return shape == ("literal", type(value.value).__name__, repr(value.value))
    if (
        isinstance(value, Function | BoundMethod)
        and kind in ("function", "method", "other")
        and shape[-1] != FILE
    ):
        node = value.node if isinstance(value, Function) else value.function.node
        return bool(getattr(node, "decorators", ()))  # a library's wrapper
    if isinstance(value, Function):
        return kind == "function" and shape[1] in (value.name, "<lambda>")
    if isinstance(value, BoundMethod):
        return kind == "method" and shape[1] in (value.function.name, "<lambda>")
    if isinstance(value, Class):
        return kind == "class" and shape[1] == value.name
    if isinstance(value, Instance) and isinstance(value.cls, Class):
        return kind == "instance" and shape[1] == value.cls.name
    if isinstance(value, Sequence):
        return kind == "sequence" or (kind == "other" and value.kind in ("iterator", "set", "list"))
    if isinstance(value, Dict):
        return kind == "dict" or (kind == "other" and "dict" in shape[1])
    if isinstance(value, Partial | Descriptor | Super):
        return kind == type(value).__name__.lower()
    assert isinstance(value, External | Instance | Member | Option)
    return not is_users


def _short(value: Value) -> str:
    return f"{type(value).__name__} {getattr(value, 'name', getattr(value, 'value', ''))}"
