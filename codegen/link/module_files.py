"""Modules that code loads from files which are known when building: it imports them, and a run told others stops.

The lines of its text stay where they are.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from .. import messages
from ..diagnostics import Diagnostic
from ..ir.project import ModuleFile
from .cli.parser import place_of
from .modules.files import Place, Roots, is_installed
from .modules.graph import Graph
from .modules.module import Module
from .trainers.edits import Edit, edited, over

REFUSING = "refuse_other_than_{}"
"""The function that the file's module is given, by its name."""

CODE = '''

def {name}(path, told=""):
    """Stop where another file's module is asked for than the one that this script has been built with."""
    import os

    is_same = os.path.realpath(path) == os.path.realpath(__file__)
    is_told = told and os.path.abspath(path) == os.path.abspath(told) and not os.path.exists(path)
    if not (is_same or is_told):
        raise SystemExit(
            f"this script was not built with {{path}}: build it again, `ddpgen build ... -- ...`, with the arguments "
            "that name this file"
        )
'''
"""Where the file is not there, as where a script runs that was built elsewhere, its path is what is compared."""

SIMPLE = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)
MAY_NOT_RUN = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class ModulesOfFiles:
    """The texts of modules that import what they loaded, where that is found, and what is said of it."""

    roots: Roots
    texts: Mapping[Path, str] = field(default_factory=dict)
    said: tuple[Diagnostic, ...] = ()
    problems: tuple[Diagnostic, ...] = ()  # of those that are loaded all the same


def modules_of_files(graph: Graph, files: tuple[ModuleFile, ...]) -> ModulesOfFiles:
    """The modules with which the script has no need to load a file that imports Lightning."""
    named = dict(_named(graph, files))
    roots = replace(graph.roots, by_file=tuple(named.values()))
    imported = {
        each.place.path.resolve() for each in graph.closure(graph.entry)
    }  # which are then there twice
    anew = replace(graph, roots=roots, read={}, named={}, direct={}, touching={}, damages={}, unfound={})
    sites, problems = dict[tuple[Module, int], _Site](), list[Diagnostic]()
    for file in files:
        target, module = anew.module(named[file.file].name), _module_at(graph, file)
        if module is None or target is None or not anew.touches_lightning(target):
            continue
        site = None if file.file in imported else _site(module, file, target)
        if site and (module, site.statement.lineno) not in sites:
            sites[module, site.statement.lineno] = site
        elif site is None or site.call.col_offset != sites[module, site.statement.lineno].call.col_offset:
            problems.append(messages.module_of_file_stays(_place(module, file), target.path))
    said = [
        messages.module_of_file(place_of(each.module, each.call), each.target.path) for each in sites.values()
    ]
    return ModulesOfFiles(roots, _texts([*sites.values()]), tuple(said), tuple(problems))


def _texts(sites: list[_Site]) -> dict[Path, str]:
    """The texts of modules that load others, and of these."""
    edits, texts = dict[Module, list[Edit]](), dict[Path, str]()
    for site in sites:
        edits.setdefault(site.module, []).extend(_edits(site))
    for module, changes in edits.items():
        texts[module.place.path.resolve()] = edited(module.text, changes)
    for target, name in dict.fromkeys((each.target, each.refusing) for each in sites):
        path = target.place.path.resolve()
        texts[path] = f"{texts.get(path, target.text).rstrip()}\n{CODE.format(name=name)}"
    return texts


def _named(graph: Graph, files: Iterable[ModuleFile]) -> Iterator[tuple[Path, Place]]:
    """The files with names that no other module has."""
    taken = set[str]()
    for path in dict.fromkeys(each.file for each in files):
        name = re.sub(r"\W", "_", path.stem)
        while name in taken or not name.isidentifier() or graph.roots.find(name) or is_installed(name):
            name = f"{name}_file"
        taken.add(name)
        yield path, Place(path, name, path.parent)


def _module_at(graph: Graph, file: ModuleFile) -> Module | None:
    """The module that the call stands in."""
    return next((each for each in graph.closure(graph.entry) if each.path == file.place[0]), None)


def _place(module: Module, file: ModuleFile) -> messages.Place:
    _, line, column = file.place
    return module.shown_place((line, column - 1), (line, len(module.lines[line - 1])))


# ---- where it is loaded ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Site:
    """A call that makes a module, in a statement that surely evaluates it."""

    module: Module
    file: ModuleFile
    target: Module
    call: ast.Call
    statement: ast.stmt
    block: list[ast.stmt]
    path: ast.expr | None  # None: what the spec says
    is_inner: bool  # in a function or a branch

    @property
    def name(self) -> str:
        """The variable that is the module; empty: it has none."""
        match self.statement:
            case ast.Assign([ast.Name(name)], value) if value is self.call:
                return name
        return ""

    @property
    def refusing(self) -> str:
        return REFUSING.format(self.target.place.name)

    @property
    def is_below_blank(self) -> bool:
        """Whether the line above is free."""
        place, line = self.block.index(self.statement), self.statement.lineno
        is_apart = place > 0 and (self.block[place - 1].end_lineno or 0) < line - 1
        return is_apart and not self.module.lines[line - 2].strip()

    @property
    def run(self) -> list[ast.stmt]:
        """The statements that run the file, where the module has been made of a spec."""
        return [each for each in self.block if _runs(each, self.name)]

    @property
    def can_import(self) -> bool:
        if self.file.argument is None:
            return bool(self.name) and len(self.run) == 1
        if self.path is None:
            return False
        return self.is_inner or (bool(self.name) and self.is_below_blank)


def _site(module: Module, file: ModuleFile, target: Module) -> _Site | None:
    """Where the call stands, if an import can take its place."""
    tree = ast.parse(module.text)
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call) and _is_at(module, each, file)]
    if not calls:
        return None
    call = calls[-1]  # `load(path).Net()` begins where `load(path)` does
    node: ast.AST = call
    while not isinstance(node, ast.stmt):
        if isinstance(node, MAY_NOT_RUN):
            return None
        node = above[node]
    block = _block(above[node], node)
    if not isinstance(node, SIMPLE) or not block:
        return None
    site = _Site(module, file, target, call, node, block, _path(call, file), above[node] is not tree)
    return site if site.can_import else None


def _is_at(module: Module, node: ast.Call, file: ModuleFile) -> bool:
    span, _ = place_of(module, node)
    return (span.line, span.column) == file.place[1:]


def _block(above: ast.AST, node: ast.stmt) -> list[ast.stmt]:
    """The statements among which it stands."""
    blocks = (getattr(above, name, []) for name in ("body", "orelse", "finalbody"))
    return next((each for each in blocks if isinstance(each, list) and node in each), [])


def _path(call: ast.Call, file: ModuleFile) -> ast.expr | None:
    """The argument that is the path."""
    if file.argument is None:
        return None
    place, name = file.argument
    named = [each.value for each in call.keywords if each.arg == name]
    return next(iter(named), call.args[place] if place < len(call.args) else None)


# ---- what takes its place --------------------------------------------------------------------------------


def _edits(site: _Site) -> Iterator[Edit]:
    """The import in the place of the call, and behind it what stops the run."""
    own = site.name or f"{site.target.place.name}_module"
    path = ast.unparse(site.path or site.call.args[0]) + ("" if site.path else ".origin")
    told = "" if os.path.isabs(site.file.told) else f", {json.dumps(site.file.told, ensure_ascii=False)}"
    check = f"{own}.{site.refusing}({path}{told})"
    imported = f"import {site.target.place.name} as {own}"
    line, column = site.statement.lineno, site.statement.col_offset
    if site.path is None:
        yield over(site.statement, imported)
        yield from (over(each, check) for each in site.run)
        yield from (over(each, "pass") for each in site.block if _notes(each, own))
        return
    if site.is_below_blank:
        yield Edit(line - 1, 0, line - 1, 0, " " * column + imported)
    first = check if site.is_below_blank else f"{imported}; {check}"
    if site.name:
        yield over(site.statement, first)
    else:
        yield Edit(line, column, line, column, f"{first}; ")
        yield over(site.call, own)


def _runs(statement: ast.stmt, module: str) -> bool:
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(attr="exec_module"), [ast.Name(name)])):
            return name == module
    return False


def _notes(statement: ast.stmt, module: str) -> bool:
    """Whether it notes the module as one that is imported."""
    match statement:
        case ast.Assign([ast.Subscript(ast.Attribute(ast.Name("sys"), "modules"))], ast.Name(name)):
            return name == module
    return False
