"""What the Trainer's `strategy` says of DistributedDataParallel, as if the spec's `ddp` said it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import libcst as cst

from ..spec.load import LoadedSpec, Strategy
from .settings import code_finds_unused, finds_unused, strategy_of

SETTING = "ddp.find_unused_parameters"


def with_ddp_of_trainer(loaded: LoadedSpec, trainers: Iterable[cst.Call]) -> LoadedSpec:
    """The spec, in which unused parameters are looked for where a Trainer asks for that, and the spec is silent."""
    spec = loaded.spec
    arguments = [argument for call in trainers for argument in call.args if argument.keyword]
    in_code = any(
        argument.keyword is not None
        and argument.keyword.value == "strategy"
        and code_finds_unused(argument.value)
        for argument in arguments
    )
    asked = finds_unused(strategy_of(loaded)) if loaded.is_given("trainer.strategy") else in_code
    if not asked or loaded.is_given(SETTING) or spec.strategy is not Strategy.DDP or spec.ddp.static_graph:
        return loaded
    ddp = spec.ddp.model_copy(update={"find_unused_parameters": True})
    return replace(loaded, spec=spec.model_copy(update={"ddp": ddp}))
