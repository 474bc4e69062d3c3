"""All rewritings, applied to the statements that a script takes over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import libcst as cst

from ..names import global_names
from ..project import Class, Project, Statement
from ..script import Definition
from .annotations import without_lightning_types
from .bases import with_script_bases
from .hyperparameters import with_saved_hyperparameters


@dataclass(frozen=True)
class Lowered:
    """The user's statements as the script holds them, and the names of the runtime that they now use."""

    definitions: tuple[Definition, ...]
    runtime_names: frozenset[str]


def lower(project: Project, statements: Iterable[Statement], model: Class, data_has_base: bool) -> Lowered:
    """Rewrite what has to be rewritten."""
    definitions, introduced = [], set[str]()
    for statement in statements:
        node: cst.CSTNode = without_lightning_types(project, statement.node)
        if isinstance(statement.node, cst.ClassDef):
            cls = project.classes[statement.node.name.value]
            node = with_saved_hyperparameters(cls, model, cst.ensure_type(node, cst.ClassDef))
            node = with_script_bases(project, cls, node, data_has_base)
        code = statement.code if node is statement.node else project.source.module.code_for_node(node)
        introduced |= set(global_names(code) - statement.uses)
        definitions.append(Definition(statement.names, code, statement.origin))
    return Lowered(tuple(definitions), frozenset(introduced))
