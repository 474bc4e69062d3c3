"""Calls of `fit` that are given loaders, in a main whose others are given a data module."""

from __future__ import annotations

from dataclasses import replace

from ...diagnostics import Diagnostic
from ...ir.project import Class, Project
from ...lightning.api import TRANSFER_HOOKS
from ..code.stages import VALIDATE
from ..data.datasets import least
from ..data.loader_collections import are_read_together
from ..data.loaders import LoaderFacts, given_loader
from ..trainer.methods import ON_LOADERS, FitCall
from .evaluations import given_to
from .own_main import OwnMain

HOOKS = frozenset(
    {"prepare_data", "setup", "teardown", *TRANSFER_HOOKS, "train_dataloader", "val_dataloader"}
)
"""Hooks of a data module's in whose place loaders do nothing, or are returned."""

LOADERS = ("train_dataloader", "val_dataloader")


def on_loaders(main: OwnMain) -> list[FitCall]:
    return [fit for fit in main.fits if fit.shape == ON_LOADERS]


def may_stand_for_data(main: OwnMain, model: Class, source: Class | None) -> bool:
    """Whether loaders do what a data module without hooks would do: the model has none of these."""
    if source is None or main.classes["data"] != {source.name}:
        return False
    return (
        ("val_dataloader" in source.methods or not main.gives_val)
        and "train_dataloader" in source.methods
        and "on_exception" not in source.methods
        and not set(LOADERS) & model.methods.keys()
        and not any(hook in source.methods and hook in model.methods for hook in TRANSFER_HOOKS)
    )


def with_given(
    project: Project,
    loader: LoaderFacts,
    main: OwnMain,
    argument: str,
    model: Class,
    problems: list[Diagnostic],
) -> LoaderFacts | None:
    """What is known of a data module's loader and of those given in its place; None: they are too different."""
    given = [value for fit in main.fits if (value := fit.expression(argument))]
    if argument == "val_dataloaders":
        other = given_to(project, VALIDATE, model, given, loader.hook, problems)
    else:
        together = any(are_read_together(project, each) for each in given)
        other = given_loader(project, loader.hook, given, together)
    if any(each.together or each.in_turn for each in (loader, other)):
        return None
    both = {loader.dataset} & {other.dataset}
    return replace(
        loader,
        dataset=least([loader.dataset, other.dataset]),
        is_plain=loader.is_plain and other.is_plain,
        shuffle=loader.shuffle if loader.shuffle == other.shuffle else None,
        has_workers=loader.has_workers or other.has_workers,
        has_generator=loader.has_generator or other.has_generator,
        has_tensor_batches=loader.has_tensor_batches and other.has_tensor_batches,
        is_collated=loader.is_collated and other.is_collated,
        several=loader.several or other.several,
        is_unknown=loader.is_unknown
        or other.is_unknown
        or "unsized" in {loader.dataset, other.dataset} - both,
        keeps_workers=loader.keeps_workers or other.keeps_workers,
        may_lack=loader.may_lack or (argument == "val_dataloaders" and main.may_give_no_val),
    )
