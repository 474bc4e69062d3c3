"""What DistributedDataParallel is asked for in code, a wrapper of the user's own in its place, and models without."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import Index
from ...index import patterns as m
from ...spec.init_args.values import Wrong, made_round
from ...spec.load import conflicts_of_wrapper
from ..facts import Facts
from ..lightning.trainer_objects import INTO_A_VARIABLE, PARTS, strategies_asked
from ..model.spec_objects import SpecNames
from .unsynced import wrappers_asked

KEY = "ddp.wrapper"


def check_wrapper(facts: Facts) -> Iterator[Diagnostic]:
    """Arguments that it does not take, steps of the model's own, and what a strategy in the code brings."""
    loaded = facts.loaded
    if loaded.spec.ddp.wrapper is None or not facts.is_ddp:
        return
    try:
        made_round("step", loaded.spec.ddp.wrapper, SpecNames(facts.project))
    except Wrong as wrong:
        yield wrong.say(loaded.place(".".join((KEY, *wrong.below))))
    if facts.manual:
        yield messages.not_with_wrapper(loaded.key_place(KEY), "automatic_optimization")
    for key in conflicts_of_wrapper(loaded):
        if not loaded.is_given(key):
            yield messages.not_with_wrapper(loaded.key_place(KEY), key.rpartition(".")[2])


def check_unsynced(facts: Facts) -> Iterator[Diagnostic]:
    """What is asked of the wrapper where it may keep the backward of a step from other ranks."""
    is_another = bool(facts.manual) or facts.optimizes_by_value or facts.is_sharded
    members = [facts.usage.trainer, facts.data_usage.trainer]
    members += [facts.own_main.attributes] if facts.own_main else []
    shown = sorted(name for name in PARTS["strategy"] if not name.startswith("_"))
    index = facts.project.index
    for node in dict(wrappers_asked(index, strategies_asked(index, members))):
        is_context = m.matches(node, m.Call(m.Attribute()))
        if is_another or (is_context and (_may_hold_step(facts, node) or not _is_entered(index, node))):
            yield messages.part_of_trainer_asked((facts.project.source, node), "strategy", shown)


def check_apart(facts: Facts) -> Iterator[Diagnostic]:
    """Backwards of a model's own whose gradients no other rank gets, under Lightning either (14.1)."""
    parts = [part.node for part in facts.model.lineage]
    for node in facts.project.index.attributes("backward") if facts.trains_apart else ():
        if any(facts.project.index.holds(part, node) for part in parts):
            yield messages.gradients_apart((facts.project.source, node.attr))


def _may_hold_step(facts: Facts, context: cst.CSTNode) -> bool:
    """Whether a context may be round the closure in which Lightning runs a step."""
    function, cls = facts.project.index.function_of(context), facts.project.index.class_of(context)
    name = function.name.value if function else ""
    reached = facts.usage.reached_from("optimizer_step") if "optimizer_step" in facts.model.methods else ()
    return bool({name, f"{name}()", f"{cls.name.value}.{name}" if cls else ""}.intersection(reached))


def _is_entered(index: Index, context: cst.CSTNode) -> bool:
    """Whether it is that of a `with`, itself or by a variable of the same function."""
    above = index.parent(context)
    if isinstance(above, cst.IfExp):
        return above.test is not context and _is_entered(index, above)
    if isinstance(above, cst.WithItem):
        return True
    if not isinstance(above, cst.Assign) or not m.matches(above, INTO_A_VARIABLE):
        return False
    variable = index.variable(cst.ensure_type(above.targets[0].target, cst.Name))
    is_local = variable is not None and variable.scope.is_function
    uses = variable.uses if variable is not None and is_local else ()
    return bool(uses) and all(isinstance(index.parent(each), cst.WithItem) for each in uses)
