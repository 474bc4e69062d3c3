"""`self.save_hyperparameters()`, written out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from ..index import patterns as m
from ..index.rewriting import rewritten
from ..index.search import code_for, findall, nodes
from ..ir.project import Class
from ..ir.saving import (
    LATE,
    SAVE,
    SUPER_INIT,
    arguments_of,
    ignored_at_run_time,
    ignored_names,
    is_before_base,
    objects_of,
    save_calls,
    saving_helper,
)
from ..source.names import free_name
from .handed_up import handed_up, kept_handed, saves_all_before

CONSTRUCTOR = {"__init__": "save_hyperparameters"}

HANDED = 'getattr(self, "hparams", {})'
"""What a class below has handed up."""


def with_saved_hyperparameters(
    cls: Class, classes: Iterable[Class], node: cst.ClassDef, names: Mapping[str, str], keeps_initial: bool
) -> cst.ClassDef:
    """The class whose constructor keeps its hyperparameters by itself, and maybe what they are at first.

    As under Lightning, what a base saves holds the arguments of the classes below it too.
    """
    chains = [each.lineage for each in classes if each.kind != "other" and cls in each.lineage]
    above = {base for chain in chains for base in chain[chain.index(cls) + 1 :]}
    takes = any(
        handed_up(part, chain[i + 1 :])
        for chain in chains
        for i, part in enumerate(chain[: chain.index(cls)])
    )
    updates = any(save_calls(base) for base in cls.lineage[1:])
    kept = kept_handed(cls, chains) if updates else ""
    before = [f"{kept} = {HANDED}"] if kept else []
    if (handed := handed_up(cls, above)) and not saves_all_before(cls):
        before.append(f"self.hparams = {names['HParams']}({_entries(handed, takes, kept or HANDED)})")
    if before:
        node = rewritten(node, _HandedToBase(before))
    if not (chains and save_calls(cls)):
        return node
    is_late = all(method == LATE for method, _ in save_calls(cls))
    none = f"{names['HParams']}()"
    saved = f'getattr(self, "hparams", {none})' if _is_saved_below(cls, chains) else ""
    if not updates and (is_late or (not takes and _reads_before(cls))):
        node = rewritten(node, _AfterBase(f"self.hparams = {saved or none}"))
        updates = True
    argument = _argument(cls)
    node = rewritten(node, _Written(cls, updates, takes, names, argument, kept, keeps_initial, saved))
    if not argument:
        return node
    ((method, call),) = save_calls(cls)
    own = arguments_of(cls, call)
    saved = _entries(own, True) if takes else f"dict({own})"
    return rewritten(node, _HandedToMethod(method, argument, saved))


def _is_saved_below(cls: Class, chains: Iterable[Sequence[Class]]) -> bool:
    """Whether a class below saves something before it calls the constructor."""
    parts = (part for chain in chains for part in chain[: chain.index(cls)])
    return any(is_before_base(part, call) for part in parts for _, call in save_calls(part))


def _reads_before(cls: Class) -> bool:
    """Whether `self.hparams` stands before what saves, in the constructor or in the method that it calls."""
    helper = saving_helper(cls)
    saving = {helper[0]: "save_hyperparameters", "__init__": helper[0]} if helper else CONSTRUCTOR
    found = [findall(cls.own_methods[name], _member("hparams", saves)) for name, saves in saving.items()]
    return any(m.matches(node, _member("hparams")) for node, *_ in filter(None, found))


def _member(*names: str) -> m.Pattern:
    return m.Attribute(value=m.Name("self"), attr=m.OneOf(*map(m.Name, names)))


def _argument(cls: Class) -> str:
    """The argument by which the method that saves in the constructor's place is told what; empty: it need not be."""
    helper = saving_helper(cls)
    if helper is None or any(objects_of(call) for _, call in save_calls(cls)):
        return ""
    return free_name("arguments", {name.value for name in nodes(cls.own_methods[helper[0]], cst.Name)})


def _entries(own: str, takes: bool, handed: str = HANDED) -> str:
    """Own arguments, and before them those that a class below has handed up."""
    return f"dict({own}) | {handed}" if takes else own


class _OfClass(cst.CSTTransformer):
    """Changes a class, and not the classes that its code defines."""

    is_within = False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        is_own, self.is_within = not self.is_within, True
        return is_own


class _HandedToBase(_OfClass):
    """Puts statements before the call of the base's constructor."""

    def __init__(self, statements: list[str]) -> None:
        self.statements = statements

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        if not findall(updated_node, SUPER_INIT):
            return updated_node
        return cst.FlattenSentinel([*map(cst.parse_statement, self.statements), updated_node])


class _AfterBase(_OfClass):
    """Puts a statement behind the call of the base's constructor."""

    def __init__(self, statement: str) -> None:
        self.statement = statement

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.BaseStatement]:
        if not findall(updated_node, SUPER_INIT):
            return updated_node
        return cst.FlattenSentinel([updated_node, cst.parse_statement(self.statement)])


@dataclass
class _HandedToMethod(_OfClass):
    """Hands what is saved to the method that saves it."""

    method: str
    argument: str
    saved: str

    def __post_init__(self) -> None:
        super().__init__()

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        if updated_node.name.value != self.method:
            return updated_node
        taken = [*updated_node.params.kwonly_params, cst.Param(cst.Name(self.argument))]
        return updated_node.with_changes(params=updated_node.params.with_changes(kwonly_params=taken))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        if not m.matches(updated_node.func, _member(self.method)):
            return updated_node
        argument = cst.Arg(cst.parse_expression(self.saved), keyword=cst.Name(self.argument))
        return updated_node.with_changes(args=[*updated_node.args, argument])


@dataclass
class _Written(_OfClass):
    """Replaces the call by what it does."""

    cls: Class
    updates: bool  # what there is already
    takes: bool  # what classes below hand up
    names: Mapping[str, str]
    argument: str  # that holds them, where the method is not the constructor
    kept: str  # the variable of what classes below hand up, where that is other
    keeps_initial: bool  # what they are by then
    saved: str  # what classes below have saved before, as code; empty: nothing
    has_base: bool = True  # whether the base's constructor is not still to come
    depth: int = 0  # of branches, of which another may be taken
    is_late: bool = False  # whether a method is read that runs when hyperparameters are there

    def __post_init__(self) -> None:
        super().__init__()

    def visit_Call(self, node: cst.Call) -> None:
        self.has_base = self.has_base or m.matches(node, SUPER_INIT)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.has_base = node.name.value != "__init__" or not findall(node, SUPER_INIT)
        self.is_late = self.is_late or node.name.value == LATE

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self.is_late = self.is_late and original_node.name.value != LATE
        return updated_node

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
        statements += (
            [f"self._hparams_initial = {self.names['deepcopy']}(self.hparams)"] if self.keeps_initial else []
        )
        self.updates = self.updates or not (self.depth or self.is_late)
        lines = [cst.ensure_type(cst.parse_statement(code), cst.SimpleStatementLine) for code in statements]
        return cst.FlattenSentinel([line.body[0] for line in lines])

    def _statements(self, call: cst.Call) -> list[str]:
        updates = (self.updates and self.has_base) or self.is_late
        objects = objects_of(call)
        dropped = self._dropped(call, updates or bool(objects))
        if objects:
            before = "self.hparams" if updates else self.saved
            return [self._object_saved(code_for(objects[0]), before), *dropped]
        entries = self.argument or arguments_of(self.cls, call)
        if not updates:
            entries = entries if self.argument else _entries(entries, self.takes)
            return [f"self.hparams = {self.names['HParams']}({entries})", *dropped]
        if self.kept and entries:
            entries = f"dict({entries}) | {self.kept}"
        return [self._updated(entries), *dropped] if entries or not dropped else dropped

    def _object_saved(self, code: str, before: str) -> str:
        if before:
            return f"self.hparams = {self.names['updated_hparams']}({before}, {code})"
        return f"self.hparams = {self.names['as_hparams']}({code})"

    def _updated(self, entries: str) -> str:
        """More is saved; what was saved as an object gives way."""
        if any(objects_of(call) for part in self.cls.lineage for _, call in save_calls(part)):
            return self._object_saved(f"dict({entries})", "self.hparams")
        return f"self.hparams.update({entries})"

    def _dropped(self, call: cst.Call, may_hold: bool) -> list[str]:
        """Takes away what the call leaves out, where hyperparameters may hold it."""
        if (ignored := ignored_at_run_time(call)) is not None:
            return [f"{self.names['drop_ignored']}(self.hparams, {code_for(ignored)})"]
        names = sorted(ignored_names(call)) if may_hold else []
        return [f'self.hparams.pop("{name}", None)' for name in names]

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
