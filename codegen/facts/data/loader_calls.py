"""The calls that make loaders, and what these are given there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ...ir.project import Project
from ...values import (
    BoundMethod,
    Dict,
    External,
    Instance,
    Member,
    Sequence,
    Value,
    Values,
    ValueSet,
    values_of,
)

LOADER = "torch.utils.data.DataLoader"
PARAMETERS = tuple("""
    dataset batch_size shuffle sampler batch_sampler num_workers collate_fn pin_memory drop_last timeout worker_init_fn
    multiprocessing_context generator persistent_workers
    """.split())
COMBINED = ("iterables", "mode")
SET_LATER = ("collate_fn", "num_workers", "generator")
"""What a loader lets be set, and what matters here."""


@dataclass(frozen=True)
class LoaderCall:
    """A call that makes a loader, and the calls by which a hook comes to it: what they pass is told apart."""

    project: Project
    node: cst.Call
    path: tuple[cst.Call, ...] = ()
    parameters: tuple[str, ...] = PARAMETERS

    @cached_property
    def values(self) -> Values:
        return values_of(self.project)

    @cached_property
    def is_torchs(self) -> bool:
        """Whether it is torch's own loader, of which nothing is changed later."""
        made = [
            Instance(each, self.node) for each in self.values.callees(self.node) if isinstance(each, External)
        ]
        return bool(made) and all(is_loader(each) and not self._is_changed(each) for each in made)

    def _is_changed(self, made: Instance) -> bool:
        found = (each for name in SET_LATER for each in self.values.attribute(made, name))
        return any(not isinstance(each, Member) for each in found)

    @property
    def is_open(self) -> bool:
        """Whether it may be given more than what is known."""
        return not self._arguments[1]

    def given(self, name: str) -> ValueSet | None:
        """What a parameter is given; None: nothing."""
        return self._arguments[0].get(name)

    @cached_property
    def _arguments(self) -> tuple[Mapping[str, ValueSet], bool]:
        """What is given, by the names of parameters, and whether that is all."""
        rest = [each for each in self.node.args if each.star]
        if len(rest) == 1 and self.path and (passed := self._passed_on(rest[0])) is not None:
            plain = self.node.with_changes(args=[each for each in self.node.args if not each.star])
            return self._plain(plain) | passed, True
        if not rest:
            return self._plain(self.node), True
        found = self.values.arguments(self.node, self.parameters)
        is_all = found.unknown is None and all(map(self._is_exact, rest))
        return {name: each.values for name, each in found.items()}, is_all

    def _is_exact(self, argument: cst.Arg) -> bool:
        """Whether all that may be unpacked surely is: calls of a function may pass different options on."""
        made = self.values.of(argument.value).only
        return isinstance(made, Sequence | Dict) and self.values.exact_parts(made) is not None

    def _plain(self, call: cst.Call) -> dict[str, ValueSet]:
        names = (
            each.keyword.value if each.keyword else self._name_at(place)
            for place, each in enumerate(call.args)
        )
        return {name: self._of(each.value, self.path) for name, each in zip(names, call.args, strict=True)}

    def _name_at(self, place: int) -> str:
        return self.parameters[place] if place < len(self.parameters) else f"*{place}"

    def _passed_on(self, argument: cst.Arg) -> dict[str, ValueSet] | None:
        """What `**options` stands for, where that is the function's own parameter, in the call that leads here."""
        function = self.project.index.function_of(self.node)
        star = function.params.star_kwarg if function else None
        bindings = self.project.index.bindings(argument.value) if isinstance(argument.value, cst.Name) else []
        if function is None or star is None or [each.by for each in bindings] != [star]:
            return None
        *path, call = self.path
        if any(each.star for each in call.args):
            return None
        own = {each.name.value for each in (*function.params.params, *function.params.kwonly_params)}
        named = [(each.keyword.value, each.value) for each in call.args if each.keyword]
        return {name: self._of(value, tuple(path)) for name, value in named if name not in own}

    def _of(self, node: cst.BaseExpression, path: tuple[cst.Call, ...]) -> ValueSet:
        """What an expression may be where its function is entered by the calls of a path."""
        if isinstance(node, cst.IfExp) and (is_so := self._decided(node.test, path)) is not None:
            return self._of(node.body if is_so else node.orelse, path)
        bindings = self.project.index.bindings(node) if isinstance(node, cst.Name) else []
        parameter = bindings[0].by if len(bindings) == 1 else None
        function = self.project.index.function_of(node)
        if not path or function is None or parameter not in _named(function):
            return self.values.of(node)
        *before, call = path
        skipped = any(isinstance(each, BoundMethod) for each in self.values.callees(call))
        names = [each.name.value for each in (*function.params.posonly_params, *function.params.params)]
        given = self.values.arguments(call, names[skipped:])
        name = cst.ensure_type(node, cst.Name).value
        if given.unknown is not None or (name in given and given[name].expression is None):
            return self.values.of(node)
        if name in given:
            return self._of(given[name].expression, tuple(before))  # type: ignore[arg-type]  # asked above
        default = cst.ensure_type(parameter, cst.Param).default
        return self.values.of(default) if default else self.values.of(node)

    def _decided(self, test: cst.BaseExpression, path: tuple[cst.Call, ...]) -> bool | None:
        """Whether a condition holds that is a flag, or none; None: that is not known."""
        if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            inner = self._decided(test.expression, path)
            return None if inner is None else not inner
        flag = self._of(test, path).literal
        return bool(flag.value) if flag else None


def _named(function: cst.FunctionDef) -> list[cst.CSTNode | None]:
    params = function.params
    return [*params.posonly_params, *params.params, *params.kwonly_params]


def is_iterator(value: Value) -> bool:
    """Whether it gives one thing after the other, such as `zip` or a generator, and may not know how many."""
    return isinstance(value, Sequence) and value.kind == "iterator"


def is_loader(value: Value) -> bool:
    """Whether it is a loader of torch's."""
    return _class_name(value) == LOADER


def _class_name(value: Value) -> str:
    is_librarys = isinstance(value, Instance) and isinstance(value.cls, External)
    return value.cls.name if is_librarys else ""  # type: ignore[union-attr]  # External


# ---- which calls -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LoaderCalls:
    """The calls that make what is one loader, or several."""

    project: Project
    calls: tuple[LoaderCall, ...]
    are_all: bool  # nothing else does
    others: tuple[Value, ...] = ()  # what it may be else


def loader_calls(project: Project, made: Iterable[Value], hook: cst.FunctionDef | None = None) -> LoaderCalls:
    """The calls that make loaders, alone or in collections, and how a hook comes to these."""
    single = list(_single(values_of(project), made, set()))
    nodes = [each.node for each in single if _class_name(each).endswith("DataLoader")]  # type: ignore[union-attr]
    wanted = [each for each in nodes if isinstance(each, cst.Call)]
    paths = list(_paths(project, hook, (), frozenset(wanted), frozenset())) if hook else []
    found = {call for call, _ in paths}
    calls = [*paths, *((call, ()) for call in dict.fromkeys(wanted) if call not in found)]
    every = tuple(LoaderCall(project, call, path) for call, path in calls)
    others = tuple(each for each in single if not _class_name(each).endswith("DataLoader"))
    return LoaderCalls(project, every, bool(wanted) and len(wanted) == len(single), others)


def combined_calls(project: Project, made: cst.Call, hook: cst.FunctionDef | None) -> tuple[LoaderCall, ...]:
    """The call that makes a CombinedLoader, by each way on which a hook has it made anew, to return it."""
    paths = [path for _, path in _paths(project, hook, (), frozenset({made}), frozenset())] if hook else []
    are_new = all(_is_returned(project, each) for path in paths for each in (*path, made))
    return tuple(LoaderCall(project, made, path, COMBINED) for path in (paths if are_new else ())) or (
        LoaderCall(project, made, (), COMBINED),
    )


def _is_returned(project: Project, call: cst.Call) -> bool:
    """Whether its function returns what a call gives, or an item of that, whichever `return` ends it."""
    place = project.index.parent(call)
    while isinstance(place, cst.Element | cst.Tuple):
        place = project.index.parent(place)
    if isinstance(place, cst.Return):
        return True
    function = project.index.function_of(call)
    if function is None or not isinstance(place, cst.Assign):
        return False
    returned = [each.value for each in project.index.own(function, cst.Return)]
    return bool(returned) and all(
        isinstance(each, cst.Name) and [one.by for one in project.index.bindings(each)] == [place]
        for each in returned
    )


def _single(values: Values, made: Iterable[Value], seen: set[Value]) -> Iterator[Value]:
    """The loaders in collections, and in what Lightning combines."""
    for value in made:
        inner = _held(values, value)
        if inner is None:
            yield value
        elif value not in seen:
            seen.add(value)
            yield from _single(values, inner, seen)


def _held(values: Values, value: Value) -> Iterable[Value] | None:
    """What is in a collection; None: it is none, such as a `zip` of loaders, which gives batches itself."""
    if isinstance(value, Sequence | Dict) and not is_iterator(value):
        return values.elements(value)
    if not isinstance(value, Instance) or value.lightning != "CombinedLoader":
        return None
    if not isinstance(value.node, cst.Call):
        return None
    given = values.arguments(value.node, ["iterables"]).get("iterables")
    return given.values if given else ()


def _paths(
    project: Project,
    function: cst.FunctionDef,
    path: tuple[cst.Call, ...],
    wanted: frozenset[cst.Call],
    within: frozenset[cst.FunctionDef],
) -> Iterator[tuple[cst.Call, tuple[cst.Call, ...]]]:
    """Those of the calls that run when a function does, each with the calls that lead to it."""
    values = values_of(project)
    for call in project.index.own(function, cst.Call):
        if call in wanted:
            yield call, path
        for each in values.runs(call):
            if isinstance(each.node, cst.FunctionDef) and each.node not in within | {function}:
                yield from _paths(project, each.node, (*path, call), wanted, within | {function})
