"""`isinstance(value, LightningModule)`, `issubclass`, and of data modules: a script asks of its own base classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import libcst as cst

from ...ir.project import Project, Statement
from ...ir.rewrites import DATA_BASE, Rewrites
from ...values import values_of
from .handed_kinds import TRAINER, handed_kinds

INSTEAD = {"LightningModule": "TrainModule", "LightningDataModule": DATA_BASE, TRAINER: TRAINER}
"""What they are derived from in a script, or made of."""

SETTINGS = "Config"
"""What a script has for a Trainer where nothing more is asked of it."""


def asked_kinds(project: Project, statements: Iterable[Statement]) -> dict[cst.BaseExpression, str]:
    """Where they are named, of values of which it is known what they are, and what stands there in a script."""
    calls = (call for each in statements for call in project.index.within(each.node, cst.Call))
    return dict(_named(project, calls)) | {
        node: INSTEAD[kind] for node, kind in handed_kinds(project, statements)
    }


def _named(project: Project, calls: Iterable[cst.Call]) -> Iterator[tuple[cst.BaseExpression, str]]:
    values = values_of(project)
    for call in calls:
        for kind, answer in (
            (values.kind_asked(call), values.is_of_kind),
            (values.base_asked(call), values.is_derived),
        ):
            if kind is None:
                continue
            asked, named = (each.value for each in call.args)
            known = [answer(each, kind) for each in values.of(asked)]
            is_own = answer == values.is_of_kind and _is_own_object(project, asked)
            if (known and None not in known) or is_own:
                yield named, INSTEAD[kind]


def _is_own_object(project: Project, asked: cst.BaseExpression) -> bool:
    """Whether a method asks what the object is that it is called of: none of a class that is not read."""
    function, cls = project.index.function_of(asked), project.index.class_of(asked)
    if not isinstance(asked, cst.Name) or function is None or cls is None or project.unread_bases:
        return False
    first = [*function.params.posonly_params, *function.params.params][:1]
    bindings = [each.node for each in project.index.bindings(asked)]
    return bool(first) and not function.decorators and bindings == [first[0].name]


def with_asked_kinds(rewrites: Rewrites, found: Mapping[cst.BaseExpression, str]) -> Rewrites:
    """The rewrites, and these."""
    has_trainers = any(each.function == SETTINGS and each.within for each in rewrites.calls)
    names = {node: SETTINGS if name == TRAINER and not has_trainers else name for node, name in found.items()}
    return replace(rewrites, names=(*rewrites.names, *names.items()))
