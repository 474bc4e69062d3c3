"""The classes whose objects a main of the user's own may hand to `fit`, where these may be several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import libcst as cst

from .. import messages
from ..diagnostics import Diagnostic
from ..index import patterns as m
from ..ir.project import Class, Kind, Project, Statement
from .loading import LOADING
from .main_names import nodes_of
from .own_main import OwnMain

ASKED_OF_BASES = m.Name("super") | m.Name("isinstance") | m.Name("issubclass")


def made_models(project: Project, statements: Iterable[Statement]) -> frozenset[str]:
    """Models that the code may make: what can be trained, and is named as more than a base or a type."""
    nodes = [statement.node for statement in statements]
    passed_over = {name for node in nodes for name in _names_of_types(node)}
    named = {name.value for name in nodes_of(cst.Name, nodes) if name not in passed_over}
    named |= {
        cls.name.value for cls in nodes_of(cst.ClassDef, nodes) if cls.decorators
    }  # it may be registered
    return frozenset(name for name in named if _is_trained(project.classes.get(name)))


def _is_trained(cls: Class | None) -> bool:
    return cls is not None and cls.kind == "module" and "training_step" in cls.methods


def _names_of_types(tree: cst.CSTNode) -> Iterator[cst.Name]:
    """Names as definitions, bases and annotations have them, or to ask a base for its method."""
    for cls in nodes_of(cst.ClassDef, [tree]):
        yield cls.name
        yield from nodes_of(cst.Name, cls.bases)
    for annotation in nodes_of(cst.Annotation, [tree]):
        yield from nodes_of(cst.Name, [annotation])
    for attribute in nodes_of(cst.Attribute, [tree]):
        if isinstance(attribute.value, cst.Name) and attribute.attr.value != LOADING:
            yield attribute.value
    for call in nodes_of(cst.Call, [tree]):
        if m.matches(call.func, ASKED_OF_BASES):
            yield from nodes_of(cst.Name, call.args)


def check_fitted(project: Project, own: OwnMain, chosen: Mapping[Kind, str | None]) -> Iterator[Diagnostic]:
    """Several classes, of which neither the spec nor an option names one."""
    for kind, found in own.classes.items():
        if len(found) > 1 and chosen[kind] is None:
            call = (*own.fits, *own.evaluations)[0].node
            yield messages.several_classes_fit((project.source, call), kind, sorted(found))


def uncertain(
    project: Project, statements: Iterable[Statement], own: OwnMain, model: Class, data: Class | None
) -> dict[str, str]:
    """The variables that may hold an object of another class than the one that the script is made for."""
    may_be = {*own.classes["module"], *(() if own.reads_all_models else made_models(project, statements))}
    found = {"model": model.name} if may_be - {model.name} else {}
    if data is not None and own.classes["data"] - {data.name}:
        found["data"] = data.name
    return found
