"""What is asked of objects of the trainer's: its strategy, its state, its accelerator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import partial

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import Index
from ...index import patterns as m
from ...index.targets import is_target
from ...ir.project import Project
from ...lightning import api
from ...runtime.constructed import members_of
from ..code.asked_by_name import asked_by_name
from ..code.instances import Instances
from ..strategy.unsynced import wrapper_asked
from .idle import idle
from .trainer_parts import STRATEGY, strategies_checked, strategy_check

OF_STRATEGY = members_of("Strategy") - {"unsynced"}
"""Those of Lightning's that the script's has too."""

PARTS = {
    "strategy": OF_STRATEGY | {name for name in STRATEGY if name.isidentifier()},
    "state": api.OF_STATE,
    "accelerator": api.OF_ACCELERATOR,
    "profiler": api.OF_PROFILER,
}
"""What may be asked of each."""

KEPT = {"strategy": OF_STRATEGY, "accelerator": api.OF_ACCELERATOR, "profiler": api.OF_PROFILER}
"""What may be asked of those that a variable may hold."""

INTO_A_VARIABLE = m.Assign(targets=[m.AssignTarget(m.Name())])

IS_NONE = m.Comparison(comparisons=[m.ComparisonTarget(m.Is() | m.IsNot(), m.Name("None"))])

MAY_PROFILE = m.Call(
    m.Name("hasattr"), [m.Arg(), m.Arg(m.SimpleString("'profile'") | m.SimpleString('"profile"'))]
)

LOOKING = frozenset("isinstance type print str repr".split())
"""Functions that leave an object as it is."""


Asked = Mapping[str, Sequence[cst.CSTNode]]


def check_objects_asked(
    project: Project, asked: Iterable[Asked], got: Iterable[Asked], shares_model: bool
) -> Iterator[Diagnostic]:
    """Objects of the trainer's of which more is asked than the script's have; those `got` come of `getattr`."""
    asked, got = tuple(asked), tuple(got)
    others = _branches_for_others(project.index, asked, shares_model)
    for members, found in ((PARTS, asked), (KEPT, got)):
        named = [pair for each in found for pair in each.items() if pair[0] in members]
        for node, part in {node: part for part, nodes in named for node in nodes}.items():
            shown = sorted(name for name in members[part] if not name.startswith("_"))
            for use in _misused(project, node, part, members[part]):
                place = project.index.parent(use) or use
                if isinstance(node, cst.Attribute) and _asks_wrapper(project.index, use, part):
                    continue
                is_idle = isinstance(use, cst.Attribute) and idle(project, use)
                if is_idle or any(project.index.holds(each, use) for each in others):
                    continue
                if isinstance(place, cst.Attribute) and is_target(project.index, place):
                    yield messages.part_of_trainer_set((project.source, place), part, place.attr.value)
                    continue
                yield messages.part_of_trainer_asked((project.source, place), part, shown)


def _branches_for_others(index: Index, asked: Iterable[Asked], shares_model: bool) -> list[cst.BaseSuite]:
    """What code does where its trainer has a strategy that the script's never has."""
    own = {"SingleDeviceStrategy", "FSDPStrategy" if shares_model else "DDPStrategy"}
    parts = [each for of in asked for each in of.get("strategy_name", ())]
    checks = [strategy_check(index, each) for each in parts if isinstance(each, cst.Attribute)]
    others = [each for each in checks if each is not None and own.isdisjoint(strategies_checked(each))]
    return [branch.body for branch in map(partial(_decided, index), others) if branch is not None]


def _decided(index: Index, check: cst.CSTNode) -> cst.If | None:
    """The branch that is taken only where a check holds, by itself or with others."""
    above = index.parent(check)
    while isinstance(above, cst.BooleanOperation) and isinstance(above.operator, cst.And):
        check, above = above, index.parent(above)
    return above if isinstance(above, cst.If) and above.test is check else None


def strategies_asked(index: Index, asked: Iterable[Asked]) -> Iterator[cst.BaseExpression]:
    """The expressions that give strategies: `trainer.strategy`, and variables that it is put into."""
    for node in (node for each in asked for node in each.get("strategy", ())):
        if isinstance(node, cst.Attribute):
            yield from (node, *_kept_uses(index, node))


def _asks_wrapper(index: Index, node: cst.CSTNode, part: str) -> bool:
    is_strategy = part == "strategy" and isinstance(node, cst.BaseExpression)
    return is_strategy and isinstance(node, cst.BaseExpression) and wrapper_asked(index, node) is not None


def objects_got(project: Project) -> Asked:
    """What `getattr` asks trainers for that is such an object, as far as these are values that are known."""
    instances, found = Instances(project), dict[str, list[cst.Call]]()
    for call, owner, name in asked_by_name(project):
        if name in KEPT and m.matches(call.func, m.Name("getattr")) and instances.is_trainer(owner):
            found.setdefault(name, []).append(call)
    return found


def _misused(project: Project, node: cst.CSTNode, part: str, members: Set[str]) -> Iterator[cst.CSTNode]:
    """Where the object, or a variable that holds it, is not asked for one of its members."""
    is_set = part == "profiler" and isinstance(node, cst.BaseExpression) and is_target(project.index, node)
    if is_set or _is_asked_for(project.index, node, members):
        return
    uses = _kept_uses(project.index, node, may_be_others=part == "profiler") if part in KEPT else ()
    for use in uses or (node,):
        is_looked_at = part == "accelerator" and _is_looked_at(project, use)
        is_looked_at |= part == "strategy" and (_is_tested(project.index, use) or _is_printed(project, use))
        is_looked_at |= part == "profiler" and (_is_tested(project.index, use) or _may_tell(project, use))
        if not is_looked_at and (use is node or not _is_asked_for(project.index, use, KEPT[part])):
            yield use


def _is_asked_for(index: Index, node: cst.CSTNode, members: Set[str]) -> bool:
    outer = index.parent(node)
    return isinstance(outer, cst.Attribute) and outer.attr.value in members and not is_target(index, outer)


def _kept_uses(index: Index, node: cst.CSTNode, may_be_others: bool = False) -> Sequence[cst.Name]:
    """The uses of a variable that is given an object, and nothing else ever, but where it `may_be_others`."""
    statement = index.parent(node)
    if not (isinstance(statement, cst.Assign) and m.matches(statement, INTO_A_VARIABLE)):
        return []
    variable = index.variable(cst.ensure_type(statement.targets[0].target, cst.Name))
    is_local = variable is not None and variable.scope.is_function
    is_local &= variable is not None and (may_be_others or len(variable.bindings) == 1)
    return variable.uses if variable is not None and is_local else []


def _is_tested(index: Index, node: cst.CSTNode) -> bool:
    """Whether it is asked whether there is an object."""
    parent = index.parent(node)
    if isinstance(parent, cst.If | cst.IfExp):
        return parent.test is node
    if isinstance(parent, cst.UnaryOperation):
        return isinstance(parent.operator, cst.Not)
    if isinstance(
        parent, cst.BooleanOperation
    ):  # whose value is the other operand: there always is an object
        return parent.left is node and isinstance(parent.operator, cst.And)
    return m.matches(parent, IS_NONE) if isinstance(parent, cst.Comparison) else False


def _may_tell(project: Project, node: cst.CSTNode) -> bool:
    """Whether a profiler is asked whether it can measure a part, as all can."""
    call = project.index.ancestor(node, cst.Call)
    return isinstance(call, cst.Call) and m.matches(call, MAY_PROFILE) and call.args[0].value is node


def _is_printed(project: Project, node: cst.CSTNode) -> bool:
    """Whether it is printed by itself, or as a part of a text that is."""
    call = project.index.ancestor(node, cst.Call)
    printed = [project.index.ancestor(node, cst.FormattedString), node]
    is_given = call is not None and any(each.value in printed for each in call.args)
    return is_given and isinstance(call, cst.Call) and project.qualified(call.func) == "print"


def _is_looked_at(project: Project, node: cst.CSTNode) -> bool:
    """Whether an object is printed, compared, or asked for its class."""
    parent = project.index.parent(node)
    if isinstance(parent, cst.Comparison | cst.ComparisonTarget | cst.FormattedStringExpression):
        return True
    call = project.index.parent(parent) if isinstance(parent, cst.Arg) else None
    return isinstance(call, cst.Call) and project.qualified(call.func) in LOOKING
