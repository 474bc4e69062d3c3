from __future__ import annotations

from typing import TYPE_CHECKING

import lightning  # so that this module is embedded
from torch import nn

if TYPE_CHECKING:
    import no_such_types as types

    from .shapes import Shape

try:
    import no_such_kernels
except ImportError:
    no_such_kernels = None

WIDTH: Shape | int


def stack(inputs: types.Size, outputs: Shape | int) -> nn.Module:
    fused: types.Layer | None = no_such_kernels and no_such_kernels.Layer(inputs, outputs)
    return fused or nn.Sequential(nn.Linear(inputs, 4), nn.Linear(4, outputs))
