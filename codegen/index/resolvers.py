"""Functions that OmegaConf calls with what stands in a configuration: `${double:3}`."""

from __future__ import annotations

import libcst as cst

from . import patterns as m
from .index import Index

REGISTERING = m.Call(m.Attribute(attr=m.Name("register_new_resolver") | m.Name("register_resolver")))


def evaluates_configuration(index: Index, node: cst.CSTNode) -> bool:
    """Whether `eval` is given just what OmegaConf calls a resolver with."""
    call = cst.ensure_type(node, cst.Call)
    function = index.ancestor(call, cst.Lambda, cst.FunctionDef)
    text = call.args[0].value if call.args else None
    if not isinstance(function, cst.Lambda | cst.FunctionDef) or not isinstance(text, cst.Name):
        return False
    if not _is_resolver(index, function):
        return False
    parameters = [*function.params.posonly_params, *function.params.params]
    variable = index.variable(text)
    bindings = variable.bindings if variable else []
    return len(bindings) == 1 and any(bindings[0].by is each for each in parameters)


def _is_resolver(index: Index, function: cst.Lambda | cst.FunctionDef) -> bool:
    """Whether all that becomes of a function is that it is registered."""
    if isinstance(function, cst.Lambda):
        return _is_registered(index, function)
    variable = index.variable(function.name)
    bindings, uses = (variable.bindings, variable.uses) if variable else ([], [])
    is_plain = len(bindings) == 1 and not function.decorators
    return is_plain and bool(uses) and all(_is_registered(index, each) for each in uses)


def _is_registered(index: Index, node: cst.CSTNode) -> bool:
    argument = index.parent(node)
    call = index.parent(argument) if isinstance(argument, cst.Arg) else None
    return call is not None and m.matches(call, REGISTERING)
