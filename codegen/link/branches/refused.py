"""Branches in which something stands for which no script is built."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...diagnostics import Diagnostic
from ..configuration.evaluation import Evaluation, NotEvaluated, Variables
from .given import Branch, Given, own_nodes
from .rewriting import root_of

CHANGING = frozenset({"setattr", "delattr", "update", "setdefault", "pop"})
"""What sets, or takes out, what it is given the name of, in what stands before its dot or comes first."""


@dataclass(frozen=True)
class Refused:
    """Tells them by the errors of a build, and whether the configuration is still what it was where they begin."""

    errors: tuple[Diagnostic, ...]
    functions: tuple[Given, ...]  # that have a configuration

    def codes(self, branch: Branch) -> tuple[str, ...]:
        """The errors that stand in a branch to which the configuration comes as it was read."""
        found = dict.fromkeys(
            each.code for each in self.errors if each.span and branch.holds_place(each.span)
        )
        return tuple(found) if found and not self._is_changed(branch) else ()

    def _is_changed(self, branch: Branch) -> bool:
        """Whether code has set before what the test asks for, or any code in another function."""
        words, own = _words(branch), branch.function
        before = [each for each in ast.walk(own.node) if _stands_before(each, branch.test)]
        changes = [*_changes(own, before)]
        for other in self.functions:
            if other.load == own.load and other.node is not own.node:
                changes += _changes(other, ast.walk(other.node))
        is_bound_anew = own.parameter not in _bound_once(own) and any(_binds(own, each) for each in before)
        return is_bound_anew or any(name is None or name in words for name in changes)


def variables(evaluation: Evaluation, function: Given, configuration: Variables) -> Variables:
    """The configuration, and what a function gives its variables of it, those that it gives a value once."""
    found = {**configuration}
    for name, value in _bound_once(function).items():
        if name in configuration:
            continue
        try:
            found[name] = evaluation.value(function.module, value, found)
        except NotEvaluated:
            continue
    return found


def _bound_once(function: Given) -> dict[str, ast.expr]:
    nodes = [*own_nodes(function.node)]
    stored = [each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    stored += [each.arg for each in nodes if isinstance(each, ast.arg)]
    given = {
        each.targets[0].id: each.value
        for each in nodes
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name) and len(each.targets) == 1
    }
    return {name: value for name, value in given.items() if stored.count(name) == 1}


def _words(branch: Branch) -> frozenset[str]:
    """What a test, and what it has its variables from, asks for by its name."""
    bound, waiting, found = _bound_once(branch.function), [branch.test], set[str]()
    for node in (each for expression in waiting for each in ast.walk(expression)):  # which grow
        match node:
            case ast.Attribute(attr=name) | ast.Constant(str(name)):
                found.add(name)
            case ast.Name(name) if name in bound:
                waiting.append(bound.pop(name))
    return frozenset(found)


def _changes(function: Given, nodes: Iterable[ast.AST]) -> Iterator[str | None]:
    """What is set in a configuration, or in a part of one that has a name; None: any of it."""
    parts = {function.parameter}
    parts |= {name for name, value in _bound_once(function).items() if root_of(value) in parts}
    for node in nodes:
        match node:
            case ast.Attribute(owner, name, ast.Store() | ast.Del()) if root_of(owner) in parts:
                yield name
            case ast.Subscript(owner, key, ast.Store() | ast.Del()) if root_of(owner) in parts:
                yield _said(key)
            case ast.Call(called, given, named) if ast.unparse(called).rpartition(".")[2] in CHANGING:
                of_method = [called.value] if isinstance(called, ast.Attribute) else []
                if root_of(next(iter(of_method), called)) in parts:  # `cfg.pop("name")`
                    yield from (*map(_said, given[:1]), *(each.arg for each in named))
                elif given and root_of(given[0]) in parts:  # `setattr(cfg, "name", ...)`
                    yield from map(_said, given[1:2])


def _said(key: ast.expr) -> str | None:
    """The last name of a path that is written out."""
    return (
        key.value.rpartition(".")[2] if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
    )


def _binds(function: Given, node: ast.AST) -> bool:
    """Whether it binds the configuration's own name."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == function.parameter


def _stands_before(node: ast.AST, other: ast.expr) -> bool:
    place = getattr(node, "lineno", None), getattr(node, "col_offset", 0)
    return place[0] is not None and place < (other.lineno, other.col_offset)
