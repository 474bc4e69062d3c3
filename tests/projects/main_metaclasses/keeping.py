"""Metaclasses that see what objects are made with."""

import copy
import inspect

import lightning as L
from tables import Noted


def plain(value):
    return value is None or isinstance(value, bool | int | float | str)


class Keeping(Noted):
    """Keeps plain arguments, and those that nobody gave."""

    def __call__(cls, *args, **kwargs):
        names = [name for name in inspect.signature(cls.__init__).parameters if name != "self"]
        kept = {name: each.default for name, each in inspect.signature(cls.__init__).parameters.items()}
        kept.update(zip(names, args))
        kept.update(kwargs)
        kept.pop("self")
        made = type.__call__(cls, **kept)
        for name in [name for name, value in kept.items() if not plain(value)]:
            kept.pop(name)
        made._set_hparams(kept)
        made._hparams_initial = copy.deepcopy(made._hparams)
        return made


class Counting(type(L.LightningModule)):
    """Saves how many there were before, beside what the class saves itself."""

    count = 0

    def __call__(cls, *args, **kwargs):
        Counting.count += 1
        made = super().__call__(*args, **kwargs)
        made.save_hyperparameters({"count": Counting.count, "given": sorted(kwargs)})
        return made
