"""What needs a local folder, where the spec or the code names a URL."""

from __future__ import annotations

from collections.abc import Iterator

from .. import messages
from ..diagnostics import Diagnostic
from ..spec.sections.strategy_spec import Logger
from .facts import Facts

GROWING = frozenset({"CSVLogger", "TensorBoardLogger"})
"""Loggers that append to their files."""


def check_remote(facts: Facts) -> Iterator[Diagnostic]:
    """Settings and loggers that do not go with places where files are written as a whole."""
    asked = {"save_dir": _has_remote_logger(facts), **(_asked(facts) if facts.is_remote else {})}
    keys = {"lock": "checkpoint.lock", "state: sharded": "checkpoint.state", "logger": "logger"}
    for name, is_asked in asked.items():
        if is_asked:
            yield messages.not_remote(facts.loaded.key_place(keys.get(name, "checkpoint.dir")), name)


def _asked(facts: Facts) -> dict[str, object]:
    options = facts.loaded.spec.checkpoint
    return {
        "lock": options is not None and options.lock,
        "state: sharded": facts.saves_shares,
        "logger": Logger.TENSORBOARD in {*facts.writes, *facts.evaluation_writes},
        "profiler": facts.settings.profiler is not None,
        "default logger": facts.given_loggers.has_default,
        "log_model": facts.callbacks.uploads,
    }


def _has_remote_logger(facts: Facts) -> bool:
    growing = (call for made in facts.callbacks.loggers if made.name in GROWING for call in made.calls)
    return any("://" in code for by_place, by_name in growing for code in (*by_place, *by_name.values()))
