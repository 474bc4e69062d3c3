"""Functions that a module makes methods of its classes: `Net.on_fit_end = report`, or `on_fit_end = report` in one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import libcst as cst

from ..index import patterns as m
from ..index.search import findall
from ..ir.project import CALLED, Statement, assigned, bound_by

ADOPTS = m.SimpleStatementLine(
    body=[m.Assign(targets=[m.AssignTarget(m.Attribute(m.Name(), m.Name()))], value=m.Name())]
)

Adopted = dict[str, dict[str, cst.FunctionDef]]
"""By the class's name, and by the method's."""


def adopted_methods(statements: Sequence[Statement]) -> Adopted:
    """Those that Lightning calls, as far as nothing runs between the class and where it is given them."""
    bound = Counter(name for statement in statements for name in statement.names)
    shared = {item.name.value for each in statements for item in _globals(each)}
    functions: dict[str, cst.FunctionDef] = {}
    classes, found, times = set[str](), defaultdict[str, dict[str, cst.FunctionDef]](dict), Counter[object]()
    for statement in statements:
        node = statement.node
        if isinstance(node, cst.ClassDef | cst.FunctionDef) and not node.decorators:
            name = node.name.value
            if bound[name] != 1 or name in shared:
                continue
            if isinstance(node, cst.FunctionDef):
                functions |= {name: node}
                continue
            classes |= {name}
            for method, function in _in_body(node):
                times[name, method] += 1
                found[name] |= {method: functions[function]} if function in functions else {}
        elif m.matches(node, ADOPTS):
            cls, method, function = _parts(node)
            times[cls, method] += 1
            if cls in classes and method in CALLED and function in functions:
                found[cls][method] = functions[function]
        elif statement.always:
            classes.clear()  # it may use them
    return {
        cls: {name: each for name, each in of.items() if times[cls, name] == 1} for cls, of in found.items()
    }


def _in_body(cls: cst.ClassDef) -> Iterator[tuple[str, str]]:
    """The names of methods that Lightning calls, each with the one name of something else that it is bound to."""
    body = cls.body.body
    bound = [name for node in body for name in bound_by(node)]
    for new, old in (pair for node in body for pair in assigned(node)):
        if new in CALLED and bound.count(new) == 1 and old not in bound:
            yield new, old


def _parts(node: cst.CSTNode) -> tuple[str, str, str]:
    """`Net`, `on_fit_end` and `report`."""
    assign = cst.ensure_type(cst.ensure_type(node, cst.SimpleStatementLine).body[0], cst.Assign)
    target = cst.ensure_type(assign.targets[0].target, cst.Attribute)
    names = target.value, target.attr, assign.value
    cls, method, function = (cst.ensure_type(each, cst.Name).value for each in names)
    return cls, method, function


def _globals(statement: Statement) -> Iterator[cst.NameItem]:
    """What functions may bind anew."""
    if "global" in statement.code:
        for node in findall(statement.node, m.Global()):
            yield from cst.ensure_type(node, cst.Global).names
