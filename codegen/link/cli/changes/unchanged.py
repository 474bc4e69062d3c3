"""Methods in the place of LightningCLI's own that leave what these do as it is."""

from __future__ import annotations

import ast
from collections.abc import Iterable

CHECKPOINT = "_parse_ckpt_path"
"""Has the settings from a checkpoint too, which the script never does."""

OPTIMIZER = "_add_configure_optimizers_method_to_model"

HIDING = frozenset("warnings.simplefilter warnings.filterwarnings".split())
"""Calls that only say what is shown."""


def changes_nothing(method: ast.FunctionDef) -> bool:
    """Whether the script does the same without the method."""
    if method.name not in (CHECKPOINT, OPTIMIZER) or method.decorator_list:
        return False
    taken = ", ".join(each.arg for each in method.args.args[1:])
    call = f"super().{method.name}({taken})"
    is_called = [ast.unparse(each) for each in ast.walk(method) if isinstance(each, ast.Call)].count(
        call
    ) == 1
    return _does_no_more(method.body, call) and (is_called or method.name == CHECKPOINT)


def _does_no_more(body: Iterable[ast.stmt], call: str) -> bool:
    return all(_is_idle(each, call) for each in body)


def _is_idle(statement: ast.stmt, call: str) -> bool:
    """Whether a statement does nothing but to call LightningCLI's own method."""
    match statement:
        case (
            ast.Pass()
            | ast.Import()
            | ast.ImportFrom()
            | ast.Expr(ast.Constant())
            | ast.Return(None | ast.Constant())
        ):
            return True
        case ast.Return(ast.Call() as made) | ast.Expr(ast.Call() as made):
            return ast.unparse(made) == call or ast.unparse(made.func) in HIDING
        case ast.With([ast.withitem(ast.Call(ast.Attribute(ast.Name("warnings"), "catch_warnings")))], body):
            return _does_no_more(body, call)
        case ast.Try(body, handlers, [], []):
            inner = [each for handler in handlers for each in handler.body]
            return call.startswith(f"super().{CHECKPOINT}") and _does_no_more([*body, *inner], call)
    return False
