"""`model.save_hyperparameters(...)`, which code outside of the class calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Class, Project
from ...ir.rewrites import OBJECT, Rewrite, Slot
from ...ir.saving import objects_of
from ...values import Class as ClassValue
from ...values import Instance, values_of
from ..code.instances import Instances
from ..code.usage import Usage

SAVING = "save_hyperparameters"
LITERAL = m.Name("True") | m.Name("False")


@lru_cache(maxsize=4)
def calls_outside(project: Project) -> Mapping[cst.Call, frozenset[str]]:
    """The calls outside of all classes of Lightning's kinds, with the names of the classes whose objects save."""
    values, instances, found = values_of(project), Instances(project), dict[cst.Call, frozenset[str]]()
    for node in project.index.attributes(SAVING):
        call = project.index.parent(node)
        if not isinstance(call, cst.Call) or call.func is not node or _is_within_class(project, node):
            continue
        made = [instances.class_of(each) for each in values.of(node.value) if isinstance(each, Instance)]
        classes = [cls for cls in made if cls is not None and _is_served(cls)]
        if classes and len(classes) == len(made):
            found[call] = frozenset(cls.name for cls in classes)
    return found


def _is_served(cls: Class) -> bool:
    """Whether its objects are given hyperparameters by Lightning's own method."""
    return cls.kind != "other" and SAVING not in cls.methods


def _is_within_class(project: Project, node: cst.CSTNode) -> bool:
    """Whether it stands in a class of Lightning's kinds, or in one that makes classes."""
    cls = project.index.class_of(node)
    if cls is None or cls in metaclasses(project):
        return cls is not None
    return bool(values_of(project).lightning_bases(ClassValue(cls)))


def metaclasses(project: Project) -> list[cst.ClassDef]:
    """What makes the project's classes, which are read apart."""
    making = (each.metaclass for each in project.classes.values() if each.metaclass)
    return [part.node for each in making for part in each.lineage]


def saved_outside(project: Project, cls: Class) -> list[cst.Call]:
    """The calls that may save hyperparameters of a class's objects."""
    return [call for call, classes in calls_outside(project).items() if cls.name in classes]


def is_told(call: cst.Call) -> bool:
    """Whether loggers are to be told of what a call saves."""
    return not any(m.matches(each, m.Arg(m.Name("False"), m.Name("logger"))) for each in call.args)


def ignores_some(project: Project) -> bool:
    """Whether one of the calls leaves out some of what it is given."""
    ignoring = m.Arg(keyword=m.Name("ignore"))
    return any(m.matches(each, ignoring) for call in calls_outside(project) for each in call.args)


def check_saved_outside(
    project: Project, cls: Class, usage: Usage, name: str | None, tells: set[bool]
) -> Iterator[Diagnostic]:
    """Calls that cannot be translated, of a class that itself saves under a name and tells loggers or not."""
    calls = saved_outside(project, cls)
    tells = tells | {is_told(call) for call in calls}
    for call in calls:
        at = (project.source, call.func)
        if project.index.function_of(call) in usage.followed:
            yield messages.hyperparameters_unreadable(at)
        elif not _is_readable(call):
            yield messages.hyperparameters_saved_outside(at)
        elif name:
            yield messages.hyperparameters_renamed(at, cls.name, name)
        elif len(tells) > 1:
            yield messages.hyperparameters_told_apart(at, cls.name)


def _is_readable(call: cst.Call) -> bool:
    """Whether it saves one object by position, and is told nothing else but what to leave out and who is told."""
    keywords = [each for each in call.args if each.keyword]
    known = m.Arg(keyword=m.Name("ignore")) | m.Arg(LITERAL, m.Name("logger"))
    is_one = len(call.args) - len(keywords) == len(objects_of(call)) == 1
    return is_one and not call.args[0].star and all(m.matches(each, known) for each in keywords)


def saving_rewrites(project: Project) -> Iterator[Rewrite]:
    """The calls as calls of the script's own function."""
    for call in calls_outside(project):
        places = {each.keyword.value: place for place, each in enumerate(call.args) if each.keyword}
        saved = next((place for place, each in enumerate(call.args) if not each.keyword), 0)
        ignored = (Slot("ignore", places["ignore"]),) if "ignore" in places else ()
        yield Rewrite(call, SAVING, (Slot(None, OBJECT), Slot(None, saved), *ignored))
