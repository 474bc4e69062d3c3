"""What the spec's class paths leave out: a name alone is one of the entry's, of Lightning's, or of torch's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..lightning_api import CALLBACKS, IDLE_CALLBACKS, INSTEAD, LOGGERS
from .files import Place

TRAINER = "lightning.pytorch.Trainer"
SHORT = {
    **dict.fromkeys((*CALLBACKS, *IDLE_CALLBACKS, *INSTEAD), "lightning.pytorch.callbacks"),
    **dict.fromkeys(LOGGERS, "lightning.pytorch.loggers"),
}
"""Lightning's classes that go by their names alone, and where they are."""

OF_TORCH = {"optimizer": "torch.optim", "lr_scheduler": "torch.optim.lr_scheduler"}
"""Where such names lead in these sections."""


@dataclass(frozen=True)
class Paths:
    """Class paths as seen from the entry."""

    entry: Place
    is_defined: Callable[[str], bool]  # whether a name is that of a class of the project's, in the entry

    def whole(self, path: str, section: str = "") -> str:
        """The path with its module, where a section of the spec has it."""
        module, _, name = path.rpartition(".")
        if module == "__main__" or (not module and self.is_defined(name)):
            return f"{self.entry.name}.{name}"
        if module:
            return path
        return f"{SHORT.get(name) or OF_TORCH.get(section) or self.entry.name}.{name}"
