"""Metaclasses of the user's: what they do with the classes and the objects that they make, as far as it is read."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import Index
from ...index import patterns as m
from ...ir.metaclasses import TYPES, calls_saving, kept_initially
from ...ir.project import Class, Project
from ...lightning import api
from ...lightning.module_names import ALWAYS_HAS, OF_CLASS, PROPERTIES
from ...values import Class as ClassValue
from ...values import Making, is_made, making_of, new_class_of, values_of

READ = frozenset({"__new__", "__init__", "__call__"})

ASKED = frozenset(
    "__contains__ __dir__ __eq__ __getitem__ __hash__ __iter__ __len__ __lt__ __repr__ __str__".split()
)
"""Methods with underscores that change nothing of the classes."""

DELETES = m.Call(func=m.Name("delattr"))
SETS = m.Call(m.Name("setattr"), [m.Arg(), m.Arg(~m.SimpleString()), m.ZeroOrMore()])
"""An attribute under a name that need not be known."""

BEHIND = frozenset({"_hparams", "_hparams_initial"})

OF_LIGHTNING = ALWAYS_HAS["module"] | ALWAYS_HAS["data"] | OF_CLASS | PROPERTIES | api.MEMBERS | BEHIND
"""What objects have of Lightning's."""


def check_metaclass(project: Project, cls: Class, written: cst.Arg) -> Iterator[Diagnostic]:
    """What is not known of the metaclass that a class of Lightning's kind says."""
    made_by = cls.own_metaclass
    if project.qualified(written.value) in TYPES:
        return
    if made_by is None or not is_read(made_by):
        yield messages.metaclass((project.source, written))
        return
    for part in made_by.lineage:
        for node, instead in _unread(project, part, cls):
            yield messages.metaclass_unread((project.source, node), made_by.name, instead)


def is_read(metaclass: Class) -> bool:
    """Whether all of it stands in the code."""
    bases = [each for each in metaclass.resolution_order if not isinstance(each, Class)]
    return bool(bases) and all(each in TYPES for each in bases)


def _unread(project: Project, part: Class, cls: Class) -> Iterator[tuple[cst.CSTNode, str]]:
    """Places, each with what to do instead."""
    for name, method in part.own_methods.items():
        is_special = name.startswith("__") and name.endswith("__")
        if (is_special and name not in READ | ASKED) or name == "mro":
            yield method.name, f"Do without `{name}`"
    index = project.index
    if (new := part.own_methods.get("__new__")) is not None:
        making = new_class_of(index, new)
        if making is None or not making.gives_it:
            yield new.name, "Return the class that `super().__new__` makes of the arguments, as they are"
    if (call := part.own_methods.get("__call__")) is not None:
        yield from _unread_in_call(project, part, call)
    yield from ((each, "Do without it") for each in _deleted(index, part))
    yield from ((each, "Write it into the classes") for each in index.matching(part.node, SETS))
    yield from ((place, "Write it into the classes") for place in _replaced(project, part, cls))


def _unread_in_call(
    project: Project, part: Class, call: cst.FunctionDef
) -> Iterator[tuple[cst.CSTNode, str]]:
    making = making_of(project.index, call)
    if making is None or not making.gives_it:
        yield call.name, "Make one object with `super().__call__`, and return that"
        return
    read = {*_saving(project.index, part, making)}
    yield from (
        (each, "Save what is made there, and nothing else")
        for each in _saved_of_others(project.index, part, making)
    )
    for node in project.index.within(call, cst.Attribute):
        is_of_object = is_made(project.index, node.value, making.call)
        if is_of_object and node.attr.value in OF_LIGHTNING and node not in read:
            yield node, "Do it in the `__init__` of the classes"


def _saving(index: Index, part: Class, making: Making) -> Iterator[cst.CSTNode]:
    """The attributes in the statements that save hyperparameters."""
    for statement in (*calls_saving(part), *kept_initially(part)):
        for node in index.within(statement, cst.Attribute):
            if is_made(index, node.value, making.call):
                yield node


def _saved_of_others(index: Index, part: Class, making: Making) -> Iterator[cst.CSTNode]:
    """Statements that look like those, and are of something else."""
    for statement in (*calls_saving(part), *kept_initially(part)):
        owner = index.within(statement, cst.Attribute)[0].value
        if not is_made(index, owner, making.call):
            yield statement


def _deleted(index: Index, part: Class) -> Iterator[cst.CSTNode]:
    yield from (each for each in index.within(part.node, cst.Call) if m.matches(each, DELETES))
    for statement in index.within(part.node, cst.Del):
        yield from index.within(statement, cst.Attribute)


def _replaced(project: Project, part: Class, cls: Class) -> Iterator[cst.CSTNode]:
    """Where it sets what classes have of their own or of Lightning's, or what is not known by name."""
    made = {each.node: each for each in project.classes.values() if cls in each.lineage}
    for owner, name, place in values_of(project).stores():
        derived = made.get(owner.node) if isinstance(owner, ClassValue) else None
        if derived is not None and project.index.holds(part.node, place):
            is_special = name.startswith("__") or name == "*"
            if is_special or name in derived.methods or name in OF_LIGHTNING:
                yield place
