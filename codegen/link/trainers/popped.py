"""What a constructor takes out of `**kwargs` for itself, as parameters of the function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .edits import Edit, over


def popped(method: ast.FunctionDef, before: list[ast.stmt]) -> Iterator[tuple[str, ast.Call]]:
    """By name, up to the first statement that may do anything else with them."""
    rest = method.args.kwarg
    named = {each.arg for each in ast.walk(method) if isinstance(each, ast.arg)}
    found: dict[str, ast.Call] = {}
    for statement in before if rest else ():
        asks = [
            each
            for each in ast.walk(statement)
            if isinstance(each, ast.Name) and rest and each.id == rest.arg
        ]
        pops = [each for each in ast.walk(statement) if rest and _pops(each, rest.arg)]
        is_plain = isinstance(statement, ast.Assign | ast.AnnAssign) and not _is_late(statement)
        if asks and not (is_plain and len(asks) == len(pops)):
            break
        for call in pops:
            assert isinstance(call, ast.Call)
            name = ast.literal_eval(call.args[0])
            if name.isidentifier() and name not in named | found.keys():
                found[name] = call
    yield from found.items()


def _pops(node: ast.AST, mapping: str) -> bool:
    match node:
        case ast.Call(ast.Attribute(ast.Name(name), "pop"), [ast.Constant(str()), ast.Constant()], []):
            return name == mapping
    return False


def _is_late(statement: ast.stmt) -> bool:
    """Whether a part of it may be run later, or not at all."""
    late = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.comprehension)
    return any(isinstance(each, late) for each in ast.walk(statement))


def as_parameters(method: ast.FunctionDef, found: dict[str, ast.Call]) -> Iterator[Edit]:
    """Before the `**kwargs`."""
    assert method.args.kwarg is not None
    whole = over(method.args.kwarg)
    told = "".join(f"{name}={ast.unparse(call.args[1])}, " for name, call in found.items())
    yield Edit(whole.line, whole.column - 2, whole.line, whole.column - 2, told)
    yield from (over(call, name) for name, call in found.items())
