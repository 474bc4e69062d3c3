"""Loops at the top of a module that import the modules of a folder, as registries have them to be filled."""

from __future__ import annotations

import ast
import os
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from glob import glob
from importlib.util import resolve_name
from pathlib import Path
from typing import Any, TypeGuard

from .files import Place
from .path_expressions import bound_once

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Path": Path,
    "abspath": os.path.abspath,
    "basename": os.path.basename,
    "dirname": os.path.dirname,
    "glob": lambda pattern: sorted(glob(pattern)),
    "isdir": os.path.isdir,
    "isfile": os.path.isfile,
    "iter_modules": lambda folders: list(pkgutil.iter_modules(folders)),
    "join": os.path.join,
    "list": list,
    "listdir": lambda folder: sorted(os.listdir(folder)),
    "realpath": os.path.realpath,
    "sorted": sorted,
    "splitext": os.path.splitext,
    "str": str,
}
"""What is computed as Python does, by the last part of its name: files are listed in the order of their names."""

PLACES = frozenset({"", "glob", "op", "os", "os.path", "osp", "path", "pathlib", "pkgutil"})
"""What may stand before it."""

METHODS: dict[type, frozenset[str]] = {
    str: frozenset("""
        endswith find lower lstrip partition removeprefix removesuffix replace rfind rpartition rsplit rstrip split
        startswith strip
        """.split()),
    Path: frozenset("absolute glob is_dir is_file iterdir resolve".split()),
}
ATTRIBUTES = frozenset("ispkg name parent stem suffix".split())
OPERATORS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


class NotKnown(Exception):
    """Something is in no form that is read."""


UNKNOWN = (NotKnown, OSError, TypeError, ValueError, IndexError, AttributeError, ImportError)


class FolderImport(ast.Import):
    """The import of one module in the place of such a loop."""

    def __init__(self, name: str, loop: ast.For) -> None:
        super().__init__([ast.copy_location(ast.alias(name, f"_{name.replace('.', '_')}"), loop)])
        ast.copy_location(self, loop)


FolderImport.__name__ = "Import"  # by which visitors know what it is


def with_folder_imports(tree: ast.Module, place: Place, is_entry: bool) -> ast.Module:
    """The tree with `import package.module` for each module that such a loop imports, in its place."""
    body = list[ast.stmt]()
    for node in tree.body:
        names = _imported_in(node, tree, place, is_entry) if isinstance(node, ast.For) else []
        body += [FolderImport(name, node) for name in names if isinstance(node, ast.For)] or [node]
    tree.body = body
    return tree


def _imported_in(loop: ast.For, tree: ast.Module, place: Place, is_entry: bool) -> list[str]:
    """The modules that a loop imports, if it does nothing else; none where that is not known."""
    others = [node for other in tree.body if other is not loop for node in ast.walk(other)]
    used = {node.id for node in others if isinstance(node, ast.Name)}
    bound = {
        each.id for each in ast.walk(loop) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    defined = {node.name for node in others if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    defined |= {each.asname or each.name for node in others if _is_of_others(node) for each in node.names}
    if "import_module" not in ast.unparse(loop) or bound & used or defined & {*FUNCTIONS, "import_module"}:
        return []
    reading = _Reading(place, is_entry, bound_once(tree))
    try:
        reading.run([loop])
    except UNKNOWN:
        return []
    return [name for name in dict.fromkeys(reading.imported) if name != place.name]


def _is_of_others(node: ast.AST) -> TypeGuard[ast.ImportFrom]:
    """Whether an import is of a module other than those that have the functions."""
    return isinstance(node, ast.ImportFrom) and node.module not in {*PLACES, "importlib"}


@dataclass
class _Reading:
    """Follows a loop over names of files, turn by turn."""

    place: Place
    is_entry: bool  # whose name is another
    bound: dict[str, ast.expr]
    known: dict[str, Any] = field(default_factory=dict)
    imported: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known["__file__"] = str(self.place.path)
        if not self.is_entry:
            self.known |= {"__name__": self.place.name, "__package__": self.place.package}
        if self.place.is_package:
            self.known["__path__"] = [str(self.place.path.parent)]

    # ---- statements --------------------------------------------------------------------------------------

    def run(self, statements: list[ast.stmt]) -> bool:
        """Run them; False: the turn of the loop ends here."""
        return all(self._run(each) for each in statements)

    def _run(self, node: ast.stmt) -> bool:
        match node:
            case ast.For(target, values, body, []):
                for value in self.of(values):
                    self._assign(target, value)
                    self.run(body)
            case ast.If(test, body, otherwise):
                return self.run(body if self.of(test) else otherwise)
            case ast.Continue():
                return False
            case ast.Expr(ast.Call() as call) | ast.Assign([ast.Name()], ast.Call() as call) if _imports(
                call
            ):
                self._import(call)
            case ast.Assign([target], value):
                self._assign(target, self.of(value))
            case ast.Pass() | ast.Expr(ast.Constant()):
                pass
            case _:
                raise NotKnown
        return True

    def _assign(self, target: ast.expr, value: Any) -> None:
        names = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        values = [*value] if names != [target] else [value]
        for name, each in zip(names, values, strict=True):
            if not isinstance(name, ast.Name):
                raise NotKnown
            self.known[name.id] = each

    def _import(self, call: ast.Call) -> None:
        values = {each.arg: self.of(each.value) for each in call.keywords}
        name, package = [*map(self.of, call.args), values.get("package"), values.get("package")][:2]
        whole = resolve_name(name, package)
        if "__init__" in whole:
            raise NotKnown
        self.imported.append(whole)

    # ---- expressions -------------------------------------------------------------------------------------

    def of(self, node: ast.expr) -> Any:
        """What an expression gives. Raises one of UNKNOWN."""
        match node:
            case ast.Constant(value):
                return value
            case ast.Name(name):
                return self.known[name] if name in self.known else self._bound(name)
            case ast.JoinedStr(parts):
                return "".join(map(self._part, parts))
            case ast.BinOp(left, ast.Add() | ast.Div() as operator, right):
                first, second = self.of(left), self.of(right)
                return first + second if isinstance(operator, ast.Add) else first / second
            case ast.UnaryOp(ast.Not(), value):
                return not self.of(value)
            case ast.UnaryOp(ast.USub(), value):
                return -self.of(value)
            case ast.BoolOp(operator, values):
                return (all if isinstance(operator, ast.And) else any)(self.of(each) for each in values)
            case ast.Compare(left, [operator], [right]) if type(operator) in OPERATORS:
                return OPERATORS[type(operator)](self.of(left), self.of(right))
            case ast.List(values) | ast.Tuple(values) | ast.Set(values):
                return [self.of(each) for each in values]
            case ast.Subscript(value, index):
                return self.of(value)[self._index(index)]
            case ast.Attribute(value, name) if name in ATTRIBUTES:
                return getattr(self.of(value), name)
            case ast.Call(function, given, []):
                return self._called(function, [self.of(each) for each in given])
        raise NotKnown

    def _bound(self, name: str) -> Any:
        if name not in self.bound:
            raise NotKnown
        return self.of(self.bound.pop(name))

    def _part(self, node: ast.expr) -> str:
        if isinstance(node, ast.FormattedValue):
            if node.format_spec or node.conversion != -1:
                raise NotKnown
            return str(self.of(node.value))
        return str(self.of(node))

    def _index(self, node: ast.expr) -> Any:
        if not isinstance(node, ast.Slice):
            return self.of(node)
        return slice(*(self.of(each) if each else None for each in (node.lower, node.upper, node.step)))

    def _called(self, function: ast.expr, given: list[Any]) -> Any:
        """What a function gives that Python has, or a method of a text or a path."""
        before, _, last = ast.unparse(function).rpartition(".")
        if before in PLACES - self.known.keys() and last in FUNCTIONS:
            return FUNCTIONS[last](*given)
        owner = self.of(function.value) if isinstance(function, ast.Attribute) else None
        if last not in METHODS.get(type(owner), METHODS[Path] if isinstance(owner, Path) else ()):
            raise NotKnown
        found = getattr(owner, last)(*given)
        return sorted(found) if last in ("glob", "iterdir") else found


def _imports(call: ast.Call) -> bool:
    return ast.unparse(call.func) in ("importlib.import_module", "import_module")
