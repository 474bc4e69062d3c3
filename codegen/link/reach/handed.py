"""Modules that would stay, and ask a trainer or a model, which they are handed, for what only Lightning's have."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Protocol

from ...lightning.api import MEMBERS, UNSUPPORTED_MEMBERS
from ..modules.graph import Definition, Graph
from ..modules.module import Chunk, Module
from ..running.noted import classes_of, definition_at, definitions_called, lineage

RUNNING = frozenset({"fit", "validate", "test", "predict"})
"""Methods with which a Trainer runs a model."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Kind(Enum):
    """What may be handed on."""

    TRAINER = "trainer"
    MODEL = "model"  # or a data module
    COLLECTION = "collection"  # with some of them

    def has(self, attribute: str) -> bool:
        """Whether a plain object in its place lacks the attribute."""
        is_models = self is Kind.MODEL and (attribute in MEMBERS or attribute in UNSUPPORTED_MEMBERS)
        return self is Kind.TRAINER or is_models


PARTS = {
    (Kind.MODEL, "trainer"): Kind.TRAINER,
    (Kind.TRAINER, "model"): Kind.MODEL,
    (Kind.TRAINER, "lightning_module"): Kind.MODEL,
    (Kind.TRAINER, "datamodule"): Kind.MODEL,
}
HANDED_TO_HOOKS = {"trainer": Kind.TRAINER, "pl_module": Kind.MODEL}


class TellsLightning(Protocol):
    """Tells whether a module's class comes from Lightning."""

    def __call__(self, module: Module, node: ast.ClassDef) -> bool: ...


@dataclass(frozen=True)
class Held:
    """What a stretch of code has of them: in variables, and in fields of its `self`."""

    names: Mapping[str, Kind]
    fields: Mapping[str, Kind] = field(default_factory=dict)
    own: str = ""  # the variable of its `self`

    def kind(self, node: ast.AST | None) -> Kind | None:
        """What an expression stands for."""
        match node:
            case ast.Name(name):
                return self.names.get(name)
            case ast.Attribute(ast.Name(name), attribute) if name == self.own and attribute in self.fields:
                return self.fields[attribute]
            case ast.Attribute(value, attribute):
                owner = self.kind(value)
                return PARTS.get((owner, attribute)) if owner else None
            case ast.Dict(values=values) | ast.List(values) | ast.Tuple(values):
                return Kind.COLLECTION if any(map(self.kind, values)) else None
            case ast.Subscript(value) | ast.Call(ast.Attribute(value, "get")):
                # of which nothing is known: a trainer has all that may be asked for
                return Kind.TRAINER if self.kind(value) is Kind.COLLECTION else None
        return None

    def asks(self, node: ast.AST) -> bool:
        """Whether an expression asks one for what only Lightning's have."""
        match node:
            case ast.Attribute(value, attribute):
                owner = self.kind(value)
            case ast.Call(ast.Name("getattr" | "hasattr"), [value, ast.Constant(str(attribute)), *_]):
                owner = self.kind(value)
            case _:
                return False
        return owner is not None and owner.has(attribute)


class Called(NamedTuple):
    """A function that is called, with its module, and its class where that, or an object of it, is called."""

    module: Module
    function: Function
    cls: Definition | None = None


@dataclass
class Handed:
    """Follows what is handed on from the statements that are reached."""

    graph: Graph
    is_lightning: TellsLightning
    of_modules: dict[Module, Held] = field(default_factory=dict)
    found: dict[tuple[ast.AST, frozenset[tuple[str, Kind]]], set[Module]] = field(default_factory=dict)

    def modules(self, chunks: Iterable[tuple[Module, Chunk]]) -> set[Module]:
        """The modules that are not embedded, and ask."""
        if all(map(self.graph.is_embedded, self.graph.closure(self.graph.entry))):
            return set()
        found = set[Module]()
        for module, node in ((module, node) for module, chunk in chunks for node in chunk.nodes):
            for body, held in self._beginnings(module, node):
                found |= self._asking(module, body, held)
        return {each for each in found if not self.graph.is_embedded(each)}

    def _beginnings(self, module: Module, node: ast.stmt) -> Iterator[tuple[ast.AST, Held]]:
        """Where code has a trainer or a model: methods of Lightning's classes, and what runs one."""
        if isinstance(node, ast.ClassDef) and self.is_lightning(module, node):
            for method in (each for each in node.body if isinstance(each, Function) and each.args.args):
                given = {each.arg for each in method.args.args}
                hooks = {name: kind for name, kind in HANDED_TO_HOOKS.items() if name in given}
                yield method, Held({method.args.args[0].arg: Kind.MODEL, **hooks})
        elif isinstance(node, Function):
            yield node, Held(dict(_running(ast.walk(node))))
        elif not isinstance(node, ast.ClassDef):
            yield node, self._at_top_level(module)

    def _at_top_level(self, module: Module) -> Held:
        """What a module's statements have, of which each is a stretch of code of its own."""
        if module not in self.of_modules:
            self.of_modules[module] = Held(dict(_running(module.nodes)))
        return self.of_modules[module]

    def _asking(self, module: Module, body: ast.AST, held: Held) -> set[Module]:
        """The module, where the code asks, and those that it hands one on to, where these do."""
        held = _with_aliases(body, held)
        items = frozenset(
            [*held.names.items(), *((f"self.{name}", kind) for name, kind in held.fields.items())]
        )
        if not items or (body, items) in self.found:
            return self.found.get((body, items), set())
        nodes = list(ast.walk(body))
        found = {module} if any(map(held.asks, nodes)) else set[Module]()
        self.found[body, items] = found  # as far as is known while what it calls is looked at
        for call in (each for each in nodes if isinstance(each, ast.Call)):
            found |= self._handed_by(module, body, call, held)
        return found

    def _handed_by(self, module: Module, body: ast.AST, call: ast.Call, held: Held) -> set[Module]:
        """The modules of what a call hands one on to, or of what is called so later: `partial(function, trainer)`."""
        places = {place: kind for place, each in enumerate(call.args) if (kind := held.kind(each))}
        names = {each.arg: kind for each in call.keywords if each.arg and (kind := held.kind(each.value))}
        found = set[Module]()
        if places or names:
            for called in self._called(module, body, call.func):
                found |= self._asking_in(called, places, names)
            for definition in self._defined(module, body, call.func):
                found |= self._by_dataclass(definition, places, names)
            later = self._defined(module, body, call.args[0]) if call.args else ()
            for called in (each for definition in later for each in self._functions(definition)):
                found |= self._asking_in(
                    called, {place - 1: kind for place, kind in places.items() if place}, names
                )
        return found

    def _asking_in(
        self, called: Called, places: Mapping[int, Kind], names: Mapping[str, Kind]
    ) -> set[Module]:
        """The module of what is called, and those that it hands one on to, where these ask."""
        given = _parameters(called.function, places, names, skips_self=called.cls is not None)
        further = self._asking(called.module, called.function, Held(given))
        further |= self._by_constructor(called.cls, called.function, given) if called.cls else set()
        return {called.module, *further} if further else set()

    def _by_constructor(self, cls: Definition, function: Function, given: Mapping[str, Kind]) -> set[Module]:
        """The modules of a class whose constructor keeps what it is handed, and that asks it."""
        own = function.args.args[0].arg if function.args.args else ""
        return self._by_fields(cls, dict(_kept(function, own, _with_aliases(function, Held(given)))))

    def _by_dataclass(
        self, cls: Definition, places: Mapping[int, Kind], names: Mapping[str, Kind]
    ) -> set[Module]:
        """The same of a class that has no constructor, but fields."""
        parts = [node for part in lineage(self.graph, cls) for node in classes_of(part)]
        if any(_methods(node, "__init__") for node in parts):
            return set()
        fields = list(dict.fromkeys(name for node in reversed(parts) for name in _annotated(node)))
        kept = {fields[place]: kind for place, kind in places.items() if place < len(fields)}
        return self._by_fields(cls, kept | {name: kind for name, kind in names.items() if name in fields})

    def _by_fields(self, cls: Definition, fields: Mapping[str, Kind]) -> set[Module]:
        """The modules of a class whose methods ask what its objects keep in fields."""
        found = set[Module]()
        for part in lineage(self.graph, cls) if fields else ():
            for node in (each for found_class in classes_of(part) for each in found_class.body):
                if isinstance(node, Function) and node.args.args:
                    found |= self._asking(part.module, node, Held({}, fields, node.args.args[0].arg))
        return found

    def _called(self, module: Module, body: ast.AST, function: ast.expr) -> Iterator[Called]:
        """The project's functions that a call may run."""
        found = self._defined(module, body, function)
        yield from (each for definition in found for each in self._functions(definition))
        if not found and isinstance(function, ast.Attribute):
            yield from self._methods_named(module, function.attr)

    def _defined(self, module: Module, body: ast.AST, named: ast.expr) -> list[Definition]:
        """The project's definitions that an expression names."""
        return [*definitions_called(self.graph, module, [named]), *self._imported(module, body, named)]

    def _functions(self, definition: Definition) -> Iterator[Called]:
        """What calling a definition runs: itself, or the constructor of its class."""
        yield from (Called(definition.module, node) for node in _functions_of(definition))
        parts = lineage(self.graph, definition) if classes_of(definition) else ()
        constructors = (
            Called(part.module, method, definition)
            for part in parts
            for cls in classes_of(part)
            for method in _methods(cls, "__init__")
        )
        yield from list(constructors)[:1]

    def _methods_named(self, module: Module, name: str) -> Iterator[Called]:
        """Methods with the name, of classes that this module may have objects of."""
        for each in self.graph.closure(module):
            if name in each.text and not self.graph.is_embedded(each):
                classes = (node for node in each.tree.body if isinstance(node, ast.ClassDef))
                yield from (
                    Called(each, method, Definition(each, cls.name))
                    for cls in classes
                    for method in _methods(cls, name)
                )

    def _imported(self, module: Module, body: ast.AST, named: ast.expr) -> Iterator[Definition]:
        """What has a name that the code itself imports."""
        head, *rest = ast.unparse(named).split(".")
        for node in ast.walk(body):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    if head == (alias.asname or alias.name).partition(".")[0]:
                        target = self.graph.imported(module, node, alias, may_fail=True)
                        yield from filter(None, [definition_at(self.graph, target, rest)])


def _running(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, Kind]]:
    """The variables with which code runs a model: the trainer, the model, and its data module."""
    for node in nodes:
        match node:
            case ast.Call(ast.Attribute(ast.Name(trainer), name), args, keywords) if name in RUNNING:
                yield trainer, Kind.TRAINER
                keyed = [each.value for each in keywords if each.arg in ("model", "datamodule")]
                for value in (*args[:1], *keyed):
                    if isinstance(value, ast.Name):
                        yield value.id, Kind.MODEL


def _with_aliases(body: ast.AST, held: Held) -> Held:
    """What it has, with the variables that it gives the same to."""
    found = Held(names := dict(held.names), held.fields, held.own)
    for node in ast.walk(body):
        match node:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, value):
                if kind := found.kind(value):
                    names.setdefault(name, kind)
    return found


def _kept(function: Function, own: str, held: Held) -> Iterator[tuple[str, Kind]]:
    """The fields of its `self` that a method keeps one in."""
    for node in ast.walk(function):
        match node:
            case ast.Assign([ast.Attribute(ast.Name(name), attribute)], value) if name == own:
                if kind := held.kind(value):
                    yield attribute, kind


def _parameters(
    function: Function, places: Mapping[int, Kind], names: Mapping[str, Kind], skips_self: bool
) -> dict[str, Kind]:
    """What a function gets by its parameters."""
    arguments = function.args
    by_place = [*arguments.posonlyargs, *arguments.args][skips_self:]
    given = {by_place[place].arg: kind for place, kind in places.items() if place < len(by_place)}
    named = {each.arg for each in (*by_place, *arguments.kwonlyargs)}
    return given | {name: kind for name, kind in names.items() if name in named}


def _functions_of(definition: Definition) -> Iterator[Function]:
    chunks = definition.module.binders[definition.name]
    yield from (node for chunk in chunks for node in chunk.nodes if isinstance(node, Function))


def _methods(cls: ast.ClassDef, name: str) -> list[Function]:
    return [each for each in cls.body if isinstance(each, Function) and each.name == name]


def _annotated(cls: ast.ClassDef) -> Iterator[str]:
    for node in cls.body:
        match node:
            case ast.AnnAssign(ast.Name(name)):
                yield name
