"""What starts the training: the script's `main`, or what the user's own leaves to it (2.1, 3.1, 3.2)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigGroup, Construction
from ...spec.sections.strategy_spec import Backend
from .trainer import makes_trainer


class Main(NamedTuple):
    """The order of `main`, or of what the user's own main leaves to the script."""

    is_own: bool  # the user's
    ranks: str
    constructions: tuple[tuple[str, bool, Construction], ...]  # variables, whether they begin empty, and how
    required: str  # options that have to be given, with their types
    makes_trainer: bool  # with what the spec describes
    fit_arguments: str
    seeds: bool
    first_seed: str  # the call that sets it before the user's own main; empty: none does
    is_distributed: bool
    joins_alone: bool  # a process without others, whose code asks for a group
    leaving: str  # what is called as Python ends, for the ranks' group
    backend: str
    timeout: str


def main(
    facts: Facts, config: tuple[ConfigGroup, ...], constructions: tuple[tuple[str, Construction], ...]
) -> Main:
    """The order of `main`."""
    group = facts.loaded.spec.process_group
    made = {variable for variable, _ in constructions} | ({"trainer"} if makes_trainer(facts) else set())
    given = [name for name in ("model", "data", "trainer") if name in made]
    return Main(
        is_own=facts.own_main is not None,
        ranks="ranks_from_env()" if facts.is_distributed else "sole_rank()",
        constructions=tuple(
            (variable, variable == "model" and facts.begins_empty, each) for variable, each in constructions
        ),
        required=_required(config),
        makes_trainer=makes_trainer(facts),
        fit_arguments="".join(f"{variable}, " for variable in given),
        seeds=facts.has_seed,
        first_seed=_first_seed(facts),
        is_distributed=facts.is_distributed,
        joins_alone=facts.asks_group and facts.is_distributed and not facts.is_sharded,
        leaving="leave_process_group" if facts.leaves_group else "dist.destroy_process_group",
        backend=_backend(group.backend, facts.loaded.spec.fsdp.cpu_offload is not None),
        timeout=_timeout(group.timeout.total_seconds()),
    )


def _first_seed(facts: Facts) -> str:
    if facts.own_main is None or facts.seed is None:
        return ""
    return f"seed_with_workers({facts.seed}, True)" if facts.asks_for_workers else f"seed_run({facts.seed})"


def _required(config: tuple[ConfigGroup, ...]) -> str:
    required = [field for group in config for field in group.fields if field.default is None]
    return "{" + ", ".join(f'"{field.name}": {field.type}' for field in required) + "}" if required else ""


def _backend(backend: Backend, is_offloaded: bool) -> str:
    if is_offloaded:
        return f"backend_beside_cpu(device{'' if backend is Backend.AUTO else f', {backend.value!r}'})"
    own = "dist.get_default_backend_for_device(device)"
    return own if backend is Backend.AUTO else f'"{backend.value}"'


def _timeout(seconds: float) -> str:
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds % length == 0:
            return f"timedelta({unit}={seconds / length:.0f})"
    return f"timedelta(seconds={seconds:g})"
