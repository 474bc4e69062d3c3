"""Where a generated script and its sources part: is it what they would give now, edits aside?"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from .. import messages
from ..diagnostics import CompileError, Diagnostic
from ..generate import generate
from ..ir.recipe import Recipe, seen_from, within
from ..ir.record import Record, digest, record_path
from ..link import reached_files
from ..render.format import black_mode, style
from ..source.text_file import read_text
from ..spec.load import load_spec
from ..version import __version__
from .edits import unified
from .generated_scripts import is_generated
from .merge import unsettled
from .outcome import place_of
from .write import last_record

MANY = 16  # scripts, from which on the start of processes pays
WORKERS = 8


@dataclass(frozen=True)
class Drift:
    """What is wrong with a script; nothing: it is up to date."""

    script: Path
    problems: tuple[Diagnostic, ...] = ()
    difference: str = ""  # a unified diff, from what was generated last to what is generated now


def drifts_of(scripts: Sequence[Path], rebuilds: bool = False) -> list[Drift]:
    """Those of all scripts; of many, on several processors."""
    check = partial(drift_of, rebuilds=rebuilds)
    workers = min(os.cpu_count() or 1, WORKERS)
    if workers == 1 or len(scripts) < MANY:
        return list(map(check, scripts))
    with ProcessPoolExecutor(workers, initializer=_leave_interrupts_alone) as pool:
        return list(pool.map(check, scripts, chunksize=4))


def _leave_interrupts_alone() -> None:
    """The process that waits for this one ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def drift_of(script: Path, rebuilds: bool = False) -> Drift:
    """Compare what was last generated for the script with what its sources give now.

    It is built for that only where something has changed that it was made from, unless `rebuilds`.
    """
    try:
        return _drift(script, rebuilds)
    except CompileError as error:
        return Drift(script, error.diagnostics)
    except RecursionError:
        return Drift(script, (messages.too_deep(script.as_posix()),))


def _drift(script: Path, rebuilds: bool) -> Drift:
    present, last, recipe = kept(script)
    if standing := unsettled(present, last.text):
        raise CompileError([messages.conflict_stands(place_of(script, present, standing[0]))])
    _refuse_missing(recipe)
    if not rebuilds and last.is_intact and last.version == __version__ and not _inputs_changed(last, recipe):
        return Drift(script)
    now, _ = generate(recipe, load_spec(recipe.strategy_argument))
    if now.text == last.text:
        return Drift(script)
    problem = messages.out_of_date(script.as_posix(), tuple(_reasons(last, now, recipe)), recipe.command)
    names = f"{script.as_posix()} (generated last)", f"{script.as_posix()} (generated now)"
    return Drift(script, (problem,), unified(last.text, now.text, names))


def kept(script: Path) -> tuple[str, Record, Recipe]:
    """The script's text, what was last generated for it, and how.

    Raises CompileError where that is not known.
    """
    shown, record = script.as_posix(), record_path(script).as_posix()
    try:
        present = read_text(script)
    except FileNotFoundError:
        raise CompileError([messages.script_missing(shown, record)]) from None
    except OSError as error:
        raise CompileError([messages.unreadable(shown, error.strerror or str(error))]) from None
    last = last_record(script, present)
    if last is None:
        unknown = messages.record_missing if is_generated(script) else messages.not_generated
        raise CompileError([unknown(shown, record)])
    if last.recipe is None:
        raise CompileError([messages.record_damaged(shown, record)])
    return present, last, last.recipe


def _refuse_missing(recipe: Recipe) -> None:
    strategy = [] if isinstance(recipe.strategy, str) else [recipe.strategy]
    missing = [path.as_posix() for path in (recipe.model, *strategy) if not path.exists()]
    if missing:
        script, record = recipe.script.as_posix(), record_path(recipe.script).as_posix()
        raise CompileError(messages.source_missing(script, path, record) for path in missing)


# ---- what has changed ------------------------------------------------------------------------------------


def _inputs_changed(last: Record, recipe: Recipe) -> bool:
    try:
        return _sources(recipe) != last.sources or style(black_mode(recipe.model.parent)) != last.style
    except (CompileError, OSError):
        return True  # the build will say what is wrong


def _sources(recipe: Recipe) -> Mapping[str, str]:
    """The digests of all files that a build reads. Raises CompileError, OSError."""
    files = set(reached_files(recipe.model, recipe.roots))
    files |= set() if isinstance(recipe.strategy, str) else {recipe.strategy}
    return {seen_from(recipe.folder, path): digest(path.read_bytes()) for path in files}


def _reasons(last: Record, now: Record, recipe: Recipe) -> Iterator[str]:
    """What is not as it was when the script was generated."""
    for path in sorted({*last.sources, *now.sources}):
        before, after = last.sources.get(path), now.sources.get(path)
        if before != after:
            how = "is new" if before is None else "is no longer read" if after is None else "has changed"
            yield f"{within(recipe.folder, path).as_posix()} {how}"
    for name, before, after in (("ddpgen", last.version, now.version), ("black", last.style, now.style)):
        if before != after:
            yield f"{name} was {before} and is {after}"
    if not last.is_intact:
        yield f"{record_path(recipe.script).as_posix()} was edited"
