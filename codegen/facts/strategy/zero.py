"""Optimizers whose states are shared out among the ranks: by the code, or by `optimizer.zero` of the spec."""

from __future__ import annotations

from collections.abc import Iterator

from ... import messages
from ...diagnostics import Diagnostic
from ...spec.sections.strategy_spec import OnNan
from ..facts import Facts
from ..optimizers.objects import is_lbfgs, is_shared_out, optimizers_made


def check_sharded(facts: Facts) -> Iterator[Diagnostic]:
    """Those that code shares out by itself, and what the spec's `zero` cannot go with."""
    loaded, source = facts.loaded, facts.project.source
    is_asked = loaded.spec.optimizer.zero is not None
    if is_asked and "failed" in facts.trainer_fields:
        yield messages.sharded_when_failing(loaded.key_place("optimizer.zero"))
    for made in optimizers_made(facts.project, facts.model):
        if is_asked and is_lbfgs(made):
            yield messages.lbfgs_sharded((source, made.node))
        if is_shared_out(made):
            names = (name for name, is_in_the_way in _in_the_way(facts).items() if is_in_the_way)
            yield from (messages.sharded_by_code((source, made.node), name) for name in names)


def _in_the_way(facts: Facts) -> dict[str, object]:
    """What steps or saves optimizers in a way that those cannot go with which code shares out."""
    spec = facts.loaded.spec
    return {
        "OnExceptionCheckpoint": "failed" in facts.trainer_fields,
        "strategy": facts.is_sharded or facts.is_planned or facts.loaded.is_given("model_parallel"),
        "zero": spec.optimizer.zero,
        "local_sgd": spec.ddp.local_sgd,
        "join": spec.ddp.join,
        "on_nan": spec.on_nan is not OnNan.GO_ON,
    }
