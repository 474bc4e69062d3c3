"""Functions of Lightning's that the user's code calls, such as those by which rank 0 does things for all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...ir.project import Project, Statement
from ...ir.rewrites import Rewrites
from ...lightning import api
from ...lightning.module_names import ALWAYS_HAS
from ...values import Literal, values_of
from ..code.instances import Instances
from ..code.parsers import RUNTIME, TRAINER, asked_for_signature, parser_names, trainer_of
from ..optimizers.wrapped import is_wrapping
from .trainer_parts import strategy_check
from .unbound_supers import in_unbound_supers

ONLY = "rank_zero_only"
NAMESAKES = frozenset("""
    rank_zero_info rank_zero_warn rank_zero_debug rank_prefixed_message grad_norm find_usable_cuda_devices summarize
    get_torchvision_model is_overridden instantiate_class isolate_rng load_hparams_from_yaml move_data_to_device
    garbage_collection_cuda get_init_args
    """.split())
"""Those that the script has under the same names."""

ENUMERATIONS = frozenset({"TrainerFn", "RunningStage", "TrainerStatus"})
"""Those of what the trainer does, which the script has too."""

ACCELERATORS = frozenset("Accelerator CPUAccelerator CUDAAccelerator MPSAccelerator".split())
"""Kinds of devices, of which the script has those that it is asked for."""

EXCEPTIONS = frozenset({"MisconfigurationException"})
"""Those that code may raise; which errors of Lightning's own a handler is for cannot be told."""

WARNINGS = frozenset({"LightningDeprecationWarning", "PossibleUserWarning"})
"""Kinds of warnings, which code names to hide them."""

BASES = frozenset({"CheckpointIO", api.ENVIRONMENT})
"""What classes of the user's own derive from, which the script has, too."""

COUNTERPARTS = {
    **{name: name for name in NAMESAKES | ENUMERATIONS | WARNINGS | BASES},
    "_get_rank": "env_rank",
    "_parse_gpu_ids": "gpu_ids",
}
"""Lightning's functions, each with the script's."""


_TEXT = m.SimpleString('"rank"') | m.SimpleString("'rank'")
ASKS_CLASS = m.Name("isinstance") | m.Name("issubclass")
IS_OF = m.Call(m.Name("isinstance"), [m.Arg(keyword=None, star=""), m.Arg(keyword=None, star="")])
HASATTR = m.Call(m.Name("hasattr"), [m.Arg(), m.Arg()])
ASKS_RANK = m.Call(m.Name("getattr"), [m.Arg(), m.Arg(_TEXT), m.ZeroOrMore()])


@dataclass(frozen=True)
class LightningFunctions:
    """Where the program uses these functions."""

    names: tuple[tuple[cst.BaseExpression, str], ...] = ()
    ranks: tuple[cst.BaseExpression, ...] = ()  # `rank_zero_only.rank`
    asked: tuple[cst.BaseExpression, ...] = ()  # that calls are given in whose place something else stands
    members: tuple[cst.BaseExpression, ...] = ()  # of enumerations
    unbound: tuple[cst.BaseExpression, ...] = ()  # what an unbound `super` is given
    wrapping: tuple[cst.Call, ...] = ()  # of optimizers that the script has as they are
    had: tuple[cst.Call, ...] = ()  # `hasattr` of what any model or data module of Lightning's has
    denied: tuple[cst.Call, ...] = ()  # `isinstance` of callbacks that the script does without

    @property
    def translated(self) -> frozenset[cst.CSTNode]:
        return frozenset(
            {
                *(node for node, _ in self.names),
                *self.ranks,
                *self.asked,
                *self.members,
                *self.unbound,
                *(call.func for call in self.wrapping),
                *(call.args[1].value for call in self.denied),
            }
        )

    @property
    def expressions(self) -> tuple[tuple[cst.BaseExpression, str], ...]:
        """With the code that takes their place."""
        ranks = ((attribute, "ranks_from_env().rank") for attribute in self.ranks)
        unbound = ((node, "object") for node in self.unbound)
        denied = ((call, "False") for call in self.denied)
        return (*ranks, *unbound, *((call, "True") for call in self.had), *denied)


def lightning_functions(project: Project, statements: Iterable[Statement]) -> LightningFunctions:
    """The uses in the statements, other than of `rank_zero_only` as a value that is asked for its rank unseen."""
    index, nodes = project.index, [statement.node for statement in statements]
    names = [each for node in nodes for each in index.references(node)]
    attributes = [each for each in names if isinstance(each, cst.Attribute)]
    ranks = [each for each in attributes if each.attr.value == "rank" and _is(project, each.value, ONLY)]
    calls = [each for node in nodes for each in index.within(node, cst.Call)]
    asking = [each for each in calls if m.matches(each, ASKS_RANK) and _is(project, each.args[0].value, ONLY)]
    called = [each.func for each in calls]
    called += [each.decorator for node in nodes for each in index.within(node, cst.Decorator)]
    found: dict[cst.BaseExpression, str] = {each: ONLY for each in called if _is(project, each, ONLY)}
    named = [(each, name) for each in names if (name := project.lightning_name(each))]
    named_kinds = [(each, name) for each, name in named if name in ACCELERATORS]
    found |= {each: COUNTERPARTS[name] for each, name in named if name in COUNTERPARTS}
    found |= {each: name for each, name in named_kinds if _is_asked_for(project, each)}
    found |= {each: name for each, name in named if name in EXCEPTIONS and index.ancestor(each, cst.Raise)}
    found |= {each: name for each, name in named if name in api.SAVING_BASES and is_base(index, each)}
    found |= dict(parser_names(project, statements))
    signed = tuple(asked_for_signature(project, statements))
    found |= {trainer_of(each): RUNTIME[TRAINER] for each in signed}
    asked = tuple(each.args[0].value for each in asking)
    members = tuple(each for each in attributes if found.get(each.value) in ENUMERATIONS | ACCELERATORS)
    checked = (each for each, name in named if name.endswith("Strategy") and _is_checked(project, each))
    return LightningFunctions(
        tuple(found.items()),
        (*ranks, *asking),
        (*asked, *checked, *signed),
        members,
        tuple(in_unbound_supers(project, statements)),
        tuple(each for each in calls if is_wrapping(project, each)),
        tuple(call for call in calls if _asks_for_inherited(project, call)),
        tuple(call for call in calls if _asks_for_tuner(project, call)),
    )


def _asks_for_tuner(project: Project, call: cst.Call) -> bool:
    """Whether it asks if something is a callback that looks for settings, of which a script has none."""
    return m.matches(call, IS_OF) and project.lightning_name(call.args[1].value) in api.TUNING_CALLBACKS


def _asks_for_inherited(project: Project, call: cst.Call) -> bool:
    """Whether it asks if an object has what its base of Lightning's, which the script's is without, surely has."""
    if not m.matches(call, HASATTR):
        return False
    values, instances = values_of(project), Instances(project)
    owners, names = (values.of(each.value) for each in call.args)
    kinds = {cls.kind if (cls := instances.class_of(each)) else "" for each in owners}
    every = [ALWAYS_HAS.get(kind, frozenset()) for kind in kinds]
    asked = [each.value if isinstance(each, Literal) else None for each in names]
    return bool(asked and every) and all(name in hooks for name in asked for hooks in every)


def _is_checked(project: Project, kind: cst.BaseExpression) -> bool:
    """Whether it is asked if the trainer's strategy is of a kind."""
    call = project.index.ancestor(kind, cst.Call)
    part = call.args[0].value if call and call.args else None
    return isinstance(part, cst.Attribute) and strategy_check(project.index, part) is not None


def _is_asked_for(project: Project, kind: cst.BaseExpression) -> bool:
    """Whether a class of accelerators is asked what it knows, or whether an object is one of its."""
    place = project.index.parent(kind)
    if isinstance(place, cst.Attribute):
        return place.attr.value in api.OF_ACCELERATOR
    while isinstance(place, cst.Element | cst.Tuple | cst.BinaryOperation | cst.LeftParen):
        place = project.index.parent(place)
    call = project.index.parent(place) if isinstance(place, cst.Arg) else None
    return isinstance(call, cst.Call) and m.matches(call.func, ASKS_CLASS) and call.args[0] is not place


def is_base(index: Index, node: cst.CSTNode) -> bool:
    """Whether a class derives from it."""
    parent = index.parent(node)
    return isinstance(parent, cst.Arg) and isinstance(index.parent(parent), cst.ClassDef)


def _is(project: Project, node: cst.BaseExpression, name: str) -> bool:
    return project.lightning_name(node) == name


def with_functions(rewrites: Rewrites, found: LightningFunctions) -> Rewrites:
    """The rewrites, and the script's functions for Lightning's."""
    return replace(
        rewrites,
        names=rewrites.names + found.names,
        expressions=rewrites.expressions + found.expressions,
        wrapping=frozenset(found.wrapping),
    )
