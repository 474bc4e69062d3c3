"""Packages that are but asked for the files beside them: `importlib.resources.read_text(package, name)`."""

from __future__ import annotations

import ast

from .modules.module import Module
from .modules.scopes import Position

READERS = ("importlib.resources", "importlib_resources")

ASKING = frozenset("""
    as_file contents files is_resource open_binary open_text path read_binary read_text
    """.split())
"""Functions of theirs that ask a package for its files, and for nothing that it defines."""


def asked_for_files(module: Module) -> frozenset[Position]:
    """Where the packages stand that a module hands to such functions."""
    if not any(each.rpartition(".")[2] in module.text for each in READERS):
        return frozenset()
    named = _names(module.tree)
    calls = (node for node in module.nodes if isinstance(node, ast.Call) and _asks(node, named))
    return frozenset((call.args[0].lineno, call.args[0].col_offset) for call in calls)


def _asks(call: ast.Call, named: dict[str, str]) -> bool:
    """Whether a call asks what is passed first for its files."""
    first, _, rest = ast.unparse(call.func).partition(".")
    reader, _, function = f"{named.get(first, '')}.{rest}".strip(".").rpartition(".")
    is_plain = bool(call.args) and isinstance(call.args[0], ast.Name | ast.Attribute)
    return is_plain and reader in READERS and function in ASKING


def _names(tree: ast.Module) -> dict[str, str]:
    """What imports bind, anywhere in a module, with the dotted names."""
    found = dict[str, str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            tops = ((each.asname or each.name.partition(".")[0], each) for each in node.names)
            found |= {name: each.name if each.asname else name for name, each in tops}
        elif isinstance(node, ast.ImportFrom):
            found |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    return found
