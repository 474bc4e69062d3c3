"""The script's own names give way to the user's."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping

import libcst as cst

from .script import Import

OWN = frozenset({"Config", "validate", "fit", "main"})
BUILTINS = frozenset(dir(builtins))


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
    renamed_ = {name: free_name(name, taken) for name in sorted(clashes)}
    return renamed_ | {name: f"builtins.{name}" for name in sorted(taken & BUILTINS - clashes)}


def free_name(name: str, taken: Iterable[str]) -> str:
    """`name`, with as many underscores behind it as it takes to be nobody else's."""
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

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        new = self.names.get(updated_node.value)
        if new is None:
            return updated_node
        return cst.parse_expression(new).with_changes(lpar=updated_node.lpar, rpar=updated_node.rpar)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        is_dotted = isinstance(updated_node.name, cst.Attribute)
        return updated_node.with_changes(name=original_node.name) if is_dotted else updated_node

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        return updated_node.with_changes(name=original_node.name)
