"""What starts the processes: `launch` in the spec (21)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ...spec.sections.strategy_spec import Launch
from ..feature import Feature


class Launched(NamedTuple):
    """How a process learns its place where torchrun does not start it."""

    launcher: str  # auto: whichever it is
    shown_if: str  # a condition


def launch(facts: Facts) -> Launched | None:
    """None: torchrun alone starts the script."""
    launcher = facts.loaded.spec.launch
    if launcher is Launch.TORCHRUN or not facts.is_distributed:
        return None
    own = 'os.environ.get("SHOW_ENVIRONMENT")'
    return Launched(launcher.value, own if facts.own_main else "config.show_environment")


def _config(facts: Facts) -> Iterator[ConfigField]:
    if launch(facts) and not facts.own_main:
        yield ConfigField(
            "show_environment", "bool", "False", "print what each rank runs on", of_training=False
        )


LAUNCH = Feature(
    "launch", launch, ("Other launchers than torchrun start it too.", "spec launch"), config=_config
)
