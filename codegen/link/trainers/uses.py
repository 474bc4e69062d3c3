"""What the project does with a class that derives from Lightning's Trainer."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ...lightning.trainer_names import INNER, TRAINER_NAMES, is_trainer
from ..modules.graph import Definition, Graph
from ..modules.module import Module
from ..spec.class_paths import ClassPaths

LIGHTNINGS = TRAINER_NAMES | INNER
"""Members that the Trainer has itself."""


@dataclass(frozen=True)
class TrainerClass:
    """A class at the top level of a module, and all modules of the project's."""

    graph: Graph
    module: Module
    node: ast.ClassDef
    modules: tuple[Module, ...]

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def base(self) -> str:
        """What Lightning's Trainer is called there."""
        return ast.unparse(self.node.bases[0])

    @cached_property
    def constructor(self) -> ast.FunctionDef | None:
        return next((each for each in self.methods if each.name == "__init__"), None)

    @property
    def methods(self) -> list[ast.FunctionDef]:
        return [each for each in self.node.body if isinstance(each, ast.FunctionDef)]

    @cached_property
    def calls(self) -> list[ast.Call]:
        """Those of the code's that make an object of it."""
        return [parent for _, node, parent in self._in_code if isinstance(parent, ast.Call)]

    @property
    def is_made(self) -> bool:
        """Whether code makes an object of it, or has one made of a configuration that names it."""
        return bool(self.calls) or len(self._in_code) < len(self._all_uses)

    @cached_property
    def annotations(self) -> list[tuple[Module, ast.expr]]:
        """Where it stands for a type."""
        found = (
            use for use in self._in_code if isinstance(use[2], ast.arg | ast.FunctionDef | ast.AnnAssign)
        )
        return [(module, node) for module, node, _ in found]

    @cached_property
    def is_only_called(self) -> bool:
        """Whether nothing else is done with it."""
        known = all(
            isinstance(each[2], ast.Call | ast.arg | ast.FunctionDef | ast.AnnAssign)
            for each in self._in_code
        )
        return known and self.name not in self.graph.strings

    def is_asked(self, name: str) -> bool:
        """Whether code may ask for a member of that name, in any of the project's objects."""
        return name in self._asked

    @cached_property
    def _asked(self) -> frozenset[str]:
        within = {*ast.walk(self.node)}
        nodes = (each for module in self.modules for each in module.nodes)
        found = _members(each for each in nodes if each not in within) | self.graph.strings
        found |= _members(inner for each in self._once_made for inner in ast.walk(each))
        reached = None
        while reached != found:  # a method that is asked for asks for others
            reached = found
            for each in (each for each in self.methods if each is not self.constructor):
                if each.name in found | LIGHTNINGS:
                    found |= _members(ast.walk(each))
        return found

    @property
    def _once_made(self) -> list[ast.stmt]:
        """The statements of the constructor behind the call of the Trainer's."""
        body = self.constructor.body if self.constructor else []
        places = [place for place, each in enumerate(body, 1) if "__init__(" in ast.unparse(each)]
        return body[places[0] :] if places else body

    @property
    def _in_code(self) -> list[tuple[Module, ast.expr, ast.AST | None]]:
        """Where code names it: a configuration's settings do but have one made, as a function may."""
        return [each for each in self._all_uses if each[0] is not self.graph.configuration]

    @cached_property
    def _all_uses(self) -> list[tuple[Module, ast.expr, ast.AST | None]]:
        return [*self._uses()]

    def _uses(self) -> Iterator[tuple[Module, ast.expr, ast.AST | None]]:
        """Where it is named, and what it is called, annotates, or anything else."""
        own = {*(ast.walk(self.constructor) if self.constructor else ()), *_told_super(self.node)}
        for module in self.modules:
            named = [each for each in module.nodes if each not in own and self._is_named(module, each)]
            roles = _roles(module.tree) if named else {}
            yield from ((module, each, roles.get(each)) for each in named if isinstance(each, ast.expr))

    def _is_named(self, module: Module, node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute):
            path = f"{self.module.place.name}.{self.name}"
            return (
                node.attr == self.name and ClassPaths(self.graph).meaning(module, ast.unparse(node)) == path
            )
        if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
            return False
        target = self.graph.followed(self.graph.resolve(module, node.id))
        return isinstance(target, Definition) and (target.module, target.name) == (self.module, self.name)


def _roles(tree: ast.Module) -> dict[ast.AST, ast.AST]:
    """What is called, with the call, and what says a type, with what has it."""
    found: dict[ast.AST, ast.AST] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Call(function):
                found[function] = node
            case ast.arg(_, ast.expr() as annotation) | ast.AnnAssign(_, annotation):
                found[annotation] = node
            case ast.FunctionDef(returns=ast.expr() as annotation):
                found[annotation] = node
    return found


def _told_super(root: ast.AST) -> Iterator[ast.expr]:
    """The classes in calls such as `super(Own, self)`."""
    for node in ast.walk(root):
        match node:
            case ast.Call(ast.Name("super"), [first, _]):
                yield first


def _members(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names after dots."""
    return frozenset(each.attr for each in nodes if isinstance(each, ast.Attribute))


def trainer_classes(graph: Graph) -> Iterator[TrainerClass]:
    """Those of the project's whose one base is Lightning's Trainer."""
    paths = ClassPaths(graph)
    closures = (graph.closure(first) for first in graph.first_modules)
    closed = dict.fromkeys(module for modules in closures for module in modules)
    modules = tuple(each for each in closed if not each.place.is_far)
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and len(node.bases) == 1 and not node.keywords:
                above = paths.meaning(module, ast.unparse(node.bases[0]))
                if (
                    is_trainer(above)
                    and not node.decorator_list
                    and module.lines[node.lineno - 1].startswith("class")
                ):
                    yield TrainerClass(graph, module, node, modules)
