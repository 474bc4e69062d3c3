"""The code that starts training, where it is so simple that nothing of it is lost in the script's own `main`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from ...index import patterns as m
from ...ir.metaclasses import makes_objects
from ...ir.project import Entry, Project, Statement
from ...source.loaded import is_loaded
from ...spec.trainer_settings import DROPPED_ARGUMENTS
from ..code.effects import acts
from ..code.literals import is_literal
from ..main.seeds import SEED_PARAMETERS
from .calls import EntryCalls
from .statements import reached_by_main

IS_MAIN_GUARD = m.If(
    test=m.Comparison(left=m.Name("__name__"), comparisons=[m.ComparisonTarget(m.Equal(), m.SimpleString())])
)

MAKES = m.Assign([m.AssignTarget(m.Name())], m.Call()) | m.AnnAssign(target=m.Name(), value=m.Call())


@dataclass
class EntryReader:
    """Reads the statements of the entry one by one, and notes what it can't take over."""

    calls: EntryCalls
    lost: list[cst.CSTNode] = field(default_factory=list)
    made: list[cst.Call] = field(default_factory=list)  # that make objects of the user's classes
    seed: cst.Call | None = None
    trainer: cst.Call | None = None
    model: cst.Call | None = None
    data: cst.Call | None = None
    cli: cst.Call | None = None
    cli_fit: cst.Call | None = None  # that a CLI which is told `run=False` leaves to the code

    @property
    def entry(self) -> Entry:
        made = self.trainer, self.model, self.data
        return Entry(self.seed, self._seed_arguments(), *made, *self._cli_classes(), self.cli)

    def _seed_arguments(self) -> dict[str, object]:
        given = self.calls.values.arguments(self.seed, SEED_PARAMETERS) if self.seed else {}
        return {name: value for name, each in given.items() for value in self.calls.known(each.expression)}

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
        elif isinstance(part, cst.Assign | cst.AnnAssign) and m.matches(part, MAKES):
            self._read_assigned(cst.ensure_type(part.value, cst.Call))
        else:
            self.lost.append(part)

    def _read_assigned(self, call: cst.Call) -> None:
        called = self.calls.called(call)
        if called == "Trainer":
            self._take("trainer", call)
        elif called != "LightningCLI" and self.calls.class_made(call):
            self.made.append(call)
            self._check_made(call)
        else:
            self._read_call(call)

    def _read_call(self, call: cst.Call) -> None:
        name = self.calls.called(call)
        if name == "seed_everything" and not self.made:
            self._take("seed", call)
        elif name == "LightningCLI":
            self._take("cli", call)
        elif self._is_of_cli(call.func, "trainer", "fit"):
            self._read_cli_fit(call)
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
        if role == "seed" and self._is_of_environment(call):
            self.lost.append(call)

    def _is_of_environment(self, seed: cst.Call) -> bool:
        """Whether a seed is the environment's, as it is given none."""
        given = self.calls.values.arguments(seed, SEED_PARAMETERS).get("seed")
        return given is None or self.calls.known(given.expression) == [None]

    def _check_values(self, call: cst.Call) -> None:
        """What is no plain value, and not dropped in any case, cannot become an option's default."""
        for argument in call.args:
            is_dropped = argument.keyword is not None and argument.keyword.value in DROPPED_ARGUMENTS
            is_nameless = argument.keyword is None and call is self.trainer
            is_known = is_literal(argument.value) or (call is self.seed and self.calls.known(argument.value))
            if argument.star or is_nameless or not (is_dropped or is_known):
                self.lost.append(argument)

    def _check_made(self, call: cst.Call) -> None:
        """Also what a metaclass is told of, or what is called by no name, which has to be as it is written."""
        self._check_values(call)
        cls = self.calls.class_made(call)
        is_named = isinstance(call.func, cst.Name | cst.Attribute)
        if not is_named or (cls is not None and makes_objects(cls)):
            self.lost.append(call)

    def _is_trainer(self, call: cst.Call) -> bool:
        node = cst.ensure_type(call.func, cst.Attribute).value
        if isinstance(node, cst.Call) and self.calls.called(node) == "Trainer":
            self._take("trainer", node)  # Trainer(...).fit(...)
        return self.calls.is_trainer(node)

    def _read_fit(self, call: cst.Call) -> None:
        if self.model is not None:
            self.lost.append(call)
        for argument in call.args:
            made = self._made(argument.value)
            cls = self.calls.class_made(made) if made else None
            if cls and cls.kind == "module" and self.model is None:
                self.model = made
            elif cls and cls.kind == "data" and self.data is None:
                self.data = made
            else:
                self.lost.append(argument)

    def _is_of_cli(self, node: cst.BaseExpression, *members: str) -> bool:
        """Whether an expression is a member of the CLI's, such as `cli.trainer.fit`."""
        for name in reversed(members):
            if not (isinstance(node, cst.Attribute) and node.attr.value == name):
                return False
            node = node.value
        return self.cli is not None and self.calls.maker(node) is self.cli

    def _read_cli_fit(self, call: cst.Call) -> None:
        """`cli.trainer.fit(cli.model, datamodule=cli.datamodule)`, which LightningCLI does unless told not to."""
        if self.cli_fit is not None or not self._leaves_fit:
            self.lost.append(call)
        self.cli_fit = call
        for argument in call.args:
            own = ("model",) if argument is call.args[0] else ("datamodule",)
            if not self._is_of_cli(argument.value, *own):
                self.lost.append(argument)

    @property
    def _runs_once(self) -> bool:
        """Whether the CLI runs `fit`, or the code does in its place."""
        return self._leaves_fit == (self.cli_fit is not None)

    @property
    def _leaves_fit(self) -> bool:
        """Whether the CLI is told not to run anything."""
        is_off = m.Arg(keyword=m.Name("run"), value=m.Name("False"))
        return self.cli is not None and any(m.matches(each, is_off) for each in self.cli.args)

    def _made(self, node: cst.BaseExpression) -> cst.Call | None:
        """The call that makes an object of the user's, where that is a part of what is read."""
        if isinstance(node, cst.Call) and self.calls.class_made(node):
            self._check_made(node)
            return node
        made = self.calls.maker(node)
        return made if made in self.made else None

    def _cli_classes(self) -> tuple[str | None, str | None]:
        """The classes that LightningCLI is given."""
        given: dict[str, str] = {}
        for index, argument in enumerate(self.cli.args if self.cli else ()):
            name = argument.keyword.value if argument.keyword else CLI_PARAMETERS[min(index, 2)]
            cls = self.calls.class_named(argument.value)
            if name in CLI_PARAMETERS and cls:
                given[name] = cls.name
            elif name in CLI_PARAMETERS[:2] or (name == "run" and not self._runs_once):
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
    calls = EntryCalls(project)
    reader = EntryReader(calls)
    taken = [statement for statement in project.statements if _belongs_to_entry(calls, statement)]
    bodies = [list(_body(calls, statement.node)) for statement in taken]
    trains = any(calls.trains(node) for body in bodies for node in body)
    read = set[Statement]()
    for statement, body in zip(taken, bodies, strict=True):
        if trains or any(calls.lightnings(node) for node in body):
            read.add(statement)
            for node in body:
                reader.read(node)
    entry = reader.entry  # which may find more to be lost
    unused = [call for call in reader.made if call not in (reader.model, reader.data)]
    lost = [*reader.lost, *unused, *_trainers_elsewhere(calls, reader, taken), *_others_lost(project, taken)]
    lost += _seed_above_imports(project, reader, taken)
    return EntryCode(entry, frozenset(taken), frozenset(read), tuple(lost))


def _seed_above_imports(project: Project, reader: EntryReader, taken: list[Statement]) -> Iterator[cst.Call]:
    """A seed of the random numbers that modules may draw which are imported below it."""
    for statement in taken:
        seeds = (call for call in project.index.within(statement.node, cst.Call) if call is reader.seed)
        if not all(is_loaded(module, statement.loaded) for module in project.loaded):
            yield from seeds


def _others_lost(project: Project, taken: list[Statement]) -> Iterator[cst.CSTNode]:
    """Statements that need what the entry makes, or that do something after it has begun."""
    objects = {name for statement in taken for name in statement.names}
    begins = next((place for place, each in enumerate(project.statements) if each in taken), None)
    for place, statement in enumerate(project.statements):
        is_definition = isinstance(statement.node, cst.FunctionDef | cst.ClassDef)
        is_after = begins is not None and place > begins and acts(project, statement)
        if statement not in taken and not is_definition and (statement.uses & objects or is_after):
            yield statement.node


def _belongs_to_entry(calls: EntryCalls, statement: Statement) -> bool:
    node = statement.node
    if m.matches(node, IS_MAIN_GUARD):
        return True
    if not isinstance(node, cst.SimpleStatementLine):
        return False
    return bool(calls.fits(node) or calls.lightnings(node)) or calls.makes_model_or_data(node)


def _trainers_elsewhere(calls: EntryCalls, reader: EntryReader, taken: list[Statement]) -> Iterator[cst.Call]:
    """Trainers that are built where the reader did not look."""
    read = [calls.main_function(statement.node) for statement in taken]
    run = set(reached_by_main(calls.project))
    for statement in calls.project.statements:
        is_run = statement in run or not isinstance(statement.node, cst.FunctionDef | cst.ClassDef)
        if is_run and statement not in taken and statement.node not in read:
            yield from (call for call in calls.lightnings(statement.node) if call is not reader.trainer)


def _body(calls: EntryCalls, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if function := calls.main_function(node):
        yield from function.body.body
    elif isinstance(node, cst.If):
        yield from node.body.body
        yield from [node.orelse] if node.orelse else []
    else:
        yield node
