"""Functions of Lightning's that the user's code calls, such as those by which rank 0 does things for all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project, Statement
from ...ir.rewrites import Rewrites

ONLY = "rank_zero_only"
NAMESAKES = frozenset("""
    rank_zero_info rank_zero_warn rank_zero_debug rank_prefixed_message grad_norm find_usable_cuda_devices summarize
    is_overridden
    """.split())
"""Those that the script has under the same names."""

ENUMERATIONS = frozenset({"TrainerFn", "RunningStage", "TrainerStatus"})
"""Those of what the trainer does, which the script has too."""

COUNTERPARTS = {**{name: name for name in NAMESAKES | ENUMERATIONS}, "_get_rank": "env_rank"}
"""Lightning's functions, each with the script's."""


_TEXT = m.SimpleString('"rank"') | m.SimpleString("'rank'")
ASKS_RANK = m.Call(m.Name("getattr"), [m.Arg(), m.Arg(_TEXT), m.ZeroOrMore()])


@dataclass(frozen=True)
class LightningFunctions:
    """Where the program uses these functions."""

    names: tuple[tuple[cst.BaseExpression, str], ...] = ()
    ranks: tuple[cst.BaseExpression, ...] = ()  # `rank_zero_only.rank`
    asked: tuple[cst.BaseExpression, ...] = ()  # `rank_zero_only`, where `getattr` asks it for its rank
    members: tuple[cst.BaseExpression, ...] = ()  # of enumerations

    @property
    def translated(self) -> frozenset[cst.CSTNode]:
        return frozenset({*(node for node, _ in self.names), *self.ranks, *self.asked, *self.members})

    @property
    def attributes(self) -> tuple[tuple[cst.BaseExpression, str], ...]:
        """With the code that takes their place."""
        return tuple((attribute, "ranks_from_env().rank") for attribute in self.ranks)


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
    named = ((each, project.lightning_name(each)) for each in names)
    found |= {each: COUNTERPARTS[name] for each, name in named if name in COUNTERPARTS}
    asked = tuple(each.args[0].value for each in asking)
    members = tuple(each for each in attributes if found.get(each.value) in ENUMERATIONS)
    return LightningFunctions(tuple(found.items()), (*ranks, *asking), asked, members)


def _is(project: Project, node: cst.BaseExpression, name: str) -> bool:
    return project.lightning_name(node) == name


def with_functions(rewrites: Rewrites, found: LightningFunctions) -> Rewrites:
    """The rewrites, and the script's functions for Lightning's."""
    return replace(
        rewrites, names=rewrites.names + found.names, expressions=rewrites.expressions + found.attributes
    )
