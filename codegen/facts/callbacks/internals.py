"""What classes derived from Lightning's callbacks and loggers have to do with the inner life of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Class, Project, Statement
from ...lightning_internals import OURS, THEIRS
from ...values import Instance, values_of

SETTING = cst.AssignTarget | cst.AnnAssign
ITSELF = m.Attribute(value=m.Name("self") | m.Call(func=m.Name("super")))


def check_internals(project: Project, statements: Iterable[Statement]) -> Iterator[Diagnostic]:
    """Names by which they would reach into Lightning's classes, and would miss or hit the script's."""
    for cls in (each for statement in statements for each in project.classes_in(statement)):
        bases = [part for part in cls.resolution_order if isinstance(part, str)]
        for node, is_set in _names_in(project, cls):
            for base in bases:
                if node.value in THEIRS.get(base, ()):
                    yield messages.lightning_internal((project.source, node), node.value, base)
                elif is_set and node.value in OURS.get(base, ()):
                    yield messages.name_of_the_scripts((project.source, node), node.value, base)
    for owner, name, place in values_of(project).stores():
        base = (isinstance(owner, Instance) and owner.lightning) or ""
        if name in THEIRS.get(base, ()) and isinstance(place, cst.Attribute):
            yield messages.lightning_internal((project.source, place.attr), name, base)


def _names_in(project: Project, cls: Class) -> Iterator[tuple[cst.Name, bool]]:
    """The names of its members, and of those that its methods ask for; whether the class sets them."""
    lines = [each for each in cls.node.body.body if isinstance(each, cst.SimpleStatementLine)]
    for target in (each for line in lines for each in project.index.within(line, cst.AssignTarget)):
        if isinstance(target.target, cst.Name):
            yield target.target, True
    for method in cls.own_methods.values():
        yield method.name, True
        for node in project.index.within(method, cst.Attribute):
            if m.matches(node, ITSELF):
                yield node.attr, isinstance(project.index.parent(node), SETTING)
