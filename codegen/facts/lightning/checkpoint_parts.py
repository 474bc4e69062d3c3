"""What hooks ask of a checkpoint that the script's have not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index.targets import is_target
from ...ir.project import Class, Project

HOOKS = ("on_save_checkpoint", "on_load_checkpoint")
LOOPS, CALLBACKS = "loops", "callbacks"
STATES, SCHEDULERS = "optimizer_states", "lr_schedulers"
COUNTS = ("epoch", "global_step")
"""By which the script goes on, and Lightning does not."""


def check_loops_asked(
    project: Project, classes: Iterable[Class], names: Iterable[str] = HOOKS
) -> Iterator[Diagnostic]:
    """Where hooks, or other methods that are handed checkpoints, read or change how far Lightning's loops are."""
    for text in _named(project, classes, names, LOOPS):
        yield messages.checkpoint_without_loops((project.source, text))


def check_counts_set(project: Project, classes: Iterable[Class]) -> Iterator[Diagnostic]:
    """Where hooks that save change how far a run is."""
    texts = (text for part in COUNTS for text in _named(project, classes, HOOKS[:1], part))
    for text in texts:
        item = project.index.ancestor(text, cst.Subscript)
        if item is not None and is_target(project.index, item):
            yield messages.checkpoint_counts_set((project.source, item), text.value)


def name_callbacks(project: Project, classes: Iterable[Class]) -> bool:
    """Whether they may take the callbacks' states away, without which Lightning loads none."""
    return next(_named(project, classes, HOOKS, CALLBACKS), None) is not None


def may_empty(project: Project, part: str) -> bool:
    """Whether code may take what is in a part of a checkpoint out of it, so that nothing of it is loaded."""
    return any(each.evaluated_value == part for each in project.index.of_kind(cst.SimpleString))


def _named(
    project: Project, classes: Iterable[Class], names: Iterable[str], part: str
) -> Iterator[cst.SimpleString]:
    """Where methods of such names speak of a part of the checkpoint."""
    asked = tuple(names)
    methods = (cls.methods[name] for cls in classes for name in asked if name in cls.methods)
    for method in dict.fromkeys(methods):
        texts = project.index.within(method.body, cst.SimpleString)
        yield from (text for text in texts if text.evaluated_value == part)
