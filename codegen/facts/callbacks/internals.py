"""What classes derived from Lightning's callbacks and loggers have to do with the inner life of these."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Class, Project, Statement
from ...lightning.api import LOGGERS
from ...lightning.internals import ANSWERS, OURS, RENEWED, SETTINGS, THEIRS, lent_by
from ...values import Instance, values_of
from ..code.asked_by_name import asked_by_name
from ..code.instances import Instances

SETTING = cst.AssignTarget | cst.AnnAssign
ITSELF = m.Attribute(value=m.Name("self") | m.Call(func=m.Name("super")))


DEFAULT = "TensorBoardLogger"
"""The logger of a Trainer that is given none."""

INTERNAL = frozenset[str]().union(*THEIRS.values())

_QUOTED = m.SimpleString("'logger'") | m.SimpleString('"logger"')
LOGGER_ASKED = m.Attribute(attr=m.Name("logger")) | m.Subscript(m.Attribute(attr=m.Name("loggers")))
LOGGER_ASKED |= m.Call(m.Name("getattr"), [m.Arg(), m.Arg(_QUOTED), m.ZeroOrMore()])
"""What stands for any of a Trainer's loggers."""


def check_internals(project: Project, statements: Collection[Statement]) -> Iterator[Diagnostic]:
    """Names by which they would reach into Lightning's classes, and would miss or hit the script's."""
    yield from _asked_of_objects(project, statements)
    for node, is_set, base in _named_in_classes(project, statements):
        if is_set and _is_given(project, node, base, node.value):
            yield messages.experiment_given((project.source, node), node.value, base)
        elif node.value in THEIRS.get(base, ()) or (is_set and _changes_nothing(project, node, base)):
            yield messages.lightning_internal((project.source, node), node.value, base)
        elif is_set and node.value in OURS.get(base, ()):
            yield messages.name_of_the_scripts((project.source, node), node.value, base)
    yield from _on_objects(project)


def _named_in_classes(
    project: Project, statements: Iterable[Statement]
) -> Iterator[tuple[cst.Name, bool, str]]:
    """The names in classes that derive from Lightning's, and in what else these derive from, with Lightning's class."""
    found: dict[tuple[cst.Name, str], bool] = {}
    for cls in (each for statement in statements for each in project.classes_in(statement)):
        bases = [part for part in cls.resolution_order if isinstance(part, str)]
        for part in cls.lineage if bases else ():
            found |= {(node, base): is_set for node, is_set in _names_in(project, part) for base in bases}
    yield from ((node, is_set, base) for (node, base), is_set in found.items())


def _is_given(project: Project, node: cst.CSTNode, base: str, name: str) -> bool:
    """Whether something else than None is set there in the place of what is made when it is first asked for."""
    statement = project.index.ancestor(node, cst.Assign, cst.AnnAssign)
    value = statement.value if isinstance(statement, cst.Assign | cst.AnnAssign) else None
    return name in RENEWED.get(base, ()) and not (value is not None and m.matches(value, m.Name("None")))


def _changes_nothing(project: Project, node: cst.Name, base: str) -> bool:
    """Whether a class has something in the place of what the script's class has only for whoever asks."""
    is_attribute = isinstance(project.index.parent(node), cst.Attribute)
    return node.value in ANSWERS.get(base, ()) or (node.value in SETTINGS.get(base, ()) and not is_attribute)


def _on_objects(project: Project) -> Iterator[Diagnostic]:
    """The same of objects of Lightning's classes: what is set on them, and what is asked for by its name."""
    loggers = _loggers(project)
    for owner, name, place in values_of(project).stores():
        bases = {(isinstance(owner, Instance) and owner.lightning) or ""}
        at = project.source, place.attr if isinstance(place, cst.Attribute) else place
        if isinstance(place, cst.Attribute) and _is_trainers_logger(project, place.value):
            bases |= loggers
        for base in sorted(bases):
            if _is_given(project, at[1], base, name):
                yield messages.experiment_given(at, name, base)
            if name in THEIRS.get(base, frozenset()) | lent_by(base):
                yield messages.lightning_internal(at, name, base, is_of_object=True)
    for call, owner, name in asked_by_name(project):
        for base in sorted(Instances(project).lightning_names(owner)):
            if name in THEIRS.get(base, ()):
                yield messages.lightning_internal((project.source, call), name, base, is_of_object=True)


def _asked_of_objects(project: Project, statements: Iterable[Statement]) -> Iterator[Diagnostic]:
    """What is asked of objects of Lightning's classes, and the script's have not."""
    loggers = _loggers(project)
    nodes = (node for each in statements for node in project.index.within(each.node, cst.Attribute))
    for node in nodes:
        if node.attr.value in INTERNAL and not isinstance(project.index.parent(node), SETTING):
            at = project.source, node.attr
            for base in _lacking(project, node, loggers):
                yield messages.lightning_internal(at, node.attr.value, base, is_of_object=True)


def _loggers(project: Project) -> frozenset[str]:
    """Those of Lightning's that a Trainer may have."""
    made = frozenset(name for name in LOGGERS if values_of(project).calls_of(name))
    return made or frozenset({DEFAULT})


def _lacking(project: Project, node: cst.Attribute, loggers: frozenset[str]) -> list[str]:
    """The classes of what is asked, as far as the script's have no such attribute; of a Trainer's logger any."""
    instances, asked = Instances(project), values_of(project).of(node.value).instances
    kinds = [
        {each.lightning or ""} if m.matches(node, ITSELF) else instances.lightning_names(each)
        for each in asked
    ]
    made = set[str]().union(*kinds)
    found = made | loggers if _is_trainers_logger(project, node.value) else made
    return sorted(base for base in found if node.attr.value in THEIRS.get(base, ()))


def _is_trainers_logger(project: Project, node: cst.BaseExpression) -> bool:
    """Whether an expression may be one of a Trainer's loggers, or a variable that is given one."""
    if m.matches(node, LOGGER_ASKED):
        return True
    variable = project.index.variable(node) if isinstance(node, cst.Name) else None
    given = (each.by for each in variable.bindings) if variable else ()
    return any(isinstance(each, cst.Assign) and m.matches(each.value, LOGGER_ASKED) for each in given)


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
