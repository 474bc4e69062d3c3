"""Loggers that a main gives a Trainer after it has made it: `trainer.logger = ...`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import libcst as cst

from ...index import Index
from ...index.choices import is_guard

BRANCHES = (cst.If, cst.IfExp, cst.For, cst.While, cst.Try, cst.Match, cst.Lambda)
ASKING = ("logger", "loggers", "log_dir")


@dataclass(frozen=True)
class SetLoggers:
    """Assignments to the loggers of Trainers, and whether the one Trainer is asked for none before."""

    assignments: tuple[cst.Assign, ...] = ()
    replace_default: bool = False

    @property
    def targets(self) -> frozenset[cst.CSTNode]:
        return frozenset(each.targets[0].target for each in self.assignments)

    @property
    def values(self) -> tuple[cst.BaseExpression, ...]:
        return tuple(each.value for each in self.assignments)


def set_loggers(
    index: Index,
    targets: Iterable[cst.Attribute],
    attributes: Mapping[str, list[cst.Attribute]],
    is_in_hook: Callable[[cst.CSTNode], bool],
    trainers: int,
) -> SetLoggers:
    """Those among what is set of Trainers, but for hooks, which run when the script has asked for its loggers."""
    found = [
        each
        for target in targets
        if target.attr.value in ("logger", "loggers") and not is_in_hook(target)
        for each in [index.ancestor(target, cst.Assign)]
        if isinstance(each, cst.Assign) and len(each.targets) == 1 and each.targets[0].target is target
    ]
    asked = [node for name in ASKING for node in attributes.get(name, ()) if not is_in_hook(node)]
    return SetLoggers(tuple(found), trainers == 1 and _comes_first(index, found, asked))


def _comes_first(index: Index, found: list[cst.Assign], asked: list[cst.Attribute]) -> bool:
    """Whether one of the assignments is always run before anything is asked."""
    for each in found:
        function = index.function_of(each)
        above = index.ancestor(each, *BRANCHES)
        is_sure = above is None or index.function_of(above) is not function or is_guard(above)
        others = [node for node in asked if node is not each.targets[0].target]
        if is_sure and all(
            index.function_of(node) is function and index.order(node) > index.order(each) for node in others
        ):
            return True
    return False
