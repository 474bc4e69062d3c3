"""What code asks its trainer of the training data before this is made (2.9)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project
from ...lightning import api
from ..code.usage import Asking, Usage, shown_of
from ..facts import Facts
from ..lightning.trainer_parts import LOADING

COUNT = "num_training_batches"


def check_made_early(project: Project, usages: Iterable[Usage]) -> Iterator[Diagnostic]:
    """Where the training data would be made earlier than in the script, which makes it before the optimizers."""
    for usage in usages:
        early = {name: hook for hook in api.BEFORE_DATA for name in usage.reached_from(hook)}
        for name, node in _asked(usage, LOADING):
            if hook := next((early[each] for each in _names(project, node) if each in early), ""):
                yield messages.data_made_early((project.source, shown_of(node)), name, hook)


def check_counted_early(facts: Facts) -> Iterator[Diagnostic]:
    """Where the batches are counted that Lightning does not count yet, and a script that makes the data first does."""
    project = facts.project
    for usage in (facts.usage, facts.data_usage) if facts.loader_first else ():
        hooks = (*api.BEFORE_DATA, "configure_optimizers")
        early = {name for hook in hooks for name in usage.reached_from(hook)}
        making = [node for _, node in _asked(usage, LOADING)]
        for _, node in _asked(usage, {COUNT}):
            if early.intersection(_names(project, node)) and not _follows(project, node, making):
                yield messages.counted_early((project.source, shown_of(node)), COUNT)


def _asked(usage: Usage, names: Collection[str]) -> Iterator[tuple[str, Asking]]:
    """What is asked of the trainer and of its parts, under these names."""
    given = usage.asked_of_trainer
    yield from ((name, node) for name in names for node in given.get(name, ()))
    for node, name in usage.counterparts.items():
        if isinstance(node, cst.Attribute) and name in names:
            yield name, node


def _names(project: Project, node: Asking) -> tuple[str, str]:
    """The function round it: as methods are called, and as those of one class among several are."""
    function, cls = project.index.function_of(node), project.index.class_of(node)
    called = function.name.value if isinstance(function, cst.FunctionDef) else ""
    return called, f"{cls.name.value}.{called}" if cls else ""


def _follows(project: Project, node: Asking, others: Iterable[Asking]) -> bool:
    """Whether it stands in a function in which one of the others stands before it."""
    index = project.index
    return any(
        index.function_of(each) is index.function_of(node) and index.order(each) < index.order(node)
        for each in others
    )
