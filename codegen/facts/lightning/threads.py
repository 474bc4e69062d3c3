"""What threads read of a trainer that they are started with."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...values import BoundMethod, External, Function, Values

THREAD = External("threading.Thread")
COUNTERS = frozenset(
    "current_epoch global_rank global_step is_global_zero max_epochs max_steps world_size".split()
)
"""What of a trainer's is plain to read at any time."""

OWN_METHOD = m.Attribute(m.Name("self"))
ARGS = m.Arg(keyword=m.Name("args"))


def read_by_threads(index: Index, values: Values, argument: cst.CSTNode) -> list[cst.Attribute]:
    """What functions read of an argument that threads run them with; empty: they may do more with it."""
    given = index.parent(argument)
    started = index.parent(given) if isinstance(given, cst.Tuple | cst.List) else None
    call = index.parent(started) if isinstance(started, cst.Arg) and m.matches(started, ARGS) else None
    if not isinstance(given, cst.Tuple | cst.List) or not isinstance(call, cst.Call):
        return []
    target = values.arguments(call, ["group", "target"]).get("target")
    is_thread = set(values.callees(call)) == {THREAD}
    if target is None or not is_thread or not all(isinstance(each, cst.Element) for each in given.elements):
        return []
    place = next(at for at, each in enumerate(given.elements) if each is argument)
    known = [each for each in target.values if isinstance(each, Function | BoundMethod)]
    if not (target.expression and m.matches(target.expression, OWN_METHOD)) and len(known) < len(
        target.values
    ):
        return []
    found = [each for function in known for each in _read(index, function, place)]
    return [] if None in found else [each for each in found if each is not None]


def _read(index: Index, target: Function | BoundMethod, place: int) -> Iterator[cst.Attribute | None]:
    """What a function reads of what it is given at a place; None: it may do something else with it."""
    function = target.function if isinstance(target, BoundMethod) else target
    parameter = _parameter(function, place + isinstance(target, BoundMethod))
    variable = index.variable(parameter.name) if parameter else None
    if variable is None or len(variable.bindings) > 1:
        yield None
        return
    for use in variable.uses:
        read = index.parent(use)
        yield read if isinstance(read, cst.Attribute) and _is_counter(index, read) else None


def _parameter(function: Function, place: int) -> cst.Param | None:
    params = function.node.params
    return next(iter([*params.posonly_params, *params.params][place:]), None)


def _is_counter(index: Index, node: cst.Attribute) -> bool:
    """Whether it is read, and nothing set or called."""
    parent = index.parent(node)
    is_set = isinstance(parent, cst.AssignTarget) or getattr(parent, "target", None) is node
    is_called = isinstance(parent, cst.Call) and parent.func is node
    return node.attr.value in COUNTERS and not is_set and not is_called
