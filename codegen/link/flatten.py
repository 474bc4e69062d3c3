"""A project's modules as one: what is reached of them, in order, under one set of names."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..lightning.api import IDLE_CALLBACKS
from ..source.definitions import Import
from ..source.names import Importing, bound_by, free_name
from ..source.source import Source
from ..source.source_text import Line
from .configuration.looked_in import folders_reseen
from .modules.by_name import Lookup
from .modules.graph import Definition, External, Graph, ModuleReference, Target
from .modules.module import Chunk, Module
from .modules.scopes import ImportInPlace, Position, Use, Uses
from .naming import Names
from .reach.in_strings import names_in_string
from .reach.reach import Reach
from .reach.resolution import FILE, names_package
from .running.order import Resolved
from .running.set_elsewhere import line_above


@dataclass(frozen=True, order=True)
class Edit:
    """A stretch of a module's text, and what takes its place."""

    start: Position  # line, and column in characters
    end: Position
    text: str


def flatten(reach: Reach, names: Names) -> Source:
    """The statements reached, as one source that knows where each of its lines comes from."""
    lines: list[Line] = []
    if _asks_os(reach, names):
        lines.append(Line(reach.graph.entry.path, 1, import_statement(OS, _name_of(names, OS))))
    for bound in (MADE, FOUND) if reach.resolution.packages else ():
        lines.append(Line(reach.graph.entry.path, 1, import_statement(bound, _name_of(names, bound))))
    if reach.resolution.entries:
        namespace = import_statement(NAMESPACE, _name_of(names, NAMESPACE))
        lines.append(Line(reach.graph.entry.path, 1, namespace))
    for module, chunk in reach.in_order:
        if chunk.is_import:
            lines += _import_lines(reach, names, module, chunk)
        else:
            declared = _declared_elsewhere(reach, names, module, chunk)
            lines += _edited(module, chunk, sorted(_edits(reach, names, module, chunk)), declared)
    lines.sort(
        key=lambda line: not line.text.startswith("from __future__ import")
    )  # Python wants these first
    files = {path: shown for each in _modules(reach) for path, shown in each.shown_files.items()}
    return Source.joined(reach.graph.source.path, lines, files)


def is_seen_from_elsewhere(graph: Graph) -> bool:
    """Whether the entry asks for files, for a script that is to stand in another folder."""
    asks = FILE in graph.entry.text or any(True for _ in folders_reseen(graph, graph.entry))
    return asks and graph.stands_elsewhere(graph.entry)


def _asks_os(reach: Reach, names: Names) -> bool:
    """Whether what is said of files asks for Python's os."""
    edits = (each for place in reach.chunks for each in _file_edits(reach, names, *place))
    folders = (each for module in _modules(reach) for each in folders_reseen(reach.graph, module))
    return any(True for _ in edits) or any(each.asks_os for each in folders)


def _modules(reach: Reach) -> set[Module]:
    return {module for module, _ in reach.chunks}


# ---- imports ---------------------------------------------------------------------------------------------


def _import_lines(reach: Reach, names: Names, module: Module, chunk: Chunk) -> Iterator[Line]:
    """Those parts of import statements that are not dissolved, one to a line."""
    for node in chunk.nodes:
        assert isinstance(node, ast.Import | ast.ImportFrom)
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            yield module.line(node.lineno, f"from __future__ import {node.names[0].name}")
            continue
        for alias in node.names:
            for code in sorted(set(_import_code(reach, names, module, node, alias))):
                yield module.line(node.lineno, code)
            if bound_by(alias, node) in module.names_bound(chunk) and (module, chunk) in reach.chunks:
                target = reach.graph.imported(module, node, alias)
                for code in _variable_code(names, module, bound_by(alias, node), target):
                    yield module.line(node.lineno, code)


def _import_code(
    reach: Reach, names: Names, module: Module, node: Importing, alias: ast.alias
) -> Iterator[str]:
    if alias.name == "*":
        assert isinstance(node, ast.ImportFrom)
        source = module.absolute(node)
        found = reach.graph.module(source)
        if found is None and (reach.graph.keeps_stars(module) or not reach.graph.is_librarys(source)):
            yield f"from {source} import *"
        elif found is None or not reach.graph.is_embedded(found):
            named = names.of_import.items()
            yield from (import_statement(bound, name) for bound, name in named if bound.module == source)
        return
    target = reach.graph.imported(module, node, alias)
    if isinstance(target, External):
        is_used = target.bound in names.of_import or (
            module is not reach.graph.spec
            and any(_binds_the_same(target.bound, bound) for bound in names.of_import)
        )
        is_free = target.bound.name not in names.of_import.values()
        if is_used or (module is reach.graph.entry and is_free):
            name = names.of_import.get(target.bound, target.bound.name)
            yield import_statement(names.as_first_written(target.bound), name)


def _variable_code(names: Names, module: Module, name: str, target: Target) -> Iterator[str]:
    """What binds a variable to what is imported, where other statements bind it too."""
    variable = names.of_definition[Definition(module, name)]
    if isinstance(target, Definition):
        yield f"{variable} = {names.of_definition[target]}"
        return
    assert isinstance(target, External)
    if target.bound.is_lightnings:
        yield import_statement(target.bound, variable)
    elif target.bound.attribute is None and target.bound.target != target.bound.module:
        yield f'{variable} = __import__("{target.bound.module}")'
    else:  # the import comes first in the script, the assignment where it stands
        imported = names.of_import.get(target.bound) or free_name(variable, names.taken | names.written)
        yield import_statement(target.bound, imported)
        yield f"{variable} = {imported}"


def _binds_the_same(bound: Import, used: Import) -> bool:
    """Whether an import binds what is used: after `import a` and `import a.b`, both are needed for `a.b`."""
    are_modules = bound.attribute is None and used.attribute is None
    tops = bound.module.partition(".")[0], used.module.partition(".")[0]
    return are_modules and bound.name == used.name and set(tops) == {bound.name}


def import_statement(bound: Import, name: str) -> str:
    """The statement that binds one import under a name."""
    if bound.attribute is not None:
        renamed = "" if name == bound.attribute else f" as {name}"
        return f"from {bound.module} import {bound.attribute}{renamed}"
    top = bound.module.partition(".")[0]
    plain = name == top and bound.name == name
    if not plain and bound.name == top and "." in bound.module:
        return f"import {bound.module}; {name} = {top}"
    return f"import {bound.module}" if plain else f"import {bound.module} as {name}"


# ---- edits -----------------------------------------------------------------------------------------------


def _edits(reach: Reach, names: Names, module: Module, chunk: Chunk) -> Iterator[Edit]:
    tables: dict[Position, dict[str, str]] = {}
    for resolved in reach.resolved[chunk]:
        if resolved.looked_up:
            table = tables.setdefault(resolved.use.spans[0][0], {})
            table[resolved.looked_up] = _looked_up(names, resolved)
        else:
            yield from _use_edits(names, module, resolved)
    for use in (use for uses in chunk.uses for use in uses.names):
        if reach.resolution.entries.get((module, use.spans[0][0])) is use:
            members = tables.pop(use.spans[0][0], {})
            yield _entry_edit(names, module, use, members)
    for place, table in tables.items():
        asks_member = (module, place) in reach.resolution.of_members
        yield from _lookup_edits(module, module.lookups[place], table, asks_member)
    for place in (use.spans[0][0] for uses in chunk.uses for use in uses.names):
        if (module, place) in reach.resolution.tested:
            yield from _test_edits(module, module.lookups[place], reach.resolution.tested[module, place])
        if (module, place) in reach.resolution.unnamed:
            yield from _lookup_edits(module, module.lookups[place], {}, asks_member=False)
    yield from _file_edits(reach, names, module, chunk)
    yield from _folder_edits(reach, names, module, chunk)
    yield from _package_edits(module, chunk)
    for node, uses in zip(chunk.nodes, chunk.uses, strict=True):
        yield from _definition_edits(names, module, node)
        yield from _declared_edits(names, module, uses)
        yield from _annotation_edits(reach, names, module, uses)
        yield from _inner_imports(reach, names, module, node, uses)


def _looked_up(names: Names, resolved: Resolved) -> str:
    """An entry of a table in a module's place: the project's own, imported, or of a module of Lightning's."""
    if isinstance(resolved.target, Definition):
        return names.of_definition[resolved.target]
    use, bound = resolved.use, resolved.target.bound
    if bound.name == resolved.looked_up:  # what the module itself imports
        return names.of_import.get(bound, bound.name)
    found = ".".join((_new_name(names, resolved) or use.name, *use.attributes, resolved.looked_up))
    is_idle = resolved.looked_up in IDLE_CALLBACKS  # of which a script has no class
    return f"lambda *args, **options: {found}(*args, **options)" if is_idle else found


def _use_edits(names: Names, module: Module, resolved: Resolved) -> Iterator[Edit]:
    use = resolved.use
    new = _new_name(names, resolved)
    old = ".".join([use.name, *use.attributes[: resolved.taken]])
    if new is None or new == old:
        return
    start, end = (_characters(module, position) for position in use.spans[resolved.taken])
    if start[0] == end[0] and module.lines[start[0] - 1][start[1] : end[1]] == old:
        yield Edit(start, end, new)
    elif use.within is not None:
        yield from _edits_in_string(module, use.within, old, new)
    else:
        yield Edit(start, end, new)


def _stretch(node: ast.expr) -> tuple[Position, Position]:
    """Where an expression begins, and where it ends."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _lookup_edits(
    module: Module, lookup: Lookup, table: Mapping[str, str], asks_member: bool
) -> Iterator[Edit]:
    """`{"Net": Net}[name]` for `getattr(module, name)` or `globals()[name]`, and for what is asked of it."""
    whole = lookup.member if asks_member and lookup.member else lookup.node
    (start, end), (first, last) = map(_stretch, (whole, lookup.name))
    shown = "{" + ", ".join(f'"{name}": {new}' for name, new in table.items()) + "}"
    before = f"{shown}.get(" if lookup.has_default else f"{shown}["
    yield Edit(_characters(module, start), _characters(module, first), before)
    if not lookup.has_default:
        close = last if asks_member else (end[0], end[1] - 1)
        yield Edit(_characters(module, close), _characters(module, end), "]")


def _entry_edit(names: Names, module: Module, use: Use, members: Mapping[str, str]) -> Edit:
    """A namespace in the place of a module that is an entry of a table."""
    shown = ", ".join(f"{name}={new}" for name, new in members.items())
    (start, _), (_, end) = use.spans[0], use.spans[-1]
    code = f"{_name_of(names, NAMESPACE)}({shown})"
    return Edit(_characters(module, start), _characters(module, end), code)


def _test_edits(module: Module, lookup: Lookup, names: list[str]) -> Iterator[Edit]:
    """`((name) in ("Net", "Wide"))` for `hasattr(module, name)`, `("Net", "Wide")` for `globals()` behind `in`."""
    (start, end), (first, last) = map(_stretch, (lookup.node, lookup.name))
    shown = ", ".join(f'"{each}"' for each in dict.fromkeys(names))
    if lookup.is_own:
        yield Edit(_characters(module, start), _characters(module, end), f"({shown},)")
        return
    yield Edit(_characters(module, start), _characters(module, first), "((")
    yield Edit(_characters(module, last), _characters(module, end), f") in ({shown},))")


def _new_name(names: Names, resolved: Resolved) -> str | None:
    if isinstance(resolved.target, Definition):
        return names.of_definition[resolved.target]
    if resolved.use.local_import:
        return None
    bound = resolved.target.bound
    if bound.attribute is None and resolved.taken:
        return bound.module
    return names.of_import.get(bound)


def _edits_in_string(module: Module, string: ast.JoinedStr, old: str, new: str) -> Iterator[Edit]:
    """In f-strings positions are known from Python 3.12 on; until then the name is looked for."""
    for line in range(string.lineno, (string.end_lineno or string.lineno) + 1):
        for found in re.finditer(rf"(?<![\w.]){re.escape(old)}(?!\w)", module.lines[line - 1]):
            yield Edit((line, found.start()), (line, found.end()), new)


def _characters(module: Module, position: Position) -> Position:
    line, column = position
    text = module.lines[line - 1]
    return line, column if text.isascii() else len(text.encode()[:column].decode())


def _definition_edits(names: Names, module: Module, node: ast.stmt) -> Iterator[Edit]:
    """The names after `class` and `def`."""
    for each in _top_level_definitions(node):
        new = names.of_definition.get(Definition(module, each.name), each.name)
        if new != each.name:
            text = module.lines[each.lineno - 1]
            found = re.compile(r"(?:class|(?:async\s+)?def)\s+").match(text, each.col_offset)
            assert found is not None
            yield Edit((each.lineno, found.end()), (each.lineno, found.end() + len(each.name)), new)


def _top_level_definitions(node: ast.stmt) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield node
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler):
            yield from _top_level_definitions(child)  # type: ignore[arg-type]  # a handler has statements too


OS = Import("os", "os")
MADE = Import("module_from_spec", "importlib.util", "module_from_spec")
FOUND = Import("spec_from_file_location", "importlib.util", "spec_from_file_location")
NAMESPACE = Import("SimpleNamespace", "types", "SimpleNamespace")


def _name_of(names: Names, bound: Import) -> str:
    """What an import is called that the code needs for what takes another's place."""
    return names.of_import.get(bound) or free_name(bound.name, names.taken)


def _file_edits(reach: Reach, names: Names, module: Module, chunk: Chunk) -> Iterator[Edit]:
    """A module's file, as seen from the script's."""
    uses = [use for uses in chunk.uses for use in uses.names]
    for use in uses:
        if (place := (module, use.spans[0][0])) in reach.resolution.filed:
            asked, taken = reach.resolution.filed[place]
            first, last = use.spans[0][0], use.spans[taken][1]
            yield Edit(_characters(module, first), _characters(module, last), _file_code(reach, names, asked))
        elif place in reach.resolution.packages:
            asked, taken, dotted = reach.resolution.packages[place]
            first, last = use.spans[0][0], use.spans[taken][1]
            code = _package_code(reach, names, asked, dotted)
            yield Edit(_characters(module, first), _characters(module, last), code)
    if not reach.graph.is_told_its_file(module) or reach.graph.resolve(module, FILE):
        return
    code = _file_code(reach, names, module)
    for use in (use for use in uses if use.name == FILE):
        if use.within is None:
            start, end = (_characters(module, position) for position in use.spans[0])
            yield Edit(start, end, code)
        else:
            found = names_in_string(module.lines, use.within, FILE)
            yield from (Edit(each.start, each.end, code.replace('"', each.quote)) for each in found)


def _file_code(reach: Reach, names: Names, module: Module) -> str:
    """What joins it to the folder of the script's; what is above that leads to the file's own folders."""
    parts = Path(os.path.relpath(module.place.path, reach.graph.folder)).parts
    path = ", ".join(f'"{part}"' for part in parts)
    own = _name_of(names, OS)
    joined = f"{own}.path.join({own}.path.dirname({FILE}), {path})"
    return f"{own}.path.realpath({joined})" if os.path.pardir in parts else joined


def _package_code(reach: Reach, names: Names, package: Module, dotted: str) -> str:
    """What makes a package of this name that has its files, and whose code is not run."""
    file = _file_code(reach, names, package)
    return f'{_name_of(names, MADE)}({_name_of(names, FOUND)}("{dotted}", {file}))'


def _folder_edits(reach: Reach, names: Names, module: Module, chunk: Chunk) -> Iterator[Edit]:
    """The folders of hydra's files, as seen from the script's."""
    for each in folders_reseen(reach.graph, module):
        if _first_line(module, chunk) <= each.start[0] <= chunk.last_line:
            text = _name_of(names, OS) + each.text if each.asks_os else each.text
            yield Edit(_characters(module, each.start), _characters(module, each.end), text)


def _package_edits(module: Module, chunk: Chunk) -> Iterator[Edit]:
    """A module's package, by which relative names are meant that it imports."""
    for use in (use for uses in chunk.uses for use in uses.names if names_package(module, use)):
        start, end = (_characters(module, position) for position in use.spans[0])
        yield Edit(start, end, f'"{module.place.package}"')


def _declared_edits(names: Names, module: Module, uses: Uses) -> Iterator[Edit]:
    for node in uses.declared:
        new = [names.of_definition.get(Definition(module, name), name) for name in node.names]
        if new != node.names:
            yield _replacing(module, node, f"global {', '.join(new)}")


def _declared_elsewhere(reach: Reach, names: Names, module: Module, chunk: Chunk) -> dict[int, list[str]]:
    """What functions set of other modules, by the lines above which the script says that it is global."""
    found = dict[int, list[str]]()
    for use, target in ((each.use, each.target) for each in reach.resolved[chunk] if each.taken):
        line = line_above(module, use) if use.stores and isinstance(target, Definition) else None
        if line is not None and isinstance(target, Definition):
            found.setdefault(line, []).append(names.of_definition[target])
    return found


def _annotation_edits(reach: Reach, names: Names, module: Module, uses: Uses) -> Iterator[Edit]:
    for node, quoted in uses.annotations:
        text = str(node.value)
        new = text
        for name in quoted:
            target = reach.graph.resolve(module, name)
            if isinstance(target, Definition):
                new = re.sub(rf"(?<![\w.]){name}(?!\w)", names.of_definition[target], new)
            elif isinstance(target, External):
                new = re.sub(rf"(?<![\w.]){name}(?!\w)", names.of_import.get(target.bound, name), new)
        if new != text:
            yield _replacing(module, node, f'"{new}"')


def _replacing(module: Module, node: ast.stmt | ast.expr, text: str) -> Edit:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return Edit(_characters(module, start), _characters(module, end), text)


def _inner_imports(reach: Reach, names: Names, module: Module, node: ast.stmt, uses: Uses) -> Iterator[Edit]:
    """Imports in branches and in functions: what is embedded needs none."""
    texts: dict[ast.stmt, str | None] = {
        each: _inner_import(reach, names, module, each, is_local)
        for each, is_local in uses.imports
        if not (
            isinstance(each, ImportInPlace)
            or (isinstance(each, ast.ImportFrom) and each.names[0].name == "*")
        )
    }
    for body in _bodies(node):
        if all(texts.get(each) == "" for each in body):
            texts[body[0]] = "pass"
    for each, text in texts.items():
        if text is not None:
            edit = _replacing(module, each, text)
            yield edit if text else _with_end(module, edit)


def _with_end(module: Module, edit: Edit) -> Edit:
    """What is taken out, with a comment on it that ends its line, or with what sets it apart from the next."""
    line, column = edit.end
    text = module.lines[line - 1]
    if separator := re.compile(r"\s*;\s*").match(text, column):
        return replace(edit, end=(line, separator.end()))
    return replace(edit, end=(line, len(text))) if text[column:].lstrip().startswith("#") else edit


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for each in ast.walk(node):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(each, name, None)
            if isinstance(body, list) and body:
                yield body


def _inner_import(reach: Reach, names: Names, module: Module, node: Importing, is_local: bool) -> str | None:
    """What takes an import's place; None: it stays as it is."""
    targets = [(alias, reach.graph.imported(module, node, alias, may_fail=True)) for alias in node.names]
    stays = (
        isinstance(target, External)
        and not target.bound.is_local
        and target.bound.module == (alias.name if isinstance(node, ast.Import) else node.module or "")
        and (is_local or _bound_as(names, module, bound_by(alias, node), target) == bound_by(alias, node))
        for alias, target in targets
    )
    if all(stays):
        return None
    return "; ".join(filter(None, (_rebound(names, module, node, *each, is_local) for each in targets)))


def _rebound(
    names: Names, module: Module, node: Importing, alias: ast.alias, target: Target, is_local: bool
) -> str:
    name = bound_by(alias, node)
    if isinstance(target, External):
        own = name if is_local else _bound_as(names, module, name, target)
        return import_statement(target.bound, own)
    if is_local or isinstance(target, ModuleReference):
        return ""
    other = names.of_definition[target]
    own = names.of_definition.get(Definition(module, name), other)  # none: for the type checker
    return "" if own == other else f"{own} = {other}"


def _bound_as(names: Names, module: Module, name: str, target: External) -> str:
    """What the name of an import in a branch has become: one of the module's own, or the type checker's."""
    is_own = Definition(module, name)
    return (
        names.of_definition[is_own]
        if is_own in names.of_definition
        else names.of_import.get(target.bound, name)
    )


# ---- lines -----------------------------------------------------------------------------------------------


def _edited(module: Module, chunk: Chunk, edits: list[Edit], declared: Mapping[int, list[str]]) -> list[Line]:
    """The chunk's lines with the edits made; a line that loses all that it has goes.

    What is `declared` stands above a line as one of its own.
    """
    first = _first_line(module, chunk)
    numbers = range(first, chunk.last_line + 1)
    lines = {number: module.line(number) for number in numbers}
    for edit in reversed(list(dict.fromkeys(edits))):
        (row, column), (end_row, end_column) = edit.start, edit.end
        rest = lines[end_row].text[end_column:]
        for number in range(row + 1, end_row + 1):
            del lines[number]
        line = lines[row]
        text = line.text[:column] + edit.text + rest
        if not text.strip():
            del lines[row]
        else:
            lines[row] = line.with_edit(
                text, column, len(edit.text), end_column - column if row == end_row else 0
            )
    above = {number: _declaration(module, number, names) for number, names in declared.items()}
    found = ((above.get(number), lines.get(number)) for number in numbers)
    return [line for pair in found for line in pair if line is not None]


def _declaration(module: Module, number: int, names: list[str]) -> Line:
    """A line that declares global variables, as far to the right as another."""
    text = module.lines[number - 1]
    margin = text[: len(text) - len(text.lstrip())]
    return module.line(number, f"{margin}global {', '.join(sorted({*names}))}")


def _first_line(module: Module, chunk: Chunk) -> int:
    """Where the chunk starts; what stands above a file's first statement, such as a licence, is the file's."""
    if chunk.first_line > 1:
        return chunk.first_line
    above = module.lines[: chunk.line - 1]
    blank = max((number for number, text in enumerate(above, 1) if not text.strip()), default=0)
    return blank + 1
