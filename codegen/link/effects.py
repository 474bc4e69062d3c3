"""What running a module's statements does, beside binding names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..source.pure_calls import gives_a_value
from .modules.graph import Definition, External, Graph
from .modules.module import Module
from .modules.scopes import Use, uses_of

CONSTRUCTORS = ("__new__", "__init__", "__post_init__")


def acts(node: ast.AST) -> bool:
    """Whether a statement calls something for its effect, or changes an object, beside binding names."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
        return False
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign) and any(
        isinstance(t, ast.Subscript | ast.Attribute) for t in node.targets
    ):
        return True
    return any(map(acts, ast.iter_child_nodes(node)))


@dataclass(frozen=True)
class Effects:
    """What statements do by what they call and change that is not the project's, told by the names of that."""

    graph: Graph
    calls: Callable[[str], bool]  # whether a call of this name counts
    changes: Callable[[str], bool]

    def of(self, module: Module, nodes: Iterable[ast.stmt], seen: set[Definition] | None = None) -> bool:
        """Whether statements call or change something of the kind, or what they call of the project's does.

        What has been `seen` is not looked at again: had it done so, that had ended the search.
        """
        seen = set() if seen is None else seen
        return any(
            any(self.may_be_of(module, use, seen) for use in _called(node))
            or any(self._changes(module, use) for use in _changed(node))
            for node in nodes
        )

    def may_be_of(self, module: Module, use: Use, seen: set[Definition] | None = None) -> bool:
        """Whether a call of what is used, or of one of its methods, may do so."""
        seen = set() if seen is None else seen
        target = self.graph.resolve(module, use.name)
        if isinstance(target, Definition):
            return target not in seen and self._defined_acts(target, seen)
        if isinstance(target, External):
            return self.calls(_dotted(target, use))
        return target is None and self.calls(".".join((use.name, *use.attributes)))

    def _changes(self, module: Module, use: Use) -> bool:
        target = self.graph.resolve(module, use.name)
        return isinstance(target, External) and self.changes(_dotted(target, use))

    def _defined_acts(self, definition: Definition, seen: set[Definition]) -> bool:
        """Whether calling a function or a class, or a method of an object, may do so."""
        seen.add(definition)
        nodes = [node for chunk in definition.module.binders[definition.name] for node in chunk.nodes]
        return self.of(definition.module, [each for node in nodes for each in _run_by_call(node)], seen)


def acts_outside(graph: Graph, module: Module, nodes: Iterable[ast.stmt]) -> bool:
    """Whether statements call what is not the project's, or change it, and so may print, write, or set a library up."""
    return Effects(graph, calls=_acts, changes=bool).of(module, nodes)


def own_calls_act_outside(graph: Graph, module: Module, nodes: Iterable[ast.stmt]) -> bool:
    """The same of calls of the project's functions; what a library's give is taken for a value."""
    uses = [use for node in nodes for use in _called(node)]
    own = (use for use in uses if isinstance(graph.resolve(module, use.name), Definition))
    effects = Effects(graph, calls=_acts, changes=bool)
    return any(effects.may_be_of(module, use) for use in own)


def _acts(dotted: str) -> bool:
    return not gives_a_value(dotted)


def _dotted(target: External, use: Use) -> str:
    return ".".join(filter(None, (target.bound.module, target.bound.attribute, *use.attributes)))


def _called(node: ast.stmt) -> Iterator[Use]:
    """The global names whose values, or their methods, a statement calls when it is run."""
    return _heads(node, (each for each in _run(node) if isinstance(each, ast.Call)))


def _changed(node: ast.stmt) -> Iterator[Use]:
    """The global names of whose values a statement sets attributes or entries when it is run."""
    held = (each for each in _run(node) if isinstance(each, ast.Attribute | ast.Subscript))
    return _heads(node, (each for each in held if not isinstance(each.ctx, ast.Load)))


def _heads(node: ast.stmt, nodes: Iterable[ast.expr]) -> Iterator[Use]:
    """The global names that expressions in a statement begin with."""
    uses = {use.spans[0][0]: use for use in uses_of(node).names}
    for root in map(head, nodes):
        if use := uses.get((root.lineno, root.col_offset)):
            yield use


def _run_by_call(node: ast.stmt) -> list[ast.stmt]:
    """The statements that a call of what a statement binds runs; of an object's method, those that make the object."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [node]
    if isinstance(node, ast.ClassDef):
        methods = (each for each in node.body if isinstance(each, ast.FunctionDef))
        return [each for each in methods if each.name in CONSTRUCTORS]
    return [node]


def _run(node: ast.stmt) -> Iterator[ast.AST]:
    """What running a statement runs; of a function, its body."""
    waiting: list[ast.AST] = [*node.body] if isinstance(node, ast.FunctionDef) else [node]
    while waiting:
        each = waiting.pop()
        yield each
        if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(each)


def head(node: ast.expr) -> ast.expr:
    """What the chain of calls and attributes begins with: `ConfigStore` of `ConfigStore.instance().store(...)`."""
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node
