"""Batch samplers, which Lightning makes anew for ranks: whether attributes tell what each was made with."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

OF_BATCH_SAMPLER = ("sampler", "batch_size", "drop_last")
"""What torch's BatchSampler takes, and keeps."""


def constructor_of(cls: ast.ClassDef) -> ast.FunctionDef | None:
    found = [each for each in cls.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
    return found[-1] if found else None


def parameters_of(method: ast.FunctionDef) -> tuple[str, ...]:
    """What a constructor takes by place."""
    return tuple(each.arg for each in method.args.args[1:])


def keeps_arguments(cls: ast.ClassDef, above: Sequence[str] = OF_BATCH_SAMPLER) -> bool:
    """Whether a batch sampler does; what takes no `sampler` cannot be made anew in any case.

    `above` is what the base's constructor takes, and keeps.
    """
    method = constructor_of(cls)
    if method is None:
        return True
    names = {*parameters_of(method), *(each.arg for each in method.args.kwonlyargs)}
    if method.args.vararg or method.args.kwarg:
        return False
    defined = {each.name for each in cls.body if isinstance(each, ast.FunctionDef)}
    return "sampler" not in names or names - {"sampler"} <= _kept(method, above) - defined


def _kept(method: ast.FunctionDef, above: Sequence[str]) -> set[str]:
    """The parameters that a constructor, in any case, keeps as they are."""
    set_by_name = [name for each in method.body for name in _set(each)]
    handed_up = [name for each in method.body for name in _handed_up(each, above)]
    bound = [name for each in ast.walk(method) for name in _bound(each)]
    return {name for name in (*set_by_name, *handed_up) if bound.count(name) == set_by_name.count(name)}


def _set(statement: ast.stmt) -> Iterator[str]:
    """Those that `self.size = size` keeps."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        yield from _same(statement.targets[0], statement.value)
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        yield from _same(statement.target, statement.value)


def _same(target: ast.expr, value: ast.expr) -> Iterator[str]:
    """The names that attributes and what they are set to have in common."""
    match target, value:
        case ast.Tuple(elts=targets), ast.Tuple(elts=values):
            for one, other in zip(targets, values, strict=False):
                yield from _same(one, other)
        case ast.Attribute(value=ast.Name(id="self"), attr=name), ast.Name(id=other):
            yield from [name] if name == other else []


def _handed_up(statement: ast.stmt, above: Sequence[str]) -> Iterator[str]:
    """Those that a base's constructor is given for parameters of the same names."""
    match statement:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=base, attr="__init__"), args=args, keywords=named)
        ):
            places = zip(above, args if isinstance(base, ast.Call) else args[1:], strict=False)
            for name, value in (*places, *((each.arg, each.value) for each in named)):
                if isinstance(value, ast.Name) and value.id == name:
                    yield name


def _bound(node: ast.AST) -> Iterator[str]:
    """The variable, or the attribute of the object, that is bound at a place."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
            yield name
