"""Decorators of the user's own that give back the class that they are put on, as those of registries do."""

from __future__ import annotations

import libcst as cst

from ..index import Index


def gives_back_class(index: Index, decorator: cst.BaseExpression) -> bool:
    """Whether a decorator, or what its call gives, surely returns what it is handed."""
    if not isinstance(decorator, cst.Call):
        function = _function(index, decorator)
    else:
        outer = _function(index, decorator.func)
        function = _function(index, _returned(index, outer)) if outer else None
    return function is not None and _is_first(index, _returned(index, function), function)


def _function(index: Index, node: cst.BaseExpression | None) -> cst.FunctionDef | None:
    """The plain function that a name surely is."""
    bindings = index.bindings(node) if isinstance(node, cst.Name) else []
    by = bindings[0].by if len(bindings) == 1 else None
    return by if isinstance(by, cst.FunctionDef) and not by.decorators and not by.asynchronous else None


def _returned(index: Index, function: cst.FunctionDef) -> cst.BaseExpression | None:
    """What a function gives back that ends in the only one of its `return`s."""
    last = function.body.body[-1]
    last = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    is_only = index.own(function, cst.Return, cst.Yield) == [last]
    return last.value if isinstance(last, cst.Return) and is_only else None


def _is_first(index: Index, node: cst.BaseExpression | None, function: cst.FunctionDef) -> bool:
    """Whether an expression is the function's first parameter, which nothing else binds."""
    bindings = index.bindings(node) if isinstance(node, cst.Name) else []
    first = [*function.params.posonly_params, *function.params.params][:1]
    return bool(first) and [each.by for each in bindings] == first
