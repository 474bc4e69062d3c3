"""Functions that wrap another: an inner one hands all that it is given on to it, as `func(*args, **kwargs)`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from .ending import ends
from .index import Index
from .scope import Binding

READING = frozenset({"copy", "get", "items", "keys", "values"})
"""Methods that leave a dict as it is."""

SHOWING = frozenset({"bool", "dict", "len", "list", "print", "repr", "sorted", "str"})
"""Functions of Python's that do."""

REPEATED = (cst.For, cst.While, cst.Lambda, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


@dataclass(frozen=True, eq=False)
class Wrapper:
    """A function that gives back an inner one, which calls what the outer one is given with its own arguments."""

    wrapped: cst.Param  # of the outer function
    inner: cst.FunctionDef
    handing: cst.Call  # `func(*args, **kwargs)`, or `func(self, *args, **kwargs)`, which is run once or never
    others: tuple[
        cst.BaseExpression, ...
    ]  # what the inner function may give back besides what that call gives
    may_give_none: bool  # as it ends without a value

    def gives_names_of(self, function: cst.FunctionDef | cst.Lambda) -> bool:
        """Whether the inner function's first parameters are those of a function: what is given by name is the same."""
        own, others = _positional(self.inner), _positional(function)
        return len(own) <= len(others) and all(
            a.name.value == b.name.value for a, b in zip(own, others, strict=False)
        )


def wrapper_of(index: Index, outer: cst.FunctionDef) -> Wrapper | None:
    """The wrapper that a function is; None: it may do something else with what it is given."""
    params = _positional(outer)
    inner = _given_back(index, outer)
    if not params or inner is None or index.scope_of(outer).kind == "class":
        return None
    handing = _handing(index, inner, params[0])
    if handing is None:
        return None
    bare = any(each.value is None for each in index.own(inner, cst.Return))
    others = tuple(_others(index, inner, handing))
    return Wrapper(params[0], inner, handing, others, bare or not ends(inner.body))


def _positional(function: cst.FunctionDef | cst.Lambda) -> list[cst.Param]:
    return [*function.params.posonly_params, *function.params.params]


def _given_back(index: Index, outer: cst.FunctionDef) -> cst.FunctionDef | None:
    """The inner function that is defined to be returned, and for nothing else."""
    returns = index.own(outer, cst.Return, cst.Yield)
    value = returns[0].value if len(returns) == 1 and isinstance(returns[0], cst.Return) else None
    binding = _only_binding(index, value)
    inner = binding.by if binding else None
    if binding is None or not isinstance(inner, cst.FunctionDef) or index.function_of(inner) is not outer:
        return None
    is_plain = not (inner.asynchronous or outer.asynchronous or index.own(inner, cst.Yield))
    return inner if is_plain and binding.uses == [value] and _keep(index, inner) else None


def _keep(index: Index, inner: cst.FunctionDef) -> bool:
    """Whether its decorators, `functools.wraps` alone, give it back as it is."""
    functions = [each.decorator.func for each in inner.decorators if isinstance(each.decorator, cst.Call)]
    return len(functions) == len(inner.decorators) and all(_is_wraps(index, each) for each in functions)


def _is_wraps(index: Index, node: cst.BaseExpression) -> bool:
    """Whether it is `wraps`, or `functools.wraps`, as it is imported, be it several times."""
    is_member = isinstance(node, cst.Attribute)
    if isinstance(node, cst.Attribute) and node.attr.value != "wraps":
        return False
    name = node.value if isinstance(node, cst.Attribute) else node
    bindings = index.bindings(name) if isinstance(name, cst.Name) else []
    return bool(bindings) and all(_imports(index, each.by, is_member) for each in bindings)


def _imports(index: Index, alias: cst.CSTNode, is_module: bool) -> bool:
    """Whether an import is that of `functools`, or that of its `wraps`."""
    statement = index.parent(alias)
    if not isinstance(alias, cst.ImportAlias):
        return False
    if is_module:
        return isinstance(statement, cst.Import) and alias.evaluated_name == "functools"
    module = statement.module if isinstance(statement, cst.ImportFrom) and not statement.relative else None
    is_functools = isinstance(module, cst.Name) and module.value == "functools"
    return is_functools and alias.evaluated_name == "wraps"


def _handing(index: Index, inner: cst.FunctionDef, wrapped: cst.Param) -> cst.Call | None:
    """The one call of what is wrapped that hands on all that the inner function is given."""
    star, rest = inner.params.star_arg, inner.params.star_kwarg
    first = _positional(inner)
    is_open = inner.params.kwonly_params or any(each.default for each in first)
    if is_open or not isinstance(star, cst.Param) or rest is None:
        return None
    given = (*first, star, rest)
    found = [each for each in index.own(inner, cst.Call) if _hands_on(index, each, wrapped, given)]
    if len(found) != 1 or not _is_kept(index, rest, found[0]):
        return None
    if not _is_bound_once(index, *first, star, wrapped):
        return None
    above = index.ancestor(found[0], *REPEATED, cst.FunctionDef)
    return found[0] if above is inner else None


def _hands_on(index: Index, call: cst.Call, wrapped: cst.Param, given: Sequence[cst.Param]) -> bool:
    """Whether a call is one of what is wrapped, with all that is given in its order: the last two unpacked."""
    stars = [*("" for _ in given[2:]), "*", "**"]
    is_same = [(each.star, each.keyword) for each in call.args] == [(each, None) for each in stars]
    handed = zip(call.args, given, strict=False)
    return is_same and _is(index, call.func, wrapped) and all(_is(index, a.value, p) for a, p in handed)


def _is_bound_once(index: Index, *params: cst.Param) -> bool:
    return all(len(each.variable.bindings) == 1 for name in params if (each := index.binding(name.name)))


def _is(index: Index, node: cst.BaseExpression, param: cst.Param) -> bool:
    binding = _only_binding(index, node)
    return binding is not None and binding.by is param


def _is_kept(index: Index, rest: cst.Param, handing: cst.Call) -> bool:
    """Whether nothing changes the dict of what is given by name."""
    binding = index.binding(rest.name)
    uses = binding.uses if binding and len(binding.variable.bindings) == 1 else [rest.name]
    return all(index.parent(use) in handing.args or _is_read(index, use) for use in uses)


def _is_read(index: Index, use: cst.Name) -> bool:
    """Whether such a use of a dict but looks at it."""
    parent = index.parent(use)
    above = index.parent(parent) if parent else None
    if isinstance(parent, cst.Attribute):
        return isinstance(above, cst.Call) and parent.attr.value in READING
    if isinstance(parent, cst.Arg) and isinstance(above, cst.Call) and isinstance(above.func, cst.Name):
        return above.func.value in SHOWING and not index.bindings(above.func)
    return isinstance(parent, cst.FormattedStringExpression | cst.ComparisonTarget | cst.If)


def _others(index: Index, inner: cst.FunctionDef, handing: cst.Call) -> Iterator[cst.BaseExpression]:
    """The expressions that the inner function returns, but for the call that hands on, and variables of that."""
    for value in (each.value for each in index.own(inner, cst.Return) if each.value):
        bound = _assigned(index, value)
        yield from (each for each in bound or [value] if each is not handing)


def _assigned(index: Index, node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """All that a variable is assigned; empty: it is no variable, or is bound in other ways too."""
    bindings = index.bindings(node) if isinstance(node, cst.Name) else []
    assigns = [each.by for each in bindings if isinstance(each.by, cst.Assign)]
    is_plain = all(isinstance(each.target, cst.Name) for by in assigns for each in by.targets)
    return [each.value for each in assigns] if len(assigns) == len(bindings) and is_plain else []


def _only_binding(index: Index, node: cst.CSTNode | None) -> Binding | None:
    """The one binding of a name."""
    bindings = index.bindings(node) if isinstance(node, cst.Name) else []
    return bindings[0] if len(bindings) == 1 else None
