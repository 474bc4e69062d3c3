"""Steps whose gradients are NaN or infinite: `on_nan` of the spec."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...spec.sections.strategy_spec import OnNan
from ..feature import Feature
from ..logging.logging import has_interval


class NotFinite(NamedTuple):
    """What becomes of them."""

    stops: bool  # else such steps are left out
    ends_epochs: bool  # looking at the weights: no checkpoint does
    every: str  # so many steps it is read whether there were some

    @property
    def stepped(self) -> str:
        """What takes the optimizer's step."""
        return "optimizer" if self.stops else "watch"


def on_nan(facts: Facts) -> NotFinite | None:
    """None: training goes on."""
    wish = facts.loaded.spec.on_nan
    interval = "config.log_every_n_steps" if has_interval(facts) else str(facts.settings.log_every_n_steps)
    if wish is OnNan.GO_ON:
        return None
    return NotFinite(wish is OnNan.STOP, not facts.writes_last, interval)


ON_NAN = Feature(
    "on_nan",
    on_nan,
    ("Gradients that are NaN or infinite are looked for.", "spec on_nan"),
    {"stepped": ("A step may be left out.", "spec on_nan")},
)
