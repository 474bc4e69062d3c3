"""What `setup` and `teardown` are told of what the trainer does: its name, or one of Lightning's enumeration."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ...facts.facts import Facts
from ...index import patterns as m
from ...ir.project import Class

MEMBERS = {"fit": "FITTING", "validate": "VALIDATING", "test": "TESTING", "predict": "PREDICTING"}
"""The members of `TrainerFn`, by the Trainer's methods."""

TOLD = ("setup", "teardown")

OF_BASE = m.Call(
    func=m.Attribute(value=m.Call(func=m.Name("super")), attr=m.Name("setup") | m.Name("teardown"))
)

OF_NONE = m.Comparison(comparisons=[m.ComparisonTarget(comparator=m.Name("None"))])
BY_IDENTITY = m.ComparisonTarget(operator=m.Is() | m.IsNot())


def told_stage(facts: Facts, method: str) -> str:
    """The name, where the user's hooks do no more than to compare it."""
    classes = (*facts.served.models, *facts.served.data, *facts.callbacks.own)
    is_compared = all(_compares(facts, cls) for cls in classes)
    return f'"{method}"' if is_compared else f"TrainerFn.{MEMBERS[method]}"


def _compares(facts: Facts, cls: Class) -> bool:
    """Whether the hooks of a class do nothing else with it, for which a name would not do."""
    hooks = [part.own_methods[name] for part in cls.lineage for name in TOLD if name in part.own_methods]
    return all(_is_compared(facts, each) for hook in hooks for each in _read(facts, hook))


def _read(facts: Facts, hook: cst.FunctionDef) -> Iterator[cst.Name]:
    """Where the last parameter is read."""
    index, parameters = facts.project.index, hook.params.params
    if not parameters or hook.params.star_kwarg or isinstance(hook.params.star_arg, cst.Param):
        return
    name = parameters[-1].name
    found = (each for each in index.within(hook, cst.Name) if each.value == name.value and each is not name)
    yield from (each for each in found if index.variable(each) is index.variable(name))


def _is_compared(facts: Facts, name: cst.Name) -> bool:
    """Whether it is told apart from others by its value, asked whether it is there, or handed to Lightning's hook."""
    index = facts.project.index
    parent = index.parent(name)
    comparison = index.parent(parent) if isinstance(parent, cst.ComparisonTarget) else parent
    if isinstance(comparison, cst.Comparison):
        return m.matches(comparison, OF_NONE) or not any(
            m.matches(each, BY_IDENTITY) for each in comparison.comparisons
        )
    is_handed_up = isinstance(parent, cst.Arg) and m.matches(index.parent(parent), OF_BASE)
    return is_handed_up or isinstance(parent, cst.BooleanOperation | cst.UnaryOperation | cst.If | cst.IfExp)
