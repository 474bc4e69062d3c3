"""What the methods of a class do with `self`, `super()` and the trainer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, field

import libcst as cst

from ...ir.project import Class, Kind
from ..lightning.idle import Idle
from ..lightning.trainer_parts import Whole

LOGGING = frozenset({"log", "log_dict"})
"""The methods by which a model logs."""

LIGHTNINGS_OF: Mapping[Kind, Set[str]] = {"module": {"device"}}
"""What a class's constructor may set, and which goes on being Lightning's: a move of the model sets it anew."""

Asking = cst.Attribute | cst.Call
"""A place where something is asked for: `trainer.logger`, or `getattr(trainer, "logger", None)`."""


def asked_both_ways(
    attributes: Mapping[str, Sequence[cst.Attribute]], got: Mapping[str, Sequence[cst.Call]]
) -> dict[str, list[Asking]]:
    """Members by name, with all places where they are asked for."""
    names = dict.fromkeys((*attributes, *got))
    return {name: [*attributes.get(name, ()), *got.get(name, ())] for name in names}


def shown_of(asking: Asking) -> cst.CSTNode:
    """The place to show: the member's name, or the call by which it is got."""
    return asking.attr if isinstance(asking, cst.Attribute) else asking


@dataclass(frozen=True)
class LogCall:
    """One call of `log` or `log_dict`, or a place where one of them is handed on."""

    node: cst.Call | cst.Attribute
    method: str
    function: str
    is_sure: bool = True  # otherwise it may be something else's method of that name
    is_handed_on: bool = False  # not called there: what is logged, and when, is known when the script runs

    @property
    def arguments(self) -> Sequence[cst.Arg]:
        return () if self.is_handed_on else cst.ensure_type(self.node, cst.Call).args

    @property
    def keywords(self) -> dict[str, cst.BaseExpression]:
        return {arg.keyword.value: arg.value for arg in self.arguments if arg.keyword}

    @property
    def is_open(self) -> bool:
        """Whether options are passed that cannot be read: by position, unpacked, or elsewhere."""
        by_place = sum(not arg.keyword for arg in self.arguments)
        return self.is_handed_on or any(arg.star for arg in self.arguments) or by_place > 2

    @property
    def key(self) -> str | None:
        """The name that it logs under, where that is a plain string."""
        first = self.arguments[0].value if self.arguments else None
        return first.raw_value if self.function == "log" and isinstance(first, cst.SimpleString) else None


@dataclass
class Usage:
    """Attributes by name, each with the nodes where it occurs."""

    reads: dict[str, list[cst.Attribute]] = field(default_factory=lambda: defaultdict(list))
    writes: dict[str, list[cst.CSTNode]] = field(default_factory=lambda: defaultdict(list))
    set_as: dict[cst.Attribute, str] = field(default_factory=dict)
    """Attributes behind properties of Lightning's that are set, by the property."""
    supers: dict[str, list[cst.Attribute]] = field(default_factory=lambda: defaultdict(list))
    trainer: dict[str, list[cst.Attribute]] = field(default_factory=lambda: defaultdict(list))
    bare_trainer: list[cst.CSTNode] = field(default_factory=list)
    asks_for_trainer: bool = False  # whether there is one
    parts: dict[str, list[cst.Attribute]] = field(default_factory=lambda: defaultdict(list))
    """What is asked of other LightningModules, which the model may hold."""
    counterparts: dict[Whole, str] = field(default_factory=dict)
    """What is asked of the trainer's loops and its strategy, by its own attribute."""
    idle: dict[cst.Attribute, Idle] = field(default_factory=dict)
    """What the trainer is asked for to no effect, by its place: what the script leaves out."""
    surely_true: list[cst.Attribute] = field(default_factory=list)
    """Methods of the trainer's inner life, of which code but asks whether they are true."""
    trainer_got: dict[str, list[cst.Call]] = field(default_factory=lambda: defaultdict(list))
    """What the trainer is asked for by `getattr` and `hasattr`."""
    objects_got: dict[str, list[cst.Call]] = field(default_factory=lambda: defaultdict(list))
    """The calls of `getattr` among these that give objects, of which it matters what else is asked."""
    trainer_writes: list[cst.Attribute] = field(default_factory=list)
    logs: list[LogCall] = field(default_factory=list)
    calls: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # own methods, by caller
    followed: set[cst.CSTNode] = field(default_factory=set)  # the functions whose code this is

    def copy(self) -> Usage:
        """The same, to which more can be added."""
        copied = {name: copy(value) for name, value in vars(self).items()}
        for value in copied.values():
            if isinstance(value, defaultdict):
                value.update({key: copy(each) for key, each in value.items()})
        return Usage(**copied)

    @property
    def asked_of_trainer(self) -> dict[str, list[Asking]]:
        """What the trainer is asked for, by attributes and by name."""
        return asked_both_ways(self.trainer, self.trainer_got)

    def own_names(self, cls: Class) -> set[str]:
        """Attributes that the class gives itself."""
        named = {
            name
            for ancestor in cls.lineage
            for statement in ancestor.node.body.body
            for name in class_level_names(statement)
        }
        return named | self.writes.keys() - LIGHTNINGS_OF.get(cls.kind, set()) | set(cls.methods)

    def reached_from(self, hook: str) -> set[str]:
        """The methods that run when `hook` does, itself included."""
        reached, waiting = set[str](), [hook]
        while waiting:
            method = waiting.pop()
            if method not in reached:
                reached.add(method)
                waiting.extend(self.calls[method])
        return reached


def class_level_names(statement: cst.BaseStatement | cst.BaseSmallStatement) -> set[str]:
    if not isinstance(statement, cst.SimpleStatementLine):
        return set()
    names = set()
    for part in statement.body:
        if isinstance(part, cst.Assign):
            names |= {target.target.value for target in part.targets if isinstance(target.target, cst.Name)}
        elif isinstance(part, cst.AnnAssign) and part.value and isinstance(part.target, cst.Name):
            names.add(part.target.value)
    return names
