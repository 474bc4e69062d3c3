"""The user's own main, kept word for word: where it builds Trainers, what it hands to `fit`, what else it asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from .. import lightning_api as api
from .. import messages
from ..diagnostics import Diagnostic
from ..ir.project import Kind, Project, Statement
from ..runtime.constructed import trainer_members
from . import main_names
from .given_data import GivenData
from .held import Held
from .literals import code_of
from .main_names import calls_on, nodes_of
from .stages import STAGES
from .usage import Usage

OF_RANKS = {
    "is_global_zero": "ranks_from_env().is_main",
    "global_rank": "ranks_from_env().rank",
    "local_rank": "ranks_from_env().local_rank",
    "world_size": "ranks_from_env().world_size",
}
"""What a trainer knows of its ranks, before `fit` too."""

OF_MODELS = {"current_epoch", "global_step", "device", *api.UNSUPPORTED_MEMBERS} - {"backward", "dtype"}
"""What a main may ask of a model."""

FIT_PARAMETERS = ("model", "train_dataloaders", "val_dataloaders", "datamodule", "ckpt_path", "weights_only")

RUNS_NO_CODE = "the script's checkpoints are read without running code in them"


@dataclass(frozen=True)
class FitCall:
    """One call of `fit` or its like: its arguments by the names of Lightning's parameters, and where they stand."""

    node: cst.Call
    arguments: dict[str, tuple[int, cst.BaseExpression]]
    method: str = "fit"

    def expression(self, name: str) -> cst.BaseExpression | None:
        found = self.arguments.get(name)
        return found[1] if found and not m.matches(found[1], m.Name("None")) else None


@dataclass(frozen=True)
class OwnMain:
    """What is read of a main that stays the user's."""

    trainers: tuple[cst.Call, ...]
    fits: tuple[FitCall, ...]
    seeds: tuple[cst.Call, ...]
    attributes: dict[str, list[cst.Attribute]]  # asked of trainers
    set_attributes: tuple[cst.Attribute, ...]  # of trainers
    classes: dict[Kind, frozenset[str]]  # that the models and the data modules are of, as far as can be read
    reads_all_models: bool
    gives_train: bool  # loaders of its own
    gives_val: bool
    gives_checkpoint: bool
    evaluations: tuple[FitCall, ...] = ()  # calls of `validate`, `test` and `predict`
    asked_of_models: tuple[cst.Attribute, ...] = ()  # what Lightning's class has

    def class_of(self, kind: Kind) -> str | None:
        """The class that is trained, or brings the data; None: it cannot be told."""
        return min(self.classes[kind], default=None)

    @property
    def seeds_workers(self) -> bool:
        """Whether loaders' workers get seeds of their own."""
        is_on = m.Arg(keyword=m.Name("workers"), value=m.Name("True"))
        by_place = m.Arg(keyword=None, value=m.Name("True"))
        given = [(place, argument) for call in self.seeds for place, argument in enumerate(call.args)]
        return any(m.matches(each, is_on | by_place if place == 1 else is_on) for place, each in given)

    @property
    def translated(self) -> frozenset[cst.CSTNode]:
        """Names of Lightning's that the script has a translation of."""
        return frozenset(call.func for call in (*self.trainers, *self.seeds))


def builds_trainer(project: Project) -> bool:
    """Whether a statement of the project's calls `Trainer`."""
    calls = nodes_of(cst.Call, (statement.node for statement in project.statements))
    return any(project.lightning_name(call.func) == "Trainer" for call in calls)


def read_own_main(project: Project, statements: Iterable[Statement], problems: list[Diagnostic]) -> OwnMain:
    """Read the statements that the entry consists of, and what they reach."""
    reader = _Reader(project, [statement.node for statement in statements], problems)
    fits = tuple(reader.fits())
    evaluations = tuple(reader.evaluations())
    calls = (*fits, *evaluations)
    data = {name for call in calls for name in reader.data_of(call)}
    models = [made for call in calls for made in reader.made(call.expression("model"), "module")]
    classes: dict[Kind, frozenset[str]] = {"module": frozenset(filter(None, models)), "data": frozenset(data)}
    return OwnMain(
        tuple(reader.trainers),
        fits,
        tuple(reader.calls_of("seed_everything")),
        reader.attributes(frozenset(call.node.func for call in evaluations)),
        tuple(reader.set_attributes()),
        classes,
        None not in models,
        any(fit.expression("train_dataloaders") for fit in fits) and not data,
        any(fit.expression("val_dataloaders") for fit in fits),
        any(fit.expression("ckpt_path") for fit in fits),
        evaluations,
        tuple(reader.asked_of_models()),
    )


class _Reader:
    def __init__(self, project: Project, nodes: list[cst.BaseStatement], problems: list[Diagnostic]) -> None:
        self.project, self.nodes, self.problems = project, nodes, problems
        self.trainers = list(self.calls_of("Trainer"))
        returned = list(main_names.returned(nodes))
        parts = main_names.unpacked(nodes, main_names.grouped(returned))
        named = [*main_names.assigned(nodes), *returned, *parts]
        self.names = main_names.grouped([*named, *main_names.annotated(nodes)])
        self.held = Held(self.names, tuple(nodes_of(cst.FunctionDef, nodes)))
        self.given = GivenData(project, self.names)
        self.trainer_names = self._trainer_names([*named, *main_names.handed_on(nodes)])

    def calls_of(self, name: str) -> Iterator[cst.Call]:
        """Calls of something of Lightning's."""
        calls = nodes_of(cst.Call, self.nodes)
        return (call for call in calls if self.project.lightning_name(call.func) == name)

    # ---- trainers ----------------------------------------------------------------------------------------

    def _trainer_names(self, named: list[main_names.Named]) -> set[str]:
        """The names under which a trainer is held."""
        names = set[str]()
        while found := {name for name, value in named if self._makes_trainer(value, names)} - names:
            names |= found
        return names

    def _makes_trainer(self, value: cst.BaseExpression, names: set[str]) -> bool:
        can_hold = isinstance(value, cst.Call | cst.Name | cst.Attribute)
        return value in self.trainers or (can_hold and main_names.name_of(value) in names)

    def is_trainer(self, value: cst.BaseExpression) -> bool:
        return self._makes_trainer(value, self.trainer_names)

    def attributes(self, called: frozenset[cst.CSTNode]) -> dict[str, list[cst.Attribute]]:
        """What is asked of trainers, calls of `fit` and those `called` left out."""
        found: dict[str, list[cst.Attribute]] = {}
        for node in nodes_of(cst.Attribute, self.nodes):
            if node.attr.value != "fit" and node not in called and self.is_trainer(node.value):
                found.setdefault(node.attr.value, []).append(node)
        return found

    def set_attributes(self) -> Iterator[cst.Attribute]:
        """What the main sets of trainers."""
        for node in nodes_of((cst.AssignTarget, cst.AugAssign), self.nodes):
            target = node.target  # type: ignore[attr-defined]  # both have one
            if isinstance(target, cst.Attribute) and self.is_trainer(target.value):
                yield target

    def asked_of_models(self) -> Iterator[cst.Attribute]:
        """What is asked of Lightning's members of something that surely is a model, outside of its class."""
        for node in nodes_of(cst.Attribute, self.nodes):
            if node.attr.value in OF_MODELS and all(found := list(self.made(node.value, "module"))) and found:
                yield node

    # ---- fit ---------------------------------------------------------------------------------------------

    def fits(self) -> Iterator[FitCall]:
        for call, holder in calls_on("fit", self.nodes):
            if self.is_trainer(holder):
                yield FitCall(call, dict(self._arguments(call, FIT_PARAMETERS)))
            elif call.args and self.class_of(call.args[0].value, "module") and not self._has_fit():
                self.problems.append(messages.trainer_unknown((self.project.source, holder)))

    def _has_fit(self) -> bool:
        """Whether a class that is no trainer has a method of this name, so that a call of it may be meant."""
        return any("fit" in cls.methods for cls in self.project.classes.values())

    def evaluations(self) -> Iterator[FitCall]:
        """Calls of `validate`, `test` and `predict`."""
        for name, stage in STAGES.items():
            for call, holder in calls_on(name, self.nodes):
                if self.is_trainer(holder):
                    yield FitCall(call, dict(self._arguments(call, stage.parameters)), name)

    def _arguments(
        self, call: cst.Call, parameters: tuple[str, ...]
    ) -> Iterator[tuple[str, tuple[int, cst.BaseExpression]]]:
        for index, argument in enumerate(call.args):
            name = argument.keyword.value if argument.keyword else parameters[min(index, 5)]
            if argument.star or name not in parameters:
                self.problems.append(messages.fit_argument_unknown((self.project.source, argument)))
            elif name in ("train_dataloaders", "dataloaders") and self._is_data(argument):
                yield "datamodule", (index, argument.value)
            else:
                yield name, (index, argument.value)

    def _is_data(self, argument: cst.Arg) -> bool:
        """Whether what stands in the place of loaders is a data module; where it may be one, its name has to say."""
        value = argument.value
        if self.class_of(value, "data") or self.given.class_of(value):
            return True
        if argument.keyword is None and self.given.may_be_data(value):
            self.problems.append(messages.loader_or_data((self.project.source, value)))
        return False

    def data_of(self, fit: FitCall) -> set[str]:
        value = fit.expression("datamodule")
        if value is None:
            return set()
        found = set(filter(None, self.made(value, "data"))) or set(filter(None, [self.given.class_of(value)]))
        known = [name for name, cls in self.project.classes.items() if cls.kind == "data"]
        if not found and len(known) == 1:
            return {known[0]}
        if not found:
            self.problems.append(messages.fit_argument_unknown((self.project.source, value)))
        return found

    def class_of(self, value: cst.BaseExpression | None, kind: Kind) -> str | None:
        """A class of the user's that an expression is an object of, where that can be read."""
        return next(filter(None, self.made(value, kind)), None)

    def made(self, value: cst.BaseExpression | None, kind: Kind) -> Iterator[str | None]:
        """The user's classes that an expression may be an object of; None: something that cannot be read."""
        for each in self.held.made(value) if value is not None else ():
            yield self._class_made(each, kind) if isinstance(each, cst.Call) else None

    def _class_made(self, call: cst.Call, kind: Kind) -> str | None:
        is_loaded = m.matches(call.func, m.Attribute(attr=m.Name("load_from_checkpoint")))
        named = cst.ensure_type(call.func, cst.Attribute).value if is_loaded else call.func
        return self._class_named(named, kind) or self._class_defined(named, kind)

    def _class_named(self, node: cst.BaseExpression, kind: Kind) -> str | None:
        cls = self.project.classes.get(code_of(node))
        return cls.name if cls and cls.kind == kind else None

    def _class_defined(self, node: cst.BaseExpression, kind: Kind) -> str | None:
        """The class that a variable holds, where a function has defined it, or that a call of one gives at once."""
        made = [*self.names.get(code_of(node), ()), node]
        functions = {code_of(each.func) for each in made if isinstance(each, cst.Call)}
        classes = (
            cls for cls in self.project.classes.values() if cls.within in functions and cls.kind == kind
        )
        return next((cls.name for cls in classes), None)


def check_own_main(project: Project, main: OwnMain, usage: Usage) -> Iterator[Diagnostic]:
    """What is asked of trainers that the script does not have, but for what the model and its callbacks ask."""
    others = {node for nodes in usage.trainer.values() for node in nodes}
    for name, nodes in main.attributes.items():
        if name not in trainer_members() and name not in OF_RANKS:
            own = [node for node in nodes if node not in others]
            yield from (messages.unsupported_trainer_use((project.source, node), name) for node in own)
    for call in (*main.fits, *main.evaluations):
        value = call.expression("weights_only")
        if value is not None and not m.matches(value, m.Name("True")):
            yield messages.dropped_argument((project.source, value), "weights_only", RUNS_NO_CODE)
    shapes = {frozenset(fit.arguments) - {"ckpt_path", "weights_only"} for fit in main.fits}
    if len(shapes) > 1:
        yield messages.fit_shapes_differ((project.source, main.fits[-1].node))
