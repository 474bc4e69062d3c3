"""Where modules are imported of which the build does not know which they are: what is trained may be theirs."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import Path

import libcst as cst

from .... import messages
from ....diagnostics import Diagnostic, Span
from ....ir.project import Project
from ....values import values_of
from ...model.unread import FOLLOWING
from .module_files import loading_of_files

IMPORTING = "import_module"
LOADING = "importlib."
NOT_KNOWN = "it is a module whose name is known only when the script runs"


def told_of_modules(project: Project, said: Collection[Diagnostic]) -> list[Diagnostic]:
    """What is said, with such places that may have what is not known, in the place of what follows from them."""
    if not any(each.code in FOLLOWING for each in said):
        return [*said]
    causes = [*loading_of_files(project), *_importing(project)]
    following = [each for each in said if causes and _is_of_other_code(project, each)]
    if following:  # else the model may be missing for another reason
        following += [each for each in said if each.code == "no-model"]
    return [*causes, *(each for each in said if each not in following)]


def _importing(project: Project) -> Iterator[Diagnostic]:
    """The places where a module is imported by a name that is not known."""
    own = project.configuration.import_module if project.configuration else None
    for call in project.index.of_kind(cst.Call) if own else ():
        if project.called(call) == own and values_of(project).of(call).unknown:
            span = project.source.span(call.func)
            yield messages.module_name_unknown((span, project.source.line_of(span)))
    for file in () if own else (each for each in project.files if each.suffix == ".py"):
        text = file.read_text("utf-8", "replace")
        for node in _by_name(ast.parse(text)) if IMPORTING in text else ():
            yield messages.module_name_unknown(_place(file, text.split("\n"), node.func))


def _by_name(tree: ast.Module) -> Iterator[ast.Call]:
    """The calls that import a module whose name does not stand there."""
    nodes = [*ast.walk(tree)]
    froms = (node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "importlib")
    aliases = (each for node in froms for each in node.names if each.name == IMPORTING)
    names = {f"importlib.{IMPORTING}", *(each.asname or each.name for each in aliases)}
    for node in (each for each in nodes if isinstance(each, ast.Call) and each.args):
        if ast.unparse(node.func) in names and not isinstance(node.args[0], ast.Constant):
            yield node


def _place(file: Path, lines: list[str], node: ast.expr) -> messages.Place:
    end = node.end_col_offset if node.end_lineno == node.lineno else None
    line = lines[node.lineno - 1]
    shown = Path(os.path.relpath(file)).as_posix()
    return Span(shown, node.lineno, node.col_offset + 1, node.lineno, (end or len(line)) + 1), line


def _is_of_other_code(project: Project, said: Diagnostic) -> bool:
    """Whether something is not known that comes of a module that is loaded, or of code of the project's that stays."""
    own = (bound.target for bound in project.imports if bound.is_local)
    names = "|".join(map(re.escape, chain([LOADING], own)))
    return said.code in FOLLOWING and (
        NOT_KNOWN in said.message or re.search(rf"`(?:{names})", said.message) is not None
    )
