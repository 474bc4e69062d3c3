"""Variables of modules that others set: `settings.width = 3`, where both are part of the script."""

from __future__ import annotations

import ast

from ..modules.graph import Definition, Graph
from ..modules.module import Module
from ..modules.scopes import Use

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def line_above(module: Module, use: Use) -> int | None:
    """Where a function that sets one can declare it as global; None: no function does so by a plain statement."""
    scopes = (node for node in module.nodes if isinstance(node, (*FUNCTIONS, ast.ClassDef)))
    around = [node for node in scopes if _holds(node.body, use)]
    function = max(around, key=lambda node: (node.lineno, node.col_offset), default=None)
    if not isinstance(function, FUNCTIONS) or not _sets_plainly(function, use):
        return None
    first, *others = function.body
    if others and isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        first = others[0]
    line = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", ()))])
    is_alone = not module.lines[line - 1][: first.col_offset].strip()
    return line if is_alone and line > function.lineno else None


def is_flag_set(module: Module, use: Use, variable: Definition) -> bool:
    """Whether the entry, as it begins, sets one that is a number, or true or false, to another."""
    statements = module.tree.body if module.is_entry else []
    values = [each.value for each in statements if isinstance(each, ast.Assign) and _is_set_by(each, use)]
    return bool(values) and all(map(_is_plain, (*values, variable.assigned)))


def _is_plain(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | None)


def is_one_variable(graph: Graph, variable: Definition) -> bool:
    """Whether no module has the value of a variable under a name of its own, as `from settings import width` gives."""
    modules = graph.closure(graph.entry)
    return variable.assigned is not None and not any(_copies(graph, module, variable) for module in modules)


def _copies(graph: Graph, module: Module, variable: Definition) -> bool:
    for node in (each for each in module.nodes if isinstance(each, ast.ImportFrom)):
        for alias in node.names:
            if alias.name == "*":
                if variable.module in graph.imported_by(module, node):
                    return True
            elif graph.imported(module, node, alias, may_fail=True) == variable:
                return True
    return False


def _sets_plainly(function: ast.AST, use: Use) -> bool:
    """Whether an assignment sets it, and no loop, annotation or the like."""
    assigned = (node for node in ast.walk(function) if isinstance(node, ast.Assign | ast.AugAssign))
    return any(_is_set_by(node, use) for node in assigned)


def _is_set_by(node: ast.Assign | ast.AugAssign, use: Use) -> bool:
    return any((each.lineno, each.col_offset) == use.spans[0][0] for each in _targets(node))


def _targets(node: ast.Assign | ast.AugAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _holds(body: list[ast.stmt], use: Use) -> bool:
    """Whether what is set stands within statements."""
    (line, column), _ = use.spans[0]
    first, last = body[0], body[-1]
    end = last.end_lineno or last.lineno, last.end_col_offset or last.col_offset
    return (first.lineno, first.col_offset) <= (line, column) < end
