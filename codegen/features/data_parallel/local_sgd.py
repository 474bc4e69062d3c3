"""Local SGD: `ddp.local_sgd` of the spec, or what a DDPStrategy is given for it (20.2)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class LocalSgd(NamedTuple):
    """When ranks average what."""

    averager: str  # the code that makes it
    start: int  # optimizer steps before
    gradients: str  # the code that makes what averages them
    condition: str  # of averaging them by that; empty: always


def local_sgd(facts: Facts) -> LocalSgd | None:
    """None: gradients are averaged in each step."""
    settings = facts.loaded.spec.ddp.local_sgd if facts.is_ddp else None
    if settings is None:
        return None
    start, period = settings.start_localSGD_iter, settings.period
    is_plain = isinstance(period, int)
    averages = settings.post_local_gradient_allreduce
    is_lightnings = not facts.loaded.is_given("ddp.local_sgd")  # which registers hooks on CUDA alone
    return LocalSgd(
        f"every({period}, {start})" if is_plain else f"by_groups({period}, {start})",
        start,
        f"local_gradients({start}, {settings.subgroup_size}, {averages})",
        'device.type == "cuda"' if is_lightnings else "",
    )


LOCAL_SGD = Feature(
    "local_sgd",
    local_sgd,
    ("Ranks average their parameters now and then.", "spec ddp.local_sgd"),
)
