"""The script's own names give way to the user's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import libcst as cst

from .script import Import

OWN = frozenset({"Config", "validate", "fit", "main"})


def renaming(
    user_names: Iterable[str],
    user_imports: Iterable[Import],
    own_imports: Iterable[Import],
    own_names: Iterable[str],
) -> dict[str, str]:
    """New names for those of the script's that the user's code has for something else."""
    user_imports, own_imports = set(user_imports), set(own_imports)
    taken = set(user_names) | {bound.name for bound in user_imports}
    clashes = (OWN | set(own_names)) & taken
    clashes |= {bound.name for bound in own_imports - user_imports if bound.name in taken}
    return {name: _free(name, taken) for name in sorted(clashes)}


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def renamed(code: str, names: Mapping[str, str]) -> str:
    """`code` with other names for its globals."""
    if not names or not code.strip():
        return code
    return cst.parse_module(code + "\n").visit(_Rename(names)).code


class _Rename(cst.CSTTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self.names.get(updated_node.value, updated_node.value))

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)
