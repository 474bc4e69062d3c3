"""Classes that derive from Lightning's Trainer and only say how it is made: functions that make one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ... import messages
from ...diagnostics import Diagnostic
from ...source.source_text import first_line
from ..cli.parser import place_of
from ..modules.graph import Graph
from ..modules.module import Module
from .constructor import Constructor, NoFunction
from .edits import Edit, edited, over
from .methods import Methods
from .uses import LIGHTNINGS, TrainerClass, trainer_classes


@dataclass(frozen=True)
class MadeFunctions:
    """The texts of modules with functions in the place of such classes, and what is said of these."""

    texts: Mapping[Path, str]
    said: tuple[Diagnostic, ...]


def trainer_functions(graph: Graph) -> MadeFunctions:
    """Those of all modules of the project's."""
    edits: dict[Module, list[Edit]] = {}
    said, taken = list[Diagnostic](), set[str]()
    for cls in trainer_classes(graph):
        try:
            changed = list(_edits(cls)) if cls.is_made and cls.is_only_called else []
        except NoFunction:
            continue
        names = {*Methods(cls).names.values()} if changed else set()
        if names & taken:
            continue
        taken |= names
        for module, edit in changed:
            edits.setdefault(module, []).append(edit)
        said += [_said(cls)] if changed else []
    texts = {module.place.path.resolve(): edited(module.text, each) for module, each in edits.items()}
    return MadeFunctions(texts, tuple(said))


def _said(cls: TrainerClass) -> Diagnostic:
    name = ast.Name(cls.name, lineno=cls.node.lineno, col_offset=len("class "))
    name.end_lineno, name.end_col_offset = cls.node.lineno, len(f"class {cls.name}".encode())
    methods = Methods(cls)
    left_out = [each.name for each in cls.methods if each.name not in {"__init__", *methods.kept}]
    functions = methods.names if methods.kept else {}
    return messages.trainer_class_as_function(place_of(cls.module, name), cls.name, functions, left_out)


def _edits(cls: TrainerClass) -> Iterator[tuple[Module, Edit]]:
    """Raises NoFunction where functions cannot do what the class does."""
    own, methods = cls.constructor, Methods(cls)
    kept = [*([own] if own else []), *methods.kept.values()]
    others = [each for each in cls.node.body if each not in kept]
    first = cls.node.body[0]
    if not all(_is_idle(cls, each) for each in others) or (
        first_line(first) == cls.node.lineno and first in kept
    ):
        raise NoFunction
    yield from methods.sites()
    gone = {inner for each in others for inner in ast.walk(each)}
    for module, node in cls.annotations:
        if module is cls.module and node not in gone:
            yield module, over(node, cls.base)
    of_class = [
        *(Constructor(cls, own, methods).edits() if own else ()),
        *methods.edits(),
        _head_left_out(cls, first, f"{cls.name} = {cls.base}" if own is None else ""),
        *(replace(over(each), line=first_line(each), column=0) for each in others),
    ]
    yield from ((cls.module, each) for each in of_class)


def _head_left_out(cls: TrainerClass, first: ast.stmt, instead: str) -> Edit:
    """The lines from the class's name to its first statement."""
    start = first_line(first)
    if start == cls.node.lineno:
        return Edit(start, 0, start, first.col_offset, f"{instead}; " if instead else "")
    before = cls.module.lines[start - 2]
    return Edit(cls.node.lineno, 0, start - 1, len(before.encode()), instead)


def _is_idle(cls: TrainerClass, part: ast.stmt) -> bool:
    """Whether a part of the class does nothing, or nothing asks for it."""
    match part:
        case ast.Pass() | ast.Expr(ast.Constant()) | ast.AnnAssign(ast.Name(), value=None):
            return True
        case ast.Assign([ast.Name(name)], ast.Constant()) | ast.AnnAssign(
            ast.Name(name), value=ast.Constant()
        ):
            return name not in LIGHTNINGS and not name.startswith("__") and not cls.is_asked(name)
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
            return name not in LIGHTNINGS and not name.startswith("_") and not cls.is_asked(name)
    return False
