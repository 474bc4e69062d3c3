"""Values that are logged as they are computed, and that nothing changes in place: no copy of them need be kept."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ...values import External, Instance, Member, Value, Values
from ..code.usage import LogCall

LOSSES = re.compile(r"torch\.nn\.((modules\.loss\.)?\w*Loss|functional\.(\w+_loss\w*|\w*cross_entropy\w*))")
"""Functions and modules that make a new tensor of what they are given."""

REDUCTIONS = frozenset("mean sum std var norm".split())
"""The same as methods of tensors."""

READING = frozenset({"backward", "item"}) | REDUCTIONS
"""Methods that leave a tensor as it is."""

MAKING = cst.BinaryOperation | cst.Comparison
"""Operations that make a new tensor."""


def all_are_fresh(values: Values, calls: list[LogCall], defined: frozenset[str]) -> bool:
    """Whether what each of the calls logs is such a value; functions of the user's are `defined` by these names."""
    logged = [each for call in calls for each in _logged(call)]
    return None not in logged and all(
        each is not None and _Fresh(values, defined).is_fresh(each) for each in logged
    )


def _logged(call: LogCall) -> Iterator[cst.BaseExpression | None]:
    """The values; None where they cannot be read."""
    by_place = [each.value for each in call.arguments if not each.keyword and not each.star]
    by_name = call.keywords
    if call.function == "log":
        yield by_place[1] if len(by_place) > 1 else by_name.get("value")
        return
    entries = by_place[0] if by_place else by_name.get("dictionary")
    if not isinstance(entries, cst.Dict):
        yield None
        return
    for each in entries.elements:
        yield each.value if isinstance(each, cst.DictElement) else None


class _Fresh:
    def __init__(self, values: Values, defined: frozenset[str]) -> None:
        self.values, self.index = values, values.index
        self.defined = defined

    def is_fresh(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, MAKING | cst.BaseNumber):
            return True
        if isinstance(node, cst.Call):
            return self._makes_new(node)
        return isinstance(node, cst.Name) and self._is_fresh_variable(node)

    def _makes_new(self, call: cst.Call) -> bool:
        method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        callees = self.values.callees(call)
        if any(map(_is_loss, callees)):
            return all(map(_is_loss, callees))
        is_tensors = not any(isinstance(each, Member) and _is_others(each.receiver) for each in callees)
        return method in REDUCTIONS - self.defined and is_tensors

    def _is_fresh_variable(self, name: cst.Name) -> bool:
        """Whether it is bound to such a value once, and then but read."""
        bindings = self.index.bindings(name)
        if len(bindings) != 1:
            return False
        (binding,) = bindings
        assign = binding.by
        if not isinstance(assign, cst.Assign | cst.AnnAssign) or assign.value is None:
            return False
        targets = assign.targets if isinstance(assign, cst.Assign) else [assign]
        is_alone = [each.target for each in targets] == [binding.node]
        return is_alone and self.is_fresh(assign.value) and all(map(self._is_read, binding.uses))

    def _is_read(self, use: cst.Name) -> bool:
        """Whether such a use of it changes nothing."""
        parent = self.index.parent(use)
        if isinstance(parent, cst.Attribute):
            return parent.value is use and parent.attr.value in READING
        if isinstance(parent, cst.Arg):
            call = self.index.parent(parent)
            return isinstance(call, cst.Call) and _name_of(call) in ("log", "manual_backward")
        return isinstance(parent, MAKING | cst.Return | cst.DictElement)


def _name_of(call: cst.Call) -> str:
    return call.func.attr.value if isinstance(call.func, cst.Attribute) else ""


def _is_loss(callee: Value) -> bool:
    made = callee.cls if isinstance(callee, Instance) else callee
    return isinstance(made, External) and bool(LOSSES.fullmatch(made.name))


def _is_others(receiver: Value) -> bool:
    """Whether a method is that of an object from a library, and surely of no tensor."""
    return isinstance(receiver, Instance) and not (
        isinstance(receiver.cls, External) and receiver.cls.name.startswith("torch.")
    )
