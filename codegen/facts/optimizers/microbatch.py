"""What batches cannot go through in parts: `microbatch` of the spec."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...lightning.api import TRANSFER_HOOKS
from ...spec.load import conflicts_of_search
from ...spec.sections.microbatch import AUTO
from ..callbacks.callbacks import LAMBDAS
from ..facts import Facts
from ..model.assigned import assigned_hooks

ENDED = "on_train_batch_end"


def check_microbatch(facts: Facts) -> Iterator[Diagnostic]:
    """Steps of the model's own, ranks that meet within a step, and what is told of a step's outputs."""
    if facts.microbatch is None:
        return
    place, source = facts.loaded.key_place("microbatch"), facts.project.source
    if facts.manual:
        yield messages.not_with_microbatch(place, "automatic_optimization")
        return
    if facts.is_ddp and facts.settings.sync_batchnorm:
        yield messages.not_with_microbatch(place, "sync_batchnorm")
    if facts.microbatch.size == AUTO:
        for name in _unsearchable(facts):
            yield messages.not_with_search(place, name)
    if facts.is_sharded and not _are_even(facts):
        yield messages.not_with_fsdp(place, "batches")
    for node in _gathers(facts):
        yield messages.gathers_in_parts((source, node.attr))
    if facts.output != "loss":
        for hook in _outputs_asked(facts):
            yield messages.outputs_of_parts((source, hook))


def _are_even(facts: Facts) -> bool:
    """Whether all ranks surely have as many samples in a batch."""
    return facts.train.is_collated and not any(map(facts.owner_of, TRANSFER_HOOKS))


def _unsearchable(facts: Facts) -> Iterator[str]:
    """What cannot be tried again."""
    if facts.uses_closure:
        yield "closure"
    if facts.logging.has_metric_objects:
        yield "torchmetrics"
    for key in conflicts_of_search(facts.loaded.spec):  # that a strategy in the code brings
        if not facts.loaded.is_given(key):
            yield key.rpartition(".")[2]


def _gathers(facts: Facts) -> Iterator[cst.Attribute]:
    """Where a step gathers values: ranks may have different numbers of parts."""
    index, reached = facts.project.index, facts.usage.reached_from("training_step")
    for node in facts.usage.reads.get("all_gather", ()) if facts.is_ddp else ():
        function = index.function_of(node)
        if function is not None and function.name.value in reached:
            yield node


def _outputs_asked(facts: Facts) -> Iterator[cst.CSTNode]:
    """Where a hook reads what `training_step` returns; or may, as a LambdaCallback's."""
    hooks = [(facts.model.methods.get(ENDED), 1)]
    hooks += [(cls.methods.get(ENDED), 3) for cls in facts.callbacks.own]
    for hook, place in hooks:
        if hook is not None and _is_read(facts, hook, place):
            yield hook.name
    yield from (each.place for each in assigned_hooks(facts.project) if each.name == ENDED)
    if ENDED in facts.callbacks.told_hooks:
        yield from (node for node, name in facts.callbacks.nodes if name == LAMBDAS)


def _is_read(facts: Facts, hook: cst.FunctionDef, place: int) -> bool:
    """Whether a parameter is; or there is none at that place, but for all."""
    parameters = hook.params.params
    if len(parameters) <= place:
        return True
    names = facts.project.index.within(hook.body, cst.Name)
    return any(name.value == parameters[place].name.value for name in names)
