"""Which variables of the project's a definition finds as they are, and which the calls of a statement may change."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ...ir.project import Project, Statement
from ...source.pure_calls import gives_a_value
from .executed import ASKING, CONSTRUCTORS, Definition, Function, Held, executed, head_of

Names = frozenset[str]


@dataclass(frozen=True)
class OwnState:
    project: Project

    def found_by(self, statement: Statement) -> Names:
        """What decorators, defaults and class bodies look up, and what is looked up by what they call."""
        nodes = list(_run_to_define(ast.parse(statement.code)))
        names = set(_loaded(nodes))
        names.update(name for body in self.called(nodes) for name in _loaded(body))
        return frozenset(filter(self._may_change, names))

    def changed_by(self, statement: Statement) -> Names:
        """What the statement itself, or what it calls, hands on, calls a method of, or sets a part of."""
        nodes = list(executed(ast.parse(statement.code)))
        bodies = [nodes, *self.called(nodes)]
        touched = {name for body in bodies for name in _touched(body)}.difference(statement.names)
        return frozenset(filter(self._may_change, touched))

    def called(self, nodes: Iterable[ast.AST]) -> Iterator[list[ast.AST]]:
        """What the project's functions run that are called, by others of them, too."""
        seen, waiting = set[ast.AST](), list(nodes)
        while waiting:
            node = waiting.pop()
            for function in self._functions(node) if isinstance(node, ast.Call) else ():
                if function not in seen:
                    seen.add(function)
                    body = [part for each in function.body for part in executed(each, within=True)]
                    yield body
                    waiting += body

    def _functions(self, call: ast.Call) -> Iterator[Function]:
        """Those that a call may run: of a class the constructors, or methods of the name that is called."""
        head = head_of(call.func)
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        bound = self.binding.get(head.id, []) if isinstance(head, ast.Name) else []
        for node in bound:
            if isinstance(node, Function):
                yield node
            elif isinstance(node, ast.ClassDef):
                yield from self._methods(node, [name] if name else CONSTRUCTORS)
        if name and not any(isinstance(node, Definition) for node in bound):
            yield from self._by_method.get(name, ())  # an object's, whichever that is

    def _methods(self, cls: ast.ClassDef, names: Iterable[str]) -> Iterator[Function]:
        """Those of a class and of its bases, each of which is read once, also where they go in a circle."""
        seen, waiting = set[ast.stmt](), [cls]
        while waiting:
            each = waiting.pop()
            if each not in seen:
                seen.add(each)
                yield from (node for node in each.body if isinstance(node, Function) and node.name in names)
                bases = (base.id for base in each.bases if isinstance(base, ast.Name))
                found = (node for name in bases for node in self.binding.get(name, ()))
                waiting += (node for node in found if isinstance(node, ast.ClassDef))

    @cached_property
    def binding(self) -> dict[str, list[ast.stmt]]:
        """The statements that bind each name."""
        found: dict[str, list[ast.stmt]] = {}
        for statement in self.project.statements:
            for name in dict.fromkeys(statement.names):
                found.setdefault(name, []).extend(ast.parse(statement.code).body)
        return found

    @cached_property
    def _by_method(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for nodes in self.binding.values():
            for cls in (each for each in nodes if isinstance(each, ast.ClassDef)):
                for method in (each for each in cls.body if isinstance(each, Function)):
                    found.setdefault(method.name, []).append(method)
        return found

    @cached_property
    def _set_by_functions(self) -> Names:
        """What functions declare global, and so may bind anew."""
        code = "\n".join(each.code for each in self.project.statements if "global " in each.code)
        declared = re.findall(r"^\s*global ([\w, ]+)", code, re.M)
        return frozenset(name.strip() for names in declared for name in names.split(","))

    def _may_change(self, name: str) -> bool:
        """Whether it is the project's, and neither a function nor a value that is bound once and cannot change."""
        bound = self.binding.get(name, ())
        if not bound or all(isinstance(node, Function) for node in bound):
            return False
        return name in self._set_by_functions or len(bound) > 1 or not _is_constant(bound[0])


def _is_constant(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    return value is not None and _is_immutable(value)


def _is_immutable(value: ast.expr) -> bool:
    if isinstance(value, ast.Tuple):
        return all(map(_is_immutable, value.elts))
    value = value.operand if isinstance(value, ast.UnaryOp) else value
    return isinstance(value, ast.Constant | ast.JoinedStr)


def _run_to_define(tree: ast.Module) -> Iterator[ast.AST]:
    """What definitions run as they are made; bases, whose attributes are looked up later, aside."""
    for node in tree.body:
        yield from executed(node)
        for decorator in node.decorator_list if isinstance(node, Definition) else ():
            yield from executed(decorator)
            yield ast.Call(decorator, [], [])  # with what it decorates


def _loaded(nodes: Iterable[ast.AST]) -> Iterator[str]:
    return (each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))


# ---- what code may change --------------------------------------------------------------------------------


def _touched(nodes: list[ast.AST]) -> Iterator[str]:
    """The names with which nodes do more than to read a part, to ask for something, or to call the thing itself."""
    harmless = {id(name) for node in nodes for name in _only_read(node)}
    for node in nodes:
        if isinstance(node, ast.Name) and id(node) not in harmless:
            yield node.id
        elif isinstance(node, Held) and not isinstance(node.ctx, ast.Load):
            yield from _name_of(head_of(node))
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr not in ASKING
        ):
            yield from _name_of(head_of(node.func))


def _name_of(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id


def _only_read(node: ast.AST) -> Iterator[ast.expr]:
    """The names right below a node that it does no more with."""
    if isinstance(node, Held):
        yield node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield node.func
        yield from node.args if gives_a_value(node.func.id) or node.func.id == "print" else ()
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.FormattedValue):
        yield node.value
    elif isinstance(node, ast.For | ast.comprehension):
        yield node.iter
