"""What kind of value a function of the user's returns: a tensor, a dict or None."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal as Choice

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...values import Dict, External, Instance, Literal, Origin, Unknown, Value, values_of

Kind = Choice["tensor", "dict", "none", "unknown"]
Kinds = frozenset[Kind]

TENSOR: Kinds = frozenset(["tensor"])
DICT: Kinds = frozenset(["dict"])
NONE: Kinds = frozenset(["none"])
UNKNOWN: Kinds = frozenset(["unknown"])

FUNCTION = re.compile(r"torch\.((nn\.functional|functional|linalg|special|fft)\.)?[a-z_]\w*|builtins\.sum")
"""Functions of torch's, and one of Python's that is called on tensors; what they return is no dict."""
ANY_RESULT = frozenset({"torch.load", "torch.compile", "torch.cond", "torch.vmap", "torch.while_loop"})
LOSS_MODULE = re.compile(r"torch\.nn\.(modules\.loss\.)?\w*Loss")
REDUCTIONS = frozenset("mean sum nanmean nansum prod norm logsumexp std var".split())
"""Methods of tensors, and of little else that is called on the way to a loss."""


def kinds_returned(project: Project, function: cst.FunctionDef) -> Kinds:
    """What calling the function may return."""
    if not _is_plain(project, function):
        return UNKNOWN
    return _Reader(project).kinds(values_of(project).origins_of_function(function))


def _is_plain(project: Project, function: cst.FunctionDef) -> bool:
    """Whether nothing, such as a decorator, may make something else of what the function returns."""
    decorators = [each.decorator for each in function.decorators]
    functions = [each.func if isinstance(each, cst.Call) else each for each in decorators]
    names = [project.qualified(each) or "" for each in functions]
    known = all(name == "staticmethod" or name.startswith("torch.") for name in names)
    return known and function.asynchronous is None


@dataclass
class _Reader:
    """Tells the kinds of the values that expressions make."""

    project: Project
    tensors: dict[cst.CSTNode, None] = field(default_factory=dict)
    """Those that are taken for some, in the order in which they were."""
    others: set[cst.CSTNode] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.values = values_of(self.project)

    def kinds(self, origins: Iterable[Origin]) -> Kinds:
        return frozenset(
            kind
            for origin in origins
            for value in origin.values
            for kind in self._kinds_of(value, origin.node)
        )

    def _kinds_of(self, value: Value, node: cst.CSTNode) -> Kinds:
        """The kind of a value that an expression makes."""
        if isinstance(value, Dict):
            return DICT
        if isinstance(value, Literal):
            is_number = isinstance(value.value, int | float) and not isinstance(value.value, bool)
            return NONE if value.value is None else TENSOR if is_number else UNKNOWN
        if isinstance(value, Instance) and isinstance(value.cls, External) and _is_tensor_function(value.cls):
            return TENSOR
        if isinstance(value, Unknown) and _is_arithmetic(node):
            return TENSOR
        return TENSOR if self._is_tensor_call(node) or _is_entry_for_loss(node) else UNKNOWN

    def _is_tensor_call(self, node: cst.CSTNode) -> bool:
        """Whether a call of something that is not the user's gives a tensor: of a loss, or of a tensor's method."""
        if not isinstance(node, cst.Call):
            return False
        callees = self.values.callees(node)
        if len(callees) and all(map(_gives_tensor, callees)):
            return True
        if not isinstance(node.func, cst.Attribute):
            return False
        return node.func.attr.value in REDUCTIONS or self._is_tensor(node.func.value)

    def _is_tensor(self, node: cst.BaseExpression) -> bool:
        """Whether an expression surely is a tensor; of what is in terms of itself, the rest tells."""
        if node not in self.tensors and node not in self.others:
            count = len(self.tensors)
            self.tensors[node] = None  # until something says otherwise
            if self.kinds(self.values.origins(node)) != TENSOR:
                while len(self.tensors) > count:  # and those that were taken for tensors because it is one
                    self.tensors.popitem()
                self.others.add(node)
        return node in self.tensors


def _is_tensor_function(value: Value) -> bool:
    """Whether it is a function of torch's, or Python's `sum`."""
    is_known = isinstance(value, External) and value.name not in ANY_RESULT
    return is_known and bool(FUNCTION.fullmatch(value.name))  # type: ignore[union-attr]  # External


def _gives_tensor(callee: Value) -> bool:
    """Whether it is such a function, or one of torch's losses."""
    is_object = isinstance(callee, Instance) and isinstance(callee.cls, External)
    is_loss = is_object and LOSS_MODULE.fullmatch(callee.cls.name)  # type: ignore[union-attr]  # an Instance
    return bool(is_loss) or _is_tensor_function(callee)


def _is_arithmetic(node: cst.CSTNode) -> bool:
    """Whether no dict can come of it; numbers are refused where a loss is wanted."""
    if isinstance(node, cst.BinaryOperation):
        return not isinstance(node.operator, cst.BitOr)
    if isinstance(node, cst.AugAssign):
        return not isinstance(node.operator, cst.BitOrAssign)
    return m.matches(node, m.UnaryOperation(operator=m.Minus() | m.Plus()))


def _is_entry_for_loss(node: cst.CSTNode) -> bool:
    """`output.loss` or `output["loss"]`, as of what Hugging Face's models return."""
    name = ""
    if isinstance(node, cst.Attribute) and not m.matches(node.value, m.Name("self")):
        name = node.attr.value
    elif m.matches(node, m.Subscript(slice=[m.SubscriptElement(m.Index(m.SimpleString()))])):
        index = cst.ensure_type(cst.ensure_type(node, cst.Subscript).slice[0].slice, cst.Index)
        name = str(cst.ensure_type(index.value, cst.SimpleString).evaluated_value)
    return name == "loss" or name.endswith("_loss")
