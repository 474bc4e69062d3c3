"""The Trainer's methods that run a model: what calls of them give, and where code hands them on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst

from ...index import patterns as m
from ...index.choices import literal
from ...ir.project import Project
from ...ir.rewrites import Slot
from ...values import Instance, Member, values_of
from ..code.stages import STAGES

FIT = "fit"
FIT_PARAMETERS = ("model", "train_dataloaders", "val_dataloaders", "datamodule", "ckpt_path", "weights_only")
PARAMETERS = {FIT: FIT_PARAMETERS} | {name: stage.parameters for name, stage in STAGES.items()}
"""The parameters of the methods, in order."""

METHODS = tuple(f"Trainer.{method}" for method in PARAMETERS)

IN_MAPPINGS = frozenset("model datamodule ckpt_path weights_only verbose return_predictions".split())
"""Parameters that mappings may be unpacked for."""

MAY_BE_MISSING = frozenset({"ckpt_path", "weights_only"})
"""Those of them whose default is None."""

LOADERS = ("train_dataloaders", "dataloaders")
"""Parameters that may be given a data module too."""


ON_DATA, ON_LOADERS = frozenset({"model", "datamodule"}), frozenset({"model", "train_dataloaders"})
"""What calls of `fit` may be given, that is a model and its data."""


@dataclass(frozen=True)
class FitCall:
    """One call of `fit` or its like: its arguments by the names of Lightning's parameters, and where they stand.

    Of those in mappings that it unpacks it is `mapped` whether they may be missing there. Where it calls the method by
    another name, `taken` are the parameters that this has to take, among which its arguments have their places.
    """

    node: cst.Call
    arguments: dict[str, tuple[int, cst.BaseExpression]]
    method: str = FIT
    mapped: Mapping[str, bool] = field(default_factory=dict)
    is_read: bool = True  # it is not told that there may be others
    taken: tuple[str, ...] = ()

    @property
    def shape(self) -> frozenset[str]:
        """What it is given that decides how training is written; validation data may be missing."""
        given = {name for name in self.arguments if self.expression(name) is not None}
        return frozenset(given - {"ckpt_path", "weights_only", "val_dataloaders"})

    def expression(self, name: str) -> cst.BaseExpression | None:
        found = self.arguments.get(name)
        return found[1] if found and not m.matches(found[1], m.Name("None")) else None

    def slot(self, name: str, keyword: str | None = None) -> Slot:
        """How the rewritten call passes an argument."""
        place, _ = self.arguments[name]
        if name not in self.mapped:
            return Slot(keyword, place)
        return Slot(keyword, place, key=name, may_lack=self.mapped[name])


GETS = m.Call(m.Name("getattr"), [m.Arg(), m.Arg()])


@dataclass(frozen=True)
class HandedMethod:
    """An expression that gives a method of a Trainer's to be called later, or by another name."""

    node: cst.BaseExpression
    trainer: cst.BaseExpression
    methods: tuple[str, ...]
    """Those that it may be."""
    name: cst.BaseExpression | None = None
    """What says which."""


def handed_methods(project: Project, nodes: Iterable[cst.CSTNode]) -> Iterator[HandedMethod]:
    """Where code does something else with a method of a Trainer's than call it."""
    nodes, index = list(nodes), project.index
    asked = {each.method for each in signature_tests(project, nodes)}
    for node in (each for part in nodes for each in index.within(part, cst.Attribute, cst.Call)):
        if isinstance(node, cst.Call) and m.matches(node, GETS):
            if methods := methods_of(project, node):
                trainer, name = (each.value for each in node.args)
                yield HandedMethod(node, trainer, methods, name if len(methods) > 1 else None)
        elif isinstance(node, cst.Attribute) and node.attr.value in PARAMETERS:
            call = index.parent(node)
            is_called = isinstance(call, cst.Call) and call.func is node
            if not (is_called or node in asked) and (methods := methods_of(project, node)):
                yield HandedMethod(node, node.value, methods)


_SIGNATURE = m.Call(args=[m.Arg(keyword=None, star="")])
_PARAMETERS = m.Attribute(value=m.SaveMatchedNode(_SIGNATURE, "signature"), attr=m.Name("parameters"))
ASKS = m.Comparison(
    left=m.SimpleString(),
    comparisons=[
        m.ComparisonTarget(
            operator=m.In() | m.NotIn(),
            comparator=_PARAMETERS | m.Call(m.Attribute(_PARAMETERS, m.Name("keys"))),
        )
    ],
)
"""A test whether a function has a parameter."""


@dataclass(frozen=True)
class SignatureTest:
    """Code that asks if a method of a Trainer's has a parameter, as older Lightnings have not all."""

    node: cst.Comparison
    method: cst.BaseExpression
    holds: bool


def signature_tests(project: Project, nodes: Iterable[cst.CSTNode]) -> Iterator[SignatureTest]:
    """Those of which it is known when building how they end."""
    for node in (each for part in nodes for each in project.index.within(part, cst.Comparison)):
        found = m.extract(node, ASKS)
        call = found["signature"] if found else None
        if isinstance(call, cst.Call) and project.called(call) == "inspect.signature":
            name, method = literal(node.left), call.args[0].value
            holds = {name in PARAMETERS[each] for each in methods_of(project, method)}
            if len(holds) == 1 and _is_trainers(project, method):
                is_in = isinstance(node.comparisons[0].operator, cst.In)
                yield SignatureTest(node, method, holds.pop() is is_in)


def _is_trainers(project: Project, node: cst.BaseExpression) -> bool:
    """Whether an expression is surely a method of a Trainer's."""
    found = values_of(project).of(node)
    owners = [each.receiver if isinstance(each, Member) else None for each in found]
    are_trainers = all(isinstance(each, Instance) and each.lightning == "Trainer" for each in owners)
    return found.unknown is None and are_trainers


def methods_of(project: Project, node: cst.BaseExpression) -> tuple[str, ...]:
    """The methods of a Trainer's that an expression may be."""
    members = [each for each in values_of(project).of(node) if isinstance(each, Member)]
    owned = [each for each in members if isinstance(each.receiver, Instance)]
    found = {each.name for each in owned if each.receiver.lightning == "Trainer"}  # type: ignore[union-attr]
    return tuple(name for name in PARAMETERS if name in found)


def told_to(project: Project, calls: Iterable[FitCall]) -> set[cst.CSTNode | None]:
    """What makes the Trainers whose methods are called; None: something that cannot be read may be among them."""
    found = (each for call in calls for each in values_of(project).receivers(call.node))
    return {each.node if isinstance(each, Instance) else None for each in found}
