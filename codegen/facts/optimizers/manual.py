"""Whether the model steps its optimizers itself, and how they come out of `configure_optimizers`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import Index
from ...index import patterns as m
from ...index.choices import is_condition
from ...index.targets import assignments, attributes_set
from ...ir.project import Class, Project
from ...ir.saving import SUPER_INIT
from ...lightning import api
from ...spec.load import LoadedSpec
from ...spec.sections.compilation import Part
from ...spec.sections.strategy_spec import LossKind, Strategy, SyncMode
from ...spec.trainer_settings import OF_AUTOMATIC_OPTIMIZATION, TrainerSettings
from ...values import (
    BoundMethod,
    Dict,
    Function,
    Instance,
    Literal,
    Option,
    Partial,
    Sequence,
    Value,
    Values,
    truth_of,
    values_of,
)
from ...values import Class as UserClass
from ..code.usage import Asking, Usage, shown_of
from ..entry.overridden import overridden_defaults
from ..model.assigned import assigned_hooks
from .lists import optimizer_list
from .objects import Shape
from .step_hooks import step_hooks
from .wrapped import check_wrapped, kinds_asked

AUTOMATIC = "automatic_optimization"
ASKS_FOR_NONE = m.Comparison(comparisons=[m.ComparisonTarget(m.Is() | m.IsNot(), m.Name("None"))])
OF_SELF = m.Attribute(value=m.Name("self"))
OF_HPARAMS = m.Attribute(value=m.Attribute(m.Name("self"), m.Name("hparams")))
EARLY = ("__init__", "setup", "configure_model")
OF_NAMED_SCHEDULES = frozenset({"scheduler", "name"})
"""Methods that surely run before training does."""

WITHIN_STEP = frozenset("""
    training_step forward on_before_backward on_after_backward on_before_optimizer_step
    """.split())
"""What runs within the training step."""


@dataclass(frozen=True)
class ManualForm:
    """How the optimizers are read, and what `self.optimizers()` has to give."""

    shape: Shape
    has_schedulers: bool
    wraps: bool  # optimizers of the script's own kind, which tell one way to step them from another
    toggles_model: bool  # by `toggle_model` of an optimizer
    has_hooks: bool  # that are set of an optimizer, and are called before and after its steps
    steps_outside: bool  # of the training step too, where Lightning counts no steps
    is_swapped: bool = False  # for others, as the training begins


# ---- whether ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Decision:
    """Who steps the optimizers."""

    off: cst.CSTNode | None  # where automatic optimization is turned off, or may be
    by_value: bool  # of an argument of the constructor: the script is made for the one that is given


def decision(
    project: Project,
    cls: Class,
    usage: Usage,
    arguments: Mapping[str, str],
    values: Values | None,
    loaded: LoadedSpec | None,
    problems: list[Diagnostic],
) -> Decision:
    """What is decided; `arguments` are those of the constructor that are known, as code.

    `values` are known where a main of the user's own makes the model, and the spec, `loaded`, where one is at hand.
    """
    known = {
        name: code == "True"
        for name, code in arguments.items()
        if code in ("True", "False") and _is_bound_once(project.index, cls, name)
    }
    kept = dict(_kept_arguments(project.index, cls, usage))
    # an option's default, and what a configuration says, decide for which value the script is made
    truths = Truths(
        project.index,
        known,
        values,
        cls.methods.get("__init__"),
        kept,
        is_for_defaults=True,
        overridden=overridden_defaults(project),
    )
    decisions = list(_decisions(project, cls, usage, truths))
    if (last := _last_of_constructors(cls, truths, [node for node, _ in decisions])) is not None:
        decisions = [each for each in decisions if each[0] is last]
    unsure = [node for node, value in decisions if value is None]
    off = [node for node, value in decisions if value is False]
    is_unsure = bool(unsure) or len(off) not in (0, len(decisions))
    declared = loaded.spec.automatic_optimization if loaded else None
    if loaded and declared is not None and not is_unsure and declared is bool(off):
        problems.append(messages.optimization_decided(loaded.key_place(AUTOMATIC), declared))
    if (
        is_unsure
        and declared is not None
        and all(_is_early(project.index, cls, node) for node, _ in decisions)
    ):
        return Decision(None if declared else (unsure or off)[0], by_value=True)
    if is_unsure:
        problems.append(messages.manual_optimization_unsure((project.source, (unsure or off)[0])))
    nothing = Truths(project.index, {}, None)
    by_value = any(value is None for _, value in _decisions(project, cls, usage, nothing))
    return Decision(next(iter(off or unsure), None), by_value)


def _is_early(index: Index, cls: Class, node: cst.CSTNode) -> bool:
    """Whether something stands where it has been run before training begins, and not again."""
    methods = [part.own_methods[name] for part in cls.lineage for name in EARLY if name in part.own_methods]
    if isinstance(index.parent(node), cst.FunctionDef):  # of a property
        return False
    function = index.function_of(node)
    in_class = function is None and any(index.holds(part.node, node) for part in cls.lineage)
    return in_class or function in methods


def check_settings(loaded: LoadedSpec) -> Iterator[Diagnostic]:
    """Settings of the spec for a backward that the script itself calls."""
    spec = loaded.spec
    if spec.loss is LossKind.SUM:
        yield messages.sums_by_hand(loaded.key_place("loss"))
    if spec.compile and spec.compile.what is Part.STEP:
        yield messages.step_compiled_by_hand(loaded.key_place("compile"))


def check_manual(
    project: Project, loaded: LoadedSpec, place: cst.CSTNode, settings: TrainerSettings, unknown: Set[str]
) -> Iterator[Diagnostic]:
    """Settings that do not go together with manual optimization; those that are `unknown`, the script looks at."""
    given = settings.of_automatic_optimization
    for name in OF_AUTOMATIC_OPTIMIZATION:
        if name in given - unknown:
            yield messages.setting_with_manual_optimization((project.source, place), name)
    if loaded.spec.strategy is Strategy.DDP:
        if loaded.spec.sync is SyncMode.FORCED_SYNC:
            yield messages.sync_with_manual_optimization(loaded.key_place("sync"), "sync: forced_sync")
        if loaded.spec.ddp.static_graph:
            place_of_ddp = loaded.key_place("ddp.static_graph")
            yield messages.sync_with_manual_optimization(place_of_ddp, "static_graph")


def check_schedules(project: Project, nodes: Iterable[Asking]) -> Iterator[Diagnostic]:
    """What says when schedulers step is not kept where the model steps them itself; they are, with their names."""
    for node in (each for each in nodes if not _reads_schedules(project.index, each)):
        yield messages.unsupported_trainer_member(
            (project.source, shown_of(node)), "lr_scheduler_configs", ()
        )


def _reads_schedules(index: Index, listed: Asking) -> bool:
    """Whether code reads the schedulers of the list, or their names, or asks how many there are."""
    above = index.parent(listed)
    if (
        isinstance(above, cst.For | cst.CompFor)
        and above.iter is listed
        and isinstance(above.target, cst.Name)
    ):
        variable = index.variable(above.target)
        return variable is not None and all(_reads_schedule(index, each) for each in variable.uses)
    return _is_counted(index, listed) or (isinstance(above, cst.Subscript) and _reads_schedule(index, above))


def _reads_schedule(index: Index, element: cst.CSTNode) -> bool:
    read = index.parent(element)
    return isinstance(read, cst.Attribute) and read.attr.value in OF_NAMED_SCHEDULES


def _is_counted(index: Index, listed: cst.CSTNode) -> bool:
    """Whether the list's length is asked for, or whether it has any."""
    argument = index.parent(listed)
    call = index.parent(argument) if isinstance(argument, cst.Arg) else None
    return is_condition(index, listed) or m.matches(call, m.Call(m.Name("len") | m.Name("bool")))


def check_assigned(project: Project) -> Iterator[Diagnostic]:
    """Hooks that are assigned to models, which might step the optimizers."""
    for each in assigned_hooks(project):
        if each.is_models and each.owner is not None and not each.is_adopted:
            yield messages.assigned_hook((project.source, each.place), each.name, each.owner.name)


def check_automatic(
    project: Project, cls: Class, usage: Usage, may_hold_another: bool
) -> Iterator[Diagnostic]:
    """What belongs to manual optimization, in a model without it; `may_hold_another`: its optimizer, one of its own."""
    for name in api.MANUAL_MEMBERS - usage.own_names(cls):
        for node in usage.reads.get(name, ()):
            yield messages.needs_manual_optimization((project.source, node.attr), name)
    yield from check_wrapped(project, cls, usage, may_hold_another)
    for name, place in step_hooks(project):
        yield messages.step_hook((project.source, place), name)


def _decisions(
    project: Project, cls: Class, usage: Usage, truths: Truths
) -> Iterator[tuple[cst.CSTNode, bool | None]]:
    """Each place that says so: in the class, by a property, in a method, in the entry's code; None: it depends."""
    plain = {target: value for part in cls.lineage for target, value in _plain_decisions(part, truths)}
    never = [block for part in cls.lineage for block in _never_run(project, part, truths)]
    for part in cls.lineage:
        bound = m.AssignTarget(m.Name(AUTOMATIC)) | m.AnnAssign(m.Name(AUTOMATIC))
        for found in project.index.matching(part.node, bound):
            target = found.target  # type: ignore[attr-defined]  # both have one
            if not (isinstance(found, cst.AnnAssign) and found.value is None):
                yield target, plain.get(target)
        if method := part.own_methods.get(AUTOMATIC):
            values = {truths.of(each.value) for each in project.index.own(method, cst.Return)}
            yield method.name, values.pop() if len(values) == 1 else None
    for node in usage.writes.get(AUTOMATIC, ()):
        if not any(project.index.holds(block, node) for block in never):
            yield node, plain.get(node)
    for statement in project.statements:
        if not isinstance(statement.node, cst.ClassDef):
            for target in attributes_set(project.index, statement.node):
                is_set = target.attr.value == AUTOMATIC
                if is_set and target not in usage.writes.get(AUTOMATIC, ()):
                    yield target, None
    yield from ((place, None) for place in _set_by_name(project, cls))


def _kept_arguments(index: Index, cls: Class, usage: Usage) -> Iterator[tuple[str, cst.BaseExpression]]:
    """Attributes that a constructor gives a value, under no condition, and nothing else."""
    methods = [part.own_methods["__init__"] for part in cls.lineage if "__init__" in part.own_methods]
    lines = [line for method in methods for line in _lines_run(method.body, Truths(index, {}, None))]
    for each in (small for line in lines for small in line.body if isinstance(small, cst.Assign)):
        target = each.targets[0].target
        name = target.attr.value if isinstance(target, cst.Attribute) and m.matches(target, OF_SELF) else ""
        if len(usage.writes.get(name, ())) == 1:
            yield name, each.value


def _is_bound_once(index: Index, cls: Class, parameter: str) -> bool:
    """Whether the constructor's parameter is what it is given throughout."""
    method = cls.methods.get("__init__")
    names = index.within(method, cst.Name) if method else []
    own = (each for each in names if each.value == parameter and index.function_of(each) is method)
    return all(len(index.bindings(each)) < 2 for each in own)


def _set_by_name(project: Project, cls: Class) -> Iterator[cst.CSTNode]:
    """Where it is set as what Lightning keeps it as, through `setattr` or a `__dict__`."""
    nodes = {part.node for part in cls.lineage}
    for owner, name, place in values_of(project).stores():
        is_models = isinstance(owner, Instance) and getattr(owner.cls, "node", None) in nodes
        is_plain = name == AUTOMATIC and isinstance(place, cst.Attribute | cst.Name)
        if is_models and name in (AUTOMATIC, f"_{AUTOMATIC}") and not is_plain:
            yield place


def _plain_decisions(part: Class, truths: Truths) -> Iterator[tuple[cst.CSTNode, bool | None]]:
    """Assignments under no condition, or under one that holds, with the values of those that are plain."""
    bodies = [part.node.body, *(part.own_methods[name].body for name in EARLY if name in part.own_methods)]
    lines = (line for body in bodies for line in _lines_run(body, truths))
    for small in (small for line in lines for small in line.body):
        if isinstance(small, cst.Assign):
            yield from ((target.target, truths.of(small.value)) for target in small.targets)
        elif isinstance(small, cst.AnnAssign):
            yield small.target, truths.of(small.value)


def _last_of_constructors(cls: Class, truths: Truths, places: list[cst.CSTNode]) -> cst.BaseExpression | None:
    """The last of several places, where constructors run all of them one after the other, in any case."""
    run = list(_set_in_order(cls.resolution_order, truths))
    return next((each for each in reversed(run) if each in places), None) if {*places} <= {*run} else None


def _set_in_order(order: tuple[Class | str, ...], truths: Truths) -> Iterator[cst.BaseExpression]:
    """What constructors surely set, each in its turn, and those that they call by `super()` in theirs."""
    place = next((i for i, each in enumerate(order) if isinstance(each, str) or _has_constructor(each)), None)
    part = order[place] if place is not None else None
    if place is None or not isinstance(part, Class):
        return
    for small in (
        each for line in _lines_run(part.own_methods["__init__"].body, truths) for each in line.body
    ):
        if m.matches(small, m.Expr(SUPER_INIT)):
            yield from _set_in_order(order[place + 1 :], truths)
        elif isinstance(small, cst.Assign):
            yield from (target.target for target in small.targets)
        elif isinstance(small, cst.AnnAssign) and small.value is not None:
            yield small.target


def _has_constructor(cls: Class) -> bool:
    return "__init__" in cls.own_methods


def _lines_run(block: cst.BaseSuite, truths: Truths) -> Iterator[cst.SimpleStatementLine]:
    """The simple statements of a block that surely run: none behind what may leave it."""
    for each in block.body:
        if isinstance(each, cst.SimpleStatementLine):
            yield each
        elif isinstance(each, cst.If):
            yield from _lines_run_under(each, truths)
        if truths.may_leave(each):
            return


def _lines_run_under(condition: cst.If, truths: Truths) -> Iterator[cst.SimpleStatementLine]:
    """Those under a condition of which it is known whether it holds."""
    holds, other = truths.of(condition.test), condition.orelse
    if holds:
        yield from _lines_run(condition.body, truths)
    elif holds is False and isinstance(other, cst.If):
        yield from _lines_run_under(other, truths)
    elif holds is False and other is not None:
        yield from _lines_run(cst.ensure_type(other, cst.Else).body, truths)


def _never_run(project: Project, part: Class, truths: Truths) -> Iterator[cst.CSTNode]:
    """Blocks of the early methods under conditions that do not hold."""
    for method in (part.own_methods[name] for name in EARLY if name in part.own_methods):
        for each in project.index.within(method, cst.If):
            holds = truths.of(each.test)
            if holds is False:
                yield each.body
            elif holds and each.orelse is not None:
                yield each.orelse


@dataclass(frozen=True)
class Truths:
    """Which expressions are true and which are not, as far as it is known."""

    index: Index
    arguments: Mapping[str, bool]
    values: Values | None
    constructor: cst.FunctionDef | None = None  # whose arguments they are
    kept: Mapping[str, cst.BaseExpression] = field(default_factory=dict)  # what attributes are given
    is_for_defaults: bool = False  # of options, whatever a command line says
    overridden: Set[cst.CSTNode] = frozenset()  # defaults of parameters that a configuration gives a value

    def of(self, node: cst.BaseExpression | None) -> bool | None:
        """Of True, False, an argument of the constructor, or the opposite of one of these."""
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            inner = self.of(node.expression)
            return None if inner is None else not inner
        if node is not None and (given := self._given(node)) is not node:
            return replace(self, kept={}).of(given)
        read = node.attr if m.matches(node, OF_HPARAMS) and isinstance(node, cst.Attribute) else node
        told = {"True": True, "False": False, **self.arguments}
        if isinstance(read, cst.Name) and read.value in told and self._is_argument(node, read):
            return told[read.value]
        if isinstance(node, cst.Comparison) and m.matches(node, ASKS_FOR_NONE):
            is_none = self._of_all(self._given(node.left), _is_none)
            is_denied = m.matches(node.comparisons[0].operator, m.IsNot())
            return None if is_none is None else is_none is not is_denied
        return self.of_condition(node) if node is not None else None

    def _given(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """What an attribute that the constructor alone sets was given; any other expression as it is."""
        seen = set[str]()
        while isinstance(node, cst.Attribute) and m.matches(node, OF_SELF):
            if (name := node.attr.value) in seen or name not in self.kept:
                break
            seen.add(name)
            node = self.kept[name]
        return node

    def of_condition(self, node: cst.BaseExpression) -> bool | None:
        """Of what is the same, or as good as it, whatever the main gives."""
        return self._of_all(node, truth_of)

    def _of_all(self, node: cst.BaseExpression, truth: Callable[[Value], bool | None]) -> bool | None:
        """What is true of all that an expression may be."""
        found = [*self.values.of(node)] if self.values else []
        truths = {truth(each) for each in found if not self._is_passed_over(each)}
        return truths.pop() if len(truths) == 1 else None

    def _is_passed_over(self, value: Value) -> bool:
        """Whether only a command line would have it, of which the script is told when it runs."""
        if isinstance(value, Literal):
            return value.node in self.overridden
        return isinstance(value, Option) and self.is_for_defaults

    def _is_argument(self, node: cst.BaseExpression | None, name: cst.Name) -> bool:
        """Whether a name is the constructor's own, or that of a hyperparameter."""
        if name is not node or name.value in ("True", "False"):
            return True
        return self.constructor is not None and self.index.function_of(name) is self.constructor

    def may_leave(self, statement: cst.CSTNode) -> bool:
        """Whether a statement may end its function; an error ends the run."""
        function = self.index.function_of(statement)
        leaving = self.index.within(statement, cst.Return)
        return any(self.index.function_of(each) is function for each in leaving)


def _is_none(value: Value) -> bool | None:
    """Whether a value is None; None: that is not known, as of what a library's function gives."""
    if isinstance(value, Literal):
        return value.value is None
    made = value.cls if isinstance(value, Instance) else value
    is_object = isinstance(made, UserClass | Function | BoundMethod | Partial | Sequence | Dict)
    return False if is_object else None


# ---- the optimizers --------------------------------------------------------------------------------------


def manual_form(project: Project, cls: Class, usage: Usage) -> ManualForm:
    """What can be read of the class's `configure_optimizers`, and of what it does with the optimizers."""
    optimizers, toggles = optimizer_list(project, cls), project.index.attributes("toggle_model")
    has_hooks = bool(step_hooks(project))
    return ManualForm(
        optimizers.shape,
        optimizers.has_schedulers,
        has_hooks or not optimizers.are_torchs or _tells_ways_apart(project, cls, usage),
        any(project.index.holds(part.node, each) for part in cls.lineage for each in toggles),
        has_hooks,
        any(_steps_in(project, cls, usage, hook) for hook in (api.HOOKS | api.STEPS) - WITHIN_STEP),
    )


def swapped_manual(form: ManualForm) -> ManualForm:
    """The form where others take the place of the model's, of which it is not known what they do as they step."""
    return replace(form, wraps=True, is_swapped=True)


# ---- what is done with them ------------------------------------------------------------------------------


def _tells_ways_apart(project: Project, cls: Class, usage: Usage) -> bool:
    """Whether steps may be taken that Lightning does not count, or what torch's optimizers do not have is asked."""
    if "on_before_optimizer_step" in cls.methods or "optimizers" in usage.asked_of_trainer:
        return True
    is_asked = any(_asks_for_own_kind(project.index, part.node) for part in cls.lineage)
    return is_asked or bool(kinds_asked(project, project.statements) or _kept(project.index, cls, usage))


def _asks_for_own_kind(index: Index, node: cst.ClassDef) -> bool:
    names = m.Name("self") | m.Name("hparams") | m.Attribute(attr=m.Name("hparams") | m.Name("optim"))
    arguments = m.Call(func=m.Attribute(m.Name("self"), m.Name("optimizers")), args=[m.AtLeastN(n=1)])
    asks = m.Attribute(attr=m.Name("toggle_model")) | m.Attribute(value=~names, attr=m.Name("optimizer"))
    return bool(index.matching(node, asks | arguments))


def _kept(index: Index, cls: Class, usage: Usage) -> set[str]:
    """Attributes that may hold optimizers as `configure_optimizers` makes them, and are read elsewhere."""
    methods = usage.reached_from("configure_optimizers") & cls.methods.keys()
    found = (each for method in methods for each in assignments(index, cls.methods[method]))
    stored = {name for targets, _ in found for name in _stored_in(index, targets)}
    made = m.Call(func=m.Attribute(value=m.Attribute(attr=m.Name("optim")) | m.Name("optim")))
    for part in cls.lineage:
        for targets, value in assignments(index, part.node):
            if m.matches(value, made):
                stored |= _stored_in(index, targets)
    return {name for name in stored for method in cls.methods.keys() - methods if name in usage.calls[method]}


def _stored_in(index: Index, targets: Iterable[cst.BaseExpression]) -> set[str]:
    attributes = (each for target in targets for each in index.within(target, cst.Attribute))
    return {each.attr.value for each in attributes if m.matches(each.value, m.Name("self"))}


def _steps_in(project: Project, cls: Class, usage: Usage, hook: str) -> bool:
    """Whether a hook may step an optimizer, in the class or in a function that it hands one."""
    if hook not in cls.methods:
        return False
    names = usage.reached_from(hook)
    functions = [each.node for each in project.statements if isinstance(each.node, cst.FunctionDef)]
    reached = [cls.methods[name] for name in names & cls.methods.keys()]
    functions = functions if "optimizers" in names else []
    return any(_steps_optimizer(project.index, each) for each in (*reached, *functions))


SCHEDULER = m.Call(func=m.Attribute(attr=m.Name("lr_schedulers")))


def _steps_optimizer(index: Index, method: cst.FunctionDef) -> bool:
    """Whether something is stepped that is no scheduler by its name."""
    made = [targets for targets, value in assignments(index, method) if m.matches(value, SCHEDULER)]
    names = {name.value for targets in made for each in targets for name in index.within(each, cst.Name)}
    loops = (each for each in index.within(method, cst.For) if m.matches(each.iter, SCHEDULER))
    names |= {each.target.value for each in loops if isinstance(each.target, cst.Name)}
    steps = m.Call(func=m.Attribute(attr=m.Name("step")))
    calls = (each for each in index.within(method, cst.Call) if m.matches(each, steps))
    stepped = [cst.ensure_type(each.func, cst.Attribute).value for each in calls]
    return not all(
        m.matches(each, SCHEDULER) or (isinstance(each, cst.Name) and each.value in names) for each in stepped
    )
