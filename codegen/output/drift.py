"""Where a generated script and its sources part: is it what they would give now, edits aside?"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from .. import messages
from ..diagnostics import CompileError, Diagnostic
from ..ir.files import files_of
from ..ir.recipe import Recipe, seen_from, within
from ..ir.record import Record, digest, record_path
from ..link.modules.reached_files import reached_files
from ..render.style import style_in
from ..source.repository import checkout_of
from ..source.text_file import read_bytes, read_text
from ..version import __version__
from .edits import differences
from .generated_scripts import is_generated
from .merge import unsettled
from .outcome import place_of
from .write import last_record, present_text

MANY = 16  # scripts, from which on the start of processes pays
WORKERS = 8


@dataclass(frozen=True)
class Drift:
    """What is wrong with a script; nothing: it is up to date."""

    script: Path
    problems: tuple[Diagnostic, ...] = ()
    difference: str = ""  # a unified diff, from what was generated last to what is generated now


def drifts_of(scripts: Sequence[Path], rebuilds: bool = False) -> list[Drift]:
    """Those of all scripts; where many have to be built for that, on several processors."""
    known = {script: _known(script, rebuilds) for script in scripts}
    waiting = [script for script, drift in known.items() if drift is None]
    built = dict(zip(waiting, _all_built(waiting), strict=True))
    return [known[script] or built[script] for script in scripts]


def _all_built(scripts: Sequence[Path]) -> Iterable[Drift]:
    workers = min(os.cpu_count() or 1, WORKERS)
    if workers == 1 or len(scripts) < MANY:
        return map(_built, scripts)
    import_module("..generate", __package__)  # once: processes that are forked have it
    with ProcessPoolExecutor(workers, initializer=_leave_interrupts_alone) as pool:
        return list(pool.map(_built, scripts, chunksize=4))


def _leave_interrupts_alone() -> None:
    """The process that waits for this one ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _known(script: Path, rebuilds: bool) -> Drift | None:
    """What is known without building the script: digests alone decide. None: that it has to be built."""
    with _refusing(script) as refused:
        present, last, recipe = kept(script)
        if standing := unsettled(present, last.text):
            raise CompileError([messages.conflict_stands(place_of(script, present, standing[0]))])
        _refuse_missing(recipe)
        is_same = last.is_intact and last.version == __version__ and not _inputs_changed(last, recipe)
        return Drift(script) if is_same and not rebuilds else None
    return Drift(script, tuple(refused))


def _built(script: Path) -> Drift:
    with _refusing(script) as refused:
        _, last, recipe = kept(script)
        now = _generated(recipe)
        if now.text == last.text:
            return Drift(script)
        problem = messages.out_of_date(script.as_posix(), tuple(_reasons(last, now, recipe)), recipe.command)
        notes = " (generated last)", " (generated now)"
        return Drift(script, (problem,), differences(script, last.text, now.text, notes))
    return Drift(script, tuple(refused))


@contextmanager
def _refusing(script: Path) -> Iterator[list[Diagnostic]]:
    """Gives what stands in the way, once something does."""
    refused: list[Diagnostic] = []
    try:
        yield refused
    except CompileError as error:
        refused.extend(error.diagnostics)
    except RecursionError:
        refused.append(messages.too_deep(script.as_posix()))


def _generated(recipe: Recipe) -> Record:
    # what parses and formats is loaded where something is built
    from ..generate import generate
    from ..spec.load import load_spec

    record, _ = generate(recipe, load_spec(recipe.strategy_argument))
    return record


def kept(script: Path) -> tuple[str, Record, Recipe]:
    """The script's text, what was last generated for it, and how.

    Raises CompileError where that is not known.
    """
    shown, record = script.as_posix(), record_path(script).as_posix()
    try:
        read_text(script)
        present = present_text(script) or ""
        last = last_record(script, present)
        for path, _ in files_of(script, last.text if last else present):
            read_text(path)
    except FileNotFoundError as error:
        raise CompileError([messages.script_missing(Path(error.filename).as_posix(), record)]) from None
    except OSError as error:
        raise CompileError([messages.unreadable(shown, error.strerror or str(error))]) from None
    if last is None:
        unknown = messages.record_missing if is_generated(script) else messages.not_generated
        raise CompileError([unknown(shown, record)])
    if last.recipe is None:
        raise CompileError([messages.record_damaged(shown, record)])
    if outside := list(_outside(last, last.recipe)):
        raise CompileError(messages.record_reaches_out(shown, record, each.as_posix()) for each in outside)
    return present, last, last.recipe


def _outside(last: Record, recipe: Recipe) -> Iterator[Path]:
    """What a record would have read outside of the repository: it may come from a stranger."""
    checkout = checkout_of(recipe.script.resolve())
    strategy = [] if isinstance(recipe.strategy, str) else [recipe.strategy]
    others = (within(recipe.folder, path) for path in last.sources if not path.endswith(".py"))
    for path in dict.fromkeys((recipe.model, *strategy, *recipe.roots, *others)):
        if checkout and not path.resolve().is_relative_to(checkout):
            yield path


def _refuse_missing(recipe: Recipe) -> None:
    strategy = [] if isinstance(recipe.strategy, str) else [recipe.strategy]
    missing = [path.as_posix() for path in (recipe.model, *strategy) if not path.exists()]
    if missing:
        script, record = recipe.script.as_posix(), record_path(recipe.script).as_posix()
        raise CompileError(messages.source_missing(script, path, record) for path in missing)


# ---- what has changed ------------------------------------------------------------------------------------


def _inputs_changed(last: Record, recipe: Recipe) -> bool:
    try:
        return _sources(last, recipe) != last.sources or style_in(recipe.model.parent) != last.style
    except (CompileError, OSError):
        return True  # the build will say what is wrong


def _sources(last: Record, recipe: Recipe) -> Mapping[str, str]:
    """The digests of all files that a build reads; of a configuration those of the last one.

    Raises CompileError, OSError.
    """
    files = set(reached_files(recipe.model, recipe.roots))
    files |= {within(recipe.folder, path) for path in last.sources if not path.endswith(".py")}
    files |= set() if isinstance(recipe.strategy, str) else {recipe.strategy}
    return {seen_from(recipe.folder, path): digest(read_bytes(path)) for path in files}


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
