"""Hooks that Lightning would call, and the script would not: they are no methods that stand in a class that is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...index.search import code_for
from ...ir.project import Class, Project, Statement
from ...lightning import api
from ...values import BoundMethod, External, Function, Instance, Partial, Unknown, Value, Values, values_of
from ...values import Class as ClassValue
from ...values.flow import ANY_NAME
from ..callbacks.callbacks import is_callback
from .aliased import aliasing_places
from .assigned import (
    GivenByCalls,
    adopting_places,
    assigned_hooks,
    loader_places,
    loading_places,
    owner_name,
    unasked_places,
)
from .classes import has_steps
from .flags import flag_places

HOOKS = (api.HOOKS | api.STEPS | api.CALLBACK_HOOKS | {"state_dict", "load_state_dict"}) - {"forward"}
"""What a script calls by its name, as Lightning does."""

HOOKED = {"LightningModule", "LightningDataModule", *api.CALLBACKS}


OF_NO_HOOKS = frozenset(
    "abc collections dataclasses enum functools huggingface_hub logging numbers torch typing typing_extensions".split()
)
"""Packages whose classes have no hooks of Lightning's."""


SETATTR = m.Call(m.Name("setattr"), [m.Arg(), m.Arg(), m.Arg()])
PUT_TOGETHER = m.Call(m.Name("setattr"), [m.Arg(), m.Arg(m.FormattedString()), m.Arg()])
"""`setattr(model, f"loss_{name}", ...)`"""

NAMESPACES = m.Name("exec") | m.Name("eval") | m.Name("locals") | m.Name("vars") | m.Name("globals")


def check_hooks(
    project: Project,
    statements: Iterable[Statement],
    called: frozenset[str],
    given: GivenByCalls,
    loads_whole: bool,
) -> Iterator[Diagnostic]:
    """Those of models, data modules and callbacks; `called` are hooks of evaluations, `given` loaders of all calls.

    `loads_whole`: models load their weights themselves, not shares of them.
    """
    classes = [cls for statement in statements for cls in project.classes_in(statement)]
    hooked = [cls for cls in classes if cls.kind != "other" or is_callback(cls)]
    lineage = dict.fromkeys(part for cls in hooked for part in cls.lineage)
    check = _Hooks(project, values_of(project), (HOOKS - api.UNCALLED) | called, given, loads_whole)
    yield from check.set(lineage)
    yield from check.set_under_any_name()
    yield from check.unread(lineage)
    yield from check.replaced(lineage)
    yield from check.hidden(statements)
    yield from check.inherited(lineage)


@dataclass(frozen=True)
class _Hooks:
    project: Project
    values: Values
    names: frozenset[str]
    given: GivenByCalls
    loads_whole: bool

    def set(self, classes: Iterable[Class]) -> Iterator[Diagnostic]:
        """What binds a hook's name but a method of the class: in its body, or while the program runs."""
        found: dict[tuple[cst.CSTNode, str], str] = {
            (each, each.value): "" for cls in classes for each in self._bound(cls)
        }
        for owner, name, place in self.values.stores():
            if self._has_hooks(owner):
                found.setdefault((place, name), self._set_outside(owner, place))
        known = {(each.place, each.name) for each in assigned_hooks(self.project)}
        known |= adopting_places(self.project) | loader_places(self.project)
        known |= aliasing_places(self.project) | flag_places(self.project)
        known |= unasked_places(self.project, self.given)
        known |= loading_places(self.project) if self.loads_whole else frozenset()
        for (place, name), cls_name in found.items():
            if name in self.names and (place, name) not in known:
                yield messages.assigned_hook((self.project.source, place), name, cls_name)

    def _set_outside(self, owner: Value, place: cst.CSTNode) -> str:
        """The name of the user's class of which something is set, where that stands in no class."""
        return owner_name(owner) if self.project.index.class_of(place) is None else ""

    def set_under_any_name(self) -> Iterator[Diagnostic]:
        """Functions that become members while the program runs, of a name that is not known."""
        for owner, name, place in self.values.stores():
            is_known = isinstance(owner, Instance | ClassValue) and self._has_hooks(owner)
            if name == ANY_NAME and is_known and self._may_name_hook(place):
                by_name = m.matches(place, SETATTR)
                value = cst.ensure_type(place, cst.Call).args[2].value if by_name else None
                members = self.values.of(value) if value else self.values.attribute(owner, ANY_NAME)
                if any(isinstance(each, Function | BoundMethod | Partial) for each in members.values):
                    yield messages.assigned_member((self.project.source, place))

    def _may_name_hook(self, place: cst.CSTNode) -> bool:
        """Whether a name that is put together, such as `f"loss_{n}"`, may be a hook's."""
        if not m.matches(place, PUT_TOGETHER):
            return True
        text = cst.ensure_type(cst.ensure_type(place, cst.Call).args[1].value, cst.FormattedString)
        is_text = (isinstance(part, cst.FormattedStringText) for part in text.parts)
        parts = (
            re.escape(code_for(part)) if known else ".*"
            for part, known in zip(text.parts, is_text, strict=True)
        )
        pattern = re.compile("".join(parts))
        return any(map(pattern.fullmatch, self.names))

    def unread(self, classes: Iterable[Class]) -> Iterator[Diagnostic]:
        """What defines members of a class in ways that are not read, such as `exec`."""
        for cls in classes:
            for call in self.project.index.within(cls.node.body, cst.Call):
                is_own = self.project.index.scope_of(call) is self.project.index.inner_scope(cls.node)
                if is_own and m.matches(call.func, NAMESPACES):
                    yield messages.class_body_unread((self.project.source, call), cls.name)

    def _bound(self, cls: Class) -> Iterator[cst.Name]:
        """The names that the class's body binds, but by its methods."""
        for variable in self.project.index.inner_scope(cls.node).variables.values():
            for binding in variable.bindings:
                is_method = isinstance(binding.by, cst.FunctionDef) and binding.by in cls.node.body.body
                is_method = is_method or binding.node.value in cls.renamed.keys() | cls.adopted.keys()
                if not is_method:
                    yield binding.node

    def _has_hooks(self, owner: Value) -> bool:
        """Whether Lightning calls hooks of an object, or of objects of a class."""
        cls = owner.cls if isinstance(owner, Instance) else owner
        if isinstance(cls, ClassValue):
            return not HOOKED.isdisjoint(self.values.lightning_bases(cls))
        return isinstance(cls, Unknown) or (isinstance(cls, External) and cls.lightning in HOOKED)

    def replaced(self, classes: Iterable[Class]) -> Iterator[Diagnostic]:
        """Classes in whose place a decorator puts another one of the user's."""
        for cls in classes:
            # a decorator that gives its argument back gives, as far as is known, any class that it decorates
            others = [each for each in self.values.of(cls.node.name).classes if not each.node.decorators]
            if cls.node.decorators and others:
                at = self.project.source, cls.node.decorators[0]
                yield messages.replaced_class(at, cls.name, others[0].name)

    def hidden(self, statements: Iterable[Statement]) -> Iterator[Diagnostic]:
        """Classes that are not read: of the name of another one, or of a base that is known only when code runs."""
        read = {cls.node for cls in self.project.classes.values()}
        nodes = [node for each in statements for node in self.project.index.within(each.node, cst.ClassDef)]
        for node in nodes:
            if node in read:
                continue
            is_named = node.name.value in self.project.classes
            made = self._has_hooks(ClassValue(node)) and self._is_made(node)
            if is_named and (made or self._is_base(node, read)):
                yield messages.same_name((self.project.source, node.name), node.name.value)
            elif made and not has_steps(node):  # else it is told of models
                yield messages.made_base((self.project.source, node.bases[0].value), node.name.value)

    def _is_base(self, node: cst.ClassDef, others: Iterable[cst.ClassDef]) -> bool:
        """Whether others derive from the class."""
        bases = [base.value for other in others for base in other.bases]
        return any(each.node is node for base in bases for each in self.values.of(base).classes)

    def _is_made(self, node: cst.ClassDef) -> bool:
        """Whether objects of the class are made, as far as can be read."""
        calls = self.project.index.of_kind(cst.Call)
        return any(each.node is node for call in calls for each in self.values.callees(call).classes)

    def inherited(self, classes: Iterable[Class]) -> Iterator[Diagnostic]:
        """Bases of libraries that may have hooks, which are not read."""
        for cls in classes:
            for base in (each.value for each in cls.node.bases if not each.keyword):
                for found in self.values.of(base):
                    is_open = isinstance(found, External) and not found.lightning and not found.is_local
                    if is_open and found.package not in OF_NO_HOOKS:  # type: ignore[union-attr]  # it is External
                        yield messages.base_unread((self.project.source, base), cls.name)
