"""Which form `configure_optimizers` returns, and so how the script reads and steps what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from .. import messages
from ..diagnostics import Diagnostic
from ..index import patterns as m
from ..index.search import findall
from ..ir.plans import Lines
from ..ir.project import Class, Project
from .literals import literal
from .resolve import returned_values
from .returned import (
    Returned,
    assigned_values,
    makes_object,
    may_step_in_batches,
    may_watch_metric,
    needs_closure,
)

SCHEDULER_KEYS = frozenset("scheduler interval frequency monitor strict name reduce_on_plateau".split())


@dataclass(frozen=True)
class Schedule:
    """When a scheduler steps."""

    interval: str = "epoch"
    frequency: int = 1
    monitor: str | None = None
    strict: bool = True
    name: str | None = None
    on_plateau: bool = False

    @property
    def listed(self) -> str:
        """The script's `Schedule` of it, as code, as far as Lightning's callbacks read it."""
        interval = [f"interval={self.interval!r}"] if self.interval != "epoch" else []
        name = [f"name={self.name!r}"] if self.name is not None else []
        return f"Schedule({', '.join(['scheduler', *interval, *name])})"


@dataclass(frozen=True)
class OptimizerForm:
    """How one optimizer, and at most one scheduler, come out of `configure_optimizers`."""

    read: Lines = ()
    schedule: Schedule | None = None
    exists: bool = True
    is_sure: bool = True  # otherwise it is read when the script runs
    may_be_plateau: bool = False  # of a form that is not sure
    may_be_by_step: bool = False  # the same
    takes_all_parameters: bool = False
    needs_closure: bool = False


NONE = OptimizerForm(exists=False)


class Unsure(Exception):
    """The form is known only when the script runs."""


def optimizer_form(
    project: Project, cls: Class, problems: list[Diagnostic], lists_schedules: bool = False
) -> OptimizerForm:
    """What can be read of the class's `configure_optimizers`; schedules that code lists are read when it runs."""
    method = cls.methods.get("configure_optimizers")
    if method is None:
        return NONE
    values = returned_values(method)
    for value in values:
        if value is not None and _is_several(project, method, value):
            problems.append(messages.several_optimizers((project.source, value)))
    reader = FormReader(project, method, problems)
    try:
        if len(values) != 1 or findall(method, m.Call(func=m.Name("super"))):
            raise Unsure
        form = reader.form(values[0])
        if lists_schedules and form.schedule is not None:
            raise Unsure
        return form
    except Unsure:
        returned = Returned(project, cls)
        return OptimizerForm(
            ("optimizer, schedules = read_optimizers(model.configure_optimizers())",),
            is_sure=False,
            may_be_plateau=may_watch_metric(project, returned),
            may_be_by_step=may_step_in_batches(project, returned),
            needs_closure=needs_closure(project, returned.made("optimizer")),
        )


def _is_several(project: Project, method: cst.FunctionDef, value: cst.BaseExpression) -> bool:
    """Whether a tuple or list surely holds more than one optimizer."""
    if not isinstance(value, cst.Tuple | cst.List) or len(value.elements) < 2:
        return False
    first = value.elements[0].value
    if isinstance(first, cst.List | cst.Tuple):
        return len(first.elements) > 1
    reader = FormReader(project, method, [])
    resolved = [reader.resolve(element.value) for element in value.elements]
    return all(isinstance(item, cst.Dict) or reader.is_optimizer(item) for item in resolved)


@dataclass
class FormReader:
    """Reads the expressions of one `configure_optimizers`."""

    project: Project
    method: cst.FunctionDef
    problems: list[Diagnostic]
    optimizer: cst.BaseExpression | None = field(default=None)

    def form(self, value: cst.BaseExpression | None) -> OptimizerForm:
        value = self.resolve(value) if value is not None else None
        if value is None or m.matches(value, m.Name("None")):
            return NONE
        if isinstance(value, cst.Dict):
            return self._of_dict(value)
        if isinstance(value, cst.Tuple | cst.List):
            return self._of_sequence(value)
        self._take_optimizer(value)
        return self._made(("optimizer = model.configure_optimizers()",), None)

    def _of_dict(self, node: cst.Dict) -> OptimizerForm:
        entries = self.entries(node)
        if "optimizer" not in entries:
            raise Unsure
        self._take_optimizer(entries["optimizer"])
        if "lr_scheduler" not in entries:
            return self._made(('optimizer = model.configure_optimizers()["optimizer"]',), None)
        monitor = entries.get("monitor")
        schedule, path = self._schedule(
            entries["lr_scheduler"], literal_or_unsure(monitor) if monitor else None
        )
        read = (
            "configured = model.configure_optimizers()",
            f'optimizer, scheduler = configured["optimizer"], configured["lr_scheduler"]{path}',
        )
        return self._made(read, schedule)

    def _of_sequence(self, node: cst.Tuple | cst.List) -> OptimizerForm:
        elements = [self.resolve(element.value) for element in node.elements]
        if len(elements) == 1 and not isinstance(elements[0], cst.Dict):
            self._take_optimizer(elements[0])
            return self._made(("(optimizer,) = model.configure_optimizers()",), None)
        lists = [element for element in elements if isinstance(element, cst.List)]
        if len(elements) != 2 or not lists or elements[0] is not lists[0] or len(lists[0].elements) != 1:
            raise Unsure
        self._take_optimizer(lists[0].elements[0].value)
        if len(lists) != 2 or len(lists[1].elements) > 1:
            raise Unsure
        if not lists[1].elements:
            return self._made(("(optimizer,), _ = model.configure_optimizers()",), None)
        schedule, path = self._schedule(lists[1].elements[0].value, None)
        read: Lines = ("(optimizer,), (scheduler,) = model.configure_optimizers()",)
        if path:
            read = ("(optimizer,), (schedule,) = model.configure_optimizers()", f"scheduler = schedule{path}")
        return self._made(read, schedule)

    def _made(self, read: Lines, schedule: Schedule | None) -> OptimizerForm:
        assert isinstance(self.optimizer, cst.Call)
        first = self.optimizer.args[0] if self.optimizer.args else None
        everything = first is not None and m.matches(
            first, m.Arg(m.Call(func=m.Attribute(m.Name("self"), m.Name("parameters")), args=[]))
        )
        closure = needs_closure(self.project, [self.optimizer])
        return OptimizerForm(read, schedule, takes_all_parameters=everything, needs_closure=closure)

    def _take_optimizer(self, node: cst.BaseExpression) -> None:
        node = self.resolve(node)
        if not self.is_optimizer(node):
            raise Unsure
        self.optimizer = node

    def is_optimizer(self, node: cst.BaseExpression) -> bool:
        """Whether the expression makes one of torch's optimizers."""
        name = self.project.called(node) if isinstance(node, cst.Call) else ""
        return name.startswith("torch.optim.") and "lr_scheduler" not in name

    def _schedule(self, node: cst.BaseExpression, monitor: str | None) -> tuple[Schedule, str]:
        """When a scheduler steps, and the path to it within what stands in its place."""
        node = self.resolve(node)
        if not isinstance(node, cst.Dict):
            if not makes_object(self.project, node):
                raise Unsure
            on_plateau = self._is_plateau(node, monitor)
            self._check_monitor(node, on_plateau, monitor)
            return Schedule(monitor=monitor, on_plateau=on_plateau), ""
        entries = self.entries(node)
        if "scheduler" not in entries:
            raise Unsure
        self._check_keys(node)
        options = {
            key: literal_or_unsure(value)
            for key, value in entries.items()
            if key in ("interval", "frequency", "monitor", "strict", "name")
        }
        if options.get("interval", "epoch") not in ("step", "epoch"):
            self.problems.append(messages.bad_interval((self.project.source, entries["interval"])))
        if "reduce_on_plateau" in entries:
            raise Unsure
        on_plateau = self._is_plateau(self.resolve(entries["scheduler"]), options.get("monitor"))
        self._check_monitor(node, on_plateau, options.get("monitor"))
        return Schedule(**options, on_plateau=on_plateau), '["scheduler"]'

    def _is_plateau(self, node: cst.BaseExpression, monitor: str | None) -> bool:
        name = self.project.called(node) if isinstance(node, cst.Call) else ""
        if name.startswith("torch.optim.lr_scheduler."):
            return name.endswith(".ReduceLROnPlateau")
        if monitor is not None:
            raise Unsure
        return False  # Lightning refuses one without a metric to watch

    def _check_monitor(self, node: cst.BaseExpression, on_plateau: bool, monitor: str | None) -> None:
        if on_plateau and monitor is None:
            self.problems.append(messages.plateau_without_monitor((self.project.source, node)))

    def _check_keys(self, node: cst.Dict) -> None:
        for element in node.elements:
            key = element.key if isinstance(element, cst.DictElement) else None
            if isinstance(key, cst.SimpleString) and (name := str(key.evaluated_value)) not in SCHEDULER_KEYS:
                self.problems.append(messages.unknown_scheduler_key((self.project.source, key), name))

    def entries(self, node: cst.Dict) -> dict[str, cst.BaseExpression]:
        """A dict's values by key. Raises Unsure where a key is no plain string."""
        entries: dict[str, cst.BaseExpression] = {}
        for element in node.elements:
            if not (isinstance(element, cst.DictElement) and isinstance(element.key, cst.SimpleString)):
                raise Unsure
            entries[str(element.key.evaluated_value)] = element.value
        return entries

    def resolve(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """What a variable stands for, where it is assigned once, plainly, and not changed later."""
        if not isinstance(node, cst.Name) or node.value == "None":
            return node
        entries = findall(self.method, m.AssignTarget(m.Subscript(value=m.Name(node.value))))
        assigned = assigned_values(self.method, node.value)
        if entries or len(assigned) != 1 or assigned[0].deep_equals(node):
            return node
        return self.resolve(assigned[0])


def literal_or_unsure(node: cst.BaseExpression) -> Any:
    """The literal's value; what is no literal is known only when the script runs."""
    try:
        return literal(node)
    except ValueError:
        raise Unsure from None
