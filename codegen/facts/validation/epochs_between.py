"""What `check_val_every_n_epoch` may be: a number of epochs, or None, which counts batches over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

import libcst as cst

from ...ir.project import Project
from ...values import Literal, Option, is_whole, may_be_none, values_of
from ..main.told.configured import configured_literal
from ..trainer.arguments import Argument, arguments

EPOCHS_BETWEEN = "check_val_every_n_epoch"


class Between(Enum):
    """What it is."""

    NUMBER = "number"
    NONE = "none"
    CONFIGURED = "configured"  # a number, of which a run may be told otherwise
    OPEN = "open"  # known only when the script runs


def kinds_of(project: Project, argument: Argument) -> Iterator[Between]:
    """What an argument may be; where a mapping may lack it, the default is a number."""
    found = [*(argument.held or values_of(project).of(argument.value))]
    known = {kind_of(each.value) for each in found if isinstance(each, Literal)}
    is_said = argument.is_configured or configured_literal(project, argument.value) is not None
    if is_said and len(known) == 1:
        yield Between.NONE if known == {Between.NONE} else Between.CONFIGURED
        return
    yield from known
    for each in found:
        if isinstance(each, Option) and may_be_none(project.index, each):
            yield from (Between.NONE, Between.NUMBER)
        elif not isinstance(each, Literal):
            is_number = isinstance(each, Option) and is_whole(project.index, each)
            yield Between.NUMBER if is_number else Between.OPEN
    if not argument.is_there:
        yield Between.NUMBER


def kind_of(value: object) -> Between:
    """What a known value is."""
    return Between.NONE if value is None else Between.NUMBER


def kinds_for(project: Project, trainers: Iterable[cst.Call], expected: tuple[str, ...]) -> Iterator[Between]:
    """What Trainers are told that it is."""
    given = (each for call in trainers for each in arguments(project, call, expected))
    return (kind for each in given if each.name == EPOCHS_BETWEEN for kind in kinds_of(project, each))
