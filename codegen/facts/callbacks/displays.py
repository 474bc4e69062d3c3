"""Callbacks of the user's that only change how something is shown: the script does without, as without Lightning's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project
from ...lightning import api
from ..code.shown import first_effect, shown_base
from .callbacks import LightningClasses


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
        if not cls.within and (base := shown_base(cls))
    }
    return replace(project, displays={name: each.base for name, each in found.items()}), found


def told_of_displays(
    project: Project, displays: Mapping[str, Display], found: LightningClasses
) -> Iterator[Diagnostic]:
    """What the user is told of each that is made: it is left out, or does more than to show something."""
    within = {inner for call in found.idle for inner in project.index.within(call, cst.Call)[1:]}
    for call in (each for each in found.idle if each not in within):
        name = call.func.value if isinstance(call.func, cst.Name) else ""
        effect = displays[name].effect if name in displays else None
        if effect is not None:
            yield messages.display_does_more((project.source, effect), name)
        elif (tuner := project.lightning_name(call.func)) in api.TUNING_CALLBACKS:
            span = project.source.span(call)
            place = span, project.source.line_of(span)
            yield messages.tuner_left_out(place, tuner, api.TUNING_CALLBACKS[tuner])
        else:
            shown = project.lightning_name(call.func) or ""
            yield messages.display_left_out((project.source, call), name or shown, "ProgressBar" in shown)
