"""`self.save_hyperparameters()`, written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import libcst as cst
import libcst.matchers as m

from ..project import Class
from ..saving import SAVE, arguments_of, ignored_by, names_of, objects_of, save_calls

SAVE_STATEMENT = m.SimpleStatementLine(body=[m.Expr(SAVE)])
SUPER_INIT = m.SimpleStatementLine(
    body=[m.Expr(m.Call(func=m.Attribute(value=m.Call(func=m.Name("super")), attr=m.Name("__init__"))))]
)


def with_saved_hyperparameters(
    cls: Class, model: Class, node: cst.ClassDef, names: Mapping[str, str]
) -> cst.ClassDef:
    """The class whose constructor keeps its hyperparameters by itself.

    As under Lightning, what a base saves holds the arguments of the classes below it too.
    """
    if cls.kind == "other":
        return node
    below = model.lineage[: model.lineage.index(cls)] if cls in model.lineage else ()
    after_base = any(_saves(base) for base in cls.lineage[1:])
    if _saves(cls):
        return cast(cst.ClassDef, node.visit(_Written(cls, after_base, names)))
    saves_all = any(_saves_all(base) for base in cls.lineage[1:])
    if saves_all and "__init__" in cls.own_methods and (cls in model.lineage or not below):
        return cast(cst.ClassDef, node.visit(_AddedToBase(cls)))
    return node


def _saves(cls: Class) -> bool:
    init = cls.own_methods.get("__init__")
    return init is not None and bool(m.findall(init, SAVE))


def _saves_all(cls: Class) -> bool:
    """Whether a call in the class saves all arguments, and so those of the classes below it."""
    return any(not objects_of(call) and not names_of(call) for _, call in save_calls(cls))


class _Written(cst.CSTTransformer):
    """Replaces the call by what it does."""

    def __init__(self, cls: Class, updates: bool, names: Mapping[str, str]) -> None:
        self.cls, self.updates, self.names = cls, updates, names
        self.depth = 0  # of branches, of which another may be taken

    def visit_If(self, node: cst.If) -> None:
        self.depth += 1

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        self.depth -= 1
        return updated_node

    def leave_Expr(self, original_node: cst.Expr, updated_node: cst.Expr) -> cst.BaseSmallStatement:
        if not m.matches(updated_node.value, SAVE):
            return updated_node
        call = cst.ensure_type(updated_node.value, cst.Call)
        entries = arguments_of(self.cls, call, mapping=self.names["as_mapping"])
        made = f"self.hparams = {self.names['HParams']}({entries})"
        code = f"self.hparams.update({entries})" if self.updates else made
        self.updates = self.updates or not self.depth
        return cst.ensure_type(cst.parse_statement(code), cst.SimpleStatementLine).body[0]


class _AddedToBase(cst.CSTTransformer):
    """Adds the class's own arguments to those that its base saved."""

    def __init__(self, cls: Class) -> None:
        self.cls = cls

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        if not m.matches(updated_node, SUPER_INIT):
            return updated_node
        entries = arguments_of(self.cls, None, ignored_by(self.cls))
        if not entries:
            return updated_node
        return cst.FlattenSentinel([updated_node, cst.parse_statement(f"self.hparams.update({entries})")])
