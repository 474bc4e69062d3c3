"""Uses of `load_from_checkpoint`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import BASES, Class, Project
from ...values import values_of
from ..code.instances import Instances

LOADING = "load_from_checkpoint"
PARAMETERS = ("checkpoint_path", "map_location", "hparams_file")
ELSEWHERE = ~(m.SimpleString('"cpu"') | m.SimpleString("'cpu'") | m.Name("None"))
"""What may be said of where weights are loaded, but for the CPU."""

WEIGHTS_ONLY = "weights_only"
RUNNING = m.Call(args=[m.ZeroOrMore(), m.Arg(m.Name("False"), keyword=m.Name(WEIGHTS_ONLY)), m.ZeroOrMore()])
SETTING = m.Assign(
    [m.AssignTarget(m.Subscript(slice=[m.SubscriptElement(m.Index(m.SimpleString(f'"{WEIGHTS_ONLY}"')))]))],
    m.Name("False"),
)

QUOTED = m.SimpleString(f'"{LOADING}"') | m.SimpleString(f"'{LOADING}'")


def names_loading(project: Project) -> bool:
    """Whether the code asks something for its `load_from_checkpoint`, which may be a model's class."""
    if any(m.matches(each, QUOTED) for each in project.index.of_kind(cst.SimpleString)):
        return True
    return any(not all(_are_data(asked)) for asked in _asked(project))


def names_loading_data(project: Project) -> bool:
    """Whether it asks a data module's class for it."""
    return any(any(_are_data(asked)) for asked in _asked(project))


def says_device(project: Project) -> bool:
    """Whether code may say where weights are loaded, and not on the CPU."""
    calls = map(project.index.parent, project.index.attributes(LOADING))
    return any(not isinstance(call, cst.Call) or _says_device(call) for call in calls)


def _says_device(call: cst.Call) -> bool:
    named, second = m.Arg(ELSEWHERE, keyword=m.Name(PARAMETERS[1])), m.Arg(ELSEWHERE, keyword=None)
    is_named = any(each.star or m.matches(each, named) for each in call.args)
    return is_named or any(m.matches(each, second) for each in call.args[1:2])


def _asked(project: Project) -> Iterator[list[Class | None]]:
    """By the place, the project's classes that may be asked for it; None: something else."""
    values, instances = values_of(project), Instances(project)
    for node in project.index.attributes(LOADING):
        found = values.of(node.value)
        yield [instances.class_named(each) or instances.class_of(each) for each in found] or [None]


def _are_data(classes: list[Class | None]) -> Iterator[bool]:
    return (cls is not None and cls.kind == "data" for cls in classes)


def reads_objects(project: Project) -> bool:
    """Whether code runs what is in a checkpoint, as it loads a model: `weights_only=False`."""
    index = project.index
    calls = (index.parent(each) for each in index.attributes(LOADING))
    if any(m.matches(call, RUNNING) for call in calls if call is not None):
        return True
    sets = (each for each in index.of_kind(cst.Assign) if m.matches(each, SETTING))
    functions = (index.function_of(each) for each in sets)
    return any(each is not None and each.name.value == LOADING for each in functions)


def files_named(project: Project) -> frozenset[cst.Arg]:
    """The arguments that name no file of hyperparameters, as they would if they were not None."""
    calls = values_of(project).calls_of(*(f"{kind}.{LOADING}" for kind in BASES))
    arguments = (each for call in calls for each in call.args if each.keyword)
    return frozenset(each for each in arguments if each.keyword and each.keyword.value == PARAMETERS[2])


def check_loading(project: Project, nodes: list[cst.BaseStatement]) -> Iterator[Diagnostic]:
    """Calls that ask for a file of hyperparameters, and those of an object, of which Lightning makes an error."""
    values, index = values_of(project), project.index
    for call in values.calls_of(*(f"{kind}.{LOADING}" for kind in BASES)):
        given = values.arguments(call, PARAMETERS).get("hparams_file")
        if given and given.values.without_none.values and any(index.holds(node, call) for node in nodes):
            yield messages.hparams_file((project.source, given.expression or call))
    for call in _of_objects(project):
        if any(index.holds(node, call) for node in nodes):
            yield messages.loading_on_an_object((project.source, call))


def _of_objects(project: Project) -> Iterator[cst.Call]:
    """The calls that may be of a model's or a data module's object, rather than of its class."""
    values, instances = values_of(project), Instances(project)
    for node in project.index.attributes(LOADING):
        call, classes = project.index.parent(node), map(instances.class_of, values.of(node.value))
        if isinstance(call, cst.Call) and call.func is node and any(map(_is_restricted, classes)):
            yield call


def _is_restricted(cls: Class | None) -> bool:
    """Whether the method is Lightning's, which refuses objects of the class."""
    return cls is not None and cls.kind in ("module", "data") and LOADING not in cls.methods
