"""How a metaclass of the user's makes objects: what its `__call__` asks `type` for, and gives back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...index.ending import ends

MAKES = m.Call(func=m.Attribute(m.Call(m.Name("super")) | m.Name("type"), m.Name("__call__")))
MAKES_CLASS = m.Call(func=m.Attribute(m.Call(m.Name("super")) | m.Name("type"), m.Name("__new__")))
BY_TYPE = m.Call(func=m.Attribute(m.Name("type")))
READS = frozenset("copy get items keys values".split())
"""Methods of a dict and a tuple that leave them as they are."""

OF_CLASSES = ("metaclass", "name", "bases", "namespace")
"""What a class is made with."""

READERS = m.Name("dict") | m.Name("len") | m.Name("list") | m.Name("print") | m.Name("str") | m.Name("tuple")


@dataclass(frozen=True)
class Making:
    """The one call in it that makes an object of the class that is called."""

    call: cst.Call
    gives_it: bool  # the object, and never anything else
    passes_on: bool  # all that the class is called with, as it is, and no more


def making_of(index: Index, function: cst.FunctionDef) -> Making | None:
    """Of a metaclass's `__call__`; None: it does not surely make one object of the class that is called."""
    calls = [each for each in index.own(function, cst.Call) if m.matches(each, MAKES)]
    first = next(iter([*function.params.posonly_params, *function.params.params]), None)
    if len(calls) != 1 or first is None or function.decorators or not _is_kept(index, first):
        return None
    (call,) = calls
    given = [*call.args]
    if m.matches(call, BY_TYPE) and not (given and _names(index, given.pop(0).value, first)):
        return None
    return Making(call, _gives(index, function, call), _passes_on(index, function, call, given))


def new_class_of(index: Index, function: cst.FunctionDef) -> Making | None:
    """The same of a metaclass's `__new__`, which makes a class of what stands in the code."""
    calls = [each for each in index.own(function, cst.Call) if m.matches(each, MAKES_CLASS)]
    told = [*function.params.posonly_params, *function.params.params]
    if len(calls) != 1 or len(told) != len(OF_CLASSES) or function.decorators:
        return None
    (call,) = calls
    given = [each.value for each in call.args if not each.keyword and not each.star]
    is_same = len(given) == len(told) and all(_names(index, *pair) for pair in zip(given, told, strict=True))
    if not is_same or not all(_is_kept(index, each) for each in told) or not _is_left(index, told[-1], call):
        return None
    return Making(call, _gives(index, function, call), True)


def _is_left(index: Index, namespace: cst.Param, call: cst.Call) -> bool:
    """Whether nothing changes what a class's body binds but in plain sight."""
    binding = index.binding(namespace.name)
    uses = binding.variable.uses if binding else ()
    return all(index.holds(call, each) or _but_reads(index, each) or _is_entry(index, each) for each in uses)


def _is_entry(index: Index, use: cst.CSTNode) -> bool:
    """Whether an entry is read or set, and not taken away."""
    parent = index.parent(use)
    return isinstance(parent, cst.Subscript) and not isinstance(index.parent(parent), cst.Del)


def _is_kept(index: Index, parameter: cst.Param) -> bool:
    """Whether a parameter is what it is given throughout."""
    binding = index.binding(parameter.name)
    return binding is not None and len(binding.variable.bindings) == 1


def _names(index: Index, node: cst.BaseExpression, parameter: cst.Param) -> bool:
    binding = index.binding(parameter.name)
    return isinstance(node, cst.Name) and binding is not None and index.bindings(node) == [binding]


def _gives(index: Index, function: cst.FunctionDef, call: cst.Call) -> bool:
    """Whether it ends with what the call has made, and nothing else."""
    returned = [each.value for each in index.own(function, cst.Return)]
    return ends(function.body) and all(each is call or is_made(index, each, call) for each in returned)


def is_made(index: Index, node: cst.CSTNode | None, call: cst.Call) -> bool:
    """Whether a name stands for what a call has made."""
    found = [each.by for each in index.bindings(node)] if isinstance(node, cst.Name) else []
    return len(found) == 1 and isinstance(found[0], cst.Assign) and found[0].value is call


def _passes_on(index: Index, function: cst.FunctionDef, call: cst.Call, given: list[cst.Arg]) -> bool:
    params = function.params
    stars = [params.star_arg, params.star_kwarg]
    names = [each for each in stars if isinstance(each, cst.Param)]
    others = (*params.posonly_params, *params.params, *params.kwonly_params)
    if len(others) != 1 or len(names) != len(stars) or [each.star for each in given] != ["*", "**"]:
        return False
    if not all(_names(index, each.value, name) for each, name in zip(given, names, strict=True)):
        return False
    return all(_is_kept(index, each) and _is_unchanged(index, each, call) for each in names)


def _is_unchanged(index: Index, parameter: cst.Param, call: cst.Call) -> bool:
    """Whether nothing that runs before a call changes what a parameter is given."""
    if any(isinstance(each, cst.For | cst.While) for each in _round(index, call)):
        return False
    binding = index.binding(parameter.name)
    uses = binding.variable.uses if binding else ()
    return all(_but_reads(index, each) for each in uses if index.order(each) < index.order(call))


def _round(index: Index, node: cst.CSTNode | None) -> Iterator[cst.CSTNode]:
    while node is not None and not isinstance(node, cst.FunctionDef):
        yield node
        node = index.parent(node)


def _but_reads(index: Index, use: cst.CSTNode) -> bool:
    """Whether a use of a dict or a tuple leaves it as it is."""
    parent = index.parent(use)
    if isinstance(parent, cst.Arg):
        call = index.parent(parent)
        return bool(parent.star) or (isinstance(call, cst.Call) and m.matches(call.func, READERS))
    if isinstance(parent, cst.Attribute):
        return parent.attr.value in READS
    is_read = isinstance(parent, cst.Subscript) and isinstance(index.parent(parent), cst.Arg | cst.Assign)
    return is_read or isinstance(parent, cst.ComparisonTarget | cst.For | cst.CompFor)
