"""Layers that a callback or a hook thaws once DistributedDataParallel has wrapped the model."""

from __future__ import annotations

from collections.abc import Iterator

from ... import messages
from ...diagnostics import Diagnostic
from ...lightning import api
from ...spec.sections.strategy_spec import SyncMode
from ..facts import Facts
from ..optimizers.renewed import renewals


def check_thawing(facts: Facts) -> Iterator[Diagnostic]:
    """Told where the first is named; as under Lightning ranks go on, and drift apart."""
    spec = facts.loaded.spec
    averages = spec.sync is SyncMode.FORCED_SYNC or spec.ddp.wrapper is not None
    if not facts.is_ddp or averages or not facts.trains:
        return
    for node, name in facts.callbacks.nodes:
        if name in api.GROUPING_CALLBACKS:
            yield messages.thawed_after_wrapping((facts.project.source, node), name, facts.manual is None)
            return
    for node in renewals(facts.usages.values())[:1]:
        yield messages.thawed_for_optimizers((facts.project.source, node))
