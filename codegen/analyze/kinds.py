"""What kind of value an expression of the user's has, as far as reading alone can tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

import libcst as cst

from ..index import patterns as m
from ..index.search import findall
from ..ir.project import Project
from .bindings import bindings
from .resolve import Scope, function_called, returned_values, values_held

Kind = Literal["tensor", "dict", "none", "unknown"]
Kinds = frozenset[Kind]

TENSOR: Kinds = frozenset(["tensor"])
DICT: Kinds = frozenset(["dict"])
NONE: Kinds = frozenset(["none"])
UNKNOWN: Kinds = frozenset(["unknown"])

FUNCTION = re.compile(r"torch\.((nn\.functional|functional|linalg|special|fft)\.)?[a-z_]\w*")
"""Functions of torch's; what they return is no dict."""
ANY_RESULT = frozenset({"torch.load", "torch.compile", "torch.cond", "torch.vmap", "torch.while_loop"})
LOSS_MODULE = re.compile(r"torch\.nn\.(modules\.loss\.)?\w*Loss")
REDUCTIONS = frozenset("mean sum nanmean nansum prod norm logsumexp std var".split())
"""Methods of tensors, and of little else that is called on the way to a loss."""


# ---- functions -------------------------------------------------------------------------------------------


def kinds_returned(scope: Scope) -> Kinds:
    """What calling the scope's function may return."""
    if scope.function in scope.seen or not is_plain(scope):
        return UNKNOWN
    inner = scope.past(scope.function)
    kinds = _union([kinds_of(inner, value) for value in returned_values(scope.function)])
    return kinds if _ends_in_return(scope.function.body) else kinds | NONE


def is_plain(scope: Scope) -> bool:
    """Whether nothing, such as a decorator, may make something else of what the function returns."""
    decorators = [each.decorator for each in scope.function.decorators]
    functions = [each.func if isinstance(each, cst.Call) else each for each in decorators]
    names = [scope.project.qualified(each) or "" for each in functions]
    known = all(name == "staticmethod" or name.startswith("torch.") for name in names)
    return known and scope.function.asynchronous is None


def _ends_in_return(body: cst.BaseSuite) -> bool:
    """Whether every way through the body ends in a return or an exception."""
    last = body.body[-1] if body.body else None
    if isinstance(last, cst.SimpleStatementLine):
        return isinstance(last.body[-1], cst.Return | cst.Raise)
    if isinstance(last, cst.Return | cst.Raise):  # a body on the line of its `def`
        return True
    if isinstance(last, cst.With):
        return _ends_in_return(last.body)
    if isinstance(last, cst.If) and last.orelse is not None:
        other = last.orelse
        rest = other.body if isinstance(other, cst.Else) else cst.IndentedBlock(body=[other])
        return _ends_in_return(last.body) and _ends_in_return(rest)
    return False


def _union(kinds: Iterable[Kinds]) -> Kinds:
    return frozenset(kind for each in kinds for kind in each)


# ---- expressions -----------------------------------------------------------------------------------------


def kinds_of(scope: Scope, value: cst.BaseExpression | None) -> Kinds:
    """What an expression may be."""
    if value is None or m.matches(value, m.Name("None")):
        return NONE
    if m.matches(value, m.Dict() | m.DictComp() | m.Call(func=m.Name("dict"))):
        return DICT
    if isinstance(value, cst.Name):
        return _kinds_of_variable(scope, value.value)
    if isinstance(value, cst.IfExp):
        return kinds_of(scope, value.body) | kinds_of(scope, value.orelse)
    if isinstance(value, cst.NamedExpr):
        return kinds_of(scope, value.value)
    if isinstance(value, cst.Call):
        return _kinds_of_calling(scope, value.func)
    return TENSOR if _is_arithmetic(value) or _is_entry_for_loss(scope, value) else UNKNOWN


def _is_arithmetic(value: cst.BaseExpression) -> bool:
    """Whether no dict can come of it; numbers are refused where a loss is wanted."""
    if isinstance(value, cst.BinaryOperation):
        return not isinstance(value.operator, cst.BitOr)
    return m.matches(value, m.UnaryOperation(operator=m.Minus() | m.Plus()) | m.Integer() | m.Float())


def _is_entry_for_loss(scope: Scope, value: cst.BaseExpression) -> bool:
    """`output.loss` or `output["loss"]`, as of what Hugging Face's models return."""
    name = ""
    if isinstance(value, cst.Attribute) and not m.matches(value.value, m.Name(scope.self_name)):
        name = value.attr.value
    elif m.matches(value, m.Subscript(slice=[m.SubscriptElement(m.Index(m.SimpleString()))])):
        index = cst.ensure_type(cst.ensure_type(value, cst.Subscript).slice[0].slice, cst.Index)
        name = str(cst.ensure_type(index.value, cst.SimpleString).evaluated_value)
    return name == "loss" or name.endswith("_loss")


# ---- variables -------------------------------------------------------------------------------------------


def _kinds_of_variable(scope: Scope, name: str) -> Kinds:
    place = (scope.function, name)
    if place in scope.seen:  # in terms of itself: the other assignments tell
        return frozenset()
    return _union(_kinds_bound(scope.past(place), cst.Name(name))) or UNKNOWN


def _kinds_bound(scope: Scope, variable: cst.Name) -> Iterator[Kinds]:
    for binding in bindings(scope.function, variable):
        if binding.value is None:
            yield UNKNOWN
        elif binding.index is None:
            yield kinds_of(scope, binding.value)
        else:
            yield _kinds_of_part(scope, binding.value, binding.index, binding.parts)
    for node in findall(scope.function, m.AugAssign(target=m.Name(variable.value))):
        yield UNKNOWN if m.matches(node, m.AugAssign(operator=m.BitOrAssign())) else TENSOR


def _kinds_of_part(scope: Scope, value: cst.BaseExpression, index: int, parts: int) -> Kinds:
    """What unpacking a tuple, or what a function returns, puts into a variable."""
    found: list[tuple[Scope, cst.BaseExpression | None]] = [(scope, value)]
    if isinstance(value, cst.Call) and (called := function_called(scope, value.func)):
        found = [(called, each) for each in returned_values(called.function)] if is_plain(called) else []
    kinds = [
        kinds_of(inside, whole.elements[index].value)
        for inside, whole in found
        if isinstance(whole, cst.Tuple) and len(whole.elements) == parts
    ]
    return _union(kinds) if kinds and len(kinds) == len(found) else UNKNOWN


# ---- calls -----------------------------------------------------------------------------------------------


def _kinds_of_calling(scope: Scope, called: cst.BaseExpression) -> Kinds:
    """What a call may return of a function, a module, or what an attribute or a variable holds."""
    if function := function_called(scope, called):
        return kinds_returned(function)
    if _is_torchs(scope.project, called):
        return TENSOR
    if held := list(values_held(scope, called)):
        return _union([_kinds_of_calling_held(inside.past(called), value) for inside, value in held])
    if isinstance(called, cst.Attribute):
        is_reduction = called.attr.value in REDUCTIONS
        return TENSOR if is_reduction or kinds_of(scope, called.value) == TENSOR else UNKNOWN
    return UNKNOWN


def _kinds_of_calling_held(scope: Scope, value: cst.BaseExpression | None) -> Kinds:
    return UNKNOWN if value is None or value in scope.seen else _kinds_of_calling(scope, value)


def _is_torchs(project: Project, called: cst.BaseExpression) -> bool:
    """Whether it is a function of torch's, the builtin `sum`, or one of torch's losses that is made there."""
    name = project.qualified(called) or ""
    if isinstance(called, cst.Call):
        return bool(LOSS_MODULE.fullmatch(project.qualified(called.func) or ""))
    return name == "sum" or (bool(FUNCTION.fullmatch(name)) and name not in ANY_RESULT)
