"""The optimizers and schedulers that `configure_optimizers` may return, in whatever form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import libcst as cst

from ...ir.project import Class, Project
from ...values import Class as UserClass
from ...values import Dict, External, Instance, Literal, Sequence, Unknown, Value, Values, ValueSet, values_of
from ..model.assigned import returned_by

OPTIMIZERS = "torch.optim."
SCHEDULERS = "torch.optim.lr_scheduler."

_ZERO = "torch.distributed.optim.zero_redundancy_optimizer.ZeroRedundancyOptimizer"
SHARED_OUT = (_ZERO, "torch.distributed.optim.ZeroRedundancyOptimizer")

CLOSURE_FIRST = frozenset(
    "Adadelta Adafactor Adagrad Adam AdamW Adamax ASGD Muon NAdam RAdam RMSprop Rprop SGD SparseAdam".split()
)
"""torch's optimizers that do no more with a closure than to call it first."""

STEP_CHANGES = re.compile(r"register_(optimizer_)?step_(pre|post)_hook|(?<!self)\.step\s*=[^=]")
COLLECTIONS = frozenset("builtins collections typing".split())

NO_FORM = Unknown("it is in no form that Lightning takes", None)


class Shape(str, Enum):
    """What `configure_optimizers` returns an optimizer in, or several."""

    NOTHING = "nothing"  # it returns none
    OPTIMIZER = "optimizer"  # as it is
    DICT = "dict"
    TUPLE = "tuple"
    LIST = "list"
    LISTS = "lists"  # one of optimizers, one of schedulers
    UNKNOWN = "unknown"  # until the script runs


def configured(project: Project, cls: Class) -> ValueSet:
    """What the class's `configure_optimizers` may return."""
    return returned_by(project, cls, "configure_optimizers")


# ---- what kind of object it is ---------------------------------------------------------------------------


def is_torchs(value: Value) -> bool:
    """Whether it surely is one of torch's optimizers."""
    return is_optimizer_class(_class_name(value))


def is_optimizer(values: Values, value: Value) -> bool:
    """Whether it surely is an optimizer, of torch's or of a class that is derived from one."""
    return is_torchs(value) or any(is_optimizer_class(base.name) for base in _bases(values, value))


def is_lbfgs(value: Value) -> bool:
    """Whether it surely is the one of torch's that runs its closure several times."""
    return is_torchs(value) and _class_name(value).endswith(".LBFGS")


def is_optimizer_class(name: str) -> bool:
    """Whether a dotted name is that of a class of torch's optimizers."""
    return name.startswith(OPTIMIZERS) and not name.startswith(SCHEDULERS) and _is_capitalized(name)


def is_object(values: Values, value: Value) -> bool:
    """Whether it surely is an optimizer or a scheduler, by the looks of its class, and no dict that holds one."""
    if isinstance(value, Instance) and isinstance(value.cls, UserClass):
        return not any(base.package in COLLECTIONS for base in _bases(values, value))
    name = _class_name(value)
    return _is_capitalized(name) or name.startswith("transformers.")


def watches_metric(values: Values, value: Value) -> bool | None:
    """Whether a scheduler steps on a plateau; None: it is of a library that is not torch."""
    names = [_class_name(value), *(base.name for base in _bases(values, value))]
    if any(name.startswith(SCHEDULERS) and name.endswith(".ReduceLROnPlateau") for name in names):
        return True
    return False if any(name.startswith(SCHEDULERS) for name in names) else None


def _class_name(value: Value) -> str:
    """The dotted name of the library's class, or of the function, whose call makes an object."""
    is_known = isinstance(value, Instance) and isinstance(value.cls, External)
    return value.cls.name if is_known else ""  # type: ignore[union-attr]  # External


def _is_capitalized(name: str) -> bool:
    return name.rpartition(".")[2][:1].isupper()


def _bases(values: Values, value: Value) -> list[External]:
    """The libraries' classes that an object's class is derived from."""
    is_users = isinstance(value, Instance) and isinstance(value.cls, UserClass)
    return values.library_bases(value.cls) if is_users else []  # type: ignore[union-attr, arg-type]  # a Class


# ---- what the forms hold ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Returned:
    """The objects in what a class's `configure_optimizers` returns; what cannot be told is Unknown among them."""

    project: Project
    returned: ValueSet

    @property
    def optimizers(self) -> list[Value]:
        return [value for value, _ in self._objects(self.returned, frozenset())]

    @property
    def schedulers(self) -> list[Value]:
        """The schedulers, the dicts that hold one, and what may be either."""
        values = values_of(self.project)
        found = [each for _, schedulers in self._objects(self.returned, frozenset()) for each in schedulers]
        found += [each for each in self.optimizers if not is_object(values, each)]
        return [each for each in found if not (isinstance(each, Literal) and each.value is None)]

    @property
    def needs_closure(self) -> bool:
        """Whether an optimizer may tell forward and backward within its step from those before it."""
        return needs_closure(self.project, self.optimizers)

    @property
    def may_be_fused(self) -> bool:
        """Whether an optimizer may unscale gradients in its step."""
        return may_be_fused(self.optimizers)

    @property
    def may_watch_metric(self) -> bool:
        """Whether a scheduler may be one that steps on a plateau, which Lightning refuses without a `monitor`."""
        values = values_of(self.project)
        sure = (isinstance(each, Dict) or is_object(values, each) for each in self.schedulers)
        return not all(sure) or mentions(self.project, "monitor")

    @property
    def may_step_in_batches(self) -> bool:
        """Whether a scheduler may step within epochs, which only a dict with an `interval` says."""
        values = values_of(self.project)
        sure = (
            values.parts(each) is not None if isinstance(each, Dict) else is_object(values, each)
            for each in self.schedulers
        )
        return not all(sure) or mentions(self.project, "interval")

    def _objects(
        self, returned: Iterable[Value], within: frozenset[Value]
    ) -> Iterator[tuple[Value, tuple[Value, ...]]]:
        """Each optimizer, with the schedulers that stand beside it."""
        for value in returned:
            if isinstance(value, Dict):
                yield from self._in_dict(value)
            elif isinstance(value, Sequence) and value not in within:
                yield from self._in_sequence(value, within | {value})
            elif isinstance(value, Sequence):
                yield NO_FORM, ()
            elif not (isinstance(value, Literal) and value.value is None):
                yield value, ()

    def _in_dict(self, made: Dict) -> Iterator[tuple[Value, tuple[Value, ...]]]:
        parts = values_of(self.project).parts(made)
        if parts is None or "optimizer" not in parts:
            yield NO_FORM, ()
            return
        for optimizer in parts["optimizer"]:
            yield optimizer, parts["lr_scheduler"].values if "lr_scheduler" in parts else ()

    def _in_sequence(
        self, made: Sequence, within: frozenset[Value]
    ) -> Iterator[tuple[Value, tuple[Value, ...]]]:
        """Of optimizers or dicts, or a list of optimizers and one of schedulers."""
        values = values_of(self.project)
        parts = values.parts(made)
        lists = [each for each in values.elements(made) if isinstance(each, Sequence)]
        if not lists:
            yield from self._objects(values.elements(made), within)
        elif parts is None or len(parts) != 2:
            yield NO_FORM, ()
        else:
            second = [each for value in parts[1] for each in self._each(value)]
            for value in (each for first in parts[0] for each in self._each(first)):
                yield value, tuple(second)

    def _each(self, value: Value) -> Iterable[Value]:
        return values_of(self.project).elements(value) if isinstance(value, Sequence) else [value]


def needs_closure(project: Project, optimizers: Iterable[Value]) -> bool:
    """Whether one of the optimizers may do more with a closure than to call it first."""
    names = [_class_name(each) for each in optimizers if is_torchs(each)]
    are_torchs = all(is_torchs(each) for each in optimizers) and bool(names)
    sure = are_torchs and all(name.rpartition(".")[2] in CLOSURE_FIRST for name in names)
    return not sure or _changes_steps(project)


def may_be_fused(optimizers: Iterable[Value]) -> bool:
    """Whether one of the optimizers may be made with `fused`, and so unscale gradients in its step."""
    return not all(is_torchs(each) and _is_unfused(each) for each in optimizers)


def _is_unfused(made: Value) -> bool:
    call = made.node if isinstance(made, Instance) else None
    given = call.args if isinstance(call, cst.Call) else None
    return given is not None and not any(
        each.star or (each.keyword and each.keyword.value == "fused") for each in given
    )


@lru_cache(maxsize=4)
def _changes_steps(project: Project) -> bool:
    return any(STEP_CHANGES.search(each.code) for each in project.statements)


@lru_cache(maxsize=8)
def mentions(project: Project, word: str) -> bool:
    """Whether a word stands anywhere in the code."""
    return any(word in each.code for each in project.statements)


# ---- whose states are shared out among the ranks ---------------------------------------------------------


def optimizers_made(project: Project, model: Class) -> Iterator[Instance]:
    """The optimizers that calls in the code make."""
    if "configure_optimizers" in model.methods:
        for made in Returned(project, configured(project, model)).optimizers:
            if isinstance(made, Instance) and isinstance(made.node, cst.Call):
                yield made


def is_shared_out(made: Instance) -> bool:
    """Whether ranks keep a share each of the states of an optimizer that the code makes."""
    return isinstance(made.cls, External) and made.cls.name in SHARED_OUT
