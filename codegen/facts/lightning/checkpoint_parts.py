"""What hooks ask of a checkpoint that the script's have not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Class, Project

HOOKS = ("on_save_checkpoint", "on_load_checkpoint")
LOOPS, CALLBACKS = "loops", "callbacks"


def check_loops_asked(project: Project, classes: Iterable[Class]) -> Iterator[Diagnostic]:
    """Where they read or change how far Lightning's loops are."""
    for text in _named(project, classes, LOOPS):
        yield messages.checkpoint_without_loops((project.source, text))


def name_callbacks(project: Project, classes: Iterable[Class]) -> bool:
    """Whether they may take the callbacks' states away, without which Lightning loads none."""
    return next(_named(project, classes, CALLBACKS), None) is not None


def _named(project: Project, classes: Iterable[Class], part: str) -> Iterator[cst.SimpleString]:
    """Where hooks name a part of the checkpoint."""
    methods = (cls.methods[name] for cls in classes for name in HOOKS if name in cls.methods)
    for method in dict.fromkeys(methods):
        texts = project.index.within(method.body, cst.SimpleString)
        yield from (text for text in texts if text.evaluated_value == part)
