"""Hooks that are no methods, but are set while the program runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from .. import lightning_api as api
from .. import messages
from ..diagnostics import Diagnostic
from ..ir.project import Class, Project, Statement
from ..values import Class as ClassValue
from ..values import External, Instance, Unknown, Value, Values, values_of
from .callbacks import is_callback

HOOKS = (api.HOOKS | api.STEPS | api.CALLBACK_HOOKS | {"state_dict", "load_state_dict"}) - {"forward"}
"""What a script calls by its name, as Lightning does."""

HOOKED = {"LightningModule", "LightningDataModule", *api.CALLBACKS}


def check_hook_stores(
    project: Project, statements: Iterable[Statement], called: frozenset[str]
) -> Iterator[Diagnostic]:
    """Those of models, data modules and callbacks: what they do is not read; `called` are hooks of evaluations."""
    hooks = (HOOKS - api.UNCALLED) | called
    classes = [cls for statement in statements for cls in project.classes_in(statement)]
    hooked = [cls for cls in classes if cls.kind != "other" or is_callback(cls)]
    lineage = dict.fromkeys(part for cls in hooked for part in cls.lineage)
    values = values_of(project)
    found: list[tuple[cst.CSTNode, str]] = [(each, each.value) for part in lineage for each in _targets(part)]
    found += [(place, name) for owner, name, place in values.stores() if _may_have_hooks(values, owner)]
    for place, name in dict.fromkeys(found):
        if name in hooks:
            yield messages.assigned_hook((project.source, place), name)
    yield from _replaced(project, values, lineage)


def _may_have_hooks(values: Values, owner: Value) -> bool:
    """Whether Lightning calls hooks of an object, or of objects of a class."""
    cls = owner.cls if isinstance(owner, Instance) else owner
    if isinstance(cls, ClassValue):
        return not HOOKED.isdisjoint(values.lightning_bases(cls))
    return isinstance(cls, Unknown) or (isinstance(cls, External) and cls.lightning in HOOKED)


def _replaced(project: Project, values: Values, classes: Iterable[Class]) -> Iterator[Diagnostic]:
    """Classes in whose place a decorator puts another one of the user's."""
    for cls in classes:
        others = [each for each in values.of(cls.node.name).classes if each.node is not cls.node]
        if cls.node.decorators and others:
            yield messages.replaced_class((project.source, cls.node.decorators[0]), cls.name, others[0].name)


def _targets(cls: Class) -> Iterator[cst.Name]:
    """The names that the class's body assigns to."""
    lines = (node for node in cls.node.body.body if isinstance(node, cst.SimpleStatementLine))
    for assign in (part for line in lines for part in line.body):
        targets = assign.targets if isinstance(assign, cst.Assign) else ()
        yield from (each.target for each in targets if isinstance(each.target, cst.Name))
