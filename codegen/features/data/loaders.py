"""The loaders of all stages: how they are sharded, and cut short (1.4, 4.1 to 4.4)."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...facts.code.stages import PREDICT, VALIDATE, Stage
from ...facts.data.loaders import LoaderFacts
from ...facts.facts import Facts

SPLITS = "use_distributed_sampler"
"""The setting by which each rank reads a share of its own."""

OF_STREAM = re.compile(r"limited_stream\(|limited_length\(\w+, ")


class StageLoader(NamedTuple):
    """The loader of validation, test or prediction, or the loaders."""

    variable: str
    several: bool
    together: bool  # several, read at once
    call: str
    first: str  # what the variable holds at first; empty: what it has to be
    each: str  # sharded, its workers seeded; empty: it is as it has to be
    told: str = ""  # the trainer's field of several
    shaped: str = ""  # what holds them as they were given, if the trainer is asked for them

    @property
    def loaders(self) -> str:
        """What each of several is found in; empty: there is one."""
        return self.variable if self.several else f"{self.variable}.loaders" if self.together else ""

    @property
    def each_one(self) -> str:
        """What each of them is called, which the variable is not."""
        return "each" if self.variable == "loader" else "loader"


def stage_loader(
    facts: Facts, stage: Stage, loader: LoaderFacts, variable: str, is_told: bool = True
) -> StageLoader:
    """The loaders of a stage, or the one that there is, under the name of a variable.

    Of several, the trainer `is_told` at once in which shape they were given, or not in any case.
    """
    make, call = unrepeated if stage is PREDICT else prepared, loader.call
    if facts.has_several(stage):
        code = make(facts, loader, "loader", "False" if loader.shuffle is False else "shuffles(loader)")
        each, told = code if code != "loader" else "", f"{stage.loader}s"
        shaped = f"trainer.{told}" if is_told else "told_loaders"
        return StageLoader(
            variable=variable,
            several=True,
            together=False,
            call=call,
            first="",
            each=each,
            told=told,
            shaped=shaped,
        )
    if loader.together:
        shuffle = "False" if loader.shuffle is False else "shuffles(loader)"
        code = make(facts, loader, "loader", shuffle)
        first = call if variable != call else ""
        return StageLoader(variable, False, True, call, first, code if code != "loader" else "")
    code = make(facts, loader, call, "False" if loader.shuffle is None else str(loader.shuffle))
    if loader.shuffle is None and facts.is_distributed and code != call and "shuffle=" in code:
        first = call if variable != call else ""
        return StageLoader(
            variable, False, False, call, first, make(facts, loader, variable, f"shuffles({variable})")
        )
    return StageLoader(variable, False, False, call, "", code if variable != code else "")


def validation_given(facts: Facts) -> str:
    """Whether there is validation data, where that is known when the script runs; empty: there is."""
    if facts.val is not None and facts.val.may_lack:
        return f'hasattr({facts.val.owner}, "{VALIDATE.loader}")'
    return "val_loader is not None" if facts.may_lack_validation else ""


def is_split(facts: Facts, loader: LoaderFacts) -> bool:
    """Whether each rank reads a share of its own."""
    may_split = loader.dataset != "unsized" or loader.is_unknown
    splits = loader.dataset == "map" or (not loader.is_plain and may_split)
    return facts.is_distributed and facts.settings.use_distributed_sampler and splits


def may_split(facts: Facts) -> bool:
    """Whether the script is told when it runs if each rank reads a share of its own."""
    loaders = (facts.train, facts.val, *(each.loader for each in facts.evaluations))
    return facts.is_expression(SPLITS) and any(each and is_split(facts, each) for each in loaders)


def makes_loaders_anew(facts: Facts) -> bool:
    """Whether loaders with samplers may be put over others: shared out, read in order, or for predictions."""
    loaders = (facts.train, facts.val, *(each.loader for each in facts.evaluations))
    changed = (each for each in loaders if each and not each.is_plain)
    predicts = any(each.stage is PREDICT for each in facts.evaluations)
    ordered = bool(facts.settings.overfit_batches)
    return any(predicts or ordered or is_split(facts, each) for each in changed)


def prepared(facts: Facts, loader: LoaderFacts, code: str, shuffle: str) -> str:
    """A loader with its workers seeded, split over the ranks where it has to be."""
    if facts.settings.overfit_batches:
        ordered, shuffle = _in_order(facts, code, shuffle)
        code = code if loader.is_plain and loader.shuffle is False else ordered
    code = _seeded(facts, loader, code)
    if not is_split(facts, loader):
        return code
    shard, readers = "shard" if loader.is_plain else "shard_any", "ranks"
    if facts.shares_itself:
        shard, readers = "shard_by_mesh", "model.device_mesh"
    seed = "" if shuffle == "False" else f", seed={facts.seed_code}"
    split = f"{shard}({code}, {readers}, shuffle={shuffle}{seed})"
    return f"{split} if config.{SPLITS} else {code}" if facts.is_expression(SPLITS) else split


def _seeded(facts: Facts, loader: LoaderFacts, code: str) -> str:
    """A loader whose workers have random numbers of their own, where the seed is for them, too."""
    if not (facts.may_seed_workers and loader.has_workers):
        return code
    return f"{'seed_asked_workers' if facts.asks_for_workers else 'seed_workers'}({code}, ranks)"


def _in_order(facts: Facts, code: str, shuffle: str) -> tuple[str, str]:
    """A loader that is read in order for the same few batches, and whether ranks share it in another."""
    if not facts.is_expression("overfit_batches"):
        return f"in_order({code})", "False"
    is_off = (
        f"{shuffle} and not config.overfit_batches" if shuffle != "True" else "not config.overfit_batches"
    )
    return f"in_order({code}, config.overfit_batches)", "False" if shuffle == "False" else is_off


def unrepeated(facts: Facts, loader: LoaderFacts, code: str, shuffle: str) -> str:
    """A loader for predictions."""
    code = _seeded(facts, loader, code)
    readers = "readers_of(model.device_mesh)" if facts.shares_itself else "ranks"
    epoch = ", epoch=trainer.current_epoch" if facts.may_order_by_epoch(loader) else ""
    code = f"unrepeated({code}, {readers}, shuffle={shuffle}{epoch}{_splits(facts)})"
    return f"noting_batches({code})" if facts.writes_predictions else code


def _splits(facts: Facts) -> str:
    """An argument that says whether ranks share predictions; empty: they do."""
    if facts.is_distributed and not facts.settings.use_distributed_sampler:
        return ", splits=False"
    return f", splits=config.{SPLITS}" if may_split(facts) else ""


def told_loaders(facts: Facts, stage: Stage, loader: LoaderFacts, variable: str, is_told: bool = True) -> str:
    """What the trainer is told of a stage's loaders, as they were given; empty: it `is_told` of several."""
    if loader.together:
        return f"{variable}.iterables"
    return ("" if is_told else "told_loaders") if facts.has_several(stage) else variable


def ending_workers(**loaders: LoaderFacts | None) -> str:
    """The loaders whose processes end with a run, by their variables, as arguments; empty: there are none."""
    return ", ".join(name for name, loader in loaders.items() if loader and loader.keeps_workers)


def told_counts(facts: Facts, stage: Stage, loader: LoaderFacts, variable: str) -> str:
    """What the trainer is told of how many batches each of a stage's loaders gives."""
    _, each = names_of(facts, stage, variable)
    if loader.together:
        return f"[{limit_of(facts, stage, loader, 'loader')} for loader in {variable}.loaders]"
    limit = limit_of(facts, stage, loader, each)
    if facts.has_several(stage) and loader.dataset == "unsized":  # another of them may have a length
        count = f"limited_length({each}, {limit and f'config.{stage.limit}'})"
    elif limit and limit.startswith("limited_stream("):
        count = f'float("inf") if (count := {limit}) is None else count'
    elif loader.dataset == "unsized":
        count = limit or 'float("inf")'
    elif limit == f"config.{stage.limit}":
        count = f"min(len({each}), {limit})"
    else:
        count = limit or f"len({each})"
    return f"[{count}{f' for loader in {variable}s' if facts.has_several(stage) else ''}]"


def limit_of(facts: Facts, stage: Stage, loader: LoaderFacts, variable: str) -> str | None:
    """How many batches of a loader are read; None: as many as it has."""
    limit = getattr(facts.settings, stage.limit)
    if loader.together and type(limit) is int:
        return f"limited(len({variable}), config.{stage.limit})"
    is_open = facts.is_expression(stage.limit)
    if loader.is_one_of_unknown_length and not facts.has_several(stage):
        is_limited = is_open or type(limit) is int or limit != 1.0
        return f"limited_length({variable}, {f'config.{stage.limit}' if is_limited else None})"
    if type(limit) is int:
        return f"config.{stage.limit}"
    if is_open and loader.dataset == "unsized":
        return f"limited_stream(config.{stage.limit})"
    if is_open or limit != 1.0:
        return f"limited(len({variable}), config.{stage.limit})"
    return f"len({variable})" if loader.stops_exactly else None


def is_of_stream(limit: str | None) -> bool:
    """Whether a run alone knows how many batches of a stream there may be, and if there is a limit."""
    return limit is not None and OF_STREAM.match(limit) is not None


def cut_short(variable: str, limit: str | None) -> str:
    """A loader, up to a limit."""
    if limit is not None and is_of_stream(limit):
        return OF_STREAM.sub(f"stream_batches({variable}, ", limit, count=1)
    return f"itertools.islice({variable}, {limit})" if limit else variable


def validated_batches(facts: Facts, limit: str | None) -> str:
    """What validation runs through: a loader, or several and how many batches of each."""
    if not facts.has_several(VALIDATE):
        return _validated(facts, limit)
    is_stream = facts.val is not None and facts.val.dataset == "unsized"
    return f"val_loaders, [{limit or ('None' if is_stream else 'len(loader)')} for loader in val_loaders]"


def _validated(facts: Facts, limit: str | None) -> str:
    """The batches of the one loader, of which none is asked for that has none."""
    if limit is None or not facts.may_validate_nothing:
        return cut_short("val_loader", limit)
    asked = "val_loader"
    if facts.val is not None and facts.val.is_one_of_unknown_length:
        asked = limit_of(facts, VALIDATE, facts.val, "val_loader") or asked
    if facts.leaves_validation_out:
        return f"{asked} and {cut_short('val_loader', limit)}"
    return cut_short("val_loader or []" if asked == "val_loader" else "val_loader", limit)


def names_of(facts: Facts, stage: Stage, variable: str) -> tuple[str, str]:
    """What the loaders are called, and each of them, or both times the one that there is."""
    return (f"{variable}s", "loader") if facts.has_several(stage) else (variable, variable)
