"""Optimizers that code puts in the place of the model's as the training begins: `trainer.optimizers` in a hook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Class, Project
from ...spec.load import LoadedSpec
from ..code.usage import Usage

HOOK = "on_fit_start"
"""After it the script takes the optimizer from the trainer, where one is set."""


def swapped(project: Project, usage: Usage, classes: Iterable[Class]) -> tuple[cst.Attribute, ...]:
    """Where such a hook of the model's, or of a callback's, sets them."""
    hooks = {cls.methods[HOOK] for cls in classes if HOOK in cls.methods}
    written = (each for each in usage.trainer_writes if each.attr.value == "optimizers")
    return tuple(each for each in written if project.index.function_of(each) in hooks)


def check_swapped(
    project: Project, loaded: LoadedSpec, nodes: Iterable[cst.Attribute]
) -> Iterator[Diagnostic]:
    """By what steps, or keeps, the optimizers that the model returns."""
    spec = loaded.spec
    asked = {
        "strategy": spec.strategy.is_sharded,
        "zero": spec.optimizer.zero is not None,
        "local_sgd": spec.ddp.local_sgd is not None,
    }
    names = [name for name, is_asked in asked.items() if is_asked]
    yield from (messages.not_with_swapped((project.source, node), name) for node in nodes for name in names)
