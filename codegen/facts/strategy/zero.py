"""Optimizers whose states cannot be shared out among the ranks: `optimizer.zero` of the spec."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...values import External, Instance
from ..facts import Facts
from ..optimizers.objects import Returned, configured, is_lbfgs

OF_TORCH = "torch.distributed.optim.zero_redundancy_optimizer.ZeroRedundancyOptimizer"
SHARDED = (OF_TORCH, "torch.distributed.optim.ZeroRedundancyOptimizer")


def check_sharded(facts: Facts) -> Iterator[Diagnostic]:
    """Those that code shares out by itself, and what the spec's `zero` cannot go with."""
    loaded, source = facts.loaded, facts.project.source
    is_asked = loaded.spec.optimizer.zero is not None
    if is_asked and "failed" in facts.trainer_fields:
        yield messages.sharded_when_failing(loaded.key_place("optimizer.zero"))
    for made in optimizers_made(facts):
        if is_asked and is_lbfgs(made):
            yield messages.lbfgs_sharded((source, made.node))
        if isinstance(made.cls, External) and made.cls.name in SHARDED:
            yield messages.sharded_by_code((source, made.node))


def optimizers_made(facts: Facts) -> Iterator[Instance]:
    """The optimizers that calls in the code make."""
    if "configure_optimizers" in facts.model.methods:
        for made in Returned(facts.project, configured(facts.project, facts.model)).optimizers:
            if isinstance(made, Instance) and isinstance(made.node, cst.Call):
                yield made
