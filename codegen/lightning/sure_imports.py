"""Whether Lightning could be imported, which code may ask: `pl.LightningModule if pl is not None else nn.Module`."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from .api import ALWAYS_THERE, PACKAGES, starred

ENTRIES = frozenset("Trainer seed_everything LightningModule LightningDataModule Callback".split())
"""What scripts have something in the place of, where it is imported."""

TRIED = frozenset({*ALWAYS_THERE, *ENTRIES, *starred("lightning.pytorch.strategies")})
"""What code may find out that it has, and surely has."""

MISSING = frozenset({"ImportError", "ModuleNotFoundError", "Exception"})
"""What is caught where an import fails."""

WHOLE = frozenset({*PACKAGES, "lightning.pytorch"})
"""Packages that are surely there."""


def sure_choices(tree: ast.Module) -> Iterator[tuple[ast.IfExp | ast.BoolOp, ast.expr]]:
    """Expressions that ask only whether an import succeeded which surely does, and what they come to."""
    truths = _truths(tree)
    for node in ast.walk(tree) if truths else ():
        if isinstance(node, ast.IfExp) and (is_so := _decided(node.test, truths)) is not None:
            yield node, node.body if is_so else node.orelse
        elif isinstance(node, ast.If | ast.While) and isinstance(node.test, ast.BoolOp):
            yield from _without_sure(node.test, truths)


def _without_sure(test: ast.BoolOp, truths: Mapping[str, bool]) -> Iterator[tuple[ast.BoolOp, ast.expr]]:
    """The condition without those of its parts that surely hold, of `and`, or that surely don't, of `or`."""
    is_idle = isinstance(test.op, ast.And)
    kept = [each for each in test.values if _decided(each, truths) is not is_idle]
    if 0 < len(kept) < len(test.values):
        yield test, kept[0] if len(kept) == 1 else ast.BoolOp(test.op, kept)


def is_from_lightning(node: ast.stmt, names: frozenset[str] = ALWAYS_THERE) -> bool:
    """Whether a statement imports nothing but these of Lightning, which has them."""
    if not isinstance(node, ast.ImportFrom) or node.level:
        return False
    is_of_lightning = (node.module or "").partition(".")[0] in PACKAGES
    return is_of_lightning and {each.name for each in node.names} <= names


def catches_missing(node: ast.Try) -> bool:
    kinds = {ast.unparse(each.type) if each.type else "Exception" for each in node.handlers}
    return kinds <= MISSING


def _truths(tree: ast.Module) -> dict[str, bool]:
    """Names that only a `try` with imports which succeed binds, and whether what they stand for is something."""
    found: dict[str, bool] = {}
    for node in tree.body:
        if isinstance(node, ast.Try) and catches_missing(node) and not node.finalbody:
            bound = dict(_tried([*node.body, *node.orelse]))
            others = _bound(ast.walk(tree)) - _bound(ast.walk(node))
            found |= {name: is_so for name, is_so in bound.items() if not others[name]}
    return found


def _tried(body: Iterable[ast.stmt]) -> Iterator[tuple[str, bool]]:
    """What is bound by imports that succeed, and by the constants beside them; nothing: there are others."""
    bound: list[tuple[str, bool]] = []
    is_import = False
    for node in body:
        match node:
            case ast.Import(names) if all(each.name in WHOLE for each in names):
                is_import = True
                bound += [(each.asname or each.name.partition(".")[0], True) for each in names]
            case ast.ImportFrom(_, names) if is_from_lightning(node, TRIED):
                is_import = True
                bound += [(each.asname or each.name, True) for each in names]
            case ast.Assign([ast.Name(name)], ast.Constant(value)):
                bound.append((name, bool(value)))
            case _:
                return
    yield from bound if is_import else ()


def _bound(nodes: Iterable[ast.AST]) -> Counter[str]:
    """How often each name is bound, in whichever scope."""
    found: Counter[str] = Counter()
    for node in nodes:
        match node:
            case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
                found[name] += 1
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                found[name] += 1
            case ast.alias(name, asname):
                found[asname or name.partition(".")[0]] += 1
    return found


def _decided(test: ast.expr, truths: Mapping[str, bool]) -> bool | None:
    """What a condition comes to; None: it asks something else."""
    match test:
        case ast.Name(name):
            return truths.get(name)
        case ast.Compare(ast.Name(name), [ast.Is() | ast.IsNot() as operator], [ast.Constant(None)]):
            is_there = truths.get(name) or None  # a constant that is nothing may be None, or False
            return None if is_there is None else isinstance(operator, ast.IsNot)
        case ast.UnaryOp(ast.Not(), operand):
            is_so = _decided(operand, truths)
            return None if is_so is None else not is_so
    return None
