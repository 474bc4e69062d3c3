"""Functions of the project's that make objects of what names their classes, and what each makes of what it is given."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from ...lightning.api import PACKAGES
from ..modules.classes_named import is_called, is_projects, lightning_classes, names_in
from ..modules.graph import Definition, Graph
from ..modules.module import Module
from .evaluation import Evaluation, Made, NamedObject, NotEvaluated
from .held import Node, NotHeld, Setting, is_plain, part

NAME = re.compile(r"[\w-]+(\.[\w-]+)*")
"""What may be, or be part of, a module's name."""

GIVEN = "config"
"""What the argument is called."""


@dataclass(frozen=True)
class Maker:
    """A function that imports a module by a name that it is given."""

    graph: Graph
    definition: Definition
    node: ast.FunctionDef

    def makes(self, given: Node) -> Made | None:
        """What it makes of one argument; None: that cannot be told."""
        try:
            found = Evaluation(self.graph).called(self.definition.module, self.node, [part(given, GIVEN)])
        except NotEvaluated:
            return None
        if isinstance(found, NamedObject):
            found = Made(found.path)
        return found if isinstance(found, Made) and self._exists(found.path) else None

    def _exists(self, path: str) -> bool:
        """Whether there is such a class; of a library it is believed, unless its module is a class of Lightning's."""
        module, _, name = path.rpartition(".")
        if path.partition(".")[0] in PACKAGES and any(each[:1].isupper() for each in module.split(".")):
            return False  # importing that is an error
        found = self.graph.module(module)
        if found is None:
            return self.graph.module(path.partition(".")[0]) is None
        return bool(found.stars) or name in found.binders or name in found.imports

    def takes(self, text: str) -> Made | None:
        """What it makes of a name, where that is of the project's or of Lightning's."""
        found = self.makes(Setting("", text))
        return found if found and is_own(self.graph, found.path) else None


def is_own(graph: Graph, path: str) -> bool:
    """Whether a dotted path is of a module of the project's, or of Lightning's."""
    return path.partition(".")[0] in PACKAGES or graph.module(path.rpartition(".")[0]) is not None


def makers(graph: Graph, modules: Iterable[Module]) -> list[Maker]:
    """Those at the top level of modules."""
    found = {each: node for module in modules for each, node in _functions(module)}
    naming = {each for each, node in found.items() if any(map(is_import_by_name, ast.walk(node)))}
    while more := {
        each for each, node in found.items() if each not in naming and _calls(graph, each, node) & naming
    }:
        naming |= more
    return [Maker(graph, each, node) for each, node in found.items() if each in naming and node.args.args]


def imports_for_effect(module: Module) -> bool:
    """Whether it imports modules by their names for what they do: what they have is not asked for."""
    return any(isinstance(node, ast.Expr) and is_import_by_name(node.value) for node in module.nodes)


def asked_by(
    graph: Graph, patterns: Iterable[str], texts: Mapping[str, Setting], attributes: Collection[str]
) -> Iterator[tuple[str, Setting]]:
    """What may be meant where code imports modules by names of such forms: what those have that `texts` name.

    And what the code that does so asks them for, by `attributes`.
    """
    parts = [text for text in texts if NAME.fullmatch(text)]
    for name in dict.fromkeys(pattern.replace("*", text) for pattern in patterns for text in parts):
        found = graph.module(name)
        of_lightning = [each for each in lightning_classes(graph, name) if each in texts]
        own = names_in(graph, found) if found else []
        named_there = [each for each in own if found and each in texts and is_called(graph, found, each)]
        asked = [each for each in own if found and each in attributes and is_projects(graph, found, each)]
        for each in dict.fromkeys((*named_there, *asked, *of_lightning)):
            yield f"{name}.{each}", texts.get(each, Setting("", each))


def patterns_in(module: Module, known: Collection[Definition]) -> Iterator[str]:
    """The names of modules that code imports by them, with `*` for what only a run knows.

    That of the `known` functions is left out.
    """
    for statement in module.tree.body:
        name = getattr(statement, "name", None)
        if name is None or Definition(module, name) not in known:
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and is_import_by_name(node):
                    yield _pattern(node.args[0])


def attributes_in(module: Module) -> Iterator[str]:
    """What code asks the modules for that it imports by their names, in place or by variables that these are."""
    named = [node for node in module.nodes if isinstance(node, ast.Assign) and is_import_by_name(node.value)]
    names = {each.id for node in named for each in node.targets if isinstance(each, ast.Name)}
    for node in module.nodes:
        match node:
            case ast.Attribute(ast.Name(name), attribute) if name in names:
                yield attribute
            case ast.Attribute(value, attribute) if is_import_by_name(value):
                yield attribute


def _pattern(node: ast.expr) -> str:
    match node:
        case ast.Constant(str(text)):
            return text
        case ast.BinOp(left, ast.Add(), right):
            return _pattern(left) + _pattern(right)
        case ast.JoinedStr(parts):
            return "".join(map(_pattern, parts))
    return "*"


def written_mappings(module: Module) -> Iterator[tuple[ast.Dict, Node]]:
    """The mappings that a module's code writes out, with what is known of them when building."""
    for node in module.nodes:
        if isinstance(node, ast.Dict) and node.keys:
            with suppress(NotHeld):
                yield node, _written(node)


def _written(node: ast.expr) -> Node:
    """What is known of an expression when building. Raises NotHeld, of mappings whose keys are not known."""
    if isinstance(node, ast.Constant):
        return Setting("", node.value, is_plain(node.value))
    if not isinstance(node, ast.Dict):
        return Setting("", is_known=False)
    held = dict[str, Node]()
    for key, value in zip(node.keys, node.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            raise NotHeld("its keys are not known")
        held[key.value] = _written(value)
    return held


def _functions(module: Module) -> Iterator[tuple[Definition, ast.FunctionDef]]:
    for node in module.tree.body:
        if isinstance(node, ast.FunctionDef):
            yield Definition(module, node.name), node


def is_import_by_name(node: ast.AST) -> bool:
    """Whether it is `importlib.import_module(name)`."""
    match node:
        case ast.Call(
            ast.Attribute(ast.Name("importlib"), "import_module") | ast.Name("import_module"), [name, *_]
        ):
            return not isinstance(name, ast.Constant)
    return False


def _calls(graph: Graph, definition: Definition, node: ast.FunctionDef) -> set[Definition]:
    """The functions of the project's that it calls by their names."""
    names = (
        each.func.id
        for each in ast.walk(node)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
    )
    targets = (graph.resolve(definition.module, name) for name in names)
    return {target for target in targets if isinstance(target, Definition)}
