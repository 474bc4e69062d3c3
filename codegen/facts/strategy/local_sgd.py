"""What local SGD does not go with, in the code: the spec's own conflicts are found when it is loaded."""

from __future__ import annotations

from collections.abc import Iterator

from ... import messages
from ...diagnostics import Diagnostic
from ...spec.load import conflicts_of_local_sgd
from ..facts import Facts


def check_local_sgd(facts: Facts) -> Iterator[Diagnostic]:
    """By what the optimizer, the precision or the Trainer's strategy would have ranks do."""
    loaded = facts.loaded
    if loaded.spec.ddp.local_sgd is None or not facts.is_ddp:
        return
    place = loaded.key_place("ddp.local_sgd")
    if facts.manual:
        yield messages.not_with_local_sgd(place, "automatic_optimization")
    if facts.precision.scales:
        yield messages.not_with_local_sgd(place, "precision")
    for key in conflicts_of_local_sgd(loaded):  # that a strategy in the code brings
        yield messages.not_with_local_sgd(place, key.rpartition(".")[2])
