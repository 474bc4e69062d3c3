"""What hooks ask of a checkpoint that the script's have not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Class, Project

HOOKS = ("on_save_checkpoint", "on_load_checkpoint")
LOOPS = "loops"


def check_loops_asked(project: Project, classes: Iterable[Class]) -> Iterator[Diagnostic]:
    """Where they read or change how far Lightning's loops are."""
    return loops_asked(project, classes, HOOKS)


def loops_asked(project: Project, classes: Iterable[Class], names: Iterable[str]) -> Iterator[Diagnostic]:
    """The same of other methods that are handed checkpoints."""
    names = tuple(names)
    methods = (cls.methods[name] for cls in classes for name in names if name in cls.methods)
    for method in dict.fromkeys(methods):
        for text in project.index.within(method.body, cst.SimpleString):
            if text.evaluated_value == LOOPS:
                yield messages.checkpoint_without_loops((project.source, text))
