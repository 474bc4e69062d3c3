"""One answer to what several strategies ask for: a script has one, whichever is chosen, and for all its Trainers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...spec.load import LoadedSpec
from ...spec.sections.strategy_spec import DdpSettings, ProcessGroupSettings

SERVES_ALL = {"ddp.find_unused_parameters": True, "ddp.static_graph": False}
"""Values with which all train: what looks for unused parameters, and what takes nothing for granted."""

LONGEST = frozenset({"process_group.timeout"})
"""Those of which the greatest serves all: who waits longer stops no run that another would let go on."""

DECIDING = tuple(
    f"ddp.{name}" for name in ("broadcast_buffers", "comm_hook", "forward_sync_buffers", "local_sgd")
)
"""Those that change what is trained. Where others differ, they are left to torch, and that is told."""

DEFAULTS = {"ddp": DdpSettings.model_fields, "process_group": ProcessGroupSettings.model_fields}
"""Sections whose settings have a value where a strategy asks for none."""

Settings = Mapping[str, Any]
"""By their keys in the spec, such as `ddp.static_graph`."""


def together(asked: Sequence[Settings]) -> dict[str, Any]:
    """What the script does in the place of all of them."""
    keys = dict.fromkeys(key for each in asked for key in each)
    found = {key: [_asked(each, key) for each in asked] for key in keys}
    same = {key: values[0] for key, values in found.items() if all(each == values[0] for each in values)}
    differing = [key for key in found if key not in same]
    deciding = {key: next(each[key] for each in asked if key in each) for key in differing if key in DECIDING}
    serving = {key: SERVES_ALL[key] for key in differing if key in SERVES_ALL}
    return same | deciding | serving | {key: max(found[key]) for key in differing if key in LONGEST}


def differing(loaded: LoadedSpec, asked: Settings) -> Iterator[str]:
    """Settings that change what is trained, of which a strategy asks for another value than the script has."""
    for key in DECIDING:
        if not loaded.is_given(key) and value_in(loaded, key) != _asked(asked, key):
            yield key


def unlike(loaded: LoadedSpec, asked: Settings) -> Iterator[str]:
    """Settings that change nothing of what is trained, of which a strategy asks for another value than it gets."""
    sections = (loaded.spec.strategy.value, "process_group")
    by_graph = {"ddp.find_unused_parameters"} if loaded.spec.ddp.static_graph else set()
    for key, value in asked.items():
        is_own = key.partition(".")[0] in sections and key not in {*DECIDING, *by_graph}
        if is_own and not loaded.is_given(key) and value_in(loaded, key) != value:
            yield key


def value_in(loaded: LoadedSpec, key: str) -> Any:
    """The value of a setting of the spec's."""
    section, _, name = key.partition(".")
    return getattr(getattr(loaded.spec, section), name)


def _asked(settings: Settings, key: str) -> Any:
    section, _, name = key.partition(".")
    return settings.get(key, DEFAULTS[section][name].default if section in DEFAULTS else None)
