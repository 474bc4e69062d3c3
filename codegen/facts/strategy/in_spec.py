"""The strategy in the spec's `trainer`, as LightningCLI has one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ... import messages
from ...diagnostics import Diagnostic
from ...spec.load import LoadedSpec
from .sharding import ARE, read_argument
from .strategy import OF_HOOK, OF_TORCHRUN, WHOLE_MODEL, asked_by, is_ddp_setting, is_of_ddp, strategy_of

KEY = "trainer.strategy"


def check_strategy_in_spec(loaded: LoadedSpec) -> Iterator[Diagnostic]:
    """Strategies by which training would not be what the script does, and arguments that it would miss."""
    strategy = strategy_of(loaded)
    given: Any = {}
    if isinstance(strategy, dict):
        given = strategy.get("init_args") or {}
        strategy = str(strategy.get("class_path")).rpartition(".")[2]
    name = str(strategy)
    if strategy is None or name in ARE.get(loaded.spec.strategy, ()) or _has_whole_model(name):
        unread = _unread(name, given) if isinstance(given, dict) else ()
        yield from (messages.strategy_in_spec_argument(loaded.key_place(KEY), each) for each in unread)
    elif instead := next((each.value for each in ARE if name in ARE[each]), ""):
        yield messages.strategy_in_spec_shards(loaded.key_place(KEY), name, instead)
    else:
        yield messages.strategy_in_spec_unsupported(loaded.key_place(KEY), name)


def _has_whole_model(name: str) -> bool:
    """Whether each process has, by a name or a class."""
    return name in WHOLE_MODEL or is_of_ddp(name)


def _unread(name: str, given: Mapping[str, Any]) -> Iterator[str]:
    """Arguments that are none of the spec's settings."""
    has_hook = any(key.startswith("ddp.") for key in asked_by(_described(name, given, OF_HOOK)))
    for argument in sorted(given.keys() - OF_TORCHRUN):
        if name in WHOLE_MODEL:
            is_read = has_hook if argument in OF_HOOK else is_ddp_setting(argument, given[argument])
        else:
            is_read = is_ddp_setting(argument, given[argument]) or (
                read_argument(argument, given[argument], given) is not None
            )
        if not is_read and given[argument] is not None:
            yield argument


def _described(name: str, given: Mapping[str, Any], among: tuple[str, ...]) -> dict[str, Any]:
    return {"class_path": name, "init_args": {each: given[each] for each in among if each in given}}
