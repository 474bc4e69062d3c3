"""What a metaclass's `__call__` saves of the objects that it makes, written out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import libcst as cst

from ..index import patterns as m
from ..index.rewriting import rewritten
from ..index.search import code_for
from ..ir.metaclasses import INITIAL, SAVES, calls_saving, kept_initially, sets_alone
from ..ir.project import Class
from ..ir.saving import save_calls


def with_saving_call(
    metaclass: Class,
    classes: Iterable[Class],
    node: cst.ClassDef,
    names: Mapping[str, str],
    keeps_initial: bool,
) -> cst.ClassDef:
    """The metaclass, whose `__call__` sets hyperparameters by itself, and maybe what they are at first."""
    if not (any(calls_saving(metaclass)) or any(kept_initially(metaclass))):
        return node
    made = [each for each in classes if each.metaclass is not None and metaclass in each.metaclass.lineage]
    saves = {any(save_calls(part) for part in cls.lineage) for cls in made if cls.kind != "other"}
    saves |= {True for part in metaclass.lineage[1:] if any(calls_saving(part))}
    return rewritten(node, _Saving(names, keeps_initial, saves))


@dataclass
class _Saving(cst.CSTTransformer):
    """Replaces what saves by what it does."""

    names: Mapping[str, str]
    keeps_initial: bool
    saves: set[bool]  # whether the objects have saved some before
    is_call: bool = False  # whether a metaclass's `__call__` is read

    def __post_init__(self) -> None:
        super().__init__()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.is_call = node.name.value == "__call__"

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel | cst.FlattenSentinel[cst.BaseStatement]:
        found = [self._written(each) for each in updated_node.body]
        if not self.is_call or all(each is None for each in found):
            return updated_node
        kept = (
            code_for(each) if new is None else new for each, new in zip(updated_node.body, found, strict=True)
        )
        lines = [cst.parse_statement(each) for each in "\n".join(filter(None, kept)).splitlines()]
        if not lines:
            return cst.RemoveFromParent()
        first = cst.ensure_type(lines[0], cst.SimpleStatementLine)
        return cst.FlattenSentinel([first.with_changes(leading_lines=updated_node.leading_lines), *lines[1:]])

    def _written(self, statement: cst.BaseSmallStatement) -> str | None:
        """The lines in a statement's place; None: it stays."""
        if m.matches(statement, INITIAL):
            target = cst.ensure_type(statement, cst.Assign).targets[0].target
            owner = code_for(cst.ensure_type(target, cst.Attribute).value)
            return self._initial(owner) if self.keeps_initial else ""
        if not m.matches(statement, SAVES):
            return None
        call = cst.ensure_type(cst.ensure_type(statement, cst.Expr).value, cst.Call)
        owner, saved = code_for(cst.ensure_type(call.func, cst.Attribute).value), code_for(call.args[0].value)
        lines = [self._saved(owner, saved)]
        lines += [self._initial(owner)] if self.keeps_initial and not sets_alone(call) else []
        self.saves = {True}
        return "\n".join(lines)

    def _initial(self, owner: str) -> str:
        return f"{owner}._hparams_initial = {self.names['deepcopy']}({owner}.hparams)"

    def _saved(self, owner: str, saved: str) -> str:
        if self.saves == {False}:
            return f"{owner}.hparams = {self.names['as_hparams']}({saved})"
        before = f"{owner}.hparams"
        if self.saves != {True}:
            before = f'getattr({owner}, "hparams", {self.names["HParams"]}())'
        return f"{owner}.hparams = {self.names['updated_hparams']}({before}, {saved})"
