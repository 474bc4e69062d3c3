"""The Trainer's objects that the spec describes: how the script makes them, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.plans import RESERVED
from ...ir.project import Project
from ...ir.rewrites import Rewrite, Slot
from ...lightning.api import CALLBACKS, LOGGERS
from ...spec.load import LoadedSpec
from ..callbacks.callbacks import gives_callbacks
from ..callbacks.default_checkpoint import DefaultCheckpoint
from ..code.literals import code_of
from ..main.own_main import OwnMain
from .arguments import Argument
from .main_settings import checkpoints_last, object_slot, with_saving

KINDS = {"callbacks": frozenset(CALLBACKS), "logger": LOGGERS}
"""Lightning's classes that the script has, by the Trainer's argument that takes them."""


def trainer_call(project: Project) -> cst.Call | None:
    """`Trainer(...)`, with what the spec describes; None: it describes nothing."""
    if project.spec_trainer is None:
        return None
    line = cst.ensure_type(project.spec_trainer.node, cst.SimpleStatementLine)
    return cst.ensure_type(cst.ensure_type(line.body[0], cst.Expr).value, cst.Call)


def _described(project: Project) -> dict[str, cst.Arg]:
    """The arguments of that call."""
    call = trainer_call(project)
    return {each.keyword.value: each for each in call.args if each.keyword} if call else {}


def trainers_of(project: Project, own: OwnMain | None) -> tuple[cst.Call, ...]:
    """A main's Trainers; else the entry's, with the objects that the spec describes in the place of its own."""
    if own:
        return own.told
    given, entry = trainer_call(project), project.entry.trainer
    if given is None or entry is None:
        return tuple(call for call in (given, entry) if call)
    names = _described(project)
    rest = [each for each in entry.args if not (each.keyword and each.keyword.value in names)]
    return (given.with_changes(args=[*given.args, *rest]),)


def trainer_rewrites(project: Project, checkpoint: DefaultCheckpoint) -> tuple[Rewrite, ...]:
    """What becomes of the call in the script."""
    call = trainer_call(project)
    if call is None:
        return ()
    arguments = enumerate(_described(project).items())
    slots = tuple(_slot(project, Argument(name, node, place)) for place, (name, node) in arguments)
    return (Rewrite(call, "Trainer", with_saving(slots, call, checkpoint)),)


def _slot(project: Project, argument: Argument) -> Slot:
    """As in a main; what is out of order is put in order, as no one has written it so."""
    slot, listed = object_slot(project, argument), cst.ensure_type(argument.value, cst.List)
    order = tuple(checkpoints_last(project, listed)) if slot.wrapper else ()
    return replace(slot, order=order, wrapper=None) if order else slot


def check_spec_trainer(project: Project, loaded: LoadedSpec, own: OwnMain | None) -> Iterator[Diagnostic]:
    """Objects beside a main, none in the place of the code's, and those that are of another kind."""
    described = _described(project)
    takes_away = "callbacks" in loaded.spec.trainer.model_fields_set - described.keys()
    if takes_away and any(map(gives_callbacks, trainers_of(project, own))):
        yield messages.callbacks_not_taken_away(loaded.place("trainer.callbacks"))
    if own is not None:
        yield from (messages.objects_beside_a_main((project.source, each)) for each in described.values())
        return
    for section, argument in described.items():
        elements = cst.ensure_type(argument.value, cst.List).elements
        for made in (cst.ensure_type(element.value, cst.Call) for element in elements):
            yield from _of_another_kind(project, section, made.func)
            yield from _taken_names(project, made)


def _of_another_kind(project: Project, section: str, node: cst.BaseExpression) -> Iterator[Diagnostic]:
    """An object that is none of those that belong there; where a base of it is a library's, it may be one."""
    name, lightning = code_of(node), project.lightning_name(node)
    cls = project.classes.get(name)
    bases = {base for base in cls.resolution_order if isinstance(base, str)} if cls else {lightning}
    is_own = any(name in statement.names for statement in project.statements)
    is_known = (is_own or lightning in KINDS["callbacks"] | KINDS["logger"]) and name not in project.displays
    if is_known and not bases & KINDS[section] and not any("." in (base or "") for base in bases):
        yield messages.object_of_another_kind((project.source, node), name, section)


def _taken_names(project: Project, made: cst.Call) -> Iterator[Diagnostic]:
    """Classes with the name of a variable of the script's."""
    name = code_of(made.func)
    if name in RESERVED:
        yield messages.reserved_class_name((project.source, made.func), name)
