"""What methods of a LightningCLI do for another command than the one that is run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

SUBCOMMANDS = ("fit", "validate", "test", "predict")


def only_for_others(root: ast.AST, own: str, configs: Collection[str], command: str) -> Iterator[ast.AST]:
    """The parts of a method that run only where another command is; `configs` are names of what all are told."""
    named = {f"{own}.subcommand", *(f"{each}.subcommand" for each in configs)}
    named |= {f"{each}['subcommand']" for each in configs}
    for node in ast.walk(root):
        if isinstance(node, ast.If | ast.IfExp):
            is_so = _is_so(node.test, named, configs, command)
            dead = {None: [], True: node.orelse, False: node.body}[is_so]
            for each in dead if isinstance(dead, list) else [dead]:
                yield from ast.walk(each)


def _is_so(test: ast.expr, named: Collection[str], configs: Collection[str], command: str) -> bool | None:
    """Whether what is asked of the command holds; None: something else is asked."""
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            inner = _is_so(operand, named, configs, command)
            return None if inner is None else not inner
        case ast.BoolOp(operation, parts):
            is_any = isinstance(operation, ast.Or)
            each_one = [_is_so(each, named, configs, command) for each in parts]
            return is_any if is_any in each_one else (None if None in each_one else not is_any)
        case ast.Compare(ast.Constant(name), [ast.In() | ast.NotIn() as comparison], [config]):
            if name in SUBCOMMANDS and ast.unparse(config) in configs:
                return (name == command) is isinstance(comparison, ast.In)
        case ast.Compare(asked, [ast.Eq() | ast.NotEq() as comparison], [ast.Constant(name)]):
            if ast.unparse(asked) in named:
                return (name == command) is isinstance(comparison, ast.Eq)
        case ast.Call(ast.Name("hasattr"), [config, ast.Constant(name)], []):
            if name in SUBCOMMANDS and ast.unparse(config) in configs:
                return bool(name == command)
    return None
