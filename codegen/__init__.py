"""ddpgen compiles Lightning away: a LightningModule in, one plain-PyTorch script for torchrun out."""

from __future__ import annotations

from pathlib import Path

from .diagnostics import CompileError, Diagnostic
from .version import __version__

__all__ = ["CompileError", "Diagnostic", "__version__", "build"]


def build(
    model: str | Path, strategy: str = "ddp", model_class: str | None = None, data_class: str | None = None
) -> str:
    """The script for the LightningModule in the file `model`; `strategy` is a preset's name or a YAML file.

    Nothing of the user's is run or imported. Raises CompileError with everything that is wrong.
    """
    from .compile import compile_script
    from .spec import load_spec

    return compile_script(Path(model), load_spec(str(strategy)), model_class, data_class).text
