"""What stands where in a syntax tree, and which variable each name is: one walk, many questions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Any, TypeVar, cast

import libcst as cst

from . import patterns as m
from .scope import Binding, Scope, Variable
from .walk import Walk

Node = TypeVar("Node", bound=cst.CSTNode)


class Index:
    """Nodes by kind and place, scopes, and what binds and uses each name.

    Nodes are numbered in the order of the source, parents first, so that the nodes within a node are an interval.

        index = project.index
        index.of_kind(cst.Call)                # every call, in the order of the source
        index.within(method, cst.Return)       # in a node, itself included, in functions in it too
        index.matching(method, m.Call(...))    # in a node, itself included, what a pattern matches
        index.own(method, cst.Return)          # in a function's own code: those in it are left out
        index.at_once(statement, cst.Call)     # in a statement of the module's, where it is run with it
        index.references(node)                 # the Names in it that are read, and the Attributes
        index.parent(node)                     # the node round it
        index.ancestor(node, cst.With)         # the nearest of a kind round it
        index.function_of(node)                # whose code it is part of: a default is part of the code outside
        index.class_of(node)
        index.scope_of(node).lookup("model")   # the variable that a name would be there
        index.variable(name)                   # the variable that a Name is, bound or read; None: it is no variable
        index.bindings(name)                   # what binds that; `by` is the Assign, For, Param, ImportAlias …
        binding.uses                           # the Names that read it
        index.attributes("fit")                # `….fit`, wherever it stands
    """

    def __init__(self, trees: Iterable[cst.CSTNode]) -> None:
        self.trees = tuple(trees)
        self._walk = walk = Walk()
        walk.visit(self.trees)
        self._bindings = walk.resolve()
        self._read = dict(walk.read)
        self._sizes = _sizes(walk.parents)
        self._of_kinds: dict[tuple[type[cst.CSTNode], ...], list[int]] = {}
        self.kept: dict[type, list[Any]] = {}  # what has been found out about this code, and goes with it

    @property
    def module(self) -> Scope:
        """The scope of the module."""
        return self._walk.module

    # ---- nodes -------------------------------------------------------------------------------------------

    def __contains__(self, node: cst.CSTNode) -> bool:
        return node in self._walk.numbers

    def of_kind(self, *kinds: type[Node]) -> list[Node]:
        """All nodes of the kinds, in the order of the source."""
        return [cast(Node, self._walk.nodes[number]) for number in self._numbers(kinds)]

    def within(self, node: cst.CSTNode, *kinds: type[Node]) -> list[Node]:
        """The nodes of the kinds in `node`, itself included."""
        first, numbers = self._walk.numbers[node], self._numbers(kinds)
        start, end = bisect_left(numbers, first), bisect_left(numbers, first + self._sizes[first])
        return [cast(Node, self._walk.nodes[number]) for number in numbers[start:end]]

    def matching(self, node: cst.CSTNode, pattern: m.Pattern) -> list[cst.CSTNode]:
        """The nodes in `node`, itself included, that a pattern matches."""
        return [each for each in self.within(node, *m.kinds(pattern)) if m.matches(each, pattern)]

    def own(self, function: cst.FunctionDef | cst.Lambda, *kinds: type[Node]) -> list[Node]:
        """The nodes of the kinds in a function's own code, and in the comprehensions and classes of it."""
        scope = self._walk.scopes[self._walk.numbers[function.body]]
        return [
            node for node in self.within(function.body, *kinds) if _function(self.scope_of(node)) is scope
        ]

    def at_once(self, node: cst.CSTNode, *kinds: type[Node]) -> list[Node]:
        """The nodes of the kinds in a statement of the module's, but for what functions and lambdas in it run later."""
        return [each for each in self.within(node, *kinds) if _function(self.scope_of(each)) is None]

    def references(self, node: cst.CSTNode) -> list[cst.Name | cst.Attribute]:
        """The names in `node` that are read as variables, and all attributes, in the order of the source.

        The dotted name of a module in an import is no attribute.
        """
        found: list[cst.Name | cst.Attribute] = self.within(node, cst.Name, cst.Attribute)
        imports = self.within(node, cst.Import, cst.ImportFrom)
        modules = {each for statement in imports for each in self.within(statement, cst.Attribute)}
        read = [each for each in found if isinstance(each, cst.Attribute) or each in self._read]
        return [each for each in read if each not in modules]

    def _numbers(self, kinds: tuple[type[cst.CSTNode], ...]) -> list[int]:
        """The numbers of all nodes of the kinds, and of kinds derived from these."""
        if kinds not in self._of_kinds:
            lists = [found for kind, found in self._walk.kinds.items() if issubclass(kind, kinds)]
            merged = lists[0] if len(lists) == 1 else sorted(number for each in lists for number in each)
            self._of_kinds[kinds] = merged
        return self._of_kinds[kinds]

    # ---- what stands round a node ------------------------------------------------------------------------

    def order(self, node: cst.CSTNode) -> int:
        """Its place in the order of the source."""
        return self._walk.numbers[node]

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node right above it; None: it is one of those that the index was made of."""
        number = self._walk.parents[self._walk.numbers[node]]
        return None if number < 0 else self._walk.nodes[number]

    def ancestor(self, node: cst.CSTNode, *kinds: type[Node]) -> Node | None:
        """The nearest node of the kinds round `node`."""
        found = self.parent(node)
        while found is not None and not isinstance(found, kinds):
            found = self.parent(found)
        return found

    def holds(self, node: cst.CSTNode, inner: cst.CSTNode) -> bool:
        """Whether `inner` stands in `node`, or is it."""
        first, place = self._walk.numbers[node], self._walk.numbers.get(inner, -1)
        return first <= place < first + self._sizes[first]

    def function_of(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The function whose code it is part of; of a decorator, default or annotation the one outside."""
        return self.scope_of(node).function

    def class_of(self, node: cst.CSTNode) -> cst.ClassDef | None:
        """The class whose code it is part of, in methods too."""
        return self.scope_of(node).cls

    # ---- names -------------------------------------------------------------------------------------------

    def scope_of(self, node: cst.CSTNode) -> Scope:
        """The scope in which it stands; a function's name stands outside of the function, its parameters inside."""
        return self._walk.scopes[self._walk.numbers[node]]

    def inner_scope(self, node: cst.CSTNode) -> Scope:
        """The scope that a function, a lambda, a class or a comprehension opens."""
        part = node.body if isinstance(node, cst.FunctionDef | cst.Lambda | cst.ClassDef) else node.for_in  # type: ignore[attr-defined]  # a comprehension
        return self.scope_of(part)

    def variable(self, name: cst.Name) -> Variable | None:
        """The variable that a name is; None: an attribute, a keyword or the like."""
        if name in self._bindings:
            return self._bindings[name].variable
        scope = self._read.get(name)
        return scope.lookup(scope.mangled(name.value)) if scope else None

    def binding(self, name: cst.Name) -> Binding | None:
        """The binding that a name stands in; None: it is read there."""
        return self._bindings.get(name)

    def bindings(self, name: cst.Name) -> list[Binding]:
        """All that binds the variable that a name is."""
        variable = self.variable(name)
        return variable.bindings if variable else []

    @cached_property
    def scopes(self) -> list[Scope]:
        """All scopes, outer ones before those in them."""
        return list(dict.fromkeys([self.module, *self._walk.scopes]))

    @cached_property
    def _attributes(self) -> dict[str, list[cst.Attribute]]:
        found: dict[str, list[cst.Attribute]] = {}
        for node in self.of_kind(cst.Attribute):
            found.setdefault(node.attr.value, []).append(node)
        return found

    def attributes(self, *names: str) -> list[cst.Attribute]:
        """Expressions that end in one of the names behind a dot."""
        return [node for name in names for node in self._attributes.get(name, ())]


@lru_cache(maxsize=8)
def index_of(trees: tuple[cst.CSTNode, ...]) -> Index:
    """The index of the trees; those that were asked for last are kept."""
    return Index(trees)


def _sizes(parents: list[int]) -> list[int]:
    """How many nodes stand in each node, itself included."""
    sizes = [1] * len(parents)
    for number in range(len(parents) - 1, -1, -1):
        if parents[number] >= 0:
            sizes[parents[number]] += sizes[number]
    return sizes


def _function(scope: Scope) -> Scope | None:
    """The innermost function or lambda that a scope is part of."""
    while scope.kind not in ("function", "lambda"):
        if scope.parent is None:
            return None
        scope = scope.parent
    return scope
