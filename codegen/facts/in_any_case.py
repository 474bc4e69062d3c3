"""What is wrong with a project whichever of its classes is trained, for where that cannot be told."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import lightning_1, messages
from ..diagnostics import Diagnostic
from ..ir.project import Project
from ..values import values_of
from .callbacks.callbacks import is_callback
from .model.unsupported import lightning_names

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
    for cls in project.classes.values():
        hooks = lightning_1.CALLBACK_HOOKS if is_callback(cls) else lightning_1.HOOKS
        for name, method in cls.own_methods.items() if is_callback(cls) or cls.kind == "module" else ():
            if name in hooks:
                yield messages.removed_hook((project.source, method.name), name, hooks[name])


def _arguments(project: Project) -> Iterator[Diagnostic]:
    for call in values_of(project).calls_of(*TRAINERS):
        for argument in (each for each in call.args if each.keyword):
            if sentence := lightning_1.removed_argument(argument.keyword.value if argument.keyword else ""):
                yield messages.entry_trainer_argument((project.source, argument), sentence)
