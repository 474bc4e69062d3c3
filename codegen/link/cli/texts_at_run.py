"""Texts of a LightningCLI's arguments that only a run knows: the script puts them together itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...spec.init_args.environment import FromCode
from ..modules.graph import Definition
from ..modules.module import Module
from ..spec.class_paths import ClassPaths

FUNCTIONS = frozenset("""
    datetime.date.today datetime.datetime.now datetime.datetime.today datetime.datetime.utcnow
    os.environ.get os.fspath os.getcwd os.getenv os.path.abspath os.path.basename os.path.dirname
    os.path.expanduser os.path.expandvars os.path.join os.path.normpath os.path.realpath
    pathlib.Path pathlib.Path.cwd pathlib.Path.home str time.strftime
    """.split())
"""Those that a text is made with, and that change nothing."""

OF_PROCESS = frozenset("""
    os.environ.get os.getcwd os.getenv os.path.abspath os.path.expanduser os.path.expandvars os.path.realpath
    pathlib.Path.cwd pathlib.Path.home
    """.split())
PATHS_OF_PROCESS = frozenset("absolute expanduser resolve".split())
"""Functions and methods that give something else once code has changed the folder or the environment."""

CHANGING_METHODS = frozenset(
    "append clear extend insert pop popitem remove reverse setdefault sort update".split()
)
"""Those of lists and mappings."""

OBJECTS = frozenset("datetime.date datetime.datetime os.environ pathlib.Path".split())
"""What some of them are members of: this is what can be imported."""

MEMBERS = frozenset("""
    absolute as_posix expanduser format isoformat join joinpath lower name parent parents resolve stem
    strftime upper with_name with_suffix
    """.split())
"""Of texts, paths and times: what changes nothing either."""

OF_TEXTS = frozenset("format join lower upper".split())
OF_TIMES = frozenset("isoformat strftime".split())
"""Methods that give a text."""

TEXT_FUNCTIONS = frozenset("os.getcwd str time.strftime".split()) | {
    name for name in FUNCTIONS if name.startswith("os.path.")
}


KEPT_TEXT, KEPT = "text_of_", "value_of_"
"""What the names of attributes of the script's begin with that have what variables have: texts, and other values."""


def text_at_run(paths: ClassPaths, module: Module, node: ast.expr, after: bool = False) -> FromCode | None:
    """What surely is a text, put together from variables of modules by functions that change nothing.

    Where it is asked for `after` other code has run, none of them gives something else by then.
    """
    expression = _Expression(paths, module, after)
    if not expression.is_text(node) or not expression.is_kept(node):
        return None
    return FromCode(node, dict(expression.names(node)))


def value_at_run(paths: ClassPaths, module: Module, node: ast.expr, after: bool = False) -> FromCode | None:
    """What may be no text, but is made by such functions and goes into one, a time for example."""
    expression = _Expression(paths, module, after)
    is_kept = isinstance(node, ast.Call) and expression.is_kept(node)
    return FromCode(node, dict(expression.names(node))) if is_kept else None


def names_in(node: ast.expr) -> set[str]:
    """All names that an expression asks for."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def variable(paths: ClassPaths, module: Module, node: ast.Name | ast.Attribute) -> Definition | None:
    """What a module's own statements bind to a name, as one module writes it."""
    graph = paths.graph
    if isinstance(node, ast.Name):
        target = graph.resolve(module, node.id)
    else:
        target = graph.class_at(paths.meaning(module, ast.unparse(node)))
    found = graph.followed(target)
    return found if isinstance(found, Definition) and not is_changed(paths, found) else None


def is_changed(paths: ClassPaths, variable: Definition) -> bool:
    """Whether some code changes what a variable holds, which is not what it was set to then."""
    if variable.assigned is None or isinstance(variable.assigned, ast.Constant):
        return False
    modules = paths.graph.closure(paths.graph.entry)
    of_name = (module for module in {*modules, variable.module} if variable.name in module.text)
    return any(_changes(node, variable.name) for module in of_name for node in module.nodes)


def _changes(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(ast.Attribute(owner, method)):
            return method in CHANGING_METHODS and _leads_to(owner, name)
        case ast.Subscript(owner, ctx=ast.Store() | ast.Del()) | ast.Attribute(
            owner, ctx=ast.Store() | ast.Del()
        ):
            return _leads_to(owner, name)
    return False


def _leads_to(node: ast.expr, name: str) -> bool:
    """Whether it is what a variable holds, or a part of that."""
    match node:
        case ast.Name(found):
            return found == name
        case ast.Attribute(inner, found):
            return found == name or _leads_to(inner, name)
        case ast.Subscript(inner):
            return _leads_to(inner, name)
    return False


class _Expression:
    """What the expressions of one module give."""

    def __init__(self, paths: ClassPaths, module: Module, after: bool = False) -> None:
        self.paths = paths
        self.module = module
        self.functions = FUNCTIONS - OF_PROCESS if after else FUNCTIONS
        self.members = MEMBERS - PATHS_OF_PROCESS if after else MEMBERS

    def is_text(self, node: ast.expr) -> bool:
        """Whether an expression surely gives a text."""
        match node:
            case ast.JoinedStr() | ast.Constant(str()):
                return True
            case ast.Attribute(ast.Name("self"), name) if name.startswith(KEPT_TEXT):
                return True
            case ast.BinOp(left, ast.Add(), right):
                return self.is_text(left) or self.is_text(right)
            case ast.Call(ast.Attribute(value, method)) if method in OF_TEXTS and self.is_text(value):
                return True
            case ast.Call(ast.Attribute(_, method)) if method in OF_TIMES:
                return True
            case ast.Call(function):
                return self._path(function) in TEXT_FUNCTIONS
            case ast.Name() | ast.Attribute():
                found = self._set(node)
                assigned = found.assigned if found else None
                return bool(found and assigned and _Expression(self.paths, found.module).is_text(assigned))
        return False

    def is_kept(self, node: ast.expr) -> bool:
        """Whether the script gets the same of the expression where it has it."""
        match node:
            case ast.Constant():
                return True
            case ast.Attribute(ast.Name("self"), name) if name.startswith((KEPT_TEXT, KEPT)):
                return True
            case ast.Name("__file__"):
                graph = self.paths.graph
                return self.module is graph.entry and not graph.stands_elsewhere(self.module)
            case ast.Name() | ast.Attribute() if self._set(node):
                return True
            case ast.JoinedStr(parts):
                return all(map(self.is_kept, parts))
            case ast.FormattedValue(value, _, form):
                return self.is_kept(value) and (form is None or self.is_kept(form))
            case ast.BinOp(left, ast.Add() | ast.Div(), right):
                return self.is_kept(left) and self.is_kept(right)
            case ast.Subscript(value, index):
                return self.is_kept(value) and self.is_kept(index)
            case ast.Attribute(value, name):
                return name in self.members and self.is_kept(value)
            case ast.Call(function, arguments, keywords):
                is_known = self._path(function) in self.functions or self.is_kept(function)
                return is_known and all(map(self.is_kept, [*arguments, *(each.value for each in keywords)]))
        return False

    def names(self, node: ast.AST) -> Iterator[tuple[str, str]]:
        """Where the names lead that the script may have under others, by how they are written."""
        if isinstance(node, ast.Name | ast.Attribute) and (path := self._whole(node)):
            yield ast.unparse(node), path
        else:
            yield from (pair for each in ast.iter_child_nodes(node) for pair in self.names(each))

    def _whole(self, node: ast.Name | ast.Attribute) -> str | None:
        """None: it is Python's own, or a member of what stands before it."""
        if found := self._set(node):
            return f"{found.module.place.name}.{found.name}"
        path = self._path(node)
        module = path.rpartition(".")[0]
        return path if path in OBJECTS or (path in FUNCTIONS and module not in {"", *OBJECTS}) else None

    def _set(self, node: ast.Name | ast.Attribute) -> Definition | None:
        """The variable, where it is set once."""
        found = variable(self.paths, self.module, node)
        return found if found and found.assigned else None

    def _path(self, function: ast.expr) -> str:
        is_name = isinstance(function, ast.Name | ast.Attribute)
        return self.paths.meaning(self.module, ast.unparse(function)) if is_name else ""
