"""The loaders of validation, test and prediction: how they are made, split and cut short."""

from __future__ import annotations

from ..ir.plans import Lines
from .data import LoaderFacts
from .facts import Facts
from .stages import PREDICT, Stage


def is_split(facts: Facts, loader: LoaderFacts) -> bool:
    """Whether each rank reads a share of its own."""
    may_split = loader.dataset != "unsized" or loader.is_unknown
    splits = loader.dataset == "map" or (not loader.is_plain and may_split)
    return facts.is_ddp and facts.settings.use_distributed_sampler and splits


def prepared(facts: Facts, loader: LoaderFacts, code: str, shuffle: str) -> str:
    """A loader with its workers seeded, split over the ranks where it has to be."""
    if facts.seeds_workers and loader.has_workers:
        code = f"seed_workers({code}, ranks)"
    if not is_split(facts, loader):
        return code
    shard = "shard" if loader.is_plain else "shard_any"
    seed = "" if shuffle == "False" else f", seed={facts.seed_code}"
    return f"{shard}({code}, ranks, shuffle={shuffle}{seed})"


def unrepeated(facts: Facts, loader: LoaderFacts, code: str, shuffle: str) -> str:
    """A loader for predictions."""
    if facts.seeds_workers and loader.has_workers:
        code = f"seed_workers({code}, ranks)"
    epoch = ", epoch=trainer.current_epoch" if facts.may_order_by_epoch(loader) else ""
    return f"unrepeated({code}, ranks, shuffle={shuffle}{epoch})"


def loader_lines(facts: Facts, stage: Stage, loader: LoaderFacts, variable: str) -> Lines:
    """The loaders of a stage, or the one that there is, under the name of a variable."""
    make = unrepeated if stage is PREDICT else prepared
    if facts.has_several(stage):
        return _several_lines(facts, stage, loader, variable)
    shuffle = "False" if loader.shuffle is None else str(loader.shuffle)
    code = make(facts, loader, loader.call, shuffle)
    if loader.shuffle is None and facts.is_ddp and code != loader.call and "shuffle=" in code:
        made = [f"{variable} = {loader.call}"] if variable != loader.call else []
        return (*made, f"{variable} = {make(facts, loader, variable, f'shuffles({variable})')}")
    return (f"{variable} = {code}",) if variable != code else ()


def _several_lines(facts: Facts, stage: Stage, loader: LoaderFacts, variable: str) -> Lines:
    make = unrepeated if stage is PREDICT else prepared
    code = make(facts, loader, "loader", "False" if loader.shuffle is False else "shuffles(loader)")
    each = f"{variable} = [{code} for loader in {variable}]"
    return (f"{variable} = listed({loader.call})", *([each] if code != "loader" else []))


def loaders_told(facts: Facts, stage: Stage, variable: str) -> str:
    """What the trainer is told of a stage's loaders, as the hook returns them."""
    return f"{variable} if len({variable}) > 1 else {variable}[0]" if facts.has_several(stage) else variable


def limit_of(facts: Facts, stage: Stage, loader: LoaderFacts, variable: str) -> str | None:
    """How many batches of a loader are read; None: as many as it has."""
    limit = getattr(facts.settings, stage.limit)
    if type(limit) is int:
        return f"config.{stage.limit}"
    if facts.is_expression(stage.limit):
        return f"limited(len({variable}), config.{stage.limit})"
    if limit != 1.0:
        return f"int(len({variable}) * config.{stage.limit})"
    return f"len({variable})" if loader.stops_exactly else None


def cut_short(variable: str, limit: str | None) -> str:
    """A loader, up to a limit."""
    return f"itertools.islice({variable}, {limit})" if limit else variable


def names_of(facts: Facts, stage: Stage, variable: str) -> tuple[str, str]:
    """What the loaders are called, and each of them, or both times the one that there is."""
    return (f"{variable}s", "loader") if facts.has_several(stage) else (variable, variable)


def set_epoch_lines(facts: Facts, stage: Stage, loader: LoaderFacts, variable: str, epoch: str) -> Lines:
    """Have samplers that order by epoch give this epoch's order."""
    if not facts.may_order_by_epoch(loader):
        return ()
    if facts.has_several(stage):
        return (f"for loader in {variable}:", f"    set_epoch(loader, {epoch})")
    return (f"set_epoch({variable}, {epoch})",)
