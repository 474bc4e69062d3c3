"""What gradients go through on their way between the ranks: `ddp.comm_hook` of the spec (15.5, 20.2)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.model.spec_objects import SpecNames
from ...facts.strategy.comm_hook import is_saved, state_code
from ...source.definitions import Import
from ...spec.sections.comm_hook import POWER_SGD, CommHookSettings
from ...spec.sections.section import ObjectSettings
from ..feature import Feature

FUNCTIONS = {"fp16": "fp16_compress_hook", "bf16": "bf16_compress_hook", POWER_SGD: "powerSGD_hook"}


class CommHook(NamedTuple):
    """The hook, and what it works with."""

    function: str
    state: str  # the code that makes it
    is_saved: bool  # its state
    condition: str  # of its registration; empty: always
    needs_one_bucket: bool
    needs_bf16: bool
    imports: tuple[Import, ...]  # of functions of libraries and of modules that stay


def comm_hook(facts: Facts) -> CommHook | None:
    """None: gradients are averaged as they are."""
    settings = facts.loaded.spec.ddp.comm_hook if facts.is_ddp else None
    if settings is None:
        return None
    names = SpecNames(facts.project)
    function, state = _function(settings, names), _state(settings, names)
    is_lightnings = not facts.loaded.is_given("ddp.comm_hook")  # which registers hooks on CUDA alone
    return CommHook(
        function=function,
        state=state,
        is_saved=is_saved(facts.project, settings),
        condition='device.type == "cuda"' if is_lightnings else "",
        needs_one_bucket=settings.hook == POWER_SGD,
        needs_bf16="bf16" in function,
        imports=tuple(names.imports),
    )


def _function(settings: CommHookSettings, names: SpecNames) -> str:
    own = settings.own_path
    function = names.class_name(own) if own else FUNCTIONS[settings.hook]
    return f"{settings.wrapper.value}_compress_wrapper({function})" if settings.wrapper else function


def _state(settings: CommHookSettings, names: SpecNames) -> str:
    if isinstance(settings.state, ObjectSettings):
        return state_code(settings.state, names)
    if not settings.keeps_power_sgd:
        return "None"
    options = (f", {name}={value!r}" for name, value in settings.power_sgd.given().items())
    return f"PowerSGD(device{''.join(options)})"


COMM_HOOK = Feature(
    "comm_hook",
    comm_hook,
    ("Gradients go through a hook on their way between the ranks.", "spec ddp.comm_hook"),
)
