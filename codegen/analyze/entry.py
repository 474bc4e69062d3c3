"""The code that starts training, where it is so simple that nothing of it is lost in the script's own `main`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from ..index import patterns as m
from ..index.search import findall
from ..ir.project import Class, Entry, Project, Statement
from ..spec.trainer_settings import DROPPED_ARGUMENTS
from .effects import acts
from .literals import code_of, is_literal

IS_MAIN_GUARD = m.If(
    test=m.Comparison(left=m.Name("__name__"), comparisons=[m.ComparisonTarget(m.Equal(), m.SimpleString())])
)


ENTRY_NAMES = ("Trainer", "LightningCLI", "seed_everything")


@dataclass
class EntryReader:
    """Reads the statements of the entry one by one, and notes what it can't take over."""

    project: Project
    lost: list[cst.CSTNode] = field(default_factory=list)
    made: dict[str, cst.Call] = field(default_factory=dict)  # objects of the user's classes, by variable
    trainers: set[str] = field(default_factory=set)
    seed: cst.Call | None = None
    trainer: cst.Call | None = None
    model: cst.Call | None = None
    data: cst.Call | None = None
    cli: cst.Call | None = None

    @property
    def entry(self) -> Entry:
        return Entry(self.seed, self.trainer, self.model, self.data, *self._cli_classes(), self.cli)

    def read(self, statement: cst.CSTNode) -> None:
        if isinstance(statement, cst.SimpleStatementLine):
            for part in statement.body:
                self._read_part(part)
        elif not m.matches(statement, m.FunctionDef() | m.ClassDef()):
            self.lost.append(statement)

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
            self.lost.append(part)

    def _read_assignment(self, name: str, call: cst.Call) -> None:
        called = _called(self.project, call)
        if called == "Trainer":
            self.trainers.add(name)
            self._take("trainer", call)
        elif (
            called != "LightningCLI"
            and isinstance(call.func, cst.Name)
            and call.func.value in self.project.classes
        ):
            self.made[name] = call
            self._check_values(call)
        else:
            self._read_call(call)

    def _read_call(self, call: cst.Call) -> None:
        name = _called(self.project, call)
        if name == "seed_everything" and not self.made:
            self._take("seed", call)
        elif name == "LightningCLI":
            self._take("cli", call)
        elif m.matches(call.func, m.Attribute(attr=m.Name("fit"))) and self._is_trainer(call):
            self._read_fit(call)
        else:
            self.lost.append(call)

    def _take(self, role: str, call: cst.Call) -> None:
        """Note a call that there may be one of."""
        if getattr(self, role) is not None:
            self.lost.append(call)
        setattr(self, role, call)
        if role != "cli":
            self._check_values(call)

    def _check_values(self, call: cst.Call) -> None:
        """What is no plain value, and not dropped in any case, cannot become an option's default."""
        for argument in call.args:
            is_dropped = argument.keyword is not None and argument.keyword.value in DROPPED_ARGUMENTS
            if argument.star or not (is_dropped or is_literal(argument.value)):
                self.lost.append(argument)

    def _is_trainer(self, call: cst.Call) -> bool:
        node = cst.ensure_type(call.func, cst.Attribute).value
        if isinstance(node, cst.Call) and self.project.lightning_name(node.func) == "Trainer":
            self._take("trainer", node)  # Trainer(...).fit(...)
            return True
        return isinstance(node, cst.Name) and node.value in self.trainers

    def _read_fit(self, call: cst.Call) -> None:
        if self.model is not None:
            self.lost.append(call)
        for argument in call.args:
            made = self._made(argument.value)
            kind = self.project.classes[self._class_name(made)].kind if made else "other"
            if kind == "module" and self.model is None:
                self.model = made
            elif kind == "data" and self.data is None:
                self.data = made
            else:
                self.lost.append(argument)

    def _made(self, node: cst.BaseExpression) -> cst.Call | None:
        if isinstance(node, cst.Name):
            return self.made.get(node.value)
        if isinstance(node, cst.Call) and self._class_name(node) in self.project.classes:
            self._check_values(node)
            return node
        return None

    def _class_name(self, call: cst.Call) -> str:
        return call.func.value if isinstance(call.func, cst.Name) else ""

    def _cli_classes(self) -> tuple[str | None, str | None]:
        """The classes that LightningCLI is given."""
        given: dict[str, str] = {}
        for index, argument in enumerate(self.cli.args if self.cli else ()):
            name = argument.keyword.value if argument.keyword else CLI_PARAMETERS[min(index, 2)]
            if name in CLI_PARAMETERS and code_of(argument.value) in self.project.classes:
                given[name] = code_of(argument.value)
            elif name in CLI_PARAMETERS[:2] or name in ("run", "subclass_mode_model", "subclass_mode_data"):
                self.lost.append(argument)
        return given.get("model_class"), given.get("datamodule_class")


CLI_PARAMETERS = ("model_class", "datamodule_class", "save_config_callback")


@dataclass(frozen=True)
class EntryCode:
    """What the entry says, the statements that it consists of, and what of them the script would miss."""

    entry: Entry
    statements: frozenset[Statement]
    read: frozenset[Statement]  # those of them that the script's own main takes the place of
    lost: tuple[cst.CSTNode, ...]


def read_entry(project: Project) -> EntryCode:
    """The entry's code, read as far as it is simple."""
    reader = EntryReader(project)
    taken = [statement for statement in project.statements if _belongs_to_entry(project, statement)]
    bodies = [list(_body(project, statement.node)) for statement in taken]
    trains = any(_trains(project, node) for body in bodies for node in body)
    read = set[Statement]()
    for statement, body in zip(taken, bodies, strict=True):
        if trains or any(_lightning_calls(project, node) for node in body):
            read.add(statement)
            for node in body:
                reader.read(node)
    lost = [*reader.lost, *_trainers_elsewhere(project, reader, taken), *_others_lost(project, taken)]
    return EntryCode(reader.entry, frozenset(taken), frozenset(read), tuple(lost))


def _trains(project: Project, node: cst.CSTNode) -> bool:
    """Whether a statement makes a Trainer or a LightningCLI."""
    return any(
        _called(project, call) in ("Trainer", "LightningCLI") for call in _lightning_calls(project, node)
    )


def _others_lost(project: Project, taken: list[Statement]) -> Iterator[cst.CSTNode]:
    """Statements that need what the entry makes, or that do something after it has begun."""
    objects = {name for statement in taken for name in statement.names}
    begins = next((place for place, each in enumerate(project.statements) if each in taken), None)
    for place, statement in enumerate(project.statements):
        is_definition = isinstance(statement.node, cst.FunctionDef | cst.ClassDef)
        is_after = begins is not None and place > begins and acts(project, statement)
        if statement not in taken and not is_definition and (statement.uses & objects or is_after):
            yield statement.node


def _belongs_to_entry(project: Project, statement: Statement) -> bool:
    node = statement.node
    if m.matches(node, IS_MAIN_GUARD):
        return True
    if not isinstance(node, cst.SimpleStatementLine):
        return False
    fits = bool(findall(node, m.Call(func=m.Attribute(attr=m.Name("fit")))))
    return fits or bool(_lightning_calls(project, node)) or _makes_model_or_data(project, node)


def _lightning_calls(project: Project, node: cst.CSTNode) -> list[cst.Call]:
    calls = [call for call in findall(node, m.Call()) if isinstance(call, cst.Call)]
    return [call for call in calls if _called(project, call) in ENTRY_NAMES]


def _called(project: Project, call: cst.Call) -> str | None:
    """Lightning's name for what is called; a class derived from its LightningCLI counts as that."""
    cls = project.classes.get(call.func.value) if isinstance(call.func, cst.Name) else None
    return "LightningCLI" if cls and _is_cli(project, cls) else project.lightning_name(call.func)


def _is_cli(project: Project, cls: Class) -> bool:
    bases = (base.value for part in cls.lineage for base in part.node.bases)
    return any(project.lightning_name(base) == "LightningCLI" for base in bases)


def _makes_model_or_data(project: Project, node: cst.SimpleStatementLine) -> bool:
    calls = [call for call in findall(node, m.Call(func=m.Name())) if isinstance(call, cst.Call)]
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
