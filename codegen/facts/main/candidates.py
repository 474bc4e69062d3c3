"""The classes whose objects a main of the user's own may hand to `fit`, where these may be several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import Index
from ...index import patterns as m
from ...ir.project import Class, Kind, Project, Statement
from ...ir.served import Served
from ..model.load_from_checkpoint import LOADING
from .own_main import OwnMain

OPTIONS: Mapping[Kind, str] = {"module": "--model", "data": "--data"}

TRAINING = frozenset({"training_step", "configure_optimizers"})
"""What each model has that is trained."""

ASKED_OF_BASES = m.Name("super") | m.Name("isinstance") | m.Name("issubclass")


def made_models(project: Project, statements: Iterable[Statement]) -> frozenset[str]:
    """Models that the code may make: what can be trained, and is named as more than a base or a type."""
    index, nodes = project.index, [statement.node for statement in statements]
    return frozenset(
        name
        for name, cls in project.classes.items()
        if _is_trained(cls) and any(index.holds(node, each) for each in _named(index, cls) for node in nodes)
    )


def _is_trained(cls: Class) -> bool:
    return cls.kind == "module" and "training_step" in cls.methods


def _named(index: Index, cls: Class) -> Iterator[cst.CSTNode]:
    """Where a class may be taken to make objects of it; where it is defined, if a decorator may register it."""
    if cls.node.decorators:
        yield cls.node
    binding = index.binding(cls.node.name)
    for use in binding.variable.uses if binding else ():
        if not _is_type(index, use):
            yield use


def _is_type(index: Index, use: cst.Name) -> bool:
    """Whether a class is named as a base, in an annotation, or to ask it for something."""
    parent = index.parent(use)
    if isinstance(parent, cst.Attribute):
        return parent.attr.value != LOADING
    call = index.parent(parent) if isinstance(parent, cst.Arg) else None
    if isinstance(call, cst.Call):
        return m.matches(call.func, ASKED_OF_BASES)
    return isinstance(call, cst.ClassDef) or index.ancestor(use, cst.Annotation) is not None


def fitted_model(project: Project, own: OwnMain) -> str | None:
    """The class that the script is for, unless another is named: of several, one that has all that training needs."""
    names = own.left("module")
    able = [name for name in names if project.classes[name].methods.keys() >= TRAINING]
    return min(able, default=own.class_of("module"))


def given_classes(project: Project, own: OwnMain, kind: Kind) -> list[Class]:
    """The classes of a kind whose objects the main may give its trainers."""
    return [project.classes[name] for name in sorted(own.classes[kind])]


def check_fitted(
    project: Project,
    own: OwnMain,
    served: Served,
    chosen: Mapping[Kind, str | None],
    options: Mapping[Kind, str | None],
    strategy: str,
    wrong: tuple[Diagnostic, ...],
) -> Iterator[Diagnostic]:
    """Classes that the script is not for, where neither the spec nor an option names one; what is `wrong` with them."""
    for kind, found in own.classes.items():
        names = served.names(kind)
        if (others := sorted(found.difference(names))) and chosen[kind] is None:
            command = _command(project, kind, options, strategy)
            at = (project.source, (*own.every_fit, *own.evaluations)[0].node)
            aside = own.ruled_out[kind]
            is_known = wrong and not (own.only_evaluated - aside.names).isdisjoint(others)
            if aside.names.issuperset(others):
                picked = [each for each in names if each not in aside.names]
                yield messages.picked_of_several_classes(at, names, others, command, picked, aside.said)
            elif _are_alternatives(own, kind, names) and not is_known:
                yield messages.one_of_several_classes(at, names, others, command)
            elif wrong:
                yield from wrong
            else:
                yield messages.several_classes_fit(at, [*names, *others], command)


def _are_alternatives(own: OwnMain, kind: Kind, names: tuple[str, ...]) -> bool:
    """Whether a run may get through without being given another class than these."""
    if own.shared.get(kind) or own.fits_once:
        return True
    given = {each.node: each.models if kind == "module" else each.data for each in own.runs}
    fits = [each.node for each in own.every_fit]
    others = {each for each in fits if not given[each].issubset(names)}
    mine = [each for each in fits if each not in others]
    return bool(mine) and all(others <= own.excluded[each] for each in mine)


def _command(
    project: Project, kind: Kind, options: Mapping[Kind, str | None], strategy: str
) -> messages.Command:
    """What this script was asked for with, but for a class of the kind."""
    others = "".join(f" {OPTIONS[each]} {name}" for each, name in options.items() if name and each != kind)
    asked = f" --strategy {strategy}" if strategy != "ddp" else ""
    return messages.Command(f"{asked}{others}{project.asked.options}", OPTIONS[kind], project.asked.rest)


def uncertain(
    project: Project, statements: Iterable[Statement], own: OwnMain, served: Served
) -> dict[str, tuple[str, ...]]:
    """The variables that may hold an object of another class than those that the script is made for."""
    models, sources = served.names("module"), served.names("data")
    may_be = {*own.classes["module"], *(() if own.reads_all_models else made_models(project, statements))}
    found = {"model": models} if not own.reads_all_models or may_be.difference(models) else {}
    if sources and (own.classes["data"].difference(sources) or not own.reads_all_data):
        found["data"] = sources
    return found
