"""What `training_step` takes and returns."""

from __future__ import annotations

from typing import Literal

import libcst as cst
import libcst.matchers as m

from ..project import Class

Output = Literal["loss", "dict", "any"]


def positional_names(method: cst.FunctionDef) -> list[str]:
    """The names of a method's positional parameters, `self` left out."""
    parameters = [*method.params.posonly_params, *method.params.params]
    return [parameter.name.value for parameter in parameters][1:]


def takes_batch_idx(method: cst.FunctionDef) -> bool:
    """Whether Lightning passes the step a `batch_idx` beside the batch."""
    star = isinstance(method.params.star_arg, cst.Param)
    return star or len(positional_names(method)) >= 2 or "batch_idx" in positional_names(method)


def hands_over_closure(method: cst.FunctionDef) -> bool:
    """Whether `optimizer_step` surely gives its closure to every step that it takes, and calls it nowhere itself."""
    names = positional_names(method)
    if len(names) < 4:
        return False
    optimizer, closure = m.Name(names[2]), m.Name(names[3])
    steps = m.Attribute(attr=m.Name("step"))
    inherited = m.Attribute(value=m.Call(func=m.Name("super")), attr=m.Name("optimizer_step"))
    own = m.Attribute(value=optimizer, attr=m.Name("step"))
    giving = m.Call(func=own | inherited, args=[m.ZeroOrMore(), m.Arg(value=closure), m.ZeroOrMore()])
    uses = len(m.findall(method.body, closure)) - len(m.findall(method.body, m.Arg(keyword=closure)))
    every = m.findall(method.body, m.Call(func=steps | inherited))
    return uses == len(every) == len(m.findall(method.body, giving))


def training_output(cls: Class) -> Output:
    """What `training_step` returns: surely the loss, surely a dict with one, or anything that Lightning takes."""
    kinds = _returned(cls, "training_step", frozenset())
    if kinds == {"dict"}:
        return "dict"
    return "any" if kinds & {"dict", "none", "unknown"} or not kinds else "loss"


def _returned(cls: Class, name: str, seen: frozenset[str]) -> set[str]:
    method = cls.methods.get(name)
    if method is None or name in seen:
        return {"unknown"}
    returns = _Returns()
    method.body.visit(returns)
    kinds = {kind for value in returns.values for kind in _kinds(cls, method, value, seen | {name})}
    return kinds | (set() if _ends_in_return(method.body) else {"none"})


def _kinds(
    cls: Class, method: cst.FunctionDef, value: cst.BaseExpression | None, seen: frozenset[str]
) -> set[str]:
    if value is None or m.matches(value, m.Name("None")):
        return {"none"}
    if m.matches(value, m.Dict() | m.Call(func=m.Name("dict"))):
        return {"dict"}
    if m.matches(value, m.Tuple() | m.List()):
        return {"unknown"}
    if isinstance(value, cst.Name):
        return _kinds_of_variable(cls, method, value.value, seen)
    if isinstance(value, cst.IfExp):
        return _kinds(cls, method, value.body, seen) | _kinds(cls, method, value.orelse, seen)
    if isinstance(value, cst.Call) and m.matches(
        value.func, m.Attribute(value=m.Name("self") | m.Call(func=m.Name("super")))
    ):
        assert isinstance(value.func, cst.Attribute)
        called = value.func.attr.value
        if m.matches(value.func.value, m.Call()):
            return {"unknown"}
        return _returned(cls, called, seen) if called in cls.methods else {"loss"}
    return {"loss"}


def _kinds_of_variable(cls: Class, method: cst.FunctionDef, name: str, seen: frozenset[str]) -> set[str]:
    assigned = m.findall(method.body, m.Assign(targets=[m.AssignTarget(target=m.Name(name))]))
    kinds: set[str] = set()
    for node in assigned:
        assert isinstance(node, cst.Assign)
        if not m.matches(node.value, m.Name(name)):
            kinds |= _kinds(cls, method, node.value, seen | {name})
    return kinds or {"loss"}


class _Returns(cst.CSTVisitor):
    """The values that a body returns, those of functions inside it left out."""

    def __init__(self) -> None:
        self.values: list[cst.BaseExpression | None] = []

    def visit_Return(self, node: cst.Return) -> None:
        self.values.append(node.value)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False


def returned_values(method: cst.FunctionDef) -> list[cst.BaseExpression | None]:
    """The values that a method returns."""
    returns = _Returns()
    method.body.visit(returns)
    return returns.values


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
        rest = _ends_in_return(other.body) if isinstance(other, cst.Else) else _ends_in_return_if(other)
        return _ends_in_return(last.body) and rest
    return False


def _ends_in_return_if(node: cst.If) -> bool:
    return _ends_in_return(cst.IndentedBlock(body=[node]))
