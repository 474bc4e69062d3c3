"""The spec as a module of the project: each line of its code stands for a place in the YAML."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ... import messages
from ...diagnostics import CompileError, Span
from ...lightning.api import PACKAGES
from ...source.source_text import Line
from ...spec.load import LoadedSpec
from ...spec.yaml_file import YamlFile
from ..cli.calls import CLI
from ..cli.read import ReadCli
from ..modules.files import Place
from ..modules.module import Module
from ..modules.scopes import Position
from .class_paths import ClassPaths
from .classes import Named, named_by
from .code import SpecCode
from .command_line import CommandLineCode


@dataclass(frozen=True, eq=False)
class SpecModule(Module):
    """The spec, as code."""

    file: YamlFile | None = None
    places: tuple[Span, ...] = ()  # in it, or in the code that it goes with, for each line of the code
    named: tuple[Named, ...] = ()
    writes_cli: bool = False
    read_by: str = ""  # what the code calls the LightningCLI that reads it

    def stands_for(self, module: str, name: str) -> bool:
        """Whether something of Lightning's has its place here."""
        return self.writes_cli and name == CLI and module.partition(".")[0] in PACKAGES

    @property
    def shown_files(self) -> dict[str, list[str]]:
        return {self.path: list(self._file.lines)}

    @property
    def _file(self) -> YamlFile:
        assert self.file is not None
        return self.file

    def line(self, number: int, text: str | None = None) -> Line:
        """All of a line of code stands for one place in the YAML."""
        (span, _), code = self.shown_place((number, 0), (number, 0)), text or self.lines[number - 1]
        return Line(span.path, span.line, code, whole=(span.column - 1, span.end_column - 1))

    def shown_place(self, start: Position, end: Position) -> messages.Place:
        return self._file.place(self.places[start[0] - 1])


def spec_module(
    spec: LoadedSpec, paths: ClassPaths, cli: ReadCli | None = None, writes_cli: bool = False
) -> SpecModule | None:
    """The spec as code, with the LightningCLI that it is for; None: it names no class that has to be looked for.

    Raises CompileError with values that classes do not take.
    """
    code = CommandLineCode(spec, paths, cli=cli) if cli and writes_cli else SpecCode(spec, paths)
    code.own_optimizer = cli.own_optimizer if cli else None
    code.write()
    if code.problems:
        raise CompileError(code.problems)
    named = tuple(
        replace(each, constructor=paths.signature(each.path), methods=paths.methods(each.path))
        for each in named_by(spec, paths)
    )
    modules = sorted({each.path.rpartition(".")[0] for each in named if each.path not in code.names})
    imports = [f"import {module}" for module in modules] + code.import_lines
    if not imports:
        return None
    text = "\n".join([*imports, *(line for _, line in code.lines)])
    top = Span(spec.file.path, 1, 1, 1, 1)
    places = (*[top] * len(imports), *(span for span, _ in code.lines))
    path = Path(spec.file.path)
    place = Place(path, path.stem, path.parent)
    return SpecModule(
        place,
        spec.file.path,
        text,
        file=spec.file,
        places=places,
        named=named,
        writes_cli=writes_cli,
        read_by=cli.name if cli else "",
    )
