"""Hooks that draw no random numbers and change nothing that loaders read: data may as well be read after them."""

from __future__ import annotations

import libcst as cst

from ...index import patterns as m
from ...lightning.api import CALLBACK_HOOKS
from ...values import BoundMethod, External, Function, Instance, Member, Super, Value, Values

LOUD: tuple[type[cst.CSTNode], ...] = (
    cst.Await,
    cst.ClassDef,
    cst.Del,
    cst.FormattedString,
    cst.FunctionDef,
    cst.Global,
    cst.Import,
    cst.ImportFrom,
    cst.In,
    cst.Lambda,
    cst.Nonlocal,
    cst.NotIn,
    cst.StarredElement,
    cst.While,
    cst.With,
    cst.Yield,
)
"""What may iterate over data, or run code later."""

CONTAINERS = frozenset("builtins.dict builtins.list builtins.set".split())
QUIET_FUNCTIONS = CONTAINERS | set(
    "builtins.len builtins.super time.monotonic time.perf_counter time.time".split()
)

OWN = m.Attribute(m.Name("self"))
OPTIMIZERS = m.Attribute(attr=m.Name("optimizers"))
OF_OBJECTS = CALLBACK_HOOKS | {"__init__", "state_dict", "load_state_dict"}


def is_quiet(values: Values, hook: cst.FunctionDef, methods: frozenset[str]) -> bool:
    """Whether a hook only notes things, or resets metrics, in a class with these `methods`.

    What it notes on its object is read by its other hooks alone, where the class has nothing else for others to call.
    """
    return _Quiet(values, hook if methods <= OF_OBJECTS else None).function(hook)


class _Quiet:
    def __init__(self, values: Values, storing: cst.FunctionDef | None) -> None:
        self.values, self.index = values, values.index
        self.storing = storing  # the function that may set attributes of `self`
        self.seen = set[cst.FunctionDef]()

    def function(self, function: cst.FunctionDef) -> bool:
        if function in self.seen:
            return True
        self.seen.add(function)
        body, index = function.body, self.index
        if index.within(body, *LOUD) or function.decorators:
            return False
        places = index.within(body, cst.Attribute, cst.BinaryOperation, cst.Comparison, cst.UnaryOperation)
        stores: list[cst.AssignTarget | cst.AnnAssign | cst.AugAssign] = [
            *index.within(body, cst.AssignTarget),
            *index.within(body, cst.AnnAssign),
            *index.within(body, cst.AugAssign),
        ]
        return (
            self._reads_optimizers_alone(body)
            and not any(map(self.values.runs, places))
            and all(self._may_set(each.target, function) for each in stores)
            and all(isinstance(each.value, cst.BaseNumber) for each in index.within(body, cst.AugAssign))
            and all(map(self._call, index.within(body, cst.Call)))
        )

    def _reads_optimizers_alone(self, body: cst.BaseSuite) -> bool:
        """Whether what is iterated over, or has elements taken from it, are optimizers and their groups."""
        loops: list[cst.CompFor | cst.For] = [
            *self.index.within(body, cst.CompFor),
            *self.index.within(body, cst.For),
        ]
        stores = self.index.within(body, cst.AssignTarget)
        names = {each.target.value for each in loops if isinstance(each.target, cst.Name)}
        names -= {each.target.value for each in stores if isinstance(each.target, cst.Name)}
        read = [each.iter for each in loops] + [each.value for each in self.index.within(body, cst.Subscript)]
        return all(self._is_of_optimizers(each, names) for each in read)

    def _is_of_optimizers(self, node: cst.BaseExpression, names: set[str]) -> bool:
        while isinstance(node, cst.Attribute | cst.Subscript) and not m.matches(node, OPTIMIZERS):
            node = node.value
        if not isinstance(node, cst.Attribute):
            return isinstance(node, cst.Name) and node.value in names
        owners = self.values.of(node.value)
        return bool(owners) and all(
            isinstance(each, Instance) and each.lightning == "Trainer" for each in owners
        )

    def _may_set(self, target: cst.BaseExpression, function: cst.FunctionDef) -> bool:
        return isinstance(target, cst.Name) or (function is self.storing and m.matches(target, OWN))

    def _call(self, call: cst.Call) -> bool:
        callees = self.values.callees(call)
        makes_container = any(isinstance(each, External) and each.name in CONTAINERS for each in callees)
        iterates = makes_container and bool(call.args)
        return bool(callees) and not iterates and all(map(self._callee, callees))

    def _callee(self, value: Value) -> bool:
        if isinstance(value, BoundMethod):
            value = value.function
        if isinstance(value, Function):
            return isinstance(value.node, cst.FunctionDef) and self.function(value.node)
        if isinstance(value, Member):
            return isinstance(value.receiver, Super) or (value.name == "reset" and _is_metric(value.receiver))
        return isinstance(value, External) and value.name in QUIET_FUNCTIONS


def _is_metric(value: Value) -> bool:
    """Whether it is an object of torchmetrics', or what a method of such an object gives."""
    while isinstance(value, Instance | Member):
        value = value.cls if isinstance(value, Instance) else value.receiver
    return isinstance(value, External) and value.package == "torchmetrics"
