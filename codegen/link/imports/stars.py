"""What a star import of a library's brings in, as far as that can be known without running the library."""

from __future__ import annotations

import sys
import sysconfig
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

from ...source.names import BUILTINS, OF_STARS

SHOWING = frozenset({"antigravity", "this"})
"""Modules of Python's that do something when they are imported."""


def is_open(module: str) -> bool:
    """Whether it is not known which names a star import brings in."""
    return _public(module) is None


def brings(module: str, name: str) -> bool | None:
    """Whether a star import brings in a name; None: that is not known."""
    names = _public(module)
    if names is None and not (name in BUILTINS or name.startswith("_")):
        return None
    return name in (OF_STARS.get(module, ()) if names is None else names)


@cache
def _public(module: str) -> frozenset[str] | None:
    """All that a star import of one of Python's own modules brings in; None: it is another module."""
    top = module.partition(".")[0]
    if top not in sys.stdlib_module_names - SHOWING or not _is_pythons(find_spec(top)):
        return None
    try:
        names = vars(import_module(module))
    except ImportError:  # of one that needs what is not installed here, as `tkinter` does
        return None
    return frozenset(names.get("__all__") or (name for name in names if not name.startswith("_")))


def _is_pythons(spec: ModuleSpec | None) -> bool:
    """Whether it is not a file of the user's that has the name of one of Python's."""
    if spec is None or spec.origin is None:
        return False
    folders = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")]
    path = Path(spec.origin).resolve()
    return spec.origin in ("built-in", "frozen") or any(map(path.is_relative_to, folders))
