"""The code that starts training, where it is so simple that nothing of it is lost in the script's own `main`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst
import libcst.matchers as m

from .. import messages
from ..diagnostics import Diagnostic
from ..project import Entry, Project, Statement

IS_MAIN_GUARD = m.If(
    test=m.Comparison(left=m.Name("__name__"), comparisons=[m.ComparisonTarget(m.Equal(), m.SimpleString())])
)


ENTRY_NAMES = ("Trainer", "LightningCLI", "seed_everything")


@dataclass
class EntryReader:
    """Reads the statements of the entry one by one; what it can't take over is a problem."""

    project: Project
    problems: list[Diagnostic]
    made: dict[str, cst.Call] = field(default_factory=dict)  # objects of the user's classes, by variable
    trainers: set[str] = field(default_factory=set)
    seed: cst.Call | None = None
    trainer: cst.Call | None = None
    model: cst.Call | None = None
    data: cst.Call | None = None

    def read(self, statement: cst.CSTNode) -> None:
        if isinstance(statement, cst.SimpleStatementLine):
            for part in statement.body:
                self._read_part(part)
        elif not m.matches(statement, m.FunctionDef() | m.ClassDef()):
            self._lost(statement)

    def _read_part(self, part: cst.BaseSmallStatement) -> None:
        if isinstance(part, cst.Import | cst.ImportFrom | cst.Pass) or m.matches(
            part, m.Expr(m.SimpleString())
        ):
            return
        if isinstance(part, cst.Expr) and isinstance(part.value, cst.Call):
            self._read_call(part.value)
        elif m.matches(part, m.Assign(targets=[m.AssignTarget(m.Name())], value=m.Call())):
            part = cst.ensure_type(part, cst.Assign)
            target = part.targets[0].target
            name = cst.ensure_type(target, cst.Name).value
            self._read_assignment(name, cst.ensure_type(part.value, cst.Call))
        else:
            self._lost(part)

    def _read_assignment(self, name: str, call: cst.Call) -> None:
        if self.project.lightning_name(call.func) == "Trainer":
            self.trainers.add(name)
            self._take_trainer(call)
        elif isinstance(call.func, cst.Name) and call.func.value in self.project.classes:
            self.made[name] = call
        else:
            self._lost(call)

    def _read_call(self, call: cst.Call) -> None:
        name = self.project.lightning_name(call.func)
        if name == "seed_everything":
            self._take_seed(call)
        elif isinstance(call.func, cst.Attribute) and self._is_trainer(call.func.value):
            self._read_trainer_call(call, call.func.attr.value)
        else:
            self._lost(call)

    def _take_trainer(self, call: cst.Call) -> None:
        if self.trainer is None:
            self.trainer = call
        else:
            self.problems.append(messages.several_fits((self.project.source, call)))

    def _take_seed(self, call: cst.Call) -> None:
        if self.seed is None and not self.made:
            self.seed = call
        else:
            self.problems.append(messages.seeded_late((self.project.source, call)))

    def _is_trainer(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.Call) and self.project.lightning_name(node.func) == "Trainer":
            self._take_trainer(node)  # Trainer(...).fit(...)
            return True
        return isinstance(node, cst.Name) and node.value in self.trainers

    def _read_trainer_call(self, call: cst.Call, method: str) -> None:
        at = (self.project.source, call)
        if method != "fit":
            self.problems.append(messages.unsupported_trainer_call(at, method))
            return
        if self.model is not None:
            self.problems.append(messages.several_fits(at))
            return
        for argument in call.args:
            if argument.keyword and argument.keyword.value == "ckpt_path":
                self.problems.append(messages.fit_from_a_checkpoint((self.project.source, argument)))
                continue
            made = self._made(argument.value)
            kind = self.project.classes[self._class_name(made)].kind if made else "other"
            if kind == "module":
                self.model = made
            elif kind == "data":
                self.data = made
            else:
                self.problems.append(messages.fit_argument_unknown((self.project.source, argument)))

    def _made(self, node: cst.BaseExpression) -> cst.Call | None:
        if isinstance(node, cst.Name):
            return self.made.get(node.value)
        is_new = isinstance(node, cst.Call) and self._class_name(node) in self.project.classes
        return node if is_new and isinstance(node, cst.Call) else None

    def _class_name(self, call: cst.Call) -> str:
        return call.func.value if isinstance(call.func, cst.Name) else ""

    def _lost(self, node: cst.CSTNode) -> None:
        self.problems.append(messages.entry_statement_lost((self.project.source, node)))


def read_entry(project: Project, problems: list[Diagnostic]) -> tuple[Entry, frozenset[Statement]]:
    """What the entry says, and the top-level statements that it consists of."""
    reader = EntryReader(project, problems)
    taken = [statement for statement in project.statements if _belongs_to_entry(project, statement)]
    for statement in taken:
        body = list(_body(project, statement.node))
        if any(_lightning_calls(project, node) for node in body):
            for node in body:
                reader.read(node)
    for call in _trainers_elsewhere(project, reader, taken):
        problems.append(messages.trainer_elsewhere((project.source, call)))
    objects = {name for statement in taken for name in statement.names}
    for statement in project.statements:
        is_definition = isinstance(statement.node, cst.FunctionDef | cst.ClassDef)
        if statement not in taken and not is_definition and statement.uses & objects:
            problems.append(messages.entry_statement_lost((project.source, statement.node)))
    return Entry(reader.seed, reader.trainer, reader.model, reader.data), frozenset(taken)


def _belongs_to_entry(project: Project, statement: Statement) -> bool:
    node = statement.node
    if m.matches(node, IS_MAIN_GUARD):
        return True
    if not isinstance(node, cst.SimpleStatementLine):
        return False
    fits = bool(m.findall(node, m.Call(func=m.Attribute(attr=m.Name("fit")))))
    return fits or bool(_lightning_calls(project, node)) or _makes_model_or_data(project, node)


def _lightning_calls(project: Project, node: cst.CSTNode) -> list[cst.Call]:
    calls = [call for call in m.findall(node, m.Call()) if isinstance(call, cst.Call)]
    return [call for call in calls if project.lightning_name(call.func) in ENTRY_NAMES]


def _makes_model_or_data(project: Project, node: cst.SimpleStatementLine) -> bool:
    calls = [call for call in m.findall(node, m.Call(func=m.Name())) if isinstance(call, cst.Call)]
    classes = (project.classes.get(call.func.value) for call in calls)  # type: ignore[attr-defined]  # a Name
    return any(cls is not None and cls.kind != "other" for cls in classes)


def _trainers_elsewhere(project: Project, reader: EntryReader, taken: list[Statement]) -> Iterator[cst.Call]:
    """Trainers that are built where the reader did not look."""
    read = {
        function.name.value for statement in taken if (function := _main_function(project, statement.node))
    }
    for statement in project.statements:
        node = statement.node
        if statement not in taken and not (isinstance(node, cst.FunctionDef) and node.name.value in read):
            yield from (call for call in _lightning_calls(project, node) if call is not reader.trainer)


def _main_function(project: Project, node: cst.CSTNode) -> cst.FunctionDef | None:
    """The function that a guard of the form `if ...: main()` calls."""
    if not (isinstance(node, cst.If) and len(node.body.body) == 1):
        return None
    call = m.Call(func=m.Name(value=m.SaveMatchedNode(m.DoNotCare(), "name")), args=[])
    called = m.extract(node.body.body[0], m.SimpleStatementLine(body=[m.Expr(call)]))
    functions = (statement.node for statement in project.statements)
    named = (node for node in functions if isinstance(node, cst.FunctionDef) and not node.decorators)
    return next((node for node in named if called and node.name.value == called["name"]), None)


def _body(project: Project, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if function := _main_function(project, node):
        yield from function.body.body
    elif isinstance(node, cst.If):
        yield from node.body.body
        yield from [node.orelse] if node.orelse else []
    else:
        yield node
