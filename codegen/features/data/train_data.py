"""The training data: its loader, how many batches are read of it, and when its iterator is made (3.5, 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature
from ..loop.length import stepping_batches
from .limits import limit_field
from .loaders import SPLITS, is_split, may_split, prepared

LIMIT = "config.limit_train_batches"
OWN = "own_batches"


@dataclass(frozen=True)
class TrainData:
    """The loader of an epoch's batches."""

    call: str
    loader: str  # as it is read: sharded, its workers seeded; empty: as it is given
    together: bool  # several, read at once
    each: str  # of those, as `loader`
    has_streams: bool  # among those, maybe
    limit_of_each: str  # of those; empty: each is read to its end
    count: str  # the number of batches; empty: nobody asks
    may_be_uneven: bool  # over the ranks, which would wait for each other
    own: str  # where ranks have other numbers: the variable of this one's; empty: nobody asks
    most: str  # where they have: the largest of them; empty: nobody asks
    told_count: str  # the trainer
    steps: str  # the number of optimizer steps in all; empty: nobody asks
    is_first: bool  # made before the optimizer, which wants to know its length
    is_next: bool
    is_sized: bool
    is_last: str  # a condition for an epoch's last batch
    target: str  # of the loop over them
    batches: str  # what gives an epoch's batches
    early: str  # the same before an epoch begins, within which no run goes on yet
    iterated: str  # what the loop reads, or its progress bar
    is_cut: bool  # so that a progress bar can't tell their number
    starts_early: bool  # its first iterator is made before the hooks at an epoch's start
    drops_restored: bool  # that, where a run goes on
    sets_epoch: bool
    sets_each_epoch: bool
    sets_samplers_epoch: bool  # of the script's own sampler
    kept: str  # what keeps the place in an epoch's batches; empty: nothing does
    recounted: str  # their number, asked anew; empty: it stays what it is


def train_data(facts: Facts) -> TrainData:
    """How the training data is made and read."""
    train, together = facts.train, facts.train.together
    loader = prepared(facts, train, train.call, "True")
    each = prepared(facts, train, "loader", "True")
    is_open = may_split(facts)
    goes_on = facts.own_main is not None and facts.own_main.goes_on
    is_own = train.is_plain and not facts.shares_itself
    is_own = is_own and facts.settings.use_distributed_sampler and not is_open
    return TrainData(
        call=train.call,
        loader=loader if loader != "train_loader" else "",
        together=together,
        each=each if together and each != "loader" else "",
        has_streams=train.is_together_with_stream,
        limit_of_each=_limit_of_each(facts) if together and _is_limited(facts) else "",
        count=_count(facts) if _needs_count(facts) else "",
        may_be_uneven=_may_be_uneven(facts) and not facts.joins,
        own=OWN if _joins_uneven(facts) and _is_cut(facts) else "",
        most=_most(facts),
        told_count="num_batches" if facts.is_sized or facts.limits_stream else 'float("inf")',
        steps=stepping_batches(facts) if facts.loader_first else "",
        is_first=facts.loader_first,
        is_next=not facts.loader_first,
        is_sized=facts.is_sized,
        is_last=last_batch(facts),
        target="batch" if facts.is_sized else "(batch, is_last_batch)",
        batches=batches_of(facts, facts.saves_within),
        early=batches_of(facts, goes_on=False),
        iterated="batches" if facts.starts_early else batches_of(facts, facts.saves_within),
        is_cut=facts.is_sized and _is_cut(facts),
        starts_early=facts.starts_early,
        drops_restored=facts.starts_early and not goes_on,
        sets_epoch=not together and not is_own and (train.may_have_index or is_open),
        sets_each_epoch=together and (facts.is_distributed or not train.is_plain),
        sets_samplers_epoch=not together and is_own and facts.is_distributed,
        kept=_kept(facts),
        recounted=_count(facts) if _may_change(facts) else "",
    )


def last_batch(facts: Facts) -> str:
    """A condition for an epoch's last batch."""
    return "batch_idx + 1 == num_batches" if facts.is_sized else "is_last_batch"


# ---- the number of batches -------------------------------------------------------------------------------


def _is_limited(facts: Facts) -> bool:
    """Whether a setting limits an epoch's batches."""
    return facts.limits_by_count or facts.settings.limit_train_batches != 1.0


def _is_cut(facts: Facts) -> bool:
    """Whether batches are counted while they are read: the loader alone may go on too far."""
    return _is_limited(facts) or facts.train.stops_exactly or facts.train.together


def _may_be_uneven(facts: Facts) -> bool:
    """Whether ranks may have different numbers of batches, that are known, and read all of them."""
    is_cut = facts.has_max_steps or facts.limits_time
    is_shared = facts.train.is_plain and is_split(facts, facts.train) and not may_split(facts)
    return facts.is_distributed and facts.train.dataset != "unsized" and not is_shared and not is_cut


def _joins_uneven(facts: Facts) -> bool:
    return facts.joins and _may_be_uneven(facts)


def _most(facts: Facts) -> str:
    """The batches of the rank that has most, where the loop has to know them."""
    own = OWN if _is_cut(facts) else _count(facts)
    return f"max(gather_from_ranks({own}, ranks))" if _joins_uneven(facts) and _asks_count(facts) else ""


def _limit_of_each(facts: Facts) -> str:
    is_stream = facts.train.is_together_with_stream
    return f"limited_length(loader, {LIMIT})" if is_stream else f"limited(len(loader), {LIMIT})"


def _needs_count(facts: Facts) -> bool:
    """Whether the number of batches has to be known."""
    stops = _may_be_uneven(facts) and not facts.joins
    if facts.limits_stream:
        return True
    return facts.is_sized and (_asks_count(facts) or stops or _is_cut(facts) or _may_change(facts))


def _may_change(facts: Facts) -> bool:
    """Whether an epoch may have another number of batches than the first, each rank of its own data."""
    is_one = facts.is_sized and not facts.train.together and not _joins_uneven(facts)
    return is_one and not facts.limits_stream and facts.may_change_length


def _asks_count(facts: Facts) -> bool:
    """Whether the loop has to know it."""
    asked = "num_training_batches" in facts.trainer_fields
    asked = asked or (facts.loader_first and "num_batches" in stepping_batches(facts))
    inside = (facts.ends_epoch_inside or facts.saves_inside) and _tells_last_batch(facts)
    return facts.accumulates or asked or inside or facts.writes_last_by_steps


def _tells_last_batch(facts: Facts) -> bool:
    """Whether the loop tells an epoch's last batch from the others."""
    schedule = facts.form.schedule
    if facts.saves_inside:
        return True
    by_epoch = not facts.form.is_sure
    if schedule is not None and schedule.interval == "epoch":
        by_epoch = not schedule.on_plateau or facts.may_cut_epochs
    return facts.accumulates or facts.validates_inside or (facts.ends_epoch_inside and by_epoch)


def _count(facts: Facts) -> str:
    if facts.train.together:
        return "limited_length(train_loader, None)" if facts.limits_stream else "len(train_loader)"
    if facts.limits_stream or facts.train.is_one_of_unknown_length:
        return f"limited_length(train_loader, {LIMIT if _is_limited(facts) else None})"
    if facts.train.dataset == "unsized":
        return LIMIT
    if facts.limits_by_count:
        return f"min(len(train_loader), {LIMIT})"
    return f"limited(len(train_loader), {LIMIT})" if _is_limited(facts) else "len(train_loader)"


def batches_of(facts: Facts, goes_on: bool) -> str:
    """What gives an epoch's batches, or those that are left where a run `goes_on` within it."""
    loader = "train_batches" if facts.saves_within else "train_loader"
    if not facts.is_sized:
        waits = facts.is_distributed and not facts.joins
        function = "limited_lookahead" if facts.limits_stream else "lookahead"
        left = "num_batches - first_batch" if goes_on else "num_batches"
        read = f"{loader}, {left}" if facts.limits_stream else loader
        return f"{function}_together({read}, ranks)" if waits else f"{function}({read})"
    # one request too many would draw once more from a generator or a sampler of the user's
    count = OWN if _joins_uneven(facts) else "num_batches"
    left = f"{count} - first_batch" if goes_on else count
    return f"itertools.islice({loader}, {left})" if _is_cut(facts) else loader


def _kept(facts: Facts) -> str:
    """What keeps the place in an epoch's batches; empty: nothing does."""
    if not facts.saves_within:
        return ""
    train = facts.train
    if train.is_plain and not train.together:
        return "WorkersBatches" if train.has_workers else "SampledBatches"
    is_stream = train.dataset == "unsized" and not train.is_unknown and not _may_tell_place(facts)
    return "ReplayedBatches" if is_stream or train.together else "kept_batches"


def _may_tell_place(facts: Facts) -> bool:
    """Whether a stream of the program's may say by itself where it is."""
    project, wanted = facts.project, {"__iter__", "load_state_dict"}
    tells = any(wanted <= cls.methods.keys() for cls in project.classes.values())
    return tells or bool(project.kept_streams)


def _config(facts: Facts) -> Iterator[ConfigField]:
    yield from limit_field(facts, "limit_train_batches", "an epoch")
    if may_split(facts):
        yield ConfigField(SPLITS, "bool", "True", "each rank reads a share of its own")


TRAIN_DATA = Feature(
    "train_data",
    train_data,
    ("The training data, each rank's share of it.", "loader train_dataloader"),
    {
        "is_last": ("An epoch's last batch is told from the others.", "loader train_dataloader"),
        "starts_early": ("The first epoch's batches are fetched before the hooks at its start.", ""),
        "sets_epoch": ("Samplers give each epoch an order of its own.", "loader train_dataloader"),
        "sets_each_epoch": ("Samplers give each epoch an order of its own.", "loader train_dataloader"),
        "kept": ("A run goes on within an epoch.", "spec checkpoint.every_n_steps"),
        "sets_samplers_epoch": ("Samplers give each epoch an order of its own.", "loader train_dataloader"),
        "is_first": (
            "The optimizer wants to know how many steps there will be.",
            "method configure_optimizers",
        ),
    },
    _config,
)
