"""What other programs may call."""

from __future__ import annotations

from pathlib import Path

from .compile import compile_script
from .diagnostics import CompileError, Diagnostic
from .spec.load import load_spec

__all__ = ["CompileError", "Diagnostic", "build"]


def build(
    model: str | Path, strategy: str = "ddp", model_class: str | None = None, data_class: str | None = None
) -> str:
    """The script for the LightningModule in the file `model`; `strategy` is a preset's name or a YAML file.

    With `runtime: beside` the module's text follows, below a line that says so.

    Nothing of the user's is run or imported. Raises CompileError with everything that is wrong.
    """
    return compile_script(Path(model), load_spec(str(strategy)), model_class, data_class).text
