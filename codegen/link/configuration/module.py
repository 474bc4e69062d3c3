"""The configuration of a main of hydra's as a module of the project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ... import messages
from ...diagnostics import CompileError, Diagnostic, Span
from ...source.source_text import Line, decoded
from ..modules.files import Place
from ..modules.graph import Graph
from ..modules.module import Module, shown_path
from ..modules.scopes import Position
from .code import TAKEN, ConfigurationCode
from .composed import NotComposed
from .hydra_main import composed_for, hydra_mains, passed_beside
from .targets import Targets


@dataclass(frozen=True, eq=False)
class ConfigurationModule(Module):
    """The configuration, as code; all of it stands for the file of the configuration's name."""

    shown: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    replaces: bool = False  # it has a function in the place of hydra's `instantiate`

    @property
    def shown_lines(self) -> list[str]:
        return list(self.shown)

    def line(self, number: int, text: str | None = None) -> Line:
        return Line(self.path, 1, text or self.lines[number - 1], whole=(0, len(self.shown[0])))

    def shown_place(self, start: Position, end: Position) -> messages.Place:
        return Span(self.path, 1, 1, 1, len(self.shown[0]) + 1), self.shown[0]


def configuration_module(
    graph: Graph, overrides: tuple[str, ...], notes: list[Diagnostic]
) -> ConfigurationModule | None:
    """The configuration with `overrides`; None: there is none, or it is not known, of which `notes` tell.

    Raises CompileError where there are overrides for it.
    """
    mains = hydra_mains(graph)
    if not mains:
        return None
    try:
        path, found = composed_for(mains, overrides)
    except NotComposed as error:
        at = mains[0].shown_place
        said = messages.configuration_unknown(at, str(error), is_asked=bool(overrides))
        if overrides:
            raise CompileError([said]) from None
        notes.append(said)
        return None
    shown = shown_path(path, graph.roots.entry.path, Path(graph.source.path))
    code = ConfigurationCode(found.settings, Targets(graph, TAKEN, passed_beside(graph)))
    lines, place = tuple(decoded(shown, path).split("\n")), Place(path, path.stem, path.parent)
    return ConfigurationModule(place, shown, code.text(), False, lines, found.files, code.replaces)
