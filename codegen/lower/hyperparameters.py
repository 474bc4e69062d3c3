"""`self.save_hyperparameters()`, written out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import libcst as cst

from ..index import patterns as m
from ..index.rewriting import rewritten
from ..index.search import findall
from ..ir.project import Class
from ..ir.saving import SAVE, arguments_of, ignored_by, ignored_names, names_of, objects_of, save_calls

SUPER_INIT = m.Call(func=m.Attribute(value=m.Call(func=m.Name("super")), attr=m.Name("__init__")))


def with_saved_hyperparameters(
    cls: Class, classes: Iterable[Class], node: cst.ClassDef, names: Mapping[str, str]
) -> cst.ClassDef:
    """The class whose constructor keeps its hyperparameters by itself.

    As under Lightning, what a base saves holds the arguments of the classes below it too.
    """
    chains = [each.lineage for each in classes if each.kind != "other" and cls in each.lineage]
    above = {base for chain in chains for base in chain[chain.index(cls) + 1 :]}
    takes = any(_has_arguments(part) for chain in chains for part in chain[: chain.index(cls)])
    if any(map(_saves_all, above)) and _has_arguments(cls):
        ignored = {name for base in above for name in ignored_by(base)}
        entries = _entries(arguments_of(cls, None, ignored), takes)
        node = rewritten(node, _HandedToBase(f"self.hparams = {names['HParams']}({entries})"))
    if chains and _saves(cls):
        after_base = any(_saves(base) for base in cls.lineage[1:])
        node = rewritten(node, _Written(cls, after_base, takes, names))
    return node


def _has_arguments(cls: Class) -> bool:
    return "__init__" in cls.own_methods and bool(arguments_of(cls, None))


def _saves(cls: Class) -> bool:
    init = cls.own_methods.get("__init__")
    return init is not None and bool(findall(init, SAVE))


def _saves_all(cls: Class) -> bool:
    """Whether a call in the class saves all arguments, and so those of the classes below it."""
    return any(_is_of_all(call) for _, call in save_calls(cls))


def _is_of_all(call: cst.Call) -> bool:
    return not objects_of(call) and not names_of(call)


def _entries(own: str, takes: bool) -> str:
    """Own arguments, and before them those that a class below has handed up."""
    return f'dict({own}) | getattr(self, "hparams", {{}})' if takes else own


class _HandedToBase(cst.CSTTransformer):
    """Puts a statement before the call of the base's constructor."""

    def __init__(self, statement: str) -> None:
        self.statement = statement

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        if not findall(updated_node, SUPER_INIT):
            return updated_node
        return cst.FlattenSentinel([cst.parse_statement(self.statement), updated_node])


class _Written(cst.CSTTransformer):
    """Replaces the call by what it does."""

    def __init__(self, cls: Class, updates: bool, takes: bool, names: Mapping[str, str]) -> None:
        self.cls, self.updates, self.takes, self.names = cls, updates, takes, names
        self.depth = 0  # of branches, of which another may be taken

    def visit_If(self, node: cst.If) -> None:
        self.depth += 1

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        self.depth -= 1
        return updated_node

    def leave_Expr(
        self, original_node: cst.Expr, updated_node: cst.Expr
    ) -> cst.BaseSmallStatement | cst.FlattenSentinel[cst.BaseSmallStatement]:
        if not m.matches(updated_node.value, SAVE):
            return updated_node
        statements = self._statements(cst.ensure_type(updated_node.value, cst.Call))
        self.updates = self.updates or not self.depth
        lines = [cst.ensure_type(cst.parse_statement(code), cst.SimpleStatementLine) for code in statements]
        return cst.FlattenSentinel([line.body[0] for line in lines])

    def _statements(self, call: cst.Call) -> list[str]:
        entries = arguments_of(self.cls, call, mapping=self.names["as_mapping"])
        if not self.updates:
            entries = _entries(entries, self.takes and _is_of_all(call))
            return [f"self.hparams = {self.names['HParams']}({entries})"]
        dropped = [f'self.hparams.pop("{name}", None)' for name in sorted(ignored_names(call))]
        return [f"self.hparams.update({entries})", *dropped] if entries or not dropped else dropped

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        if len(updated_node.body) == len(original_node.body):
            return updated_node
        parts = [part.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for part in updated_node.body]
        first = cst.SimpleStatementLine([parts[0]], leading_lines=updated_node.leading_lines)
        middle = [cst.SimpleStatementLine([part]) for part in parts[1:-1]]
        return cst.FlattenSentinel(
            [first, *middle, updated_node.with_changes(body=[parts[-1]], leading_lines=[])]
        )
