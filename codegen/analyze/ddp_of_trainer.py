"""What `Trainer(strategy=...)` says of DistributedDataParallel, as if the spec said it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import libcst as cst

from ..spec import LoadedSpec, Strategy
from .settings import finds_unused, plain_value

SETTING = "ddp.find_unused_parameters"


def with_ddp_of_trainer(loaded: LoadedSpec, trainers: Iterable[cst.Call]) -> LoadedSpec:
    """The spec, in which unused parameters are looked for where a Trainer asks for that, and the spec is silent."""
    spec = loaded.spec
    arguments = [argument for call in trainers for argument in call.args if argument.keyword]
    asked = any(
        argument.keyword is not None
        and argument.keyword.value == "strategy"
        and finds_unused(plain_value(argument.value))
        for argument in arguments
    )
    is_silent = not loaded.is_given(SETTING) and not loaded.is_given("trainer.strategy")
    if not asked or not is_silent or spec.strategy is not Strategy.DDP or spec.ddp.static_graph:
        return loaded
    ddp = spec.ddp.model_copy(update={"find_unused_parameters": True})
    return replace(loaded, spec=spec.model_copy(update={"ddp": ddp}))
