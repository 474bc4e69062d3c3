"""The calls that make loaders: in a hook and the methods that it calls, or in a main that hands them to `fit`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst

from ..index import patterns as m
from ..index.search import findall
from ..ir.project import Class, Project
from ..values import Instance, values_of
from .bindings import bindings

LOADER = "torch.utils.data.DataLoader"


@dataclass(frozen=True)
class _Given:
    """What a method is given where it is called."""

    values: Mapping[str, cst.BaseExpression] = field(default_factory=dict)  # by parameter
    options: tuple[str, tuple[cst.Arg, ...]] = ("", ())  # its `**` parameter, and what goes there

    def in_place(self, call: cst.Call) -> cst.Call:
        """A call in the method, with what its parameters are given in their place."""
        args = [argument for each in call.args for argument in self._argument(each)]
        return call.with_changes(args=args)

    def _argument(self, argument: cst.Arg) -> Iterable[cst.Arg]:
        name = argument.value.value if isinstance(argument.value, cst.Name) else None
        if argument.star == "**" and name and name == self.options[0]:
            return self.options[1]
        value = self.values.get(name) if name and not argument.star else None
        return (argument.with_changes(value=value) if value else argument,)


def loader_calls(project: Project, owner: Class, hook: str) -> list[cst.Call]:
    """Calls that make loaders, in the hook and in the methods of its class that it calls."""
    return list(_calls_in(project, owner, hook, _Given(), frozenset()))


def _calls_in(
    project: Project, owner: Class, name: str, given: _Given, seen: frozenset[str]
) -> Iterator[cst.Call]:
    if name in seen or name not in owner.methods:
        return
    for node in findall(owner.methods[name], m.Call()):
        call = given.in_place(cst.ensure_type(node, cst.Call))
        if (project.qualified(call.func) or "").endswith("DataLoader"):
            yield call
        elif m.matches(call.func, m.Attribute(value=m.Name("self"))):
            called = cst.ensure_type(call.func, cst.Attribute).attr.value
            into = _given(owner.methods.get(called), call)
            yield from _calls_in(project, owner, called, into, seen | {name})


def _given(method: cst.FunctionDef | None, call: cst.Call) -> _Given:
    """What a method is given, as far as its parameters are never set to something else."""
    if method is None or any(argument.star for argument in call.args) or method.decorators:
        return _Given()
    taken = [each.name for each in (*method.params.posonly_params, *method.params.params)][1:]
    by_place = [argument for argument in call.args if not argument.keyword]
    by_name = [argument for argument in call.args if argument.keyword]
    names = {each.name.value: each.name for each in method.params.kwonly_params} | {e.value: e for e in taken}
    values = {name.value: argument.value for name, argument in zip(taken, by_place, strict=False)}
    values |= {a.keyword.value: a.value for a in by_name if a.keyword and a.keyword.value in names}
    rest = tuple(each for each in by_name if each.keyword and each.keyword.value not in names)
    star = method.params.star_kwarg
    options = (star.name.value, rest) if star and _is_set_once(method, star.name) else ("", ())
    return _Given({n: each for n, each in values.items() if _is_set_once(method, names[n])}, options)


def _is_set_once(function: cst.CSTNode, name: cst.Name) -> bool:
    return len(list(bindings(function, name))) == 1


# ---- in a main -------------------------------------------------------------------------------------------

CHANGE = re.compile(r"(?<!\bself)\.(collate_fn|num_workers|generator)\s*=(?!=)")
"""Sets what a loader lets be set, and what matters here."""


def given_calls(project: Project, given: Iterable[cst.BaseExpression]) -> list[cst.Call]:
    """The calls that make the loaders that are given, in all that they may be; none: that is not known."""
    calls = [made_by(project, value) for value in given]
    are_changed = any(CHANGE.search(statement.code) for statement in project.statements)
    return [call for each in calls for call in each] if all(calls) and not are_changed else []


def made_by(project: Project, value: cst.BaseExpression) -> list[cst.Call]:
    """The calls that make an object; none: it may be something else."""
    nodes = [each.node if isinstance(each, Instance) else None for each in values_of(project).of(value)]
    calls = [node for node in nodes if isinstance(node, cst.Call)]
    return calls if len(calls) == len(nodes) else []
