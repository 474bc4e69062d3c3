"""The user's own main, kept word for word: where it builds Trainers, what it hands to `fit`, what else it asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from .. import lightning_api as api
from .. import messages
from ..diagnostics import Diagnostic
from ..plans import ConfigGroup
from ..project import Class, Kind, Project, Statement
from ..rewrites import OBJECT, Rewrite, Rewrites, Slot
from ..spec import LoadedSpec
from .literals import code_of
from .own_settings import trainer_rewrite
from .stages import STAGES

OF_RANKS = {
    "is_global_zero": "ranks_from_env().is_main",
    "global_rank": "ranks_from_env().rank",
    "local_rank": "ranks_from_env().local_rank",
    "world_size": "ranks_from_env().world_size",
}
"""What a trainer knows of its ranks, before `fit` too."""

FIT_PARAMETERS = ("model", "train_dataloaders", "val_dataloaders", "datamodule", "ckpt_path", "weights_only")


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
    model: str | None  # the class that is trained; None: it cannot be told
    data: str | None
    gives_train: bool  # loaders of its own
    gives_val: bool
    gives_checkpoint: bool
    evaluations: tuple[FitCall, ...] = ()  # calls of `validate`, `test` and `predict`

    @property
    def seeds_workers(self) -> bool:
        """Whether loaders' workers get seeds of their own."""
        is_on = m.Arg(keyword=m.Name("workers"), value=m.Name("True"))
        return any(m.matches(argument, is_on) for call in self.seeds for argument in call.args)

    @property
    def translated(self) -> frozenset[cst.CSTNode]:
        """Names of Lightning's that the script has a translation of."""
        return frozenset(call.func for call in (*self.trainers, *self.seeds))


def builds_trainer(project: Project) -> bool:
    """Whether a statement of the project's calls `Trainer`."""
    calls = (call for each in project.statements for call in m.findall(each.node, m.Call()))
    return any(project.lightning_name(cst.ensure_type(call, cst.Call).func) == "Trainer" for call in calls)


def instantiated(project: Project, main: OwnMain, statements: Iterable[Statement]) -> Iterator[Diagnostic]:
    """Models and data that hydra's `instantiate` makes: they would be of the original classes, not the script's."""
    reader = _Reader(project, [statement.node for statement in statements], [])
    for fit in main.fits:
        for name in ("model", "datamodule"):
            value = fit.expression(name)
            made = [value, *(each for held, each in reader.assignments if value and held == code_of(value))]
            for call in (each for each in made if isinstance(each, cst.Call)):
                if code_of(call.func).rpartition(".")[2] == "instantiate":
                    yield messages.instantiated((project.source, call))


def trainers_made_elsewhere(project: Project) -> Iterator[Diagnostic]:
    """Trainers that come out of hydra's `instantiate`, or of a namespace: what they are told cannot be read."""
    for statement in project.statements:
        fits = m.findall(statement.node, m.Call(func=m.Attribute(attr=m.Name("fit"))))
        holders = {
            code_of(cst.ensure_type(cst.ensure_type(fit, cst.Call).func, cst.Attribute).value) for fit in fits
        }
        for found in m.findall(statement.node, m.Assign(value=m.Call())):
            assign = cst.ensure_type(found, cst.Assign)
            call = cst.ensure_type(assign.value, cst.Call)
            name = code_of(call.func).rpartition(".")[2]
            is_held = any(code_of(target.target) in holders for target in assign.targets)
            if (is_held and name == "instantiate") or name == "from_argparse_args":
                yield messages.trainer_made_elsewhere((project.source, call), name)


def read_own_main(project: Project, statements: Iterable[Statement], problems: list[Diagnostic]) -> OwnMain:
    """Read the statements that the entry consists of, and what they reach."""
    reader = _Reader(project, [statement.node for statement in statements], problems)
    fits = tuple(reader.fits())
    evaluations = tuple(reader.evaluations())
    calls = (*fits, *evaluations)
    data = {name for call in calls if (name := reader.data_of(call))}
    models = {name for call in calls if (name := reader.class_of(call.expression("model"), "module"))}
    for kind, found in (("module", models), ("data", data)):
        if len(found) > 1:
            problems.append(
                messages.several_classes_fit((project.source, calls[0].node), kind, sorted(found))
            )
    return OwnMain(
        tuple(reader.trainers),
        fits,
        tuple(reader.calls_of("seed_everything")),
        reader.attributes(frozenset(call.node.func for call in evaluations)),
        tuple(reader.set_attributes()),
        min(models, default=None),
        min(data, default=None),
        any(fit.expression("train_dataloaders") for fit in fits) and not data,
        any(fit.expression("val_dataloaders") for fit in fits),
        any(fit.expression("ckpt_path") for fit in fits),
        evaluations,
    )


class _Reader:
    def __init__(self, project: Project, nodes: list[cst.BaseStatement], problems: list[Diagnostic]) -> None:
        self.project, self.nodes, self.problems = project, nodes, problems
        self.trainers = list(self.calls_of("Trainer"))
        self.assignments = list(self._assignments())
        self.names = self._trainer_names()

    def _find(self, matcher: m.BaseMatcherNode) -> Iterator[cst.CSTNode]:
        for node in self.nodes:
            yield from m.findall(node, matcher)

    def calls_of(self, name: str) -> Iterator[cst.Call]:
        """Calls of something of Lightning's."""
        for call in self._find(m.Call()):
            if isinstance(call, cst.Call) and self.project.lightning_name(call.func) == name:
                yield call

    def _assignments(self) -> Iterator[tuple[str, cst.BaseExpression]]:
        for node in self._find(m.Assign()):
            assert isinstance(node, cst.Assign)
            for target in node.targets:
                yield code_of(target.target), node.value
                if isinstance(target.target, cst.Tuple) and isinstance(node.value, cst.Tuple):
                    pairs = zip(target.target.elements, node.value.elements)  # noqa: B905  # Python checks it
                    yield from ((code_of(each.value), value.value) for each, value in pairs)

    # ---- trainers ----------------------------------------------------------------------------------------

    def _trainer_names(self) -> set[str]:
        """Variables and attributes that hold a trainer, and functions that return one, by name."""
        names = set[str]()
        while True:
            found = {name for name, value in self.assignments if self._makes_trainer(value, names)}
            for node in self._find(m.FunctionDef()):
                assert isinstance(node, cst.FunctionDef)
                returns = m.findall(node.body, m.Return())
                values = [each.value for each in returns if isinstance(each, cst.Return) and each.value]
                if any(self._makes_trainer(value, names) for value in values):
                    found.add(f"self.{node.name.value}" if _is_property(node) else f"{node.name.value}()")
            found |= self._parameters_given(names)
            if found <= names:
                return names
            names |= found

    def _parameters_given(self, names: set[str]) -> set[str]:
        """Parameters of functions that are handed a trainer."""
        functions = dict(self._functions())
        found = set[str]()
        for call in self._find(m.Call(func=m.Name() | m.Attribute())):
            assert isinstance(call, cst.Call)
            function = functions.get(code_of(call.func).rpartition(".")[2])
            parameters = [each.name.value for each in function.params.params] if function else []
            own = [name for name in parameters if name != "self"]
            for index, argument in enumerate(call.args):
                if function and self._makes_trainer(argument.value, names):
                    by_place = own[index : index + 1]
                    found |= {argument.keyword.value} if argument.keyword else set(by_place)
        return found

    def _functions(self) -> Iterator[tuple[str, cst.FunctionDef]]:
        """Functions and methods, and constructors under the names of their classes."""
        for node in self._find(m.FunctionDef()):
            function = cst.ensure_type(node, cst.FunctionDef)
            yield function.name.value, function
        for node in self._find(m.ClassDef()):
            cls = cst.ensure_type(node, cst.ClassDef)
            constructors = m.findall(cls.body, m.FunctionDef(name=m.Name("__init__")))
            yield from ((cls.name.value, cst.ensure_type(each, cst.FunctionDef)) for each in constructors)

    def _makes_trainer(self, value: cst.BaseExpression, names: set[str]) -> bool:
        if isinstance(value, cst.Call):
            return value in self.trainers or f"{code_of(value.func)}()" in names
        return isinstance(value, cst.Name | cst.Attribute) and code_of(value) in names

    def is_trainer(self, value: cst.BaseExpression) -> bool:
        return self._makes_trainer(value, self.names)

    def attributes(self, called: frozenset[cst.CSTNode]) -> dict[str, list[cst.Attribute]]:
        """What is asked of trainers, calls of `fit` and those `called` left out."""
        found: dict[str, list[cst.Attribute]] = {}
        for node in self._find(m.Attribute()):
            assert isinstance(node, cst.Attribute)
            if node.attr.value != "fit" and node not in called and self.is_trainer(node.value):
                found.setdefault(node.attr.value, []).append(node)
        return found

    def set_attributes(self) -> Iterator[cst.Attribute]:
        """What the main sets of trainers."""
        for node in self._find(m.AssignTarget(m.Attribute()) | m.AugAssign(target=m.Attribute())):
            target = node.target  # type: ignore[attr-defined]  # both have one
            if self.is_trainer(target.value):
                yield target

    # ---- fit ---------------------------------------------------------------------------------------------

    def fits(self) -> Iterator[FitCall]:
        for call in self._find(m.Call(func=m.Attribute(attr=m.Name("fit")))):
            assert isinstance(call, cst.Call)
            holder = cst.ensure_type(call.func, cst.Attribute).value
            if self.is_trainer(holder):
                yield FitCall(call, dict(self._arguments(call, FIT_PARAMETERS)))
            elif call.args and self.class_of(call.args[0].value, "module") and not self._is_told(holder):
                self.problems.append(messages.trainer_unknown((self.project.source, holder)))

    def _is_told(self, holder: cst.BaseExpression) -> bool:
        """Whether it is already said that a trainer is made in a way that cannot be read."""
        made = [value for name, value in self.assignments if name == code_of(holder)]
        names = {code_of(each.func).rpartition(".")[2] for each in made if isinstance(each, cst.Call)}
        return bool(names & {"instantiate", "from_argparse_args"})

    def evaluations(self) -> Iterator[FitCall]:
        """Calls of `validate`, `test` and `predict`."""
        for name, stage in STAGES.items():
            for call in self._find(m.Call(func=m.Attribute(attr=m.Name(name)))):
                assert isinstance(call, cst.Call)
                if self.is_trainer(cst.ensure_type(call.func, cst.Attribute).value):
                    yield FitCall(call, dict(self._arguments(call, stage.parameters)), name)

    def _arguments(
        self, call: cst.Call, parameters: tuple[str, ...]
    ) -> Iterator[tuple[str, tuple[int, cst.BaseExpression]]]:
        for index, argument in enumerate(call.args):
            name = argument.keyword.value if argument.keyword else parameters[min(index, 5)]
            if argument.star or name not in parameters:
                self.problems.append(messages.fit_argument_unknown((self.project.source, argument)))
            elif name in ("train_dataloaders", "dataloaders") and self.class_of(argument.value, "data"):
                yield "datamodule", (index, argument.value)
            else:
                yield name, (index, argument.value)

    def data_of(self, fit: FitCall) -> str | None:
        value = fit.expression("datamodule")
        if value is None:
            return None
        found = self.class_of(value, "data")
        known = [name for name, cls in self.project.classes.items() if cls.kind == "data"]
        if found is None and len(known) == 1:
            return known[0]
        if found is None:
            self.problems.append(messages.fit_argument_unknown((self.project.source, value)))
        return found

    def class_of(self, value: cst.BaseExpression | None, kind: Kind, depth: int = 8) -> str | None:
        """The user's class that an expression is an object of, where that can be read."""
        if value is None or not depth:
            return None
        if isinstance(value, cst.Call):
            return self._class_called(value, kind, depth)
        if isinstance(value, cst.IfExp):
            return self.class_of(value.body, kind, depth - 1) or self.class_of(value.orelse, kind, depth - 1)
        values = [assigned for name, assigned in self.assignments if name == code_of(value)]
        found = (self.class_of(assigned, kind, depth - 1) for assigned in values)
        return next((name for name in found if name), None) or self._annotated(value, kind)

    def _class_called(self, call: cst.Call, kind: Kind, depth: int) -> str | None:
        if (cls := self._class_named(call.func, kind) or self._class_made(call.func, kind)) is not None:
            return cls
        if m.matches(call.func, m.Attribute(attr=m.Name("load_from_checkpoint"))):
            return self._class_named(cst.ensure_type(call.func, cst.Attribute).value, kind)
        for node in (
            self._find(m.FunctionDef(name=m.Name(code_of(call.func)))) if self._is_plain(call.func) else ()
        ):
            returned = m.findall(cst.ensure_type(node, cst.FunctionDef).body, m.Return())
            values = [each.value for each in returned if isinstance(each, cst.Return)]
            found = (self.class_of(value, kind, depth - 1) for value in values)
            if name := next((name for name in found if name), None):
                return name
        return None

    def _class_made(self, node: cst.BaseExpression, kind: Kind) -> str | None:
        """The class that a variable holds, where a function has defined it, or that a call of one gives at once."""
        made = [value for name, value in self.assignments if name == code_of(node)]
        functions = {code_of(each.func) for each in (*made, node) if isinstance(each, cst.Call)}
        classes = (
            cls for cls in self.project.classes.values() if cls.within in functions and cls.kind == kind
        )
        return next((cls.name for cls in classes), None)

    def _is_plain(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, cst.Name)

    def _class_named(self, node: cst.BaseExpression, kind: Kind) -> str | None:
        cls: Class | None = self.project.classes.get(code_of(node))
        return cls.name if cls and cls.kind == kind else None

    def _annotated(self, value: cst.BaseExpression, kind: Kind) -> str | None:
        for node in self._find(m.Param(name=m.Name(code_of(value)))) if self._is_plain(value) else ():
            annotation = cst.ensure_type(node, cst.Param).annotation
            if annotation and (name := self._class_named(annotation.annotation, kind)):
                return name
        return None


def _is_property(node: cst.FunctionDef) -> bool:
    names = {code_of(each.decorator).rpartition(".")[2] for each in node.decorators}
    return bool(names & {"property", "cached_property"})


# ---- what takes the place of calls -----------------------------------------------------------------------


def fit_rewrite(call: FitCall, main: OwnMain) -> Rewrite:
    """`trainer.fit(model, ...)` as a call of the script's `fit`."""
    place = {name: index for name, (index, _) in call.arguments.items() if call.expression(name) is not None}
    slots = [Slot(None, place["model"])] if "model" in place else []
    slots += [Slot(None, place["datamodule"])] if main.data and "datamodule" in place else []
    slots.append(Slot(None, OBJECT))
    slots += [Slot(None, place["train_dataloaders"])] if main.gives_train else []
    slots += [Slot(None, place["val_dataloaders"])] if main.gives_train and "val_dataloaders" in place else []
    slots += [Slot("ckpt_path", place["ckpt_path"])] if "ckpt_path" in place else []
    return Rewrite(call.node, "fit", tuple(slots))


def evaluation_rewrite(call: FitCall) -> Rewrite:
    """`trainer.test(model, ...)` as a call of the script's `test`."""
    place = {name: index for name, (index, _) in call.arguments.items() if call.expression(name) is not None}
    slots = [Slot(None, place["model"]) if "model" in place else Slot(None, OBJECT, attribute="model")]
    slots += [Slot(None, place["datamodule"])] if "datamodule" in place else []
    slots.append(Slot(None, OBJECT))
    slots += [Slot(None, place["dataloaders"])] if "dataloaders" in place else []
    if "model" not in place and "ckpt_path" not in place:
        slots.append(Slot("ckpt_path", OBJECT, code='"best"'))
    named = ("ckpt_path", "verbose", "return_predictions")
    slots += [Slot(name, place[name]) for name in named if name in place]
    return Rewrite(call.node, STAGES[call.method].function, tuple(slots))


def seed_rewrite(call: cst.Call) -> Rewrite:
    """`seed_everything(...)`, as it stands."""
    slots = [
        Slot(argument.keyword.value if argument.keyword else None, index)
        for index, argument in enumerate(call.args)
        if not (argument.keyword and argument.keyword.value == "verbose")
    ]
    return Rewrite(call, "seed_run", tuple(slots))


def rewrites(
    main: OwnMain,
    spec: LoadedSpec,
    config: Iterable[ConfigGroup],
    trainer_fields: frozenset[str],
    has_default_logger: bool,
) -> Rewrites:
    """All that changes in the main."""
    fields = frozenset(field.name for group in config for field in group.fields)
    calls = [
        trainer_rewrite(call, fields, spec, trainer_fields, has_default_logger) for call in main.trainers
    ]
    calls += [seed_rewrite(call) for call in main.seeds]
    calls += [fit_rewrite(call, main) for call in main.fits]
    calls += [evaluation_rewrite(call) for call in main.evaluations]
    attributes = [(node, code) for name, code in OF_RANKS.items() for node in main.attributes.get(name, ())]
    return Rewrites(tuple(calls), tuple(attributes))


def check_own_main(project: Project, main: OwnMain) -> Iterator[Diagnostic]:
    """What is asked of trainers that the script does not have."""
    for name, nodes in main.attributes.items():
        if name not in api.TRAINER_MEMBERS and name not in OF_RANKS:
            yield from (messages.unsupported_trainer_use((project.source, node), name) for node in nodes)
    shapes = {frozenset(fit.arguments) - {"ckpt_path", "weights_only"} for fit in main.fits}
    if len(shapes) > 1:
        yield messages.fit_shapes_differ((project.source, main.fits[-1].node))
