"""Datasets and samplers whose length may change while a model is trained."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ...index import patterns as m
from ...index.targets import is_target
from ...ir.project import Class, Project
from ...values import Class as UserClass
from ...values import Instance, values_of

LENGTH = "__len__"
BASES = ("Dataset", "Sampler")
"""How classes of torch's end that a loader asks for their lengths."""


def may_change_length(project: Project) -> bool:
    """Whether one has a length that depends on what code sets once it is made."""
    own = (cls for cls in project.classes.values() if LENGTH in cls.methods)
    return any(_changes(project, cls) for cls in own) or _sets_batch_size(project)


def _sets_batch_size(project: Project) -> bool:
    """Whether code gives a sampler of torch's batches of another size."""
    nodes = (each for each in project.index.attributes("batch_size") if is_target(project.index, each))
    return any(m.matches(each.value, m.Attribute(attr=m.Name("batch_sampler"))) for each in nodes)


def _changes(project: Project, cls: Class) -> bool:
    bases = values_of(project).library_bases(UserClass(cls.node))
    if not any(each.name.endswith(BASES) for each in bases):
        return False
    asked = {name for method in _reached(project, cls, LENGTH) for name in _own_names(project, method)}
    return any(name in asked for name in _set_later(project, cls))


def _reached(project: Project, cls: Class, first: str) -> list[cst.FunctionDef]:
    """A method and those that it calls."""
    names, waiting = dict[str, None](), [first]
    while waiting:
        name = waiting.pop()
        if name in cls.methods and name not in names:
            names[name] = None
            waiting += _own_names(project, cls.methods[name])
    return [cls.methods[name] for name in names]


def _own_names(project: Project, method: cst.FunctionDef) -> Iterator[str]:
    """The names that a method speaks of as attributes of `self`."""
    for node in project.index.within(method, cst.Attribute):
        if isinstance(node.value, cst.Name) and node.value.value == "self":
            yield node.attr.value


def _set_later(project: Project, cls: Class) -> Iterator[str]:
    """The attributes that code sets, or may, which is not run by the constructor alone."""
    index, lineage = project.index, {part.node for part in cls.lineage}
    making = _reached(project, cls, "__init__")
    called = {node for each in making[1:] for node in index.attributes(each.name.value)}
    is_alone = all(index.function_of(node) in making for node in called)
    for owner, name, place in values_of(project).stores():
        is_own = not isinstance(owner, Instance) or getattr(owner.cls, "node", None) in lineage
        function = index.function_of(place)
        is_first = function in making[:1] or (is_alone and function in making)
        if is_own and not is_first:
            yield name
