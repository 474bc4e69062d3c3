"""LightningModules beside the one that is trained, which it may hold as a part."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...index.targets import attributes_set
from ...ir.project import Class
from ...values import Instance, Value
from .asked_by_name import asked_by_name
from .instances import Instances
from .usage import LIGHTNINGS_OF, class_level_names


def is_asked_of_part(instances: Instances, model: Class, node: cst.Attribute) -> bool:
    """Whether a member is asked of a LightningModule that does not give it itself."""
    return any(
        _is_part_without(instances, model, node.attr.value, value)
        for value in instances.values.of(node.value)
    )


def parts_ask(instances: Instances, model: Class, name: str) -> bool:
    """Whether code asks for a member so, wherever it stands, by an attribute or by `getattr`."""
    project = instances.project
    by_name = (owner for _, owner, asked in asked_by_name(project) if asked == name)
    return any(is_asked_of_part(instances, model, each) for each in project.index.attributes(name)) or any(
        _is_part_without(instances, model, name, owner) for owner in by_name
    )


def _is_part_without(instances: Instances, model: Class, name: str, value: Value) -> bool:
    """Whether a value is such a LightningModule."""
    cls = instances.class_of(value)
    return (
        cls is not None
        and cls.kind == "module"
        and name not in own_names(instances, cls)
        and not _stands_for_model(instances, value, cls, model)
    )


def _stands_for_model(instances: Instances, value: Value, cls: Class, model: Class) -> bool:
    """Whether it may be trained in the model's place, or is of a base of the model's, and no code makes it.

    Such an object is thought of for each class.
    """
    if isinstance(value, Instance) and isinstance(value.node, cst.Call):
        return value.node in instances.trained
    return cls in model.lineage or not _may_be_made(instances, cls)


def _may_be_made(instances: Instances, cls: Class) -> bool:
    """Whether something may make one: its name stands elsewhere than in itself and among the bases of others."""
    project = instances.project
    configured = project.configuration.statement.code if project.configuration else ""
    if cls.node.decorators or cls.name in configured or cls.name in project.spec_code:
        return True
    index = project.index
    named = [each for each in index.of_kind(cst.Name) if each.value == cls.name]
    return any(not index.holds(cls.node, each) and not _is_base(index, each) for each in named) or any(
        cls.name in each.value and not _is_exported(index, each) for each in index.of_kind(cst.SimpleString)
    )


def _is_exported(index: Index, text: cst.SimpleString) -> bool:
    """Whether it is but a name in `__all__`."""
    assign = index.ancestor(text, cst.Assign)
    return assign is not None and m.matches(assign, m.Assign([m.AssignTarget(m.Name("__all__"))]))


def _is_base(index: Index, name: cst.Name) -> bool:
    argument = index.parent(name)
    holder = index.parent(argument) if isinstance(argument, cst.Arg) else None
    return isinstance(holder, cst.ClassDef) and argument in holder.bases


def own_names(instances: Instances, cls: Class) -> Iterator[str]:
    """The names that a class defines, or that its code assigns."""
    index = instances.project.index
    for part in cls.lineage:
        for statement in part.node.body.body:
            yield from class_level_names(statement)
        yield from part.own_methods
        assigned = (each.attr.value for each in attributes_set(index, part.node))
        yield from (each for each in assigned if each not in LIGHTNINGS_OF.get(cls.kind, ()))
