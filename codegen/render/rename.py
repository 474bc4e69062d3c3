"""The script's own names give way to the user's."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Mapping

import libcst as cst

from ..index.rewriting import rewritten
from ..ir.rewrites import EVALUATIONS
from ..source.definitions import Import
from ..source.names import free_name

OWN = frozenset(
    ("Config", "new_trainer", "attach", "report", "validate", "fit", "start", "main", *EVALUATIONS)
)
BUILTINS = frozenset(dir(builtins))

STARRED = {
    "numpy": frozenset("abs all any bool divmod max min pow round sum".split()),
    "torch": frozenset("abs all any bool compile complex float int max min pow range round sum".split()),
    "math": frozenset({"pow"}),
    "operator": frozenset({"abs", "pow"}),
    "os": frozenset({"open"}),
}
"""Names of Python's own that a star import of a module gives another meaning."""


def renaming(
    user_names: Iterable[str],
    user_imports: Iterable[Import],
    own_imports: Iterable[Import],
    own_names: Iterable[str],
) -> dict[str, str]:
    """New names for those of the script's that the user's code has for something else."""
    user_imports = set(user_imports)
    bound_alike = {(bound.name, bound.target) for bound in user_imports}
    taken = set(user_names) | {bound.name for bound in user_imports}
    taken |= {name for bound in user_imports if bound.is_star for name in STARRED.get(bound.module, ())}
    clashes = (OWN | set(own_names)) & taken
    clashes |= {
        bound.name
        for bound in own_imports
        if bound.name in taken and (bound.name, bound.target) not in bound_alike
    }
    of_user = {bound.target: bound.name for bound in user_imports if not bound.level}
    same = {bound.name: of_user[bound.target] for bound in own_imports if bound.target in of_user}
    renamed_ = {name: same.get(name) or free_name(name, taken) for name in sorted(clashes)}
    return renamed_ | {name: f"builtins.{name}" for name in sorted(taken & BUILTINS - clashes)}


def renamed(code: str, names: Mapping[str, str]) -> str:
    """`code` with other names for its globals."""
    if not names or not code.strip():
        return code
    if names.keys().isdisjoint(re.findall(r"\w+", code)):
        return code + "\n"
    return rewritten(cst.parse_module(code + "\n"), _Rename(names)).code


class _Rename(cst.CSTTransformer):
    """Renames globals; parameters, fields and keywords of the same names stay."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.parameters: list[frozenset[str]] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.parameters.append(
            frozenset(param.name.value for param in (*node.params.params, *node.params.kwonly_params))
        )

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self.parameters.pop()
        is_dotted = isinstance(updated_node.name, cst.Attribute)
        return updated_node.with_changes(name=original_node.name) if is_dotted else updated_node

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        new = self.names.get(updated_node.value)
        if new is None or any(updated_node.value in names for names in self.parameters):
            return updated_node
        return cst.parse_expression(new).with_changes(lpar=updated_node.lpar, rpar=updated_node.rpar)

    def leave_AnnAssign(self, original_node: cst.AnnAssign, updated_node: cst.AnnAssign) -> cst.AnnAssign:
        return updated_node if self.parameters else updated_node.with_changes(target=original_node.target)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        return updated_node.with_changes(name=original_node.name)
