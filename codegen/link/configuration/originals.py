"""Classes that hydra itself would import for a configuration that is not known, and Lightning with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ...source.hydra import INSTANTIATING, told_by
from ..modules.graph import Graph
from .code import TAKEN
from .held import NotHeld
from .hydra_main import HydraMain
from .targets import Targets

PATH = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w.])")
"""What may name a class."""

COMMENT = re.compile(r"(?:^|(?<=\s))#.*", re.MULTILINE)


def original_named(graph: Graph, mains: list[HydraMain], overrides: tuple[str, ...]) -> str | None:
    """A class of a module with Lightning in it, or of Lightning's, that a run may name; empty: none is named.

    None: which are named cannot be known, as it is not known where the configuration's files are.
    """
    modules = graph.closure(graph.entry)
    if not any(each.asks_for(name) for each in modules for name in INSTANTIATING):
        return ""
    try:
        found = [main.primary(told_by(overrides)).folder for main in mains]
    except NotHeld:
        return None
    folders = {each for each in found if each and each.is_dir()}
    if not all(each in folders for each in found):
        return None
    named = dict.fromkeys([*_paths_in(folders), *sorted(filter(PATH.fullmatch, graph.strings))])
    targets = Targets(graph, TAKEN, frozenset())
    return next(filter(targets.is_original, named), "")


def _paths_in(folders: set[Path]) -> Iterator[str]:
    """Dotted names in files of YAML, of which any may become part of a configuration when the script runs."""
    for file in sorted(each for folder in folders for each in folder.rglob("*.y*ml")):
        yield from PATH.findall(COMMENT.sub("", file.read_text(errors="replace")))
