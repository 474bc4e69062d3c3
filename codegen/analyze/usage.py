"""What the methods of a class do with `self`, `super()` and the trainer."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import libcst as cst

from ..index import patterns as m
from ..index.rewriting import visit
from ..ir.project import Class, Project
from .conditions import asked_whether_there
from .receivers import Expression, receivers


@dataclass(frozen=True)
class LogCall:
    """One call of `self.log` or `self.log_dict`."""

    node: cst.Call
    method: str

    @property
    def keywords(self) -> dict[str, cst.BaseExpression]:
        return {arg.keyword.value: arg.value for arg in self.node.args if arg.keyword}

    @property
    def function(self) -> str:
        return cst.ensure_type(self.node.func, cst.Attribute).attr.value

    @property
    def is_open(self) -> bool:
        """Whether it passes options that cannot be read: by position, or unpacked."""
        return any(arg.star for arg in self.node.args) or sum(not arg.keyword for arg in self.node.args) > 2

    @property
    def key(self) -> str | None:
        """The name that it logs under, where that is a plain string."""
        first = self.node.args[0].value if self.node.args else None
        return first.raw_value if self.function == "log" and isinstance(first, cst.SimpleString) else None


@dataclass
class Usage:
    """Attributes by name, each with the nodes where it occurs."""

    reads: dict[str, list[cst.Attribute]] = field(default_factory=lambda: defaultdict(list))
    writes: dict[str, list[cst.CSTNode]] = field(default_factory=lambda: defaultdict(list))
    supers: dict[str, list[cst.Attribute]] = field(default_factory=lambda: defaultdict(list))
    trainer: dict[str, list[cst.Attribute]] = field(default_factory=lambda: defaultdict(list))
    bare_trainer: list[cst.CSTNode] = field(default_factory=list)
    asks_for_trainer: bool = False  # whether there is one
    trainer_writes: list[cst.Attribute] = field(default_factory=list)
    logs: list[LogCall] = field(default_factory=list)
    calls: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # own methods, by caller
    followed: set[tuple[cst.FunctionDef, str]] = field(
        default_factory=set
    )  # what `self` is handed to, as what

    def own_names(self, cls: Class) -> set[str]:
        """Attributes that the class gives itself."""
        named = {
            name
            for ancestor in cls.lineage
            for statement in ancestor.node.body.body
            for name in _class_level_names(statement)
        }
        return named | set(self.writes) | set(cls.methods)

    def reached_from(self, hook: str) -> set[str]:
        """The methods that run when `hook` does, itself included."""
        reached, waiting = set[str](), [hook]
        while waiting:
            method = waiting.pop()
            if method not in reached:
                reached.add(method)
                waiting.extend(self.calls[method])
        return reached


def usage_of(project: Project, cls: Class) -> Usage:
    """What the methods of the class and of its bases in the file do, and the functions that these hand `self` to."""
    usage = Usage()
    for ancestor in cls.lineage:
        for name, method in ancestor.own_methods.items():
            parameters = [*method.params.posonly_params, *method.params.params]
            known_as = m.Name(parameters[0].name.value if parameters else "self")
            usage.followed.add((method, repr(known_as)))
            visit(method, UsageVisitor(project, usage, name, known_as))
    return usage


def _class_level_names(statement: cst.BaseStatement | cst.BaseSmallStatement) -> set[str]:
    if not isinstance(statement, cst.SimpleStatementLine):
        return set()
    names = set()
    for part in statement.body:
        if isinstance(part, cst.Assign):
            names |= {target.target.value for target in part.targets if isinstance(target.target, cst.Name)}
        elif isinstance(part, cst.AnnAssign) and part.value and isinstance(part.target, cst.Name):
            names.add(part.target.value)
    return names


class UsageVisitor(cst.CSTVisitor):
    """Notes what one method does."""

    def __init__(
        self,
        project: Project,
        usage: Usage,
        method: str,
        known_as: Expression,  # what `self` is called here
    ) -> None:
        self.project, self.usage, self.method, self.known_as = project, usage, method, known_as
        self.targets: set[cst.CSTNode] = set()
        self.trainer_names: set[str] = set()  # variables that hold the trainer
        self.asked: set[cst.CSTNode] = set()  # of these but whether they are there

    def on_visit(self, node: cst.CSTNode) -> bool:
        self.asked.update(asked_whether_there(node))
        return super().on_visit(node)

    def visit_Assign(self, node: cst.Assign) -> bool:
        is_trainer = self._is_self(node.value) and m.matches(node.value, m.Attribute(attr=m.Name("trainer")))
        if is_trainer and m.matches(node, m.Assign(targets=[m.AssignTarget(m.Name())])):
            self.trainer_names.add(cst.ensure_type(node.targets[0].target, cst.Name).value)
            self.usage.reads["trainer"].append(cst.ensure_type(node.value, cst.Attribute))
            return False
        return True

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._note_target(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._note_target(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        if self._is_self(node.target):
            assert isinstance(node.target, cst.Attribute)
            self.usage.writes[node.target.attr.value].append(node)
        elif isinstance(node.target, cst.Attribute) and self._is_trainer(node.target.value):
            self.usage.trainer_writes.append(node.target)

    def _note_target(self, target: cst.CSTNode) -> None:
        if isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self._note_target(element.value)
        elif self._is_self(target):
            assert isinstance(target, cst.Attribute)
            self.targets.add(target)
            self.usage.writes[target.attr.value].append(target)
        elif isinstance(target, cst.Attribute) and self._is_trainer(target.value):
            self.usage.trainer_writes.append(target)

    def _is_self(self, node: cst.CSTNode) -> bool:
        return m.matches(node, m.Attribute(value=self.known_as))

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        name = node.attr.value
        if self._is_self(node):
            if node not in self.targets:
                self.usage.reads[name].append(node)
                self.usage.calls[self.method].add(name)
                if name == "trainer":
                    self._note_bare_trainer(node)
        elif m.matches(node.value, m.Call(func=m.Name("super"))):
            self.usage.supers[name].append(node)
            self.usage.calls[self.method].add(name)
        elif self._is_trainer(node.value):
            self.usage.trainer[name].append(node)
            self.usage.reads["trainer"].append(node)
            return False
        visit(node.value, self)  # the attribute's own name is no variable
        return False

    def visit_Name(self, node: cst.Name) -> None:
        if node.value in self.trainer_names:
            self._note_bare_trainer(node)

    def _note_bare_trainer(self, node: cst.CSTNode) -> None:
        if node in self.asked:
            self.usage.asks_for_trainer = True
        else:
            self.usage.bare_trainer.append(node)

    def _is_trainer(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.Name):
            return node.value in self.trainer_names
        return self._is_self(node) and m.matches(node, m.Attribute(attr=m.Name("trainer")))

    def visit_Call(self, node: cst.Call) -> None:
        if m.matches(node.func, m.Attribute(value=self.known_as, attr=m.Name("log") | m.Name("log_dict"))):
            self.usage.logs.append(LogCall(node, self.method))
        if m.matches(node.func, self.known_as):
            self.usage.calls[self.method].add("forward")
        for receiver in receivers(self.project, node, self.known_as):
            if receiver.is_run:
                self.usage.calls[self.method].add(receiver.name)
            place = receiver.function, repr(receiver.known_as)
            if place not in self.usage.followed:
                self.usage.followed.add(place)
                inside = UsageVisitor(self.project, self.usage, receiver.name, receiver.known_as)
                visit(receiver.function, inside)
