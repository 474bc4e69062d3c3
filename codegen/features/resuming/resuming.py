"""How a run goes on from a checkpoint: `--resume`, `ckpt_path`, what torchrun has started again (2.2, 12.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


class Resuming(NamedTuple):
    """Which checkpoint is read."""

    from_folder: bool  # whatever last checkpoint there is
    notes_newest: bool  # that callbacks have saved, for torchrun to start the run again
    notes_once: bool  # in one file for the process
    newest: str  # of these, as code
    asks: bool  # beside that, for what `fit` is given
    asked: str
    path_alone: str  # what `fit` is given; empty: that is not all that may be read
    beside_last: str  # what `fit` may be given in the place of last.ckpt; empty: nothing
    after_restart: bool  # last.ckpt alone, where torchrun has started the run again
    reads_path: bool
    must_agree: bool  # several ranks read it
    source: str  # the name of its path
    first_epoch: str  # of those that are trained, as code


def resuming(facts: Facts) -> Resuming | None:
    """None: every run begins anew."""
    given = facts.own_main is not None and facts.own_main.gives_checkpoint
    saves, found = facts.callbacks.saves, facts.goes_on_in_folder
    by_callbacks = not found and saves and not facts.writes_last
    notes, asks = by_callbacks and facts.notes_newest, by_callbacks and given
    alone = not found and not by_callbacks and not facts.may_resume and given
    finds_last = not found and not by_callbacks and facts.may_resume
    beside = ""
    if finds_last and given:
        beside = asked_for(facts) if saves else "ckpt_path"
    may_save = facts.writes_last or facts.dumps
    if not may_save or not (found or notes or asks or alone or finds_last):
        return None
    asked = f"{'path or ' if notes else ''}{asked_for(facts)}"
    reads_path = notes or asks or finds_last
    after_restart, source = finds_last and not given, (
        "last" if found else "path" if reads_path else "ckpt_path"
    )
    return Resuming(
        from_folder=found,
        notes_newest=notes,
        notes_once=facts.own_main is not None and facts.own_main.trains_once,
        newest=_newest(facts),
        asks=asks,
        asked=asked,
        path_alone=_given(facts) if alone else "",
        beside_last=beside,
        after_restart=after_restart,
        reads_path=reads_path,
        must_agree=facts.is_distributed,
        source=source,
        first_epoch=_first_epoch(facts),
    )


def asked_for(facts: Facts) -> str:
    """The path of a checkpoint that callbacks may keep, as code."""
    return f"{'path' if facts.has_checkpoint_io else 'checkpoint'}_asked_for(trainer, ckpt_path)"


def _newest(facts: Facts) -> str:
    """The path of the newest checkpoint that is noted; objects of the user's are told a text, as by Lightning."""
    paths = "reversed(noted(trainer.note))"
    return f"next({f'map(str, {paths})' if facts.has_checkpoint_io else paths}, None)"


def _given(facts: Facts) -> str:
    return "ckpt_path" if facts.has_checkpoint_io else "Path(ckpt_path)"


def _first_epoch(facts: Facts) -> str:
    if facts.dumps:
        return 'checkpoint["next_epoch"]'
    is_over = '(checkpoint.get("places") is None)' if facts.saves_within else "1"
    return f'checkpoint["epoch"] + {is_over}'


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.resumes_when_told:
        yield ConfigField(
            "resume", "bool", "False", "go on from out/last.ckpt, where there is one", of_training=False
        )


RESUMING = Feature(
    "resuming",
    resuming,
    ("A run goes on from its last checkpoint.", "spec checkpoint"),
    {"must_agree": ("All ranks go on from the same checkpoint, or none does.", "spec checkpoint")},
    _config,
)
