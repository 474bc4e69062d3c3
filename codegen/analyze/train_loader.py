"""The training data: how its loader is made and read, and how many batches it has."""

from __future__ import annotations

from ..ir.plans import Lines
from .evaluation_loaders import prepared
from .facts import Facts
from .training_length import stepping_batches


def train_loader_lines(facts: Facts) -> Lines:
    """The loader of an epoch's batches, and what the trainer is told of it."""
    lines = _combined_lines(facts) if facts.train.together else _sole_lines(facts)
    if "train_dataloader" in facts.trainer_fields:
        value = "train_loader.iterables" if facts.train.together else "train_loader"
        lines.append(f"trainer.train_dataloader = {value}")
    if needs_count(facts):
        lines.append(f"num_batches = {_batch_count(facts)}")
    if "num_training_batches" in facts.trainer_fields:
        count = "num_batches" if facts.is_sized else 'float("inf")'
        lines.append(f"trainer.num_training_batches = {count}")
    if facts.loader_first:
        lines.append(f"trainer.estimated_stepping_batches = {stepping_batches(facts)}")
    return tuple(lines)


def _sole_lines(facts: Facts) -> list[str]:
    made = prepared(facts, facts.train, facts.train.call, "True")
    return [f"train_loader = {made}"] if made != "train_loader" else []


def _combined_lines(facts: Facts) -> list[str]:
    """Loaders that are read together, each of them made as one alone would be."""
    each = prepared(facts, facts.train, "loader", "True")
    lines = [f"train_loader = combined({facts.train.call})"]
    if each != "loader":
        lines.append(f"train_loader.prepare(lambda loader: {each})")
    if _is_limited(facts):
        limit = "limited(len(loader), config.limit_train_batches)"
        lines.append(f"train_loader.limits = [{limit} for loader in train_loader.loaders]")
    return lines


def _is_limited(facts: Facts) -> bool:
    """Whether a setting limits an epoch's batches."""
    return facts.limits_by_count or facts.settings.limit_train_batches != 1.0


def _is_cut(facts: Facts) -> bool:
    """Whether batches are counted while they are read: the loader alone may go on too far."""
    return _is_limited(facts) or facts.train.stops_exactly or facts.train.together


def needs_count(facts: Facts) -> bool:
    """Whether the loop has to know the number of batches."""
    asked = "num_training_batches" in facts.trainer_fields or (
        facts.loader_first and "num_batches" in stepping_batches(facts)
    )
    inside = (facts.ends_epoch_inside or facts.saves_inside) and _needs_last_batch(facts)
    return facts.is_sized and (facts.accumulates or asked or _is_cut(facts) or inside)


def _needs_last_batch(facts: Facts) -> bool:
    """Whether the loop tells an epoch's last batch from the others."""
    schedule = facts.form.schedule
    if facts.saves_inside:
        return True
    by_epoch = not facts.form.is_sure or (schedule is not None and schedule.interval == "epoch")
    return facts.accumulates or facts.validates_inside or (facts.ends_epoch_inside and by_epoch)


def is_last_batch(facts: Facts) -> str:
    """A condition for an epoch's last batch."""
    return "batch_idx + 1 == num_batches" if facts.is_sized else "is_last_batch"


def _batch_count(facts: Facts) -> str:
    limit = "config.limit_train_batches"
    if facts.train.together:
        return "len(train_loader)"
    if facts.train.dataset == "unsized":
        return limit
    if facts.limits_by_count:
        return f"min(len(train_loader), {limit})"
    if facts.is_expression("limit_train_batches"):
        return f"limited(len(train_loader), {limit})"
    return f"int(len(train_loader) * {limit})" if _is_limited(facts) else "len(train_loader)"


def batches_expression(facts: Facts) -> str:
    """What gives an epoch's batches."""
    if not facts.is_sized:
        return "lookahead(train_loader)"
    # one request too many would draw once more from a generator or a sampler of the user's
    return "itertools.islice(train_loader, num_batches)" if _is_cut(facts) else "train_loader"


def train_epoch_lines(facts: Facts) -> Lines:
    """Have samplers that order by epoch give each epoch's order."""
    if facts.train.together:
        orders = facts.is_ddp or not facts.train.is_plain
        return ("for loader in train_loader.loaders:", "    set_epoch(loader, epoch)") if orders else ()
    if facts.train.is_plain and facts.settings.use_distributed_sampler:
        sampler = "train_loader.batch_sampler.sampler"
        return ("if ranks.world_size > 1:", f"    {sampler}.set_epoch(epoch)") if facts.is_ddp else ()
    return ("set_epoch(train_loader, epoch)",) if facts.train.may_have_index else ()
