"""Whether a main goes on with a model that it has trained, which Lightning leaves on the CPU (2.7)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import libcst as cst

from ...ir.project import Project
from ...values import BoundMethod, Class, External, Function, Given, Instance, Value, Values, values_of
from ..code.instances import Instances
from ..main.run_order import LOOPS, RunOrder
from ..model.training_modes import WITHOUT_MODULES


def may_outlive(
    project: Project,
    uses: Iterable[cst.BaseExpression],
    models: Collection[str],
    trained: Collection[Value],
    runs: Collection[cst.CSTNode],
) -> bool:
    """Whether one of the expressions, outside of hooks, may use a model of these classes after one of the `runs`.

    Or one of the networks that those which are `trained` have been made of.
    """
    instances, parts = Instances(project), {*_parts(project, trained)}
    return any(
        not set(models).isdisjoint(instances.names(found, "module")) or not parts.isdisjoint(found)
        for node in uses
        if _is_used(project, node, runs) and not _comes_before(project, node, runs)
        if not _is_a_modules(project, node)
        for found in (instances.values.of(node),)
    )


def may_be_saved_after(
    project: Project, saving: Iterable[cst.CSTNode], runs: Collection[cst.CSTNode]
) -> bool:
    """Whether a Trainer is asked to save what it has trained, outside of hooks, after one of the `runs`."""
    return any(not _comes_before(project, node, runs) for node in saving)


def _parts(project: Project, trained: Collection[Value]) -> Iterator[Instance]:
    """The objects that models have been given, or keep, and that may be networks."""
    values = values_of(project)
    found = [given.values for model in trained for given in _given(values, model)]
    classes = {model.cls for model in trained if isinstance(model, Instance)}
    for owner, name, _ in values.stores():
        if isinstance(owner, Instance) and owner.cls in classes:
            found.append(values.attribute(owner, name))
    for part in (each for one in found for each in one.instances):
        if isinstance(part.cls, Class) or (isinstance(part.cls, External) and _may_be_network(part.cls)):
            yield part


def _may_be_network(made: External) -> bool:
    return made.is_local or made.package == "torch" or made.package not in WITHOUT_MODULES


def _given(values: Values, model: Value) -> Iterator[Given]:
    """What the model's constructor is given."""
    made = model.node if isinstance(model, Instance) else None
    yield from values.arguments(made, ()).values() if isinstance(made, cst.Call) else ()


def _is_a_modules(project: Project, node: cst.CSTNode) -> bool:
    """Whether it stands in a module of torch's kind, which runs within a model."""
    cls = project.index.class_of(node)
    bases = values_of(project).library_bases(Class(cls)) if cls else []
    return any(each.package == "torch" for each in bases)


def _is_used(project: Project, node: cst.BaseExpression, runs: Collection[cst.CSTNode]) -> bool:
    """Whether more is done with what an expression gives than to hand it to a run or to the project's own code."""
    parent = project.index.parent(node)
    if isinstance(parent, cst.Attribute):
        return parent.value is node
    call = project.index.parent(parent) if isinstance(parent, cst.Arg) else parent
    if not isinstance(call, cst.Call) or call in runs:
        return False
    own = (BoundMethod, Class, Function)
    return call.func is node or not all(isinstance(each, own) for each in values_of(project).callees(call))


def _comes_before(project: Project, node: cst.CSTNode, runs: Collection[cst.CSTNode]) -> bool:
    """Whether it stands in a function that runs something, and is run before that."""
    if project.index.ancestor(node, cst.Lambda):
        return False
    function, loops = project.index.function_of(node), RunOrder(project).around(node, LOOPS)
    beside = [each for each in runs if project.index.function_of(each) is function]
    is_first = all(project.index.order(node) < project.index.order(each) for each in beside)
    return (
        bool(beside)
        and is_first
        and not any(project.index.holds(each, run) for each in loops for run in beside)
    )
