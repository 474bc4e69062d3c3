"""What torch compiles: the spec's `compile`."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import LOGS
from ...spec.sections.compilation import Part
from ..feature import Feature


class Compilation(NamedTuple):
    """What is compiled, before it is wrapped."""

    call: str


def compilation(facts: Facts) -> Compilation | None:
    """None: nothing, but what the user's own code compiles."""
    settings = facts.loaded.spec.compile
    if settings is None or not facts.trains:
        return None
    options = [f"{name}={value!r}".replace("'", '"') for name, value in settings.arguments().items()]
    if settings.what is Part.MODEL:
        return Compilation(f"model.compile({', '.join(options)})")
    if settings.what is Part.STEP:
        logs = [f'"{LOGS}"'] if facts.logs_somewhere else []
        function = "compile_logging_step" if logs else "compile_step"
        return Compilation(f"{function}({', '.join(['model', *logs, *options])})")
    names = "{" + ", ".join(f'"{name}"' for name in settings.what) + "}"
    return Compilation(f"compile_layers({', '.join(['model', names, *options])})")


COMPILATION = Feature("compilation", compilation, ("torch compiles part of the training.", "spec compile"))
