"""ddpgen compiles Lightning away: a LightningModule in, one plain-PyTorch script for torchrun out."""

from .version import __version__

__all__ = ["CompileError", "Diagnostic", "__version__", "build"]

# `python -m ddpgen` runs this file while the user's folder is still on the path. Nothing is imported that a file there
# could stand in for, not even typing; type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .api import CompileError, Diagnostic, build
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import api

        return getattr(api, name)
