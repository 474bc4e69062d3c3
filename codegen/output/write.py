"""A script and its record on disk: each written whole or not at all, the two so that they go together."""

from __future__ import annotations

import os
from pathlib import Path

from .. import messages
from ..diagnostics import CompileError
from ..ir.record import Record, earlier_path, next_path, read_record, record_path
from ..source.text_file import alone_in, forget_partial_files, read_text, replace_file
from .edits import distance
from .merge import CannotMerge, Side, marks
from .outcome import Outcome, copy_path, outcome_of


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
                last, outcome = None, Outcome(now.text)
            else:
                last = last_record(script, present)
                outcome = outcome_of(script, present, last, now, side)
            return outcome, _write(script, present, last, now, outcome)
    except OSError as error:
        raise CompileError([messages.not_writable(shown, _reason(error))]) from None
    except CannotMerge as error:
        raise CompileError([messages.cannot_merge(shown, str(error))]) from None


def last_record(script: Path, present: str) -> Record | None:
    """What was last generated for the script as it stands there.

    There are several records where a build was killed, or left conflicts after which the user may have taken the script
    back. With which of them the script goes shows: from that one it differs least.
    """
    paths = (path(script) for path in (next_path, record_path, earlier_path))
    found = [record for path in paths if (record := read_record(script, path))]
    if len(found) < 2:
        return found[0] if found else None
    return min(found, key=lambda record: distance(record.text, present))


def _reason(error: OSError) -> str:
    """What is wrong, and with which file, where that is no temporary one."""
    reason, name = error.strerror or str(error), error.filename
    is_known = isinstance(name, str | Path) and Path(name).suffix != ".partial"
    return f"{reason}: {Path(name).as_posix()}" if is_known else reason


def _refuse(script: Path, model: Path) -> None:
    if script.exists() and not script.is_file():
        what = "is a directory" if script.is_dir() else "is no file of text"
        raise CompileError([messages.not_overwritten(script.as_posix(), what)])
    if model.exists() and script.exists() and model.samefile(script):
        raise CompileError([messages.overwrites_source(script.as_posix())])


def _write(script: Path, present: str | None, last: Record | None, now: Record, outcome: Outcome) -> bool:
    """Write what is not yet there, in an order in which the script is never without a record that goes with it."""
    record = record_path(script)
    is_written = outcome.text != present
    if is_written or not record.exists() or read_text(record) != now.to_text():
        record.parent.mkdir(exist_ok=True)
        for folder in (script.parent, record.parent):
            forget_partial_files(folder, script.name)
        if outcome.conflicts:
            _keep(script, present, last)
        _write_both(script, outcome.text if is_written else None, now)
    if not outcome.conflicts:
        for path in (copy_path(script), earlier_path(script)):
            path.unlink(missing_ok=True)
    return is_written


def _keep(script: Path, present: str | None, last: Record | None) -> None:
    """What the user may want to go back to."""
    if present is not None and not marks(present):
        replace_file(copy_path(script), present)
    if last is not None:
        replace_file(earlier_path(script), last.to_text())


def _write_both(script: Path, text: str | None, now: Record) -> None:
    following = next_path(script)
    replace_file(following, now.to_text())
    if text is not None:
        try:
            replace_file(script, text)
        except OSError:
            following.unlink()
            raise
    os.replace(following, record_path(script))
