"""Which modules are surely imported once others are."""

from __future__ import annotations

import sys
from collections.abc import Container

WHOLE = ("torch", "numpy", "tqdm", "torchmetrics")
"""Packages that import nearly all of their modules with themselves."""

LAZY = ("torch.utils.tensorboard",)
"""What is no such module of theirs: it imports other packages."""

BY_LIGHTNING = frozenset("torch numpy tqdm yaml fsspec torchmetrics packaging lightning_utilities".split())
"""Packages that Lightning imports when it is imported."""


def is_standard(module: str) -> bool:
    """Whether a module is the standard library's, which does the same whenever it is imported."""
    return module.partition(".")[0] in sys.stdlib_module_names


def is_loaded(module: str, loaded: Container[str]) -> bool:
    """Whether importing a module does nothing any more, as all of `loaded` is imported."""
    top = module.partition(".")[0]
    is_with_package = top in WHOLE and not module.startswith(LAZY)
    return is_standard(module) or module in loaded or (is_with_package and top in loaded)
