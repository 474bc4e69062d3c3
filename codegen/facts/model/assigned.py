"""Hooks that the code assigns to objects and classes while it runs, as far as it is known what they call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from ...index import patterns as m
from ...ir.project import Class, Project
from ...lightning import api
from ...values import (
    BoundMethod,
    External,
    Function,
    Instance,
    Literal,
    Option,
    Unknown,
    Value,
    ValueSet,
    values_of,
)
from ...values import Class as ClassValue
from ..callbacks.callbacks import is_callback, is_monitoring
from ..code.instances import Instances
from ..code.stages import STAGE_OF_LOADER

TOLD_OF_LOADERS = frozenset(
    f"on_{stage}_batch_{part}" for stage in ("validation", "test", "predict") for part in ("start", "end")
)
"""Hooks whose arguments depend on how many loaders there are."""

OF_MODELS = api.IDLE_HOOKS - TOLD_OF_LOADERS - {"on_train_batch_start"}
"""Those that do nothing where a model does not have them, and whose result nobody reads."""

OF_CALLBACKS = api.CALLBACK_HOOKS - TOLD_OF_LOADERS - {"on_save_checkpoint", "on_load_checkpoint"}

LOADERS = frozenset({"train_dataloader", *STAGE_OF_LOADER})
"""Those that make loaders, of models and data modules whose classes have them, too."""

LOADER_CLASSES = frozenset({"torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"})

REPLACED = LOADERS | {"configure_optimizers"}
"""Those, and the one that makes the optimizers of models: what they return is read."""

LOADING = "load_state_dict"
"""What loads a model's weights: no hook of Lightning's, so that an object's attribute takes its place."""

BY_NAME = m.Call(m.Name("setattr"), [m.Arg(), m.Arg(), m.Arg()])
PLAIN_CALLBACK = "Callback"


@dataclass(frozen=True)
class AssignedHook:
    """What is assigned at a place, under the name of a hook."""

    name: str
    place: cst.CSTNode
    owner: Class | None  # of the user's; None: a plain Callback of Lightning's
    functions: tuple[Function | BoundMethod, ...]

    @property
    def is_models(self) -> bool:
        return self.owner is not None and self.owner.kind == "module"

    @property
    def is_adopted(self) -> bool:
        """Whether it is what the class has for its method anyway."""
        own = self.owner.methods.get(self.name) if self.owner is not None else None
        return all(isinstance(each, Function) and each.node is own for each in self.functions)

    @property
    def is_callbacks(self) -> bool:
        return self.owner is None or is_callback(self.owner)

    @property
    def is_monitors(self) -> bool:
        return self.owner is not None and is_monitoring(self.owner)


@lru_cache(maxsize=4)
def assigned_hooks(project: Project) -> tuple[AssignedHook, ...]:
    """Those that are known: an object without them would do nothing in their place."""
    found = list(_assigned(project))
    unsure = {(each.place, each.name) for each in found if not each.functions}
    return tuple(each for each in found if (each.place, each.name) not in unsure)


def replacing(project: Project, cls: Class) -> Iterator[tuple[str, Function]]:
    """The functions that may take the place of hooks whose result is read: of a class's, or of an object's."""
    for each in assigned_hooks(project):
        is_related = each.owner is not None and (each.owner in cls.lineage or cls in each.owner.lineage)
        if each.name in REPLACED and is_related:
            functions = (one.function if isinstance(one, BoundMethod) else one for one in each.functions)
            yield from ((each.name, function) for function in functions)


def returned_by(project: Project, cls: Class, hook: str) -> ValueSet:
    """What a hook of the class may return, or a function in its place."""
    method, values = cls.methods[hook], values_of(project)
    if method.decorators:
        return ValueSet((Unknown("a decorator may give something else back", method),))
    functions = [method, *(each.node for name, each in replacing(project, cls) if name == hook)]
    found = (each for function in functions for each in values.of_function(function))
    return ValueSet(tuple(dict.fromkeys(found)))


def adopting_places(project: Project) -> frozenset[tuple[cst.CSTNode, str]]:
    """Where a module makes functions methods of its classes."""
    instances = Instances(project)
    owners = (
        (instances.class_named(owner), name, place) for owner, name, place in values_of(project).stores()
    )
    return frozenset(
        (place, name)
        for cls, name, place in owners
        if cls is not None and name in cls.adopted and project.index.function_of(place) is None
    )


def loader_places(project: Project) -> frozenset[tuple[cst.CSTNode, str]]:
    """Where constructors surely set loaders of models and data modules."""
    instances = Instances(project)
    owners = (
        (owner, instances.class_of(owner), name, place) for owner, name, place in values_of(project).stores()
    )
    return frozenset(
        (place, name)
        for owner, cls, name, place in owners
        if cls is not None and any(name in part.assigned_loaders for part in cls.lineage)
        if isinstance(owner, Instance) and _is_surely_run(project, owner, place)
    )


@dataclass(frozen=True)
class GivenByCalls:
    """The loaders, by the names of their hooks, that Lightning is given by each call."""

    surely: frozenset[str] = frozenset()
    or_none: frozenset[str] = frozenset()  # by some None instead, as far as is known

    def of(self, attribute: ValueSet) -> frozenset[str]:
        """Those for which Lightning calls nothing of a model's that holds such an attribute.

        For None it would, so that it ends with an error where the attribute is no function, and so does the script.
        """
        return self.surely | (self.or_none if _is_no_function(attribute) else frozenset())


def unasked_places(project: Project, given: GivenByCalls) -> frozenset[tuple[cst.CSTNode, str]]:
    """Where models get attributes under the names of loaders that they lack, and that Lightning is `given`."""
    instances = Instances(project)
    unasked, others = set[tuple[cst.CSTNode, str]](), set[tuple[cst.CSTNode, str]]()
    for owner, name, place in values_of(project).stores():
        cls = instances.class_of(owner)
        is_models = isinstance(owner, Instance) and cls is not None and cls.kind == "module"
        is_lacking = is_models and cls is not None and name in LOADERS - cls.methods.keys()
        is_unasked = is_lacking and name in given.of(_assigned_values(project, place))
        (unasked if is_unasked else others).add((place, name))
    return frozenset(unasked - others)


def _assigned_values(project: Project, place: cst.CSTNode) -> ValueSet:
    value = assigned_value(project, place)
    if value is None:
        return ValueSet((Unknown("it is not assigned by itself", place),))
    return values_of(project).of(value)


def _is_no_function(found: ValueSet) -> bool:
    """Whether it is a plain value or a loader."""
    return all(isinstance(each, Literal | Option) or _is_torchs_loader(each) for each in found)


def _is_torchs_loader(value: Value) -> bool:
    cls = value.cls if isinstance(value, Instance) else None
    return isinstance(cls, External) and cls.name in LOADER_CLASSES


def loading_places(project: Project) -> frozenset[tuple[cst.CSTNode, str]]:
    """Where models get functions of the project's to be called for torch's `load_state_dict`, as Lightning calls it."""
    instances, known, others = (
        Instances(project),
        set[tuple[cst.CSTNode, str]](),
        set[tuple[cst.CSTNode, str]](),
    )
    for owner, name, place in values_of(project).stores():
        cls = instances.class_of(owner)
        is_models = isinstance(owner, Instance) and cls is not None and cls.kind == "module"
        is_known = name == LOADING and is_models and any(_functions(project, place))
        (known if is_known else others).add((place, name))
    return frozenset(known - others)


def _is_surely_run(project: Project, made: Instance, place: cst.CSTNode) -> bool:
    """Whether a constructor runs it for an object, by no condition but that an argument is given."""
    function = project.index.function_of(place)
    if not isinstance(function, cst.FunctionDef) or function.name.value != "__init__":
        return False
    given = _given(project, made, function)
    below, node = place, project.index.parent(place)
    while node is not function and node is not None:
        is_plain = isinstance(
            node, cst.Assign | cst.AssignTarget | cst.SimpleStatementLine | cst.IndentedBlock
        )
        is_given = isinstance(node, cst.If) and below is node.body and _name_given(node.test) in given
        if not (is_plain or is_given):
            return False
        below, node = node, project.index.parent(node)
    return True


def _given(project: Project, made: Instance, function: cst.FunctionDef) -> set[str]:
    """The constructor's parameters that an object is surely given something for that is not None."""
    names = [each.name.value for each in function.params.params[1:]]
    if not isinstance(made.node, cst.Call):
        return set()
    found = values_of(project).arguments(made.node, names)
    return {name for name, each in found.items() if _is_there([*each.values])}


def _is_there(values: list[Value]) -> bool:
    """Whether it is something, as far as that is known when building."""
    known = [each for each in values if not isinstance(each, Option)]
    return bool(known) and not any(
        isinstance(each, Unknown) or (isinstance(each, Literal) and each.value is None) for each in known
    )


def _name_given(test: cst.BaseExpression) -> str:
    """The name in `name is not None`; empty: the test is another."""
    is_given = m.Comparison(m.Name(), [m.ComparisonTarget(m.IsNot(), m.Name("None"))])
    return (
        cst.ensure_type(cst.ensure_type(test, cst.Comparison).left, cst.Name).value
        if m.matches(test, is_given)
        else ""
    )


def _assigned(project: Project) -> Iterator[AssignedHook]:
    """Each place where something is assigned, by its owner; without functions where what it is is not known."""
    instances = Instances(project)
    for owner, name, place in values_of(project).stores():
        cls = instances.class_of(owner) or instances.class_named(owner)
        if name in _known_of(project, owner, cls):
            yield AssignedHook(name, place, cls, tuple(_functions(project, place)))


def _known_of(project: Project, owner: Value, cls: Class | None) -> frozenset[str]:
    """The hooks that may be understood of an object or a class."""
    if cls is not None and cls.kind in ("module", "data"):
        # a spec's own optimizer takes any other's place
        replaced = LOADERS if project.spec_optimizer else REPLACED
        return (replaced & cls.methods.keys()) | (OF_MODELS if cls.kind == "module" else frozenset())
    is_plain = isinstance(owner, Instance) and owner.lightning == PLAIN_CALLBACK
    return OF_CALLBACKS if is_plain or (cls is not None and is_callback(cls)) else frozenset()


def _functions(project: Project, place: cst.CSTNode) -> Iterator[Function | BoundMethod]:
    """What is assigned; nothing where it may be something else than functions of the project's."""
    value = assigned_value(project, place)
    found = list(values_of(project).of(value)) if value is not None else []
    if all(isinstance(each, Function | BoundMethod) for each in found):
        yield from (each for each in found if isinstance(each, Function | BoundMethod))


def assigned_value(project: Project, place: cst.CSTNode) -> cst.BaseExpression | None:
    """Of a plain assignment, or of `setattr`."""
    if m.matches(place, BY_NAME):
        return cst.ensure_type(place, cst.Call).args[2].value
    target = project.index.parent(place)
    statement = project.index.parent(target) if isinstance(target, cst.AssignTarget) else None
    return statement.value if isinstance(statement, cst.Assign) else None


def owner_name(value: Value) -> str:
    """The name of the user's class that an object is of, or that a value is."""
    cls = value.cls if isinstance(value, Instance) else value
    return cls.name if isinstance(cls, ClassValue) else ""
