"""Hooks that are no functions of the class's own, but are assigned in its body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from .. import lightning_api as api
from .. import messages
from ..diagnostics import Diagnostic
from ..ir.project import Class, Project, Statement
from .callbacks import is_callback

HOOKS = (api.HOOKS | api.STEPS | api.CALLBACK_HOOKS | {"state_dict", "load_state_dict"}) - {"forward"}
"""What a script calls by its name, as Lightning does."""


def check_assigned_hooks(
    project: Project, statements: Iterable[Statement], called: frozenset[str]
) -> Iterator[Diagnostic]:
    """Those of models, data modules and callbacks: what they do is not read; `called` are hooks of evaluations."""
    classes = [cls for statement in statements for cls in project.classes_in(statement)]
    hooked = [cls for cls in classes if cls.kind != "other" or is_callback(cls)]
    for part in dict.fromkeys(part for cls in hooked for part in cls.lineage):
        for target in _targets(part):
            if target.value in (HOOKS - api.UNCALLED) | called:
                yield messages.assigned_hook((project.source, target), target.value)


def _targets(cls: Class) -> Iterator[cst.Name]:
    """The names that the class's body assigns to."""
    lines = (node for node in cls.node.body.body if isinstance(node, cst.SimpleStatementLine))
    for assign in (part for line in lines for part in line.body):
        targets = assign.targets if isinstance(assign, cst.Assign) else ()
        yield from (each.target for each in targets if isinstance(each.target, cst.Name))
