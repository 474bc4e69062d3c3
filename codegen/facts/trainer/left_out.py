"""Objects of Lightning's that are made for a Trainer, and that the script does without."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator
from dataclasses import replace

import libcst as cst

from ...ir.project import Class, Project
from ...lightning.api import PROFILERS
from ...spec.load import LoadedSpec
from ...spec.precision import ENVIRONMENTS, LAYER_SYNC, OLD_NAMES, PLUGINS, SAVING
from ...spec.sections.strategy_spec import Strategy
from ...values import Instance, Values, values_of
from ..displays.entered import Entered
from ..strategy.sharding import SHARDING, not_built_for
from ..strategy.strategy import WHOLE_MODEL

NOTHING = "None"

IN_PLACE_OF = {
    "DDPStrategy": '"ddp"',
    "FSDPStrategy": '"fsdp"',
    "ModelParallelStrategy": '"auto"',
    "SingleDeviceStrategy": '"auto"',
    "AdvancedProfiler": NOTHING,
    "PassThroughProfiler": NOTHING,
    "PyTorchProfiler": NOTHING,
    "SimpleProfiler": NOTHING,
    **dict.fromkeys((*ENVIRONMENTS, *PLUGINS, *OLD_NAMES, LAYER_SYNC, *SAVING), NOTHING),
}
"""Lightning's classes, and what stands in a main in the place of an object of theirs."""


STRATEGIES = SHARDING | WHOLE_MODEL


def without_strategies(project: Project, loaded: LoadedSpec) -> Project:
    """The project, in which classes of the user's stand for the strategies that they derive from, and are not reached.

    That is where the spec says by which one is trained.
    """
    if not loaded.is_given("trainer.strategy"):
        return project
    found = {
        cls.name: base for cls in project.classes.values() if not cls.within and (base := _strategy(cls))
    }
    return replace(project, displays={**project.displays, **found})


def _strategy(cls: Class) -> str:
    """The strategy of Lightning's that a class derives from alone; empty: it derives from none."""
    bases = [part for part in cls.resolution_order if isinstance(part, str) and part != "object"]
    return bases[0] if len(bases) == 1 and bases[0] in STRATEGIES else ""


def left_out(
    project: Project, nodes: Collection[cst.CSTNode], strategy: Strategy, unchosen: Container[cst.Call]
) -> tuple[tuple[cst.Call, str], ...]:
    """The calls that make such objects, of which nothing is asked, with what takes their place.

    A strategy that the script is not built for ends the run, unless it is among the `unchosen`.
    """
    values = values_of(project)
    in_place_of = IN_PLACE_OF | {name: f'other_strategy("{name}")' for name in not_built_for(strategy)}
    asked = set(_asked(project, values))
    calls = (call for each in nodes for call in project.index.within(each, cst.Call))
    named = ((call, project.lightning_name(call.func) or "") for call in calls if call not in asked)
    found = ((call, NOTHING if call in unchosen else in_place_of.get(name)) for call, name in named)
    return tuple((call, code) for call, code in found if code)


NOTHING_MADE = "type(None)"
"""What stands in a table in the place of a class, so that it makes nothing of it."""


def entered_left_out(
    project: Project, nodes: Collection[cst.CSTNode]
) -> Iterator[tuple[cst.BaseExpression, str]]:
    """Profilers that stand in tables as classes, of whose objects nothing is asked."""
    asked = {
        each.cls
        for node in project.index.of_kind(cst.Attribute)
        for each in values_of(project).of(node.value).instances
    }
    named = (each for of in nodes for each in project.index.references(of))
    profilers = [each for each in named if project.lightning_name(each) in PROFILERS]
    for node in filter(Entered(project).__contains__, profilers):
        if asked.isdisjoint(values_of(project).of(node)):
            yield node, NOTHING_MADE


def _asked(project: Project, values: Values) -> Iterator[cst.CSTNode]:
    """The calls that make what members are asked of, but by classes that the script does without."""
    for node in project.index.of_kind(cst.Attribute):
        cls = project.index.class_of(node)
        if cls is not None and cls.name.value in project.displays:
            continue
        yield from (each.node for each in values.of(node.value) if isinstance(each, Instance))
