"""The one walk over a syntax tree: each node's number, parent and scope, and what its names do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

import libcst as cst

from .children import children
from .scope import Binding, Scope

CONSTANTS = frozenset({"None", "True", "False"})


class Role(Enum):
    """What a name does where it stands."""

    READ = auto()
    BOUND = auto()
    IMPORTED = auto()  # the first part of a dotted name is bound
    NONE = auto()  # it is no variable


class Part(NamedTuple):
    """A node to be visited, and what is known of its place."""

    node: cst.CSTNode
    scope: Scope
    role: Role = Role.READ
    binder: cst.CSTNode | None = None


@dataclass
class Walk:
    """What was seen, by the numbers that nodes get in the order of the source, parents first."""

    module: Scope = field(default_factory=lambda: Scope("module", None, None))
    nodes: list[cst.CSTNode] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    numbers: dict[cst.CSTNode, int] = field(default_factory=dict)
    kinds: dict[type[cst.CSTNode], list[int]] = field(default_factory=dict)
    read: list[tuple[cst.Name, Scope]] = field(default_factory=list)
    bound: list[tuple[cst.Name, Scope, cst.CSTNode]] = field(default_factory=list)

    def visit(self, trees: Iterable[cst.CSTNode]) -> None:
        stack = [(Part(tree, self.module), -1) for tree in reversed(list(trees))]
        while stack:
            part, parent = stack.pop()
            if part.node in self.numbers:
                continue  # a tree that was given twice
            number = self._number(part, parent)
            if isinstance(part.node, cst.Name):
                self._name(part.node, part)
                continue
            rule = RULES.get(type(part.node))
            parts = rule(part) if rule else _read(part)
            stack += [(each, number) for each in reversed(list(parts))]

    def _number(self, part: Part, parent: int) -> int:
        number = len(self.nodes)
        self.nodes.append(part.node)
        self.parents.append(parent)
        self.scopes.append(part.scope)
        self.numbers[part.node] = number
        self.kinds.setdefault(type(part.node), []).append(number)
        return number

    def _name(self, node: cst.Name, part: Part) -> None:
        if part.role is Role.NONE or node.value in CONSTANTS:
            return
        scope, name = part.scope, part.scope.mangled(node.value)
        if part.role is Role.READ:
            self.read.append((node, scope))
            return
        assert part.binder is not None
        while scope.kind == "comprehension" and isinstance(part.binder, cst.NamedExpr) and scope.parent:
            scope = scope.parent
        scope.bound.add(name)
        self.bound.append((node, scope, part.binder))
        if isinstance(part.binder, cst.AugAssign):
            self.read.append((node, scope))

    def resolve(self) -> dict[cst.Name, Binding]:
        """Tell bindings and uses to their variables, once all are known."""
        bindings = {}
        for node, scope, binder in self.bound:
            variable = scope.lookup(scope.mangled(node.value))
            bindings[node] = Binding(node, binder, variable)
            variable.bindings.append(bindings[node])
        for node, scope in self.read:
            scope.lookup(scope.mangled(node.value)).uses.append(node)
        return bindings


# ---- the parts of each kind of node --------------------------------------------------------------------------


def _read(part: Part) -> Iterator[Part]:
    return (Part(child, part.scope) for child in children(part.node))


def _same(part: Part) -> Iterator[Part]:
    """Tuples, lists and their elements: what is done to them is done to their parts."""
    return (Part(child, part.scope, part.role, part.binder) for child in children(part.node))


def _binds(*fields: str) -> Callable[[Part], Iterator[Part]]:
    """A node of which some fields hold what it binds."""

    def parts(part: Part) -> Iterator[Part]:
        targets = [getattr(part.node, name) for name in fields]
        for child in children(part.node):
            is_target = any(child is target for target in targets)
            yield Part(child, part.scope, Role.BOUND if is_target else Role.READ, part.node)

    return parts


def _assign(part: Part) -> Iterator[Part]:
    assert isinstance(part.node, cst.Assign)
    yield from (Part(target, part.scope, Role.BOUND, part.node) for target in part.node.targets)
    yield Part(part.node.value, part.scope)


def _assign_target(part: Part) -> Iterator[Part]:
    return (Part(child, part.scope, Role.BOUND, part.binder) for child in children(part.node))


def _attribute(part: Part) -> Iterator[Part]:
    assert isinstance(part.node, cst.Attribute)
    role = part.role if part.role in (Role.IMPORTED, Role.NONE) else Role.READ
    yield Part(part.node.value, part.scope, role, part.binder)
    yield Part(part.node.attr, part.scope, Role.NONE)


def _arg(part: Part) -> Iterator[Part]:
    assert isinstance(part.node, cst.Arg)
    if part.node.keyword:
        yield Part(part.node.keyword, part.scope, Role.NONE)
    yield Part(part.node.value, part.scope)


def _nothing_read(part: Part) -> Iterator[Part]:
    return (Part(child, part.scope, Role.NONE) for child in children(part.node))


def _keyword_pattern(part: Part) -> Iterator[Part]:
    assert isinstance(part.node, cst.MatchKeywordElement)
    yield Part(part.node.key, part.scope, Role.NONE)
    yield Part(part.node.pattern, part.scope)


# ---- imports and declarations


def _import_from(part: Part) -> Iterator[Part]:
    assert isinstance(part.node, cst.ImportFrom)
    if part.node.module:
        yield Part(part.node.module, part.scope, Role.NONE)
    if isinstance(part.node.names, cst.ImportStar):
        part.scope.stars.append(part.node)
    else:
        yield from (Part(alias, part.scope) for alias in part.node.names)


def _import_alias(part: Part) -> Iterator[Part]:
    node = part.node
    assert isinstance(node, cst.ImportAlias)
    yield Part(node.name, part.scope, Role.NONE if node.asname else Role.IMPORTED, node)
    if node.asname:
        yield Part(node.asname, part.scope, Role.BOUND, node)


def _global(part: Part) -> Iterator[Part]:
    assert isinstance(part.node, cst.Global)
    part.scope.declared_global.update(part.scope.mangled(each.name.value) for each in part.node.names)
    return _nothing_read(part)


def _nonlocal(part: Part) -> Iterator[Part]:
    assert isinstance(part.node, cst.Nonlocal)
    part.scope.declared_nonlocal.update(part.scope.mangled(each.name.value) for each in part.node.names)
    return _nothing_read(part)


# ---- what opens scopes


def _function(part: Part) -> Iterator[Part]:
    node, outer = part.node, part.scope
    assert isinstance(node, cst.FunctionDef)
    yield from (Part(each, outer) for each in node.decorators)
    yield Part(node.name, outer, Role.BOUND, node)
    if node.type_parameters:
        outer = Scope("types", node, outer, outer.private)
        yield Part(node.type_parameters, outer)
    inner = Scope("function", node, outer, outer.private)
    yield Part(node.params, inner)
    if node.returns:
        yield Part(node.returns, outer)
    yield Part(node.body, inner)


def _lambda(part: Part) -> Iterator[Part]:
    assert isinstance(part.node, cst.Lambda)
    inner = Scope("lambda", part.node, part.scope, part.scope.private)
    yield Part(part.node.params, inner)
    yield Part(part.node.body, inner)


def _param(part: Part) -> Iterator[Part]:
    """A parameter is bound in its function; its annotation and default are read round it."""
    assert isinstance(part.node, cst.Param)
    assert part.scope.parent
    yield Part(part.node.name, part.scope, Role.BOUND, part.node)
    outer = (part.node.annotation, part.node.default)
    yield from (Part(each, part.scope.parent) for each in outer if each)


def _class(part: Part) -> Iterator[Part]:
    node, outer = part.node, part.scope
    assert isinstance(node, cst.ClassDef)
    yield from (Part(each, outer) for each in node.decorators)
    yield Part(node.name, outer, Role.BOUND, node)
    if node.type_parameters:
        outer = Scope("types", node, outer, outer.private)
        yield Part(node.type_parameters, outer)
    yield from (Part(each, outer) for each in (*node.bases, *node.keywords))
    yield Part(node.body, Scope("class", node, outer, node.name.value))


def _comprehension(part: Part) -> Iterator[Part]:
    inner = Scope("comprehension", part.node, part.scope, part.scope.private)
    return (Part(child, inner) for child in children(part.node))


def _comp_for(part: Part) -> Iterator[Part]:
    """The first iterable of a comprehension is read round it, all else in it."""
    node = part.node
    assert isinstance(node, cst.CompFor)
    assert part.scope.parent
    is_first = getattr(part.scope.node, "for_in", None) is node
    yield Part(node.target, part.scope, Role.BOUND, node)
    yield Part(node.iter, part.scope.parent if is_first else part.scope)
    yield from (Part(each, part.scope) for each in node.ifs)
    if node.inner_for_in:
        yield Part(node.inner_for_in, part.scope)


RULES: dict[type[cst.CSTNode], Callable[[Part], Iterable[Part]]] = {
    cst.AnnAssign: _binds("target"),
    cst.Arg: _arg,
    cst.AsName: _same,
    cst.Assign: _assign,
    cst.AssignTarget: _assign_target,
    cst.Attribute: _attribute,
    cst.AugAssign: _binds("target"),
    cst.ClassDef: _class,
    cst.CompFor: _comp_for,
    cst.Del: _binds("target"),
    cst.DictComp: _comprehension,
    cst.Element: _same,
    cst.ExceptHandler: _binds("name"),
    cst.ExceptStarHandler: _binds("name"),
    cst.For: _binds("target"),
    cst.FunctionDef: _function,
    cst.GeneratorExp: _comprehension,
    cst.Global: _global,
    cst.ImportAlias: _import_alias,
    cst.ImportFrom: _import_from,
    cst.Lambda: _lambda,
    cst.List: _same,
    cst.ListComp: _comprehension,
    cst.MatchAs: _binds("name"),
    cst.MatchKeywordElement: _keyword_pattern,
    cst.MatchMapping: _binds("rest"),
    cst.MatchStar: _binds("name"),
    cst.NameItem: _nothing_read,
    cst.NamedExpr: _binds("target"),
    cst.Nonlocal: _nonlocal,
    cst.Param: _param,
    cst.ParamSpec: _binds("name"),
    cst.SetComp: _comprehension,
    cst.StarredElement: _same,
    cst.Tuple: _same,
    cst.TypeAlias: _binds("name"),
    cst.TypeVar: _binds("name"),
    cst.TypeVarTuple: _binds("name"),
    cst.WithItem: _binds("asname"),
}
