"""A wrapper of the user's own in the place of DistributedDataParallel: what it is made with, and does not go with."""

from __future__ import annotations

from collections.abc import Iterator

from ... import messages
from ...diagnostics import Diagnostic
from ...spec.init_args.values import Wrong, made_round
from ...spec.load import conflicts_of_wrapper
from ..facts import Facts
from ..model.spec_objects import SpecNames

KEY = "ddp.wrapper"


def check_wrapper(facts: Facts) -> Iterator[Diagnostic]:
    """Arguments that it does not take, steps of the model's own, and what a strategy in the code brings."""
    loaded = facts.loaded
    if loaded.spec.ddp.wrapper is None or not facts.is_ddp:
        return
    try:
        made_round("step", loaded.spec.ddp.wrapper, SpecNames(facts.project))
    except Wrong as wrong:
        yield wrong.say(loaded.place(".".join((KEY, *wrong.below))))
    if facts.manual:
        yield messages.not_with_wrapper(loaded.key_place(KEY), "automatic_optimization")
    for key in conflicts_of_wrapper(loaded):
        if not loaded.is_given(key):
            yield messages.not_with_wrapper(loaded.key_place(KEY), key.rpartition(".")[2])
