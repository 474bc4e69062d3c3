"""What mappings that are read when the script runs may hold for a Trainer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...spec.load import LoadedSpec
from ...spec.trainer_settings import EXPRESSIBLE
from ..code.parsers import default_settings
from ..code.scalars import option_name

Entry = tuple[str, cst.BaseExpression]

UPDATE = m.Call(m.Attribute(attr=m.Name("update")))
KEY = [m.SubscriptElement(m.Index(m.SimpleString()))]


def with_expected_settings(project: Project, loaded: LoadedSpec) -> LoadedSpec:
    """The spec, with options and fields of such names among the keys that it expects, where it does not name any."""
    if loaded.is_given("trainer_keys"):
        return loaded
    names = {*loaded.spec.trainer_keys, *_options(project), *default_settings(project), *_fields(project)}
    expected = tuple(name for name in EXPRESSIBLE if name in names)
    return replace(loaded, spec=loaded.spec.model_copy(update={"trainer_keys": expected}))


def _fields(project: Project) -> Iterator[str]:
    """The names of the fields that classes declare, as dataclasses do, and models of pydantic's."""
    yield from project.kept_fields
    for node in project.index.of_kind(cst.AnnAssign):
        scope = project.index.scope_of(node)
        if isinstance(node.target, cst.Name) and not scope.is_function and project.index.class_of(node):
            yield node.target.value


def _options(project: Project) -> Iterator[str]:
    """The names of argparse's options."""
    for attribute in project.index.attributes("add_argument"):
        call = project.index.parent(attribute)
        if isinstance(call, cst.Call) and (name := option_name(call)):
            yield name


def stored_in(project: Project, mapping: cst.BaseExpression) -> Iterator[Entry | cst.BaseExpression]:
    """What a variable's mapping is given under names that are written out, and mappings that it is updated by."""
    variable = project.index.variable(mapping) if isinstance(mapping, cst.Name) else None
    for binding in variable.bindings if variable is not None else ():
        yield from _bound(binding.by)
    for use in variable.uses if variable is not None else ():
        parent = project.index.parent(use)
        if isinstance(parent, cst.Subscript) and parent.value is use:
            yield from _set(project, parent)
        elif isinstance(parent, cst.Attribute) and parent.value is use:
            yield from _updated(project.index.parent(parent))


def _bound(statement: cst.CSTNode) -> Iterator[Entry | cst.BaseExpression]:
    """What a variable's mapping begins with, and what `|=` adds to it."""
    if isinstance(statement, cst.Assign) and isinstance(statement.value, cst.Dict):
        for part in statement.value.elements:
            if isinstance(part, cst.DictElement) and isinstance(part.key, cst.SimpleString):
                yield str(part.key.evaluated_value), part.value
            elif isinstance(part, cst.StarredDictElement):
                yield part.value
    elif isinstance(statement, cst.AugAssign) and isinstance(statement.operator, cst.BitOrAssign):
        yield statement.value


def is_replaced(project: Project, mapping: cst.BaseExpression, key: str, use: cst.CSTNode) -> bool:
    """Whether code surely has put something else under a key of a variable's mapping before it is used."""
    variable = project.index.variable(mapping) if isinstance(mapping, cst.Name) else None
    if variable is None or len(variable.bindings) > 1:
        return False
    items = (project.index.parent(each) for each in variable.uses)
    stored = [each for each in items if isinstance(each, cst.Subscript) and each.value in variable.uses]
    return any(
        name == key and _is_run_before(project, each, use)
        for each in stored
        for name, _ in _set(project, each)
    )


def _is_run_before(project: Project, node: cst.CSTNode, use: cst.CSTNode) -> bool:
    """Whether a use is in the same block as a node's statement, and behind it."""
    statement = project.index.ancestor(node, cst.SimpleStatementLine)
    block = project.index.parent(statement) if statement else None
    is_in_block = block is not None and project.index.holds(block, use)
    return is_in_block and project.index.order(node) < project.index.order(use)


def _set(project: Project, item: cst.Subscript) -> Iterator[Entry]:
    """`mapping["key"] = value`."""
    target = project.index.parent(item)
    statement = project.index.parent(target) if isinstance(target, cst.AssignTarget) else None
    if isinstance(statement, cst.Assign) and m.matches(item, m.Subscript(slice=KEY)):
        (element,) = item.slice
        key = cst.ensure_type(cst.ensure_type(element.slice, cst.Index).value, cst.SimpleString)
        yield str(key.evaluated_value), statement.value


def _updated(call: cst.CSTNode | None) -> Iterator[Entry | cst.BaseExpression]:
    """`mapping.update(other, key=value)`."""
    if isinstance(call, cst.Call) and m.matches(call, UPDATE):
        for argument in call.args:
            if argument.keyword is not None:
                yield argument.keyword.value, argument.value
            elif argument.star in ("", "**"):
                yield argument.value
