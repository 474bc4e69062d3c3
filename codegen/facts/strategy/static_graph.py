"""A graph that stays the same, which a Trainer's strategy tells torch, beside what accumulates gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project
from ...spec.load import LoadedSpec
from ..trainer.arguments import arguments

KEY = "ddp.static_graph"
ACCUMULATING = "accumulate_grad_batches"


def is_of_code(loaded: LoadedSpec) -> bool:
    """Whether the code asks for it, and not the spec."""
    return not loaded.is_given(KEY) and not loaded.is_given("trainer.strategy")


def check_static_graph(
    project: Project, loaded: LoadedSpec, trainers: Sequence[cst.Call], is_sure: bool
) -> Iterator[Diagnostic]:
    """Backwards without synchronisation, at which torch stops, as under Lightning; `is_sure`: there are some."""
    spec = loaded.spec
    if spec.stops_accumulating and is_of_code(loaded):
        given = (each for call in trainers for each in arguments(project, call, ()))
        said = [each.node for each in given if each.name == ACCUMULATING]
        nodes: list[cst.CSTNode] = [*said] or [call.func for call in trainers]  # else a callback says it
        for node in nodes:
            yield messages.static_graph_accumulates((project.source, node), is_sure)
