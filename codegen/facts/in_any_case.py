"""What is wrong with a project whichever of its classes is trained, for where that cannot be told."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import messages
from ..diagnostics import Diagnostic
from ..ir.project import Project
from ..lightning import lightning_1
from ..values import values_of
from .callbacks.callbacks import is_callback
from .lightning.removed_hooks import check_removed
from .lightning.unsupported import lightning_names

TRAINERS = ("Trainer", "from_argparse_args")


def wrong_in_any_case(project: Project) -> Iterator[Diagnostic]:
    """What Lightning 2 has no more."""
    yield from _hooks(project)
    yield from _arguments(project)
    for node, _ in (pair for each in project.statements for pair in lightning_names(project, each.node)):
        dotted = project.qualified(node) if isinstance(node, cst.BaseExpression) else None
        if dotted and (instead := lightning_1.instead_of(dotted)):
            yield messages.removed_name((project.source, node), dotted, instead)


def _hooks(project: Project) -> Iterator[Diagnostic]:
    tests = any(True for _ in project.index.attributes("test"))
    for cls in project.classes.values():
        if is_callback(cls):
            yield from check_removed(project, cls, cls.own_methods, lightning_1.CALLBACK_HOOKS, tests)
        elif cls.kind == "module":
            yield from check_removed(project, cls, cls.own_methods, lightning_1.HOOKS, tests)


def _arguments(project: Project) -> Iterator[Diagnostic]:
    for call in values_of(project).calls_of(*TRAINERS):
        for argument in (each for each in call.args if each.keyword):
            if sentence := lightning_1.removed_argument(argument.keyword.value if argument.keyword else ""):
                yield messages.entry_trainer_argument((project.source, argument), sentence)
