"""A script and its record on disk: each written whole or not at all, the two so that they go together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from .. import messages
from ..diagnostics import CompileError
from ..ir.files import files_of, joined, module_path, separate
from ..ir.record import Record, earlier_path, next_path, read_record, record_path
from ..source.text_file import alone_in, forget_partial_files, read_text, replace_file
from .edits import distance
from .merge import CannotMerge, Side, marks
from .outcome import BESIDE_HEADER, Outcome, copy_path, outcome_of


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
            _refuse_strangers(script, now)
            present = present_text(script, now)
            last = None if present is None else last_record(script, present)
            outcome = (
                Outcome(now.text)
                if force or present is None
                else outcome_of(script, present, last, now, side)
            )
            return outcome, _write(script, present, last, now, outcome)
    except OSError as error:
        raise CompileError([messages.not_writable(shown, _reason(error))]) from None
    except CannotMerge as error:
        raise CompileError([messages.cannot_merge(shown, str(error))]) from None


def present_text(script: Path, now: Record | None = None) -> str | None:
    """What stands there, the module beside the script included where that is part of it; None: nothing does.

    What is missing of the two is as it was generated.
    """
    own = read_text(script) if script.exists() else None
    records = _records(script)
    if own is None and not records:
        return None
    last = _nearest(records, own, 0) if own is not None else records[0]
    beside = read_text(module_path(script)) if module_path(script).is_file() else None
    if last is None:
        is_pair = now is not None and len(separate(now.text)) > 1
        return own if own is None or beside is None or not is_pair else joined([own, beside])
    generated = separate(last.text)
    if len(generated) == 1 or (own is None and beside is None):
        return own
    return joined([generated[0] if own is None else own, generated[1] if beside is None else beside])


def last_record(script: Path, present: str) -> Record | None:
    """What was last generated for the script as it stands there.

    There are several records where a build was killed, or left conflicts after which the user may have taken the script
    back. With which of them a file goes shows: from that one it differs least.
    """
    records = _records(script)
    own, *beside = separate(present)
    last = _nearest(records, own, 0)
    if last is None or not beside or len(separate(last.text)) == 1:
        return last
    other = _nearest([each for each in records if len(separate(each.text)) > 1], beside[0], 1) or last
    text = joined([separate(last.text)[0], separate(other.text)[1]])
    return replace(last, text=text, is_intact=last.is_intact and other.is_intact)


def _records(script: Path) -> list[Record]:
    paths = (path(script) for path in (next_path, record_path, earlier_path))
    return [record for path in paths if (record := read_record(script, path))]


def _nearest(records: list[Record], text: str, number: int) -> Record | None:
    """The one from which the text of the script, 0, or of the module, 1, differs least."""
    if len(records) < 2:
        return records[0] if records else None
    return min(records, key=lambda record: distance(separate(record.text)[number], text))


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


def _refuse_strangers(script: Path, now: Record) -> None:
    """A file of the user's may stand where the module is to stand."""
    module = module_path(script)
    if len(separate(now.text)) == 1 or not module.exists() or _is_known(script):
        return
    if not module.is_file() or not BESIDE_HEADER.search(read_text(module)):
        raise CompileError([messages.not_overwritten(module.as_posix(), "was not written by ddpgen")])


def _is_known(script: Path) -> bool:
    """Whether the module beside the script was generated."""
    return any(len(separate(record.text)) > 1 for record in _records(script))


@dataclass(frozen=True)
class _Change:
    """What is to stand in the files, and which of them are to go."""

    texts: Mapping[Path, str]
    gone: tuple[Path, ...]


def _write(script: Path, present: str | None, last: Record | None, now: Record, outcome: Outcome) -> bool:
    """Write what is not yet there, in an order in which the script is never without a record that goes with it."""
    record, change = record_path(script), _change(script, outcome.text)
    is_written = bool(change.texts or change.gone)
    if is_written or not record.exists() or read_text(record) != now.to_text():
        record.parent.mkdir(exist_ok=True)
        for folder in (script.parent, record.parent):
            forget_partial_files(folder, script.name)
        forget_partial_files(script.parent, module_path(script).name)
        if outcome.conflicts:
            _keep(script, present, last)
        _settle(script, last)
        _write_all(script, change, now)
    if not outcome.conflicts:
        for path in (copy_path(script), copy_path(module_path(script)), earlier_path(script)):
            path.unlink(missing_ok=True)
    return is_written


def _change(script: Path, text: str) -> _Change:
    """The module first: a script never stands there without what it imports."""
    files = dict(reversed(files_of(script, text)))
    texts = {path: text for path, text in files.items() if not path.exists() or read_text(path) != text}
    module = module_path(script)
    is_left = module not in files and module.is_file() and _is_known(script)
    return _Change(texts, (module,) if is_left else ())


def _keep(script: Path, present: str | None, last: Record | None) -> None:
    """What the user may want to go back to."""
    if present is not None and not marks(present):
        for path, text in files_of(script, present):
            replace_file(copy_path(path), text)
    if last is not None:
        replace_file(earlier_path(script), last.to_text())


def _settle(script: Path, last: Record | None) -> None:
    """A build that was killed may have left the script with the record that the next one is about to replace."""
    if next_path(script).exists() and last is not None and last.is_intact:
        replace_file(record_path(script), last.to_text())


def _write_all(script: Path, change: _Change, now: Record) -> None:
    following = next_path(script)
    replace_file(following, now.to_text())
    before = {path: read_text(path) if path.exists() else None for path in change.texts}
    try:
        for path, text in change.texts.items():
            replace_file(path, text)
    except OSError:
        _take_back(before)
        following.unlink()
        raise
    for path in change.gone:
        path.unlink()
    os.replace(following, record_path(script))


def _take_back(before: Mapping[Path, str | None]) -> None:
    """The files as they were, where not all could be written."""
    for path, text in before.items():
        if text is None:
            path.unlink(missing_ok=True)
        elif read_text(path) != text:
            replace_file(path, text)
