"""A script and its record on disk: each written whole or not at all, the two so that they go together."""

from __future__ import annotations

import os
from pathlib import Path

from . import messages
from .diagnostics import CompileError
from .edits import distance
from .merge import CannotMerge, Side
from .outcome import Outcome, copy_path, outcome_of
from .record import Record, next_path, read_record, record_path
from .text_file import alone_in, forget_partial_files, read_text, replace_file


def write_script(now: Record, force: bool = False, side: Side | None = None) -> tuple[Outcome, bool]:
    """Put today's text where its script stands, with the user's edits; and say whether that changed anything.

    Raises CompileError where that would overwrite something of the user's, or where it fails.
    """
    assert now.recipe is not None
    script = now.recipe.script
    shown = script.as_posix()
    try:
        _refuse(script, now.recipe.model)
        with alone_in(script.parent):
            present = read_text(script) if script.exists() else None
            if force or present is None:
                outcome = Outcome(now.text)
            else:
                outcome = outcome_of(script, present, last_record(script, present), now, side)
            return outcome, _write(script, present, now, outcome)
    except OSError as error:
        raise CompileError([messages.not_writable(shown, error.strerror or str(error))]) from None
    except CannotMerge as error:
        raise CompileError([messages.cannot_merge(shown, str(error))]) from None


def last_record(script: Path, present: str) -> Record | None:
    """What was last generated for the script as it stands there.

    A build that was killed leaves two records. Which of them the script goes with shows: from that one it differs less.
    """
    found = [record for path in (next_path, record_path) if (record := read_record(script, path(script)))]
    if len(found) < 2:
        return found[0] if found else None
    return min(found, key=lambda record: distance(record.text, present))


def _refuse(script: Path, model: Path) -> None:
    if script.exists() and not script.is_file():
        what = "is a directory" if script.is_dir() else "is no file of text"
        raise CompileError([messages.not_overwritten(script.as_posix(), what)])
    if model.exists() and script.exists() and model.samefile(script):
        raise CompileError([messages.overwrites_source(script.as_posix())])


def _write(script: Path, present: str | None, now: Record, outcome: Outcome) -> bool:
    """Write what is not yet there, in an order in which the script is never without a record that goes with it."""
    record, following = record_path(script), next_path(script)
    if not outcome.conflicts:
        copy_path(script).unlink(missing_ok=True)
    if outcome.text == present and record.exists() and read_text(record) == now.to_text():
        return False
    record.parent.mkdir(exist_ok=True)
    for folder in (script.parent, record.parent):
        forget_partial_files(folder, script.name)
    if outcome.conflicts:
        replace_file(copy_path(script), present or "")
    replace_file(following, now.to_text())
    if outcome.text != present:
        try:
            replace_file(script, outcome.text)
        except OSError:
            following.unlink()
            raise
    os.replace(following, record)
    return outcome.text != present
