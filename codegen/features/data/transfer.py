"""A batch on its way to the device, with the hooks round it (4.9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...facts.facts import Facts
from ...lightning.api import TRANSFER_HOOKS
from ..feature import Feature


@dataclass(frozen=True)
class Moving:
    """Who has which hook, as a variable; empty: no one has it."""

    before: str
    move: str
    after: str
    index: str  # of the loader

    @property
    def by_hooks(self) -> bool:
        """Whether some code of the user's moves batches."""
        return bool(self.before or self.move or self.after)


class Transfer(NamedTuple):
    """How batches are moved."""

    are_tensors: bool  # each surely a list of them
    of_training: Moving


def transfer(facts: Facts) -> Transfer:
    """How batches are moved."""
    return Transfer(facts.has_tensor_batches, moving(facts))


def moving(facts: Facts, has_data: bool = True, several: bool = False) -> Moving:
    """Who has which hook; `has_data`: a data module is at hand."""
    owners = (facts.owner_of(hook) or "" for hook in TRANSFER_HOOKS)
    before, move, after = (owner if owner != "data" or has_data else "" for owner in owners)
    return Moving(before, move, after, "dataloader_idx" if several else "0")


TRANSFER = Feature("transfer", transfer, ("Batches go to the model's device.", "loader train_dataloader"))
