"""Which of several classes a main makes objects of, where it is told what it is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import libcst as cst

from ....index import Binding
from ....index import patterns as m
from ....ir.project import Kind, Project
from ....values import BoundMethod, Class, Dict, Function, Instance, Value, ValueSet
from ...code.instances import Instances
from ...trainer.methods import FitCall
from .decisions import Code, Decisions
from .known_values import Known, NotKnown

GIVEN: dict[Kind, str] = {"module": "model", "data": "datamodule"}
"""The arguments that take objects of each kind."""

GETTING = m.Attribute(attr=m.Name("get"))


@dataclass(frozen=True)
class RuledOut:
    """Classes of which a main makes no objects that it gives a Trainer, and what says so."""

    names: frozenset[str] = frozenset()
    said: tuple[str, ...] = ()


@dataclass
class _Walk:
    """One look for what an expression is: what it has been to, and what has decided it."""

    found: dict[cst.CSTNode, list[Value]] = field(default_factory=dict)
    said: dict[str, None] = field(default_factory=dict)

    def note(self, known: Known | None) -> None:
        self.said |= dict.fromkeys(known.said if known else ())


class Picks(Decisions):
    """What is left of the values of expressions, once it is decided what can be."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self.instances = Instances(project)
        self._others: dict[tuple[cst.CSTNode, cst.CSTNode], Known | None] = {}

    def ruled_out(self, calls: Iterable[FitCall], kind: Kind) -> RuledOut:
        """The classes of a kind of which no call that is run is given an object."""
        given = [(each, value) for each in calls if (value := each.expression(GIVEN[kind])) is not None]
        names = {name for _, value in given for name in self._names(self.values.of(value), kind)}
        left, walk = set[str](), _Walk()
        for call, value in given if len(names) > 1 else ():
            if aside := self.left_out(call.node):
                walk.note(aside)
            else:
                left |= {*self._names(self._left_of(value, walk), kind)}
        return RuledOut(frozenset(names - left), tuple(walk.said)) if left else RuledOut()

    def _names(self, found: Iterable[Value], kind: Kind) -> Iterator[str]:
        return filter(None, (self.instances.name_of(each, kind) for each in found))

    def left(self, node: cst.BaseExpression) -> tuple[list[Value], Known]:
        walk = _Walk()
        return self._left_of(node, walk), Known(None, tuple(walk.said))

    # ---- what expressions are ----------------------------------------------------------------------------

    def _left_of(self, node: cst.BaseExpression, walk: _Walk) -> list[Value]:
        """The values of an expression that code which is run gives it; all of them, where that is not read."""
        if node not in walk.found:
            walk.found[node] = every = [*self.values.of(node)]  # where it is asked of in a circle
            if len(every) > 1:
                found = self._given_by(node, walk) or set[Value]()
                kept = [each for each in every if each in found]
                walk.found[node] = kept or self._made(node, every, walk)
        return walk.found[node]

    def _made(self, node: cst.BaseExpression, every: list[Value], walk: _Walk) -> list[Value]:
        """Without what is made only where nothing is run."""
        origins = [(each, self.left_out(each.node)) for each in self.values.origins(node)]
        kept = {value for origin, aside in origins if not aside for value in origin.values}
        for _, aside in origins:
            walk.note(aside)
        return [each for each in every if each in kept] or every

    def _given_by(self, node: cst.BaseExpression, walk: _Walk) -> set[Value] | None:
        """What the expressions give that it takes its values from; None: these are not read."""
        match node:
            case cst.Name():
                return self._of_bindings(self._seen(node, walk), walk)
            case cst.IfExp():
                return self._of_all(self._chosen(node, walk), walk)
            case cst.Call():
                return self._of_call(node, walk)
            case cst.Subscript():
                return self._of_element(node.value, self.key(node), walk)
            case cst.Attribute():
                return self._of_attribute(node, walk)
        return None

    def _of_all(self, nodes: Iterable[cst.BaseExpression], walk: _Walk) -> set[Value]:
        return {value for each in nodes for value in self._left_of(each, walk)}

    def _chosen(self, node: cst.IfExp, walk: _Walk) -> list[cst.BaseExpression]:
        test = self.holds(node.test)
        walk.note(test)
        return [node.body, node.orelse] if test is None else [node.body if test.value else node.orelse]

    # ---- variables ---------------------------------------------------------------------------------------

    def _seen(self, name: cst.Name, walk: _Walk) -> Iterator[Binding]:
        """The bindings that a use may see, in what is run."""
        bindings = self.index.bindings(name)
        is_in_order = self._is_own(name) and not any(self._comes_again(each, name) for each in bindings)
        for each in self._above(name) if is_in_order else bindings:
            if aside := self.left_out(each.node):
                walk.note(aside)
                continue
            yield each
            if is_in_order and self._is_sure(each.node, name):
                for known in self._deciding(each.node, name):
                    walk.note(known)
                return

    def _of_bindings(self, bindings: Iterable[Binding], walk: _Walk) -> set[Value] | None:
        found = set[Value]()
        for each in bindings:
            given = self._of_one(each, walk)
            if given is None:
                return None
            found |= given
        return found

    def _of_one(self, binding: Binding, walk: _Walk) -> set[Value] | None:
        by = binding.by
        if isinstance(by, cst.Param):
            return self._of_argument(by, walk)
        if isinstance(by, cst.FunctionDef):
            return {Function(by)}
        if isinstance(by, cst.ClassDef):
            return {Class(by)}
        value = self._assigned(binding.node)
        return {*self._left_of(value, walk)} if value is not None else None

    def _assigned(self, target: cst.CSTNode) -> cst.BaseExpression | None:
        """What a target is set to; None: a part of that, or in another way."""
        by = self.index.parent(target)
        by = self.index.parent(by) if isinstance(by, cst.AssignTarget) else by
        is_it = isinstance(by, cst.Assign) or (isinstance(by, cst.AnnAssign) and by.target is target)
        return by.value if isinstance(by, cst.Assign | cst.AnnAssign) and is_it else None

    def _of_argument(self, parameter: cst.Param, walk: _Walk) -> set[Value] | None:
        """What the calls that are run give a parameter."""
        function = self.index.function_of(parameter.name)
        found = list[cst.BaseExpression]()
        for place in self.order.callers.get(function, ()):
            if aside := function and self._passes_by(place, function):
                walk.note(aside)
                continue
            try:
                found.append(self._argument(place, function, parameter))
            except NotKnown:
                return None
        return self._of_all(found, walk) if found else None

    def _of_attribute(self, node: cst.Attribute, walk: _Walk) -> set[Value] | None:
        """What code that is run sets it to."""
        owners = {*self.values.of(node.value)}
        places = [place for owner, place in self.stores.get(node.attr.value, ()) if owner in owners]
        found = list[cst.BaseExpression]()
        for place in places:
            value = self._assigned(place)
            if value is None:
                return None
            aside = self.left_out(place)
            walk.note(aside)
            found += [] if aside else [value]
        return self._of_all(found, walk) if found else None

    # ---- mappings ----------------------------------------------------------------------------------------

    def _of_element(
        self,
        owner: cst.BaseExpression,
        key: Known | None,
        walk: _Walk,
        default: cst.BaseExpression | None = None,
    ) -> set[Value] | None:
        """What a mapping has under a key that is known."""
        found = self._left_of(owner, walk)
        holder = found[0] if len(found) == 1 and isinstance(found[0], Dict) else None
        held = self._held(holder) if holder else None
        if held is None or holder is None or key is None or not isinstance(key.value, str | int):
            return None
        parts, sure = held
        walk.note(key)
        if key.value not in parts:
            is_open = self.values.is_open(holder)
            walk.note(Known(None, (f"the configuration has no `{key.value}`",)) if is_open else None)
            return {*self._left_of(default, walk)} if default is not None else None
        return {*parts[key.value]} if key.value in sure else self._registered(parts[key.value], key)

    def _registered(self, found: ValueSet, key: Known) -> set[Value] | None:
        """Of classes that decorators put into a mapping the one that such a decorator is given the key for."""
        classes = {each for each in found if isinstance(each, Class)}
        named = {each for each in classes if key.value in self._told_to_decorators(each.node)}
        return {*named} if len(classes) == len(found) and len(named) == 1 else None

    def _told_to_decorators(self, cls: cst.ClassDef) -> Iterator[object]:
        calls = (each.decorator for each in cls.decorators)
        given = (each.value for call in calls if isinstance(call, cst.Call) for each in call.args)
        for each in given:
            with suppress(NotKnown):
                yield self.value(each).value

    # ---- calls -------------------------------------------------------------------------------------------

    def _of_call(self, call: cst.Call, walk: _Walk) -> set[Value] | None:
        """What the classes and the functions give that it calls."""
        if call.args and m.matches(call.func, GETTING) and (found := self._got(call, walk)) is not None:
            return found
        callees = self._left_of(call.func, walk)
        if not callees or not all(isinstance(each, Class | Function | BoundMethod) for each in callees):
            return None
        made = [each for each in self.values.of(call) if isinstance(each, Instance) and each.node is call]
        functions = (each.function if isinstance(each, BoundMethod) else each for each in callees)
        returned = [self._returned(each.node, walk) for each in functions if isinstance(each, Function)]
        kept: set[Value] = {each for each in made if each.cls in callees}
        return kept.union(*(self._of_all(each, walk) for each in returned))

    def _got(self, call: cst.Call, walk: _Walk) -> set[Value] | None:
        """What a mapping's `get` gives."""
        given = [each.value for each in call.args]
        try:
            key = self.value(given[0])
        except NotKnown:
            return None
        owner = cst.ensure_type(call.func, cst.Attribute).value
        return self._of_element(owner, key, walk, given[1] if len(given) > 1 else None)

    def _returned(self, function: Code, walk: _Walk) -> Iterator[cst.BaseExpression]:
        """What a function may give, in what is run of it."""
        if isinstance(function, cst.Lambda):
            yield function.body
            return
        for each in self.index.own(function, cst.Return):
            aside = self.left_out(each)
            walk.note(aside)
            if not aside and each.value:
                yield each.value

    def other_called(self, call: cst.Call, function: Code) -> Known | None:
        if (call, function) not in self._others:
            self._others[call, function] = None
            every, walk = [*self.values.of(call.func)], _Walk()
            left = self._left_of(call.func, walk) if len(every) > 1 else every
            are_plain = all(isinstance(each, Function) for each in every)
            if are_plain and Function(function) in every and Function(function) not in left:
                self._others[call, function] = Known(True, tuple(walk.said))
        return self._others[call, function]
