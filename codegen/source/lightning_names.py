"""Names of Lightning's in other words: attributes by `getattr`, aliases, star imports, imports by conditions.

So is `self._hparams`, which is `self.hparams`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ..lightning.api import PACKAGES, starred
from ..lightning.bases_by_name import classes_by_name_alone
from ..lightning.sure_imports import ENTRIES, catches_missing, is_from_lightning, sure_choices
from .source import Source
from .source_text import Line, syntax_tree

MAY_BE_OTHER = re.compile(
    rf"\bgetattr\(|\bself\._hparams\b|\bexcept\b|import \*|LightningCLI\)"
    rf"|^\w+ = .*\b({'|'.join(ENTRIES)})$|^\s+from ({'|'.join(PACKAGES)})\b",
    re.M,
)

Change = tuple[int, int, int, str]
"""A line, from which to which column, and what stands there instead."""


def in_plain_words(source: Source) -> Source:
    """The same code, with every place where it was: what is shorter is followed by blanks."""
    if not MAY_BE_OTHER.search(source.text):
        return source
    chosen = _changed(source, _choices(source))
    return _changed(chosen, _changes(chosen))


def _changed(source: Source, wanted: Iterable[Change]) -> Source:
    if not (changes := sorted(wanted, reverse=True)):
        return source
    numbered = enumerate(source.lines, 1)
    lines = list(source.joined_lines) or [Line(source.path, number, text) for number, text in numbered]
    for number, start, end, code in changes:
        line = lines[number - 1]
        text = line.text.encode()
        text = text[:start] + code.encode().ljust(end - start) + text[end:]
        lines[number - 1] = replace(line, text=text.decode())
    return Source.joined(source.path, lines, source.files or {source.path: source.lines})


def _choices(source: Source) -> Iterator[Change]:
    """What depends on whether Lightning can be imported, and bases of which a class has nothing."""
    tree = syntax_tree(source.path, source.text)
    for _, base in classes_by_name_alone(tree):
        yield from _without_base(source, base)
    for node, chosen in sure_choices(tree):
        yield from _in_one_line(node, ast.get_source_segment(source.text, chosen) or ast.unparse(chosen))


def _changes(source: Source) -> Iterator[Change]:
    nodes = list(ast.walk(syntax_tree(source.path, source.text)))
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    bound = {name: path for node in imports if _is_lightnings(node) for name, path in _bound(node)}
    stored = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    others = {*stored, *_defined(nodes), *(name for node in imports for name, _ in _bound(node))}
    used = {node.id for node in nodes if isinstance(node, ast.Name)} - others
    settled = {
        part for node in nodes if isinstance(node, ast.Try) and _succeeds(node) for part in ast.walk(node)
    }
    conditional = [node for node in imports if node.col_offset and node not in settled]
    yield from _hyperparameters(nodes)
    for node in nodes:
        if node in conditional and (code := _assignment(node, conditional, imports)):
            yield from _in_one_line(node, code)
        if isinstance(node, ast.Assign) and (code := _import(node, bound, stored)):
            yield from _in_one_line(node, code)
        if isinstance(node, ast.ImportFrom) and (code := _without_star(node, used)):
            yield from _in_one_line(node, code)
        if isinstance(node, ast.Call) and (code := _attribute(node, bound)):
            yield from _in_one_line(node, code)
        if isinstance(node, ast.Try) and _succeeds(node):
            for instead in (each for handler in node.handlers for each in handler.body):
                if _binds_anew(instead, node):
                    yield from _in_one_line(instead, "pass")


def _without_base(source: Source, base: ast.expr) -> Iterator[Change]:
    """Without the only base of a class, where the brackets stand right beside it."""
    start, end = base.col_offset - 1, (base.end_col_offset or 0) + 1
    if source.text.split("\n")[base.lineno - 1].encode()[start:end] == f"({ast.unparse(base)})".encode():
        yield base.lineno, start, end, ""


def _hyperparameters(nodes: list[ast.AST]) -> Iterator[Change]:
    """Objects that are asked for the attribute behind `hparams`, where nothing else in the code sets one."""
    named = [each for each in nodes if isinstance(each, ast.Attribute) and each.attr == "_hparams"]
    defined = any(isinstance(each, ast.FunctionDef) and each.name == "_hparams" for each in nodes)
    if not defined and all(isinstance(each.ctx, ast.Load) for each in named):
        for node in named:
            match node.value:
                case ast.Name("self"):
                    yield from _in_one_line(node, "self.hparams")


def _in_one_line(node: ast.expr | ast.stmt, code: str) -> Iterator[Change]:
    if node.end_lineno == node.lineno and node.end_col_offset is not None:
        yield node.lineno, node.col_offset, node.end_col_offset, code


def _defined(nodes: list[ast.AST]) -> Iterator[str]:
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    yield from (node.name for node in nodes if isinstance(node, kinds))


def _without_star(node: ast.ImportFrom, used: set[str]) -> str:
    """`from lightning.pytorch.callbacks import *` with the names that nothing else binds; empty: it brings in none."""
    is_star = _is_lightnings(node) and node.names[0].name == "*"
    names = [name for name in starred(node.module or "") if name in used] if is_star else []
    return f"from {node.module} import {', '.join(names)}" if names else ""


def _attribute(call: ast.Call, modules: Mapping[str, str]) -> str:
    """What `getattr(module, "name")` is called; empty: it is something else."""
    match call:
        case ast.Call(
            ast.Name("getattr"), [ast.Name() | ast.Attribute() as owner, ast.Constant(str(name))], []
        ):
            path = ast.unparse(owner)
            return f"{path}.{name}" if path.partition(".")[0] in modules and name.isidentifier() else ""
    return ""


def _assignment(
    node: ast.AST, conditional: list[ast.Import | ast.ImportFrom], imports: list[ast.Import | ast.ImportFrom]
) -> str:
    """`Logger = pl.loggers.WandbLogger`, where another import gives the name another meaning; empty: none does."""
    if not (isinstance(node, ast.ImportFrom) and _is_lightnings(node) and len(node.names) == 1):
        return ""
    ((name, path),) = _bound(node)
    meanings = {there for each in conditional for bound, there in _bound(each) if bound == name}
    modules = _modules(each for each in imports if not each.col_offset and each.lineno < node.lineno)
    within = (each for each in modules if path.startswith(f"{each}."))
    package = next(within, "") if len(meanings) > 1 else ""
    return f"{name} = {modules[package]}{path.removeprefix(package)}" if package else ""


def _modules(imports: Iterable[ast.Import | ast.ImportFrom]) -> dict[str, str]:
    """Lightning's packages that are imported whole, and under which names."""
    names = [alias for node in imports if isinstance(node, ast.Import) for alias in node.names]
    return {each.name: each.asname or each.name for each in names if each.name.partition(".")[0] in PACKAGES}


def _is_lightnings(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return not node.level and (node.module or "").partition(".")[0] in PACKAGES
    return isinstance(node, ast.Import) and all(
        each.name.partition(".")[0] in PACKAGES for each in node.names
    )


def _bound(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """The names, with where they lead."""
    for each in node.names:
        if isinstance(node, ast.ImportFrom):
            yield each.asname or each.name, f"{node.module}.{each.name}"
        else:
            top = each.name.partition(".")[0]
            yield each.asname or top, each.name if each.asname else top


def _import(node: ast.Assign, modules: Mapping[str, str], stored: list[str]) -> str:
    """`Trainer = L.Trainer`, which is all that is ever assigned to the name, as an import; empty: it is none."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Attribute(ast.Name(module), attribute)) if module in modules:
            is_alias = node.col_offset == 0 and attribute in ENTRIES and stored.count(name) == 1
            return f"from {modules[module]} import {attribute} as {name}" if is_alias else ""
    return ""


def _succeeds(node: ast.Try) -> bool:
    """Whether all that is tried are imports which Lightning has, and else others are taken."""
    return catches_missing(node) and all(map(is_from_lightning, node.body))


def _binds_anew(node: ast.stmt, tried: ast.Try) -> bool:
    """Whether an import gives names that were tried another meaning."""
    names = {name for each in tried.body if isinstance(each, ast.ImportFrom) for name, _ in _bound(each)}
    if not (isinstance(node, ast.ImportFrom) and _is_lightnings(node)):
        return False
    return {name for name, _ in _bound(node)} <= names
