"""Constant propagation between functions: what a parameter is given in every call is known where it is used."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

CONDITIONS = ast.BoolOp | ast.Compare


@dataclass
class _Uses:
    """How some code uses the names of functions and classes."""

    calls: dict[str, list[ast.Call]] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)  # names that stand elsewhere than in a call
    attributes: set[str] = field(default_factory=set)


@lru_cache(maxsize=512)
def _uses(code: str) -> _Uses:
    found = _Uses()
    called: set[int] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.calls.setdefault(node.func.id, []).append(node)
            called.add(id(node.func))
        elif isinstance(node, ast.Name) and id(node) not in called:
            found.others.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.attributes.add(node.attr)
    return found


def constant_parameters(
    definitions: Mapping[str, str], callers: Iterable[str], fixed: Collection[str]
) -> dict[str, dict[str, str]]:
    """By function or dataclass, the parameters that decide something in it and have one value, with its code.

    No code calls the `definitions` but theirs and that of the `callers`, except for those that are `fixed`.
    """
    codes = {**definitions, **{f" {index}": code for index, code in enumerate(callers)}}
    uses = {name: _uses(code) for name, code in codes.items()}
    found = {}
    for name in definitions.keys() - fixed - {other for each in uses.values() for other in each.others}:
        calls = [call for each in uses.values() for call in each.calls.get(name, ())]
        elsewhere = {attr for other, each in uses.items() if other != name for attr in each.attributes}
        if calls and (constants := dict(_constants(definitions[name], calls, elsewhere))):
            found[name] = constants
    return dict(sorted(found.items()))


def _constants(code: str, calls: list[ast.Call], elsewhere: Collection[str]) -> Iterator[tuple[str, str]]:
    (node,) = ast.parse(code).body
    is_open = any(isinstance(a, ast.Starred) for call in calls for a in call.args)
    if is_open or any(keyword.arg is None for call in calls for keyword in call.keywords):
        return
    deciding = _deciding(node) if isinstance(node, ast.FunctionDef) or _is_dataclass(node) else set()
    for index, (name, default) in enumerate(_parameters(node).items()):
        is_read = isinstance(node, ast.ClassDef) and name in elsewhere
        if name in deciding and not is_read:
            values = {_constant(_given(call, index, name) or default) for call in calls}
            if len(values) == 1 and (value := values.pop()):
                yield name, value


def parameters_in(code: str) -> list[str]:
    """The names of what a function or a dataclass takes, in order."""
    (node,) = ast.parse(code).body
    return list(_parameters(node))


def _parameters(node: ast.AST) -> dict[str, ast.expr | None]:
    """What a function takes, or a class, with the defaults."""
    if isinstance(node, ast.FunctionDef):
        given = [*node.args.posonlyargs, *node.args.args]
        defaults = [*[None] * (len(given) - len(node.args.defaults)), *node.args.defaults]
        both = *zip(given, defaults, strict=True), *zip(
            node.args.kwonlyargs, node.args.kw_defaults, strict=True
        )
        return {parameter.arg: default for parameter, default in both if parameter.arg != "self"}
    if not isinstance(node, ast.ClassDef):
        return {}
    if _is_dataclass(node):
        fields = (part for part in node.body if isinstance(part, ast.AnnAssign))
        return {part.target.id: part.value for part in fields if isinstance(part.target, ast.Name)}
    own = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
    return _parameters(own[0]) if own else {}


def _is_dataclass(node: ast.AST) -> bool:
    decorators = node.decorator_list if isinstance(node, ast.ClassDef) else []
    return "dataclass" in map(_name_of, decorators)


def decisions(code: str) -> int:
    """How many conditions the code has."""
    return sum(isinstance(node, ast.If | ast.IfExp | CONDITIONS) for node in ast.walk(ast.parse(code)))


def _name_of(node: ast.expr) -> str:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


def _deciding(node: ast.AST) -> set[str]:
    """The names and the attributes of `self` that conditions ask for."""
    tests = [part.test for part in ast.walk(node) if isinstance(part, ast.If | ast.IfExp)]
    tests += [part for part in ast.walk(node) if isinstance(part, CONDITIONS)]
    parts = [part for test in tests for part in ast.walk(test)]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    if isinstance(node, ast.FunctionDef):
        return names
    return {
        part.attr for part in parts if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "self"
    }


def _given(call: ast.Call, index: int, name: str) -> ast.expr | None:
    by_name = [keyword.value for keyword in call.keywords if keyword.arg == name]
    return by_name[0] if by_name else call.args[index] if index < len(call.args) else None


def _constant(value: ast.expr | None) -> str:
    """The code of a constant; empty for all else."""
    bare = value.operand if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub) else value
    is_constant = isinstance(bare, ast.Constant) and isinstance(bare.value, bool | int | str | None)
    return ast.unparse(value) if value and is_constant else ""


# ---- calls -----------------------------------------------------------------------------------------------


def without_arguments(code: str, name: str, parameters: list[str], gone: Collection[str]) -> str:
    """The code in which the function of that name, which took these `parameters`, is called without some."""
    for call in _uses(code).calls.get(name, ()):
        kept = [each for place, each in enumerate(call.args) if parameters[place] not in gone]
        by_name = [keyword for keyword in call.keywords if keyword.arg not in gone]
        if len(kept) + len(by_name) < len(call.args) + len(call.keywords):
            given = [ast.get_source_segment(code, each) or "" for each in (*kept, *by_name)]
            before = ast.get_source_segment(code, call) or ""
            function = ast.get_source_segment(code, call.func)
            code = code.replace(before, f"{function}({', '.join(given)})")
            return without_arguments(code, name, parameters, gone)
    return code
