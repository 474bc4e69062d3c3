"""`isinstance(value, LightningModule)`, `issubclass`, and of data modules: a script asks of its own base classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import libcst as cst

from ...ir.project import Project, Statement
from ...ir.rewrites import DATA_BASE, Rewrites
from ...values import Values, values_of
from .handed_kinds import TRAINER, handed_kinds

INSTEAD = {"LightningModule": "TrainModule", "LightningDataModule": DATA_BASE, TRAINER: TRAINER}
"""What they are derived from in a script, or made of."""

SETTINGS = "Config"
"""What a script has for a Trainer where nothing more is asked of it."""


def asked_kinds(project: Project, statements: Iterable[Statement]) -> dict[cst.BaseExpression, str]:
    """Where they are named, of values of which it is known what they are, and what stands there in a script."""
    values = values_of(project)
    calls = (call for each in statements for call in project.index.within(each.node, cst.Call))
    return dict(_named(values, calls)) | {
        node: INSTEAD[kind] for node, kind in handed_kinds(project, statements)
    }


def _named(values: Values, calls: Iterable[cst.Call]) -> Iterator[tuple[cst.BaseExpression, str]]:
    for call in calls:
        for kind, answer in (
            (values.kind_asked(call), values.is_of_kind),
            (values.base_asked(call), values.is_derived),
        ):
            asked = call.args[0].value if kind else None
            known = [answer(each, kind) for each in values.of(asked)] if asked and kind else []
            if kind and known and None not in known:
                yield call.args[1].value, INSTEAD[kind]


def with_asked_kinds(rewrites: Rewrites, found: Mapping[cst.BaseExpression, str]) -> Rewrites:
    """The rewrites, and these."""
    has_trainers = any(each.function == SETTINGS and each.within for each in rewrites.calls)
    names = {node: SETTINGS if name == TRAINER and not has_trainers else name for node, name in found.items()}
    return replace(rewrites, names=(*rewrites.names, *names.items()))
