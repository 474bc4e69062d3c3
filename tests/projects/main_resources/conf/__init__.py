"""Settings in files, which this package reads that lie beside it."""

import importlib.resources

import conf
from lightning.pytorch.utilities import rank_zero_only


@rank_zero_only
def say(name: str) -> None:
    print(f"reads {name}")


def read(name: str) -> float:
    say(name)
    return float(importlib.resources.files(conf).joinpath(name).read_text())
