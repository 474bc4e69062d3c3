"""Settings of Trainers that a main sets once these are made: `trainer.limit_val_batches = 0`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project
from ...spec.load import LoadedSpec
from ...values import Literal, values_of
from ..code.literals import code_of
from .replacing import OVERFITTING, TRIAL

TRIED = "num_sanity_val_steps"
SETTABLE = frozenset(
    f"limit_train_batches limit_val_batches limit_test_batches limit_predict_batches {TRIED}".split()
)
"""Those that Lightning looks at with each run, and changes nothing of as it takes them."""

ALSO_TOLD = {"limit_val_batches": "enable_validation"}
"""What else a trainer tells of them."""


def settings_set(project: Project, targets: Iterable[cst.Attribute]) -> Iterator[cst.Attribute]:
    """Where a statement of its own sets one, to what it would be as an argument of the Trainer."""
    for target in targets:
        above = project.index.parent(target)
        assigned = project.index.parent(above) if isinstance(above, cst.AssignTarget) else None
        is_alone = isinstance(assigned, cst.Assign) and len(assigned.targets) == 1
        name = target.attr.value
        if is_alone and name in SETTABLE and (name != TRIED or _is_count(project, assigned)):
            yield target


def settings_rewrites(members: Iterable[cst.Attribute]) -> Iterator[tuple[cst.BaseExpression, str]]:
    """What a main sets and asks of these is the configuration's of the script's Trainer."""
    for node in members:
        yield node, f"{code_of(node.value)}.config.{node.attr.value}"


def check_settings_set(
    project: Project,
    loaded: LoadedSpec,
    targets: Iterable[cst.Attribute],
    expressions: Collection[str],
    asked: Collection[str],
) -> Iterator[Diagnostic]:
    """Where others come in the place of what is set, as in a trial run, or where hooks ask for what it was before."""
    for node in targets:
        name = node.attr.value
        is_given = loaded.is_given(f"trainer.{name}")
        if {TRIAL, OVERFITTING} & {*expressions} or not (name in expressions or is_given):
            yield messages.trainer_member_set((project.source, node.attr), name, "Do without it")
        elif {name, ALSO_TOLD.get(name)} & {*asked}:
            instead = f"Give it to the Trainer, `Trainer({name}=...)`"
            yield messages.trainer_member_set((project.source, node.attr), name, instead)


def _is_count(project: Project, assigned: cst.CSTNode | None) -> bool:
    """Whether a number of batches is set: -1, of which a Trainer makes all, is none where it is set."""
    value = cst.ensure_type(assigned, cst.Assign).value
    found = [*values_of(project.holding(value)).of(value)]
    return bool(found) and all(
        isinstance(each, Literal) and isinstance(each.value, int) and each.value >= 0 for each in found
    )
