"""Modules and their classes that code asks for by a name in quotes, or by one that only a run knows."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from .scopes import ImportedModule, Position


def with_import_statements(tree: ast.Module) -> ast.Module:
    """The tree with `import a.b as c` for `c = importlib.import_module("a.b")`, where that stands.

    Within functions and branches, where a library's module is asked for as before, the function stays in use. In other
    places the call becomes an ImportedModule.
    """
    for index, node in enumerate(tree.body):
        tree.body[index] = _imported(node) or _Imports().visit(node)
    return tree


class _Imports(ast.NodeTransformer):
    def _statement(self, node: ast.Assign | ast.Expr) -> ast.stmt | list[ast.stmt]:
        found = _imported(node)
        if found is None:
            self.generic_visit(node)
            return node
        assert isinstance(node.value, ast.Call)
        function = node.value.func.value if isinstance(node.value.func, ast.Attribute) else node.value.func
        return [found, ast.copy_location(ast.Expr(function), node)]

    visit_Assign = _statement
    visit_Expr = _statement

    def visit_Call(self, node: ast.Call) -> ast.expr:
        module = _module_named(node)
        if module is None:
            self.generic_visit(node)
            return node
        return ImportedModule(module, node)


def _imported(node: ast.stmt) -> ast.stmt | None:
    """The import that a statement is."""
    match node:
        case ast.Assign([ast.Name(name)], value) if module := _module_named(value):
            return _import_of(module, name, node)
        case ast.Expr(value) if module := _module_named(value):
            return _import_of(module, None, node)
    return None


def _module_named(node: ast.expr) -> str | None:
    """The module that a call imports, where that stands there."""
    match node:
        case ast.Call(
            ast.Attribute(ast.Name("importlib"), "import_module") | ast.Name("import_module"),
            [ast.Constant(str(module))],
            [],
        ) if not (
            module.startswith(".") or "/" in module
        ):  # a function of the project's may take a path
            return module
    return None


def _import_of(module: str, name: str | None, node: ast.stmt) -> ast.Import:
    alias = ast.copy_location(ast.alias(module, name), node)
    return ast.copy_location(ast.Import([alias]), node)


ASKING = ("getattr", "hasattr", "globals", "__dict__", "vars", "eval(")
"""What a text has in it that asks so."""


@dataclass(frozen=True)
class Lookup:
    """An expression that asks what may be a module, or the module that it stands in, for what has a name."""

    node: ast.Call | ast.Subscript
    name: ast.expr
    has_default: bool = False
    is_own: bool = False  # asks the module that it stands in, for what is called then
    may_be_any: bool = False  # the module's own, called or not
    is_evaluated: bool = False  # what has the name is an expression, of which an option's choices are known
    is_test: bool = False  # asks whether there is such a thing
    member: ast.Attribute | None = None  # what is asked of what has the name, which may be a module


def lookups_in(tree: ast.Module) -> dict[Position, Lookup]:
    """The expressions that do, by where what may be a module stands."""
    found, called, passed, members = {}, _called(tree), _passed_on(tree), _members(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name("getattr"), [ast.Name() | ast.Attribute() as owner, name, *more], []):
                if len(more) < 2:
                    member = None if more else members.get(node)
                    found[owner.lineno, owner.col_offset] = Lookup(node, name, bool(more), member=member)
            case ast.Call(ast.Name("hasattr"), [ast.Name() | ast.Attribute() as owner, name], []):
                found[owner.lineno, owner.col_offset] = Lookup(node, name, is_test=True)
            case ast.Subscript(
                ast.Attribute(ast.Name() | ast.Attribute() as owner, "__dict__")
                | ast.Call(ast.Name("vars"), [ast.Name() | ast.Attribute() as owner], []),
                name,
                ast.Load(),
            ):
                found[owner.lineno, owner.col_offset] = Lookup(node, name)
            case ast.Call(
                ast.Name("getattr"),
                [
                    ast.Subscript(ast.Attribute(ast.Name("sys"), "modules"), ast.Name("__name__")) as owner,
                    name,
                ],
                [],
            ) | ast.Subscript(ast.Call(ast.Name("globals"), [], []) as owner, name, ast.Load()):
                if (node in called or node in passed) and not isinstance(name, ast.Constant):
                    is_called = node in called
                    found[owner.lineno, owner.col_offset] = Lookup(
                        node, name, is_own=True, may_be_any=not is_called
                    )
            case ast.Call(
                ast.Attribute(ast.Call(ast.Name("globals"), [], []) as owner, "get"), [name, *more], []
            ) if (len(more) < 2):
                if node in called and not isinstance(name, ast.Constant):
                    found[owner.lineno, owner.col_offset] = Lookup(node, name, True, is_own=True)
            case ast.Compare(comparators=[ast.Call(ast.Name("globals"), [], []) as owner], ops=[op]):
                if isinstance(op, ast.In | ast.NotIn):
                    found[owner.lineno, owner.col_offset] = Lookup(
                        owner, node.left, is_own=True, is_test=True
                    )
            case ast.Call(ast.Name("eval") as owner, [ast.Attribute() as name], []) if node in called:
                found[owner.lineno, owner.col_offset] = Lookup(node, name, is_own=True, is_evaluated=True)
    return found


def is_asked_first(lookups: Iterable[Lookup], lookup: Lookup) -> bool:
    """Whether code asks, too, if there is what has the name: `if hasattr(owner, name): getattr(owner, name)`."""
    asked = [each.node for each in (lookup, *(each for each in lookups if each.is_test))]
    shown = [[*map(ast.unparse, each.args[:2])] for each in asked if isinstance(each, ast.Call)]
    return len(shown) > 1 and shown[0] in shown[1:]


def _members(tree: ast.Module) -> dict[ast.expr, ast.Attribute]:
    """What is read of what calls give, by the calls."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {
        node.value: node
        for node in nodes
        if isinstance(node.value, ast.Call) and isinstance(node.ctx, ast.Load)
    }


def _called(tree: ast.Module) -> set[ast.expr]:
    """The expressions that are called, at once or under the name that they are bound to, as `self.kind` may be."""
    callees = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = {name for name in map(_name_of, callees) if name}
    bound = (node for node in ast.walk(tree) if isinstance(node, ast.Assign))
    return callees | {
        each.value for each in bound if any(_name_of(target) in names for target in each.targets)
    }


def _passed_on(tree: ast.Module) -> set[ast.expr]:
    """The expressions that are handed to what is called, or returned, under a condition or in any case."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    given = [each for call in calls for each in (*call.args, *(keyword.value for keyword in call.keywords))]
    given += [node.value for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value]
    chosen = [part for each in given if isinstance(each, ast.IfExp) for part in (each.body, each.orelse)]
    return {*given, *chosen}


def _name_of(node: ast.expr) -> tuple[str, ...]:
    """The name of a variable, or of an attribute of `self`; empty: it is something else."""
    match node:
        case ast.Name(name):
            return (name,)
        case ast.Attribute(ast.Name("self"), name):
            return ("self", name)
    return ()


def choices(tree: ast.Module, option: str) -> list[str] | None:
    """All that an option of argparse's may be, as a module says that adds it; None: it does not say."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _adds(node, option)]
    found = [_choices_in(call) for call in calls]
    return [text for each in found for text in each or ()] if calls and all(found) else None


def _adds(call: ast.Call, option: str) -> bool:
    is_method = isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument"
    named = [each.value for each in call.keywords if each.arg == "dest"] or call.args
    texts = (str(each.value) for each in named if isinstance(each, ast.Constant))
    return is_method and option in {text.lstrip("-").replace("-", "_") for text in texts}


def _choices_in(call: ast.Call) -> list[str]:
    """The choices that a call names, and its default; none: they are not all known."""
    given = {each.arg: each.value for each in call.keywords}
    listed = given.get("choices")
    if not isinstance(listed, ast.List | ast.Tuple) or None in given or "nargs" in given:
        return []
    values = [*listed.elts, *([given["default"]] if "default" in given else [])]
    texts = [each.value for each in values if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return list(dict.fromkeys(texts)) if len(texts) == len(values) else []
