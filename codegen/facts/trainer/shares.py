"""Settings that are shares of the number of batches, where the data has no length."""

from __future__ import annotations

from collections.abc import Iterator

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Class, Project
from ...spec.trainer_settings import TrainerSettings
from ..data.loaders import LoaderFacts
from ..main.own_main import OwnMain


def shares_of_streams(
    project: Project,
    chosen: TrainerSettings,
    expressions: frozenset[str],
    own: OwnMain | None,
    owners: tuple[Class, Class | None],
    loaders: tuple[LoaderFacts, LoaderFacts | None],
) -> Iterator[Diagnostic]:
    """Settings that are shares of the length of a stream, which has none, or may be; of some the script asks itself."""
    train, val = loaders
    for loader, name in [*((train, name) for name in chosen.train_shares), (val, "limit_val_batches")]:
        value = getattr(chosen, name)
        is_open = name.startswith("limit") and name in expressions
        is_open |= loader is not None and loader.is_one_of_unknown_length
        is_share = type(value) is float and value != 1.0 and not is_open
        if loader is not None and loader.dataset == "unsized" and is_share:
            yield _share_of(project, own, owners, loader, name)


def _share_of(
    project: Project,
    own: OwnMain | None,
    owners: tuple[Class, Class | None],
    loader: LoaderFacts,
    name: str,
) -> Diagnostic:
    """A share of a loader's length, told where the loader is made, or handed over."""
    if not loader.owner:
        parameter = "val_dataloaders" if name == "limit_val_batches" else "train_dataloaders"
        given = (fit.expression(parameter) for fit in (own.fits if own else ()))
        return messages.share_of_a_given_stream((project.source, next(each for each in given if each)), name)
    model, source = owners
    owner = source if source is not None and loader.owner == "data" else model
    return messages.share_of_a_stream((project.source, owner.methods[loader.hook].name), name)
