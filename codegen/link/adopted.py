"""Functions that a module makes methods of its classes, as in `Net.on_fit_end = report`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import libcst as cst

from ..index import patterns as m
from ..index.search import findall
from ..ir.project import CALLED, Statement

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
            if bound[name] == 1 and name not in shared:
                classes |= {name} if isinstance(node, cst.ClassDef) else set()
                functions |= {name: node} if isinstance(node, cst.FunctionDef) else {}
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
