"""Which names a piece of code takes from its module."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Iterable, Iterator
from functools import cache

Importing = ast.Import | ast.ImportFrom

BUILTINS = frozenset(dir(builtins))

OF_STARS = {
    "numpy": frozenset("abs all any bool divmod max min pow round sum".split()),
    "torch": frozenset("abs all any bool compile complex float int max min pow range round sum".split()),
    "math": frozenset({"pow"}),
    "operator": frozenset({"abs", "pow"}),
    "os": frozenset({"open"}),
}
"""Names of Python's own that a star import of a module gives another meaning."""


@cache
def global_names(code: str) -> frozenset[str]:
    """The global names that `code`, a run of top-level statements, refers to, at its top level or further in."""
    table = symtable.symtable(code, "<code>", "exec")
    names = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    for child in _descendants(table):
        names |= {symbol.get_name() for symbol in child.get_symbols() if symbol.is_global()}
    return frozenset(names | _names_in_string_annotations(code))


def _descendants(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _descendants(child)


def _names_in_string_annotations(code: str) -> set[str]:
    names: set[str] = set()
    for annotation in _annotations(ast.parse(code)):
        for part in ast.walk(annotation):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                names |= _names_of_expression(part.value)
    return names


def _annotations(node: ast.AST) -> Iterator[ast.expr]:
    """Those of the statements below the node, at any depth: expressions hold none."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            own = (getattr(child, "annotation", None), getattr(child, "returns", None))
            yield from filter(None, own)
            yield from _annotations(child)


def _names_of_expression(text: str) -> set[str]:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:  # a Literal's value, or prose
        return set()
    inner = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return names.union(*(_names_of_expression(each) for each in inner if isinstance(each, str)))


def imported_for_types(code: str) -> set[str]:
    """The names that top-level statements import for the type checker alone."""
    if "TYPE_CHECKING" not in code:
        return set()
    return {name for node in ast.parse(code).body for name in imports_for_types(node)}


def imports_for_types(statement: ast.stmt) -> dict[str, tuple[Importing, ast.alias]]:
    """What a statement imports for the type checker alone, by the names that it binds."""
    nodes = [*ast.walk(statement)] if is_for_types(statement) else []
    imports = [node for node in nodes if isinstance(node, Importing)]
    return {bound_by(alias, node): (node, alias) for node in imports for alias in node.names}


def bound_by(alias: ast.alias, node: Importing) -> str:
    """The name that one part of an import statement binds."""
    if alias.asname:
        return alias.asname
    return alias.name.partition(".")[0] if isinstance(node, ast.Import) else alias.name


def is_for_types(statement: ast.stmt) -> bool:
    """Whether a statement is for the type checker alone."""
    return isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test)


def free_name(name: str, taken: Iterable[str]) -> str:
    """`name`, with as many underscores behind it as it takes to be nobody else's."""
    while name in taken:
        name += "_"
    return name


def attributes_in(code: str) -> frozenset[str]:
    """Every name that stands behind a dot."""
    return frozenset(re.findall(r"\.\s*(\w+)", code))
