"""Callbacks of the user's that only change how something is shown: the script does without, as without Lightning's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Class, Project
from ...lightning import api
from ..callbacks.callbacks import LightningClasses
from ..code.shown import first_effect, is_part_of_a_line, shown_base


@dataclass(frozen=True)
class Display:
    """A class that derives from one of Lightning's that shows something."""

    base: str  # of Lightning's
    effect: cst.CSTNode | None  # where it does more


def without_displays(project: Project) -> tuple[Project, Mapping[str, Display]]:
    """The project, in which such classes stand for their bases, and are not reached; and the classes by name."""
    found = {
        cls.name: Display(base, first_effect(project, cls))
        for cls in project.classes.values()
        if (base := shown_base(cls)) and (not cls.within or _is_alone(project, cls))
    }
    return replace(project, displays={name: each.base for name, each in found.items()}), found


def _is_alone(project: Project, cls: Class) -> bool:
    """Whether a class that a function defines is all that its name stands for anywhere."""
    return sum(len(scope.bindings(cls.name)) for scope in project.index.scopes) == 1


def within_displays(project: Project) -> frozenset[cst.CSTNode]:
    """Names in such classes that functions define, with which they go."""
    inner = (cls.node for name in project.displays if (cls := project.classes[name]).within)
    return frozenset(each for node in inner for each in project.index.references(node))


def told_of_displays(
    project: Project, displays: Mapping[str, Display], found: LightningClasses
) -> Iterator[Diagnostic]:
    """What the user is told of each that is made: it is left out, or does more than to show something."""
    for node in sorted(found.nameless, key=project.index.order):
        told = messages.display_name_written if is_part_of_a_line(project, node) else messages.display_named
        yield told((project.source, node))
    for entry, _ in found.entered:
        yield _told(project, displays, entry, entry)
    within = {inner for call in found.idle for inner in project.index.within(call, cst.Call)[1:]}
    for call in (each for each in found.idle if each not in within):
        tuner = project.lightning_name(call.func)
        if tuner in api.TUNING_CALLBACKS and _effect(displays, call.func) is None:
            span = project.source.span(call)
            place = span, project.source.line_of(span)
            yield messages.tuner_left_out(place, tuner, api.TUNING_CALLBACKS[tuner])
        else:
            yield _told(project, displays, call.func, call)


def _told(
    project: Project, displays: Mapping[str, Display], named: cst.BaseExpression, place: cst.CSTNode
) -> Diagnostic:
    name = named.value if isinstance(named, cst.Name) else ""
    if (effect := _effect(displays, named)) is not None:
        return messages.display_does_more((project.source, effect), name)
    shown = project.lightning_name(named) or ""
    return messages.display_left_out((project.source, place), name or shown, "ProgressBar" in shown)


def _effect(displays: Mapping[str, Display], named: cst.BaseExpression) -> cst.CSTNode | None:
    """Where a class of the user's that is named does more than to show something."""
    display = displays.get(named.value) if isinstance(named, cst.Name) else None
    return display.effect if display else None
