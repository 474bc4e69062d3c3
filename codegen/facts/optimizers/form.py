"""Which form `configure_optimizers` returns, and so how the script reads and steps what comes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Class, Project
from ...values import Dict, External, Instance, Literal, Sequence, Value, ValueSet, values_of
from .objects import (
    Returned,
    Shape,
    configured,
    is_object,
    is_optimizer,
    is_torchs,
    may_be_fused,
    needs_closure,
    watches_metric,
)

Found = TypeVar("Found")

SCHEDULER_KEYS = frozenset("scheduler interval frequency monitor strict name reduce_on_plateau".split())
SCHEDULE_OPTIONS = ("interval", "frequency", "monitor", "strict", "name")

CHANGING_GROUPS = frozenset({"add_param_group", "param_groups"})
"""Attributes of optimizers by which code may change their groups of parameters."""


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

    shape: Shape
    schedule: Schedule | None = None
    has_options: bool = False  # of the scheduler, in a dict with it
    may_be_plateau: bool = False  # of a form that is not sure
    may_be_by_step: bool = False  # the same
    takes_all_parameters: bool = False
    makes_one_group: bool = False  # of parameters, without a name
    needs_closure: bool = False
    may_be_fused: bool = False
    may_hold_another: bool = False  # an optimizer that it steps
    is_swapped: bool = False  # for another, as the training begins
    is_renewed: bool = False  # where a hook asks for it

    @property
    def exists(self) -> bool:
        """Whether there is one."""
        return self.shape is not Shape.NOTHING

    @property
    def is_sure(self) -> bool:
        """Otherwise it is read when the script runs."""
        return self.shape is not Shape.UNKNOWN

    @property
    def makes_one_nameless(self) -> bool:
        """Whether there is one optimizer, whose learning rate has been given no name."""
        is_nameless = self.schedule is None or self.schedule.name is None
        return self.exists and self.is_sure and is_nameless and not self.may_hold_another

    @property
    def may_watch_metric(self) -> bool:
        return self.may_be_plateau or (self.schedule is not None and self.schedule.on_plateau)

    @property
    def may_step_in_batches(self) -> bool:
        return self.may_be_by_step or (self.schedule is not None and self.schedule.interval == "step")


NONE = OptimizerForm(Shape.NOTHING)


class Unsure(Exception):
    """The form is known only when the script runs."""


def optimizer_form(
    project: Project,
    cls: Class,
    problems: list[Diagnostic],
    lists_schedules: bool = False,
    swaps_schedule: bool = False,
) -> OptimizerForm:
    """What can be read of `configure_optimizers`; schedules that code lists or swaps are read when it runs."""
    if "configure_optimizers" not in cls.methods:
        return NONE
    returned = configured(project, cls)
    reader = FormReader(project, cls, problems)
    reader.check_one(returned)
    try:
        form = reader.form(returned)
        has_effects = not form.exists and project.index.own(cls.methods["configure_optimizers"], cst.Call)
        if has_effects or (lists_schedules and form.schedule is not None) or (swaps_schedule and form.exists):
            raise Unsure
        return form
    except Unsure:
        found = Returned(project, returned)
        return OptimizerForm(
            Shape.UNKNOWN,
            may_be_plateau=found.may_watch_metric,
            may_be_by_step=found.may_step_in_batches,
            needs_closure=found.needs_closure,
            may_be_fused=found.may_be_fused,
        )


def common_form(forms: list[OptimizerForm]) -> OptimizerForm:
    """The form of what several models return: where it is not the same, it is read when the script runs."""
    first = forms[0]
    closure, fused = any(each.needs_closure for each in forms), any(each.may_be_fused for each in forms)
    if len({(each.shape, each.schedule, each.has_options) for each in forms}) > 1:
        return OptimizerForm(
            Shape.UNKNOWN,
            may_be_plateau=any(each.may_watch_metric for each in forms),
            may_be_by_step=any(each.may_step_in_batches for each in forms),
            needs_closure=closure,
            may_be_fused=fused,
        )
    return replace(
        first,
        may_be_plateau=any(each.may_be_plateau for each in forms),
        may_be_by_step=any(each.may_be_by_step for each in forms),
        takes_all_parameters=all(each.takes_all_parameters for each in forms),
        makes_one_group=all(each.makes_one_group for each in forms),
        needs_closure=closure,
        may_be_fused=fused,
        may_hold_another=any(each.may_hold_another for each in forms),
    )


def swapped_form(form: OptimizerForm) -> OptimizerForm:
    """The form where an optimizer of which nothing is known takes the place of the model's."""
    return replace(
        form,
        takes_all_parameters=False,
        makes_one_group=False,
        needs_closure=True,
        may_be_fused=True,
        may_hold_another=True,
        is_swapped=True,
    )


@dataclass
class FormReader:
    """Reads what one `configure_optimizers` returns."""

    project: Project
    cls: Class
    problems: list[Diagnostic]
    optimizers: list[Value] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.values = values_of(self.project)

    # ---- forms -------------------------------------------------------------------------------------------

    def check_one(self, returned: ValueSet) -> None:
        """Several optimizers that are surely returned."""
        for made in returned:
            if isinstance(made, Sequence) and self._is_several(made):
                self.problems.append(messages.several_optimizers((self.project.source, made.node)))

    def form(self, returned: ValueSet) -> OptimizerForm:
        """The one form of all that may be returned."""
        form = _only({self._form_of(value) for value in returned})
        if not form.exists:
            return form
        everything = all(map(self._takes_all_parameters, self.optimizers))
        closure = needs_closure(self.project, self.optimizers)
        one_group = everything and all(map(self._keeps_groups, self.optimizers))
        return replace(
            form,
            takes_all_parameters=everything,
            makes_one_group=one_group,
            needs_closure=closure,
            may_be_fused=may_be_fused(self.optimizers),
            may_hold_another=not all(map(is_torchs, self.optimizers)),
        )

    def _keeps_groups(self, optimizer: Value) -> bool:
        """Whether an optimizer is one of torch's, whose groups are those that it is given, by `parameters`."""
        made = optimizer.cls if isinstance(optimizer, Instance) else None
        is_torchs = isinstance(made, External) and made.package == "torch"
        return is_torchs and "parameters" not in self.cls.methods and not self.project.folders

    def _form_of(self, value: Value) -> OptimizerForm:
        if isinstance(value, Literal) and value.value is None:
            return NONE
        if isinstance(value, Dict):
            return self._of_dict(value)
        if isinstance(value, Sequence):
            return self._of_sequence(value)
        self._take([value])
        return OptimizerForm(Shape.OPTIMIZER)

    def _of_dict(self, made: Dict) -> OptimizerForm:
        entries = self._entries(made)
        if "optimizer" not in entries:
            raise Unsure
        self._take(entries["optimizer"])
        if "lr_scheduler" not in entries:
            return OptimizerForm(Shape.DICT)
        monitor = _literal(entries["monitor"]) if "monitor" in entries else None
        return OptimizerForm(Shape.DICT, *self._schedule(entries["lr_scheduler"], monitor))

    def _of_sequence(self, made: Sequence) -> OptimizerForm:
        items = self._items(made)
        if len(items) == 1:
            self._take(items[0])
            return OptimizerForm(Shape.LIST)
        if len(items) != 2:
            raise Unsure
        (optimizer,), schedulers = self._list(items[0]), self._list(items[1])
        self._take(optimizer)
        if not schedulers:
            return OptimizerForm(Shape.LISTS)
        return OptimizerForm(Shape.LISTS, *self._schedule(schedulers[0], None))

    # ---- containers --------------------------------------------------------------------------------------

    def _entries(self, made: Dict) -> Mapping[str, ValueSet]:
        """A dict's values by key. Raises Unsure where an entry may be missing, or there may be others."""
        entries = self.values.exact_parts(made)
        if entries is None:
            raise Unsure
        return {str(key): found for key, found in entries.items()}

    def _items(self, made: Sequence) -> list[ValueSet]:
        """What stands in a tuple or a list. Raises Unsure where its length is not known."""
        items = self.values.exact_parts(made)
        if items is None:
            raise Unsure
        return [items[place] for place in range(len(items))]

    def _list(self, found: ValueSet) -> list[ValueSet]:
        """The items of a list of one, or of none."""
        made = found.only
        if not isinstance(made, Sequence) or made.kind != "list" or len(items := self._items(made)) > 1:
            raise Unsure
        return items

    def _is_several(self, made: Sequence) -> bool:
        """Whether a tuple or list surely holds more than one optimizer."""
        try:
            items = self._items(made)
            if len(items) < 2:
                return False
            if isinstance(first := items[0].only, Sequence):
                return len(self._items(first)) > 1
        except Unsure:
            return False
        return all(isinstance(each, Dict) or is_optimizer(self.values, each) for i in items for each in i)

    # ---- optimizers --------------------------------------------------------------------------------------

    def _take(self, found: Iterable[Value]) -> None:
        for value in found:
            if not is_optimizer(self.values, value):
                raise Unsure
            self.optimizers.append(value)

    def _takes_all_parameters(self, optimizer: Value) -> bool:
        """Whether an optimizer is given `self.parameters()` of the model."""
        if not isinstance(optimizer, Instance) or not isinstance(optimizer.node, cst.Call):
            return False
        given = self.values.arguments(optimizer.node, ["params"]).get("params")
        expressions = given.expressions if given else ()
        origins = [origin for each in expressions for origin in self.values.origins(each)]
        return bool(origins) and all(self._is_every_parameter(each.node) for each in origins)

    def _is_every_parameter(self, node: cst.CSTNode) -> bool:
        every = m.Call(func=m.Attribute(m.Name("self"), m.Name("parameters")), args=[])
        owners = [part.node for part in self.cls.lineage]
        return m.matches(node, every) and self.project.index.class_of(node) in owners

    # ---- schedulers --------------------------------------------------------------------------------------

    def _schedule(self, found: ValueSet, monitor: str | None) -> tuple[Schedule, bool]:
        """When a scheduler steps, and whether it stands in a dict with options."""
        return _only({self._schedule_of(value, monitor) for value in found})

    def _schedule_of(self, value: Value, monitor: str | None) -> tuple[Schedule, bool]:
        if isinstance(value, Dict):
            return self._schedule_in(value), True
        on_plateau = self._is_plateau(value, monitor)
        self._check_monitor(value, on_plateau, monitor)
        return Schedule(monitor=monitor, on_plateau=on_plateau), False

    def _schedule_in(self, made: Dict) -> Schedule:
        entries = self._entries(made)
        if "scheduler" not in entries:
            raise Unsure
        self._check_keys(made)
        options = {key: _literal(entries[key]) for key in SCHEDULE_OPTIONS if key in entries}
        if options.get("interval", "epoch") not in ("step", "epoch"):
            place = (*self.values.written(made, "interval"), made.node)[0]
            self.problems.append(messages.bad_interval((self.project.source, place)))
        if "reduce_on_plateau" in entries:
            raise Unsure
        monitor = options.get("monitor")
        on_plateau = _only({self._is_plateau(each, monitor) for each in entries["scheduler"]})
        self._check_monitor(made, on_plateau, monitor)
        return Schedule(**options, on_plateau=on_plateau)

    def _is_plateau(self, value: Value, monitor: str | None) -> bool:
        if not is_object(self.values, value):
            raise Unsure
        found = watches_metric(self.values, value)
        if found is None and monitor is not None:
            raise Unsure
        return bool(found)  # Lightning refuses one without a metric to watch

    def _check_monitor(self, value: Instance | Dict | Value, on_plateau: bool, monitor: str | None) -> None:
        if on_plateau and monitor is None and isinstance(value, Instance | Dict):
            self.problems.append(messages.plateau_without_monitor((self.project.source, value.node)))

    def _check_keys(self, made: Dict) -> None:
        for element in made.node.elements if isinstance(made.node, cst.Dict) else ():
            key = element.key if isinstance(element, cst.DictElement) else None
            if isinstance(key, cst.SimpleString) and (name := str(key.evaluated_value)) not in SCHEDULER_KEYS:
                self.problems.append(messages.unknown_scheduler_key((self.project.source, key), name))


def _only(found: set[Found]) -> Found:
    """The one that all agree in. Raises Unsure where they do not."""
    if len(found) != 1:
        raise Unsure
    return found.pop()


def _literal(found: ValueSet) -> Any:
    """The literal's value. Raises Unsure where it is none."""
    if found.literal is None:
        raise Unsure
    return found.literal.value
