"""What the classes use of Lightning that the script would miss."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Set

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...index.targets import is_target
from ...ir.project import Class, Project, Statement
from ...ir.types import is_type
from ...lightning import api, lightning_1
from ...lightning.module_names import INSTEAD_OF_CLASS, OF_CLASS
from ...lightning.trainer_names import WITHOUT_SETTER
from ...runtime.constructed import trainer_members
from ...spec.trainer_settings import INSTEAD_OF_SETTING, TRAINER_ARGUMENTS
from ...values import Instance, values_of
from ..callbacks.callbacks import CallbackFacts
from ..code.asked_by_name import asked_by_name
from ..code.instances import Instances
from ..code.usage import Asking, Usage, asked_both_ways, shown_of
from ..hyperparameters.checkpoint_keys import checkpoint_keys
from ..hyperparameters.save_hyperparameters import saves_hyperparameters
from ..logging.writers import GivenLoggers
from ..main.own_main import OwnMain, is_nobodys
from ..model.copies import moves_objects
from .functions import is_base
from .nobodys import asked_of_nobody, is_removed
from .removed_hooks import check_removed, uncalled_hooks
from .trainer_parts import counterpart_asked

TESTED = "on_test_start"
"""A hook that is called where something tests."""

LOGGERS_OF_TRAINER = ("logger", "loggers")

BASES = frozenset({"LightningModule", "LightningDataModule"})
"""What a script has in the place of Lightning's bases."""

CONVERTING = ("bfloat16", "to_empty")
"""Methods of a module's that may convert its parameters."""

REFUSED = ("training_step", "optimizer_idx")
"""The argument that Lightning 2 refuses with a default, too."""


def check_module(
    project: Project, cls: Class, usage: Usage, called: frozenset[str] = frozenset(), has_mesh: bool = False
) -> Iterator[Diagnostic]:
    """Hooks and attributes of a LightningModule that have no counterpart; `called` are those of evaluations."""
    yield from _hooks(project, cls, called)
    yield from _in_their_place(project, cls, usage)
    yield from _attributes(project, cls, usage, {api.OF_MESH} if has_mesh else set())
    yield from _devices(project)
    yield from _parts(project, usage)
    yield from _types(project, usage) if "dtype" not in usage.own_names(cls) else ()
    yield from _trainer(project, usage)


def check_signatures(
    project: Project, cls: Class, indexed: frozenset[str], called: frozenset[str]
) -> Iterator[Diagnostic]:
    """Hooks that ask for more arguments than Lightning 2 gives them; `indexed` are told of their loader."""
    evaluating = {name: given for name, given in api.EVALUATION_ARGUMENTS.items() if name in called}
    given_some = {name for part in cls.lineage for name in part.assigned_loaders}
    for name, arguments in (api.ARGUMENTS | evaluating).items():
        method, given = cls.methods.get(name), arguments + (name in indexed)
        method = None if name in given_some else method  # which has arguments from a constructor
        parameters = [*method.params.posonly_params, *method.params.params][1:] if method else []
        required = [parameter for parameter in parameters if parameter.default is None]
        refused = [each for each in parameters if (name, each.name.value) == REFUSED]
        if refused or len(required) > given:
            old = refused or [each for each in required if each.name.value in lightning_1.HOOK_ARGUMENTS]
            extra = old[-1] if old else required[given]  # `outputs` is also what it gives to hooks of batches
            instead = lightning_1.HOOK_ARGUMENTS.get(extra.name.value, "Remove it, or give it a default.")
            yield messages.unknown_hook_argument((project.source, extra), name, extra.name.value, instead)


def check_callback_signatures(
    project: Project, cls: Class, indexed: frozenset[str], called: frozenset[str]
) -> Iterator[Diagnostic]:
    """The same for hooks of a callback, and those that take fewer than they are given."""
    counts = api.ARGUMENTS | api.EVALUATION_ARGUMENTS | api.CALLBACK_ARGUMENTS
    for name in sorted(cls.methods.keys() & (api.CALLBACK_HOOKS - (api.EVALUATION_HOOKS - called))):
        params, given = cls.methods[name].params, 2 + counts[name]
        taken = [*params.posonly_params, *params.params][1:]
        required = [each for each in taken if each.default is None]
        if len(required) > given + (name in indexed):
            extra = required[given]
            instead = lightning_1.HOOK_ARGUMENTS.get(extra.name.value, "Remove it, or give it a default.")
            yield messages.unknown_hook_argument((project.source, extra), name, extra.name.value, instead)
        elif len(taken) < given and not isinstance(params.star_arg, cst.Param):
            yield messages.too_few_hook_arguments((project.source, cls.methods[name].name), name, given)


def check_data_module(
    project: Project, cls: Class, usage: Usage, called: frozenset[str] = frozenset()
) -> Iterator[Diagnostic]:
    """Hooks and attributes of a LightningDataModule that have no counterpart."""
    yield from uncalled_hooks(project, cls, called)
    yield from _trainer(project, usage)


def check_asked_of_data(project: Project, statements: Iterable[Statement]) -> Iterator[Diagnostic]:
    """What is asked of data modules, or of their classes, and the script's have not."""
    values, instances, keys = values_of(project), Instances(project), checkpoint_keys(project)
    nodes = (node for each in statements for node in project.index.within(each.node, cst.Attribute))
    for node in (each for each in nodes if each not in keys):
        if (instead := api.UNSUPPORTED_DATA_MEMBERS.get(node.attr.value)) is not None:
            name, found = node.attr.value, values.of(node.value)
            asked = [instances.class_of(each) or instances.class_named(each) for each in found]
            if any(cls and cls.kind == "data" and name not in cls.methods for cls in asked):
                yield messages.unsupported_data_member((project.source, node.attr), name, instead)
    for call, owner, name in asked_by_name(project):
        instead, cls = api.UNSUPPORTED_DATA_MEMBERS.get(name), instances.class_of(owner)
        if instead is not None and cls and cls.kind == "data" and name not in cls.methods:
            yield messages.unsupported_data_member((project.source, call), name, instead)


def _hooks(project: Project, cls: Class, called: frozenset[str]) -> Iterator[Diagnostic]:
    yield from check_removed(project, cls, cls.methods, lightning_1.HOOKS, TESTED in called)
    for name, method in cls.methods.items():
        at = (project.source, method.name)
        if name in api.UNSUPPORTED_HOOKS:
            yield messages.unsupported_hook(at, name, api.UNSUPPORTED_HOOKS[name])
        if name in api.OF_OTHERS_ALONE:
            yield messages.hook_of_others(at, name)
    yield from uncalled_hooks(project, cls, called)


def _in_their_place(project: Project, cls: Class, usage: Usage) -> Iterator[Diagnostic]:
    """Methods that others of Lightning's call, which the script's do not."""
    if "clip_gradients" in cls.methods and "configure_gradient_clipping" not in cls.methods:
        at = (project.source, cls.methods["clip_gradients"].name)
        yield messages.unsupported_hook(at, "clip_gradients", "Name it `configure_gradient_clipping`")
    if "log" in cls.methods and "log_dict" not in cls.methods:
        for node in (*usage.reads.get("log_dict", ()), *usage.supers.get("log_dict", ())):
            yield messages.log_dict_calls_log((project.source, node.attr))


def check_loggers(project: Project, asked: Iterable[Asking], given: GivenLoggers) -> Iterator[Diagnostic]:
    """Loggers that are asked for, though the spec names but files."""
    for node in () if given.are_known else asked:
        yield messages.no_logger_object((project.source, shown_of(node)))


def check_set(
    project: Project, usages: Iterable[Usage], own: OwnMain | None, followed: Iterable[cst.Attribute]
) -> Iterator[Diagnostic]:
    """What the code sets of its trainer, to no effect, but for what is followed."""
    nodes = [
        *(node for usage in usages for node in usage.trainer_writes),
        *(own.set_attributes if own else ()),
    ]
    taken_over = {*followed, *(own.set_loggers.targets if own else ())}
    for node in dict.fromkeys(each for each in nodes if each not in taken_over):
        if node.attr.value in trainer_members() - api.TRAINER_WRITABLE:
            name, at = node.attr.value, (project.source, node.attr)
            is_settable = name not in WITHOUT_SETTER
            said = messages.trainer_member_set if is_settable else messages.trainer_member_without_setter
            is_argument = own is not None and node in own.set_attributes and name in TRAINER_ARGUMENTS
            other = f"Give it to the Trainer, `Trainer({name}=...)`" if is_argument else "Do without it"
            yield said(at, name, INSTEAD_OF_SETTING.get(name, other))
    for owner, _, place in values_of(project).stores():
        is_trainers = isinstance(owner, Instance) and owner.lightning == "Trainer"
        if is_trainers and not isinstance(place, cst.Attribute) and not (own and place in own.stopping):
            yield messages.trainer_set_by_name((project.source, place))


def check_graphs(project: Project, callbacks: CallbackFacts, own_names: Set[str]) -> Iterator[Diagnostic]:
    """Loggers that are to draw a model of which there is no example."""
    for argument in () if "example_input_array" in own_names else callbacks.graphs:
        yield messages.nothing_to_draw((project.source, argument))


def loggers_asked(project: Project, cls: Class, usages: Iterable[Usage], own: OwnMain | None) -> list[Asking]:
    """Where the code asks for its loggers."""
    found = [*(own.asked_of_trainers.items() if own else ())]
    for usage in usages:
        found += usage.asked_of_trainer.items()
        inherited = asked_both_ways(usage.reads, _loggers_got(project))
        found += [(name, nodes) for name, nodes in inherited.items() if name not in usage.own_names(cls)]
        found += [
            (name, [*nodes]) for name, nodes in usage.supers.items() if name not in usage.own_names(cls)
        ]
    is_set = own.set_loggers.targets if own else frozenset()
    asked = (node for name, nodes in found if name in LOGGERS_OF_TRAINER for node in nodes)
    return [node for node in dict.fromkeys(asked) if node not in is_set and not _only_tests(node)]


def _loggers_got(project: Project) -> dict[str, list[cst.Call]]:
    """Where models are asked for them by `getattr`."""
    instances, found = Instances(project), dict[str, list[cst.Call]]()
    for call, owner, name in asked_by_name(project):
        if name in LOGGERS_OF_TRAINER and instances.name_of(owner, "module"):
            found.setdefault(name, []).append(call)
    return found


def _only_tests(node: Asking) -> bool:
    """Whether it is asked but whether there is such a member, which there always is."""
    return isinstance(node, cst.Call) and m.matches(node.func, m.Name("hasattr"))


def _attributes(project: Project, cls: Class, usage: Usage, known: Set[str]) -> Iterator[Diagnostic]:
    own = (
        usage.own_names(cls)
        | known
        | ({"_hparams_initial"} if saves_hyperparameters(project, cls) else set())
    )
    missing = api.UNSUPPORTED_MEMBERS | lightning_1.MEMBERS
    inner = {name: INSTEAD_OF_CLASS.get(name, "Do without it") for name in OF_CLASS} | INSTEAD_OF_CLASS
    for name in inner:
        yield from (
            messages.inner_member_set((project.source, node), name) for node in usage.writes.get(name, ())
        )
    missing = {**missing, **{name: inner[name] for name in inner.keys() - api.MEMBERS}}
    for name, instead in missing.items():
        asked = (*usage.reads.get(name, ()), *usage.supers.get(name, ()))
        for node in (each for each in asked if each not in checkpoint_keys(project)):
            if name not in own:
                yield messages.unsupported_member((project.source, node.attr), name, instead)
    kinds = {part.node for part in cls.lineage}
    for call, owner, name in asked_by_name(project):
        is_models = isinstance(owner, Instance) and getattr(owner.cls, "node", None) in kinds
        if is_models and name in missing.keys() - own and m.matches(call.func, m.Name("getattr")):
            yield messages.unsupported_member((project.source, call), name, missing[name])


def _devices(project: Project) -> Iterator[Diagnostic]:
    """Where models set theirs, and code moves models: what they then have as theirs is not the script's."""
    nodes = [node for node in project.index.attributes("device") if is_target(project.index, node)]
    models = [cls.node for cls in project.classes.values() if cls.kind == "module"]
    nodes = [node for node in nodes if project.index.class_of(node) in models]
    for node in nodes if nodes and moves_objects(project) else ():
        yield messages.inner_member_set((project.source, node), "_device")


def _parts(project: Project, usage: Usage) -> Iterator[Diagnostic]:
    """What is asked of LightningModules that are parts of the model, and that the model alone has."""
    for name in usage.parts.keys() - api.WITHOUT_TRAINER - api.OF_TRAINER - {"dtype"}:
        for node in (each for each in usage.parts[name] if each not in checkpoint_keys(project)):
            yield messages.part_member((project.source, node.attr), name)


def _types(project: Project, usage: Usage) -> Iterator[Diagnostic]:
    """Reads of `dtype` in code that changes parameters' types in a way by which Lightning's does not go."""
    changes = moves_objects(project, CONVERTING) or project.index.attributes("set_default_dtype")
    for node in usage.reads.get("dtype", ()) if changes else ():
        yield messages.unsupported_member(
            (project.source, node.attr), "dtype", "Take a parameter's dtype instead"
        )


def _trainer(project: Project, usage: Usage) -> Iterator[Diagnostic]:
    for name, nodes in usage.trainer.items():
        if name not in trainer_members() and not _is_added(project, name):
            close = difflib.get_close_matches(name, sorted(trainer_members()), n=1, cutoff=0.8)
            instead = (api.INSTEAD_OF_TRAINER_MEMBERS | lightning_1.TRAINER_MEMBERS).get(name, "")
            for node in (each for each in nodes if counterpart_asked(project.index, each) is None):
                at, instead_of_part = (project.source, node.attr), api.INSTEAD_OF_PARTS.get(
                    _last(project, node)
                )
                yield asked_of_nobody(project, node) or messages.unsupported_trainer_member(
                    at, name, close, instead_of_part or instead, is_removed(name)
                )
    for use in usage.bare_trainer:
        yield messages.trainer_as_value((project.source, use))


def _last(project: Project, node: cst.Attribute) -> str:
    """The last attribute that is asked through one of the trainer's: `c` of `trainer.a.b.c`."""
    while isinstance(parent := project.index.parent(node), cst.Attribute) and parent.value is node:
        node = parent
    return node.attr.value


def _is_added(project: Project, name: str) -> bool:
    """Whether code gives trainers an attribute of its own: a main's Trainer is the model's."""
    instances, stores = Instances(project), values_of(project).stores()
    set_of = (owner for owner, each, _ in stores if each == name and is_nobodys(name))
    return any(map(instances.is_trainer, set_of))


def check_names(
    project: Project, nodes: list[cst.BaseStatement], translated: frozenset[cst.CSTNode]
) -> Iterator[Diagnostic]:
    """Names of Lightning's in the code that the script takes over, other than bases, annotations and `translated`."""
    for found, name in (pair for node in nodes for pair in lightning_names(project, node)):
        if found not in translated:
            yield _unsupported(project, found, name)


def _unsupported(project: Project, node: cst.CSTNode, name: str) -> Diagnostic:
    """What to do without a name of Lightning's."""
    dotted = project.qualified(node) if isinstance(node, cst.BaseExpression) else None
    if dotted and (instead := lightning_1.instead_of(dotted)):
        return messages.removed_name((project.source, node), dotted, instead)
    without = (api.INSTEAD | api.INSTEAD_OF_NAMES).get(
        name, "Do without it, or write it out, with torch alone"
    )
    return messages.unsupported_lightning_name((project.source, node), name, without)


def lightning_names(project: Project, node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, str]]:
    """What Lightning has under a name of the code, with the place: but for imports, bases and annotations."""
    index = project.index
    for each in index.references(node):
        name, parent = project.lightning_name(each), index.parent(each)
        is_part = isinstance(parent, cst.Attribute) and project.lightning_name(parent) is not None
        if name and not is_part and not (is_type(project, each) or (name in BASES and is_base(index, each))):
            yield each, name
