"""The state of the analysis, and the operations whose rules the files beside this one hold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field

import libcst as cst

from ..index import Binding, Index, Variable
from ..index.entries import ALL, Entries
from ..index.wrappers import Wrapper
from .abstract import (
    Class,
    Container,
    Function,
    Literal,
    Option,
    Sequence,
    SequenceKind,
    Unknown,
    Value,
)
from .solver import Cell, Solver

OTHER = "other elements"
"""The key of a container's elements whose place is not known."""

MAX_PLACES = 16
"""So many elements of a sequence are told from each other."""

ANY_NAME = "*"
"""The attribute that is set under a name that is not known."""

ANY_PART = "*.part"
"""The same of a module that is set so, as a part of another: torch keeps it where no attribute of a class is hidden."""

ANY_NAMES = ANY_NAME, ANY_PART


@dataclass(frozen=True, eq=False)
class Argument:
    """An argument of a call."""

    cell: Cell
    keyword: str | None = None
    star: str = ""  # or `*`, `**`
    node: cst.BaseExpression | None = None


@dataclass(frozen=True, eq=False)
class Arguments:
    """What a call passes, and where it stands."""

    node: cst.CSTNode
    given: tuple[Argument, ...] = ()
    is_open: str = ""  # why there may be others; empty: there are not
    is_partial: bool = False  # a `functools.partial` has given some before

    @property
    def positional(self) -> list[Argument]:
        return [each for each in self.given if not each.keyword and each.star != "**"]

    def cell(self, index: int, keyword: str = "") -> Cell | None:
        """The argument at a place, or of a name, where it stands in plain sight."""
        plain = [each for each in self.given if not each.keyword and not each.star]
        named = [each.cell for each in self.given if keyword and each.keyword == keyword]
        starred = next(
            (i for i, each in enumerate(self.given) if each.star == "*"),
            len(self.given),
        )
        if index < min(len(plain), starred):
            return plain[index].cell
        return named[0] if named else None


@dataclass(frozen=True)
class Part:
    """A place in an object: an attribute, or an element."""

    kind: str  # `attribute` or `element`
    key: Hashable


@dataclass(frozen=True)
class Configured:
    """The configurations that are known when building, and the function that makes what they describe."""

    whole: cst.BaseExpression | None = None
    instantiate: cst.FunctionDef | None = None
    main: cst.BaseExpression | None = None  # the one that a main of hydra's is started with
    loaded: Mapping[cst.CSTNode, tuple[cst.BaseExpression, ...]] = field(default_factory=dict)  # by calls
    makers: Mapping[cst.CSTNode, str] = field(default_factory=dict)  # functions, with their keys in mappings
    texts: Mapping[tuple[str, object], cst.BaseExpression] = field(default_factory=dict)
    """What these functions make of texts."""
    written: Mapping[cst.CSTNode, Mapping[str, cst.BaseExpression]] = field(default_factory=dict)
    """And of mappings that the code writes out."""
    import_module: cst.FunctionDef | None = None
    targets: Mapping[str, cst.BaseExpression] = field(default_factory=dict)
    """What modules have that it gives, by dotted names."""
    packages: frozenset[str] = (
        frozenset()
    )  # of these modules, and of others that the script never imports by name
    evaluated: frozenset[str] | None = None
    """Names that texts of the configuration may hand to resolvers; None: any."""


class Flow(ABC):
    """Cells for everything that holds values, and what is done with values."""

    configured = Configured()
    path_of: Callable[[cst.CSTNode], str]  # the file that code stands in

    def __init__(self, index: Index) -> None:
        self.index = index
        self.solver = Solver(lambda value: self.escape(value, "more things than the analysis follows"))
        self.add, self.flow, self.watch = (
            self.solver.add,
            self.solver.flow,
            self.solver.watch,
        )
        self.expressions: dict[cst.CSTNode, Cell] = {}
        self.variables: dict[Variable, Cell] = {}
        self.bindings: dict[Binding, Cell] = {}
        self.returned: dict[Function, Cell] = {}
        self.attributes: dict[Value, dict[str, Cell]] = {}
        self.stores: dict[Value, dict[str, dict[cst.CSTNode, None]]] = {}  # where attributes are set
        self.elements: dict[Container, dict[Hashable, Cell]] = {}
        self.all_elements: dict[Container, Cell] = {}
        self.keys: dict[Container, Cell] = {}
        self.written: dict[tuple[Container, Hashable], list[cst.BaseExpression]] = {}
        self.followers: dict[Container, list[tuple[Container, Entries]]] = {}
        self.taken: dict[Container, Entries] = {}  # by comprehensions
        self.unordered: set[Container] = set()
        self.shrinking: set[Container] = set()  # any entries may be taken out of them
        self.taken_out: dict[Container, set[Hashable]] = {}  # those that may be
        self.always_named: dict[Container, set[str]] = {}  # of `**kwargs`: by all calls of the function
        self.open: dict[Container, frozenset[str]] = {}  # of a configuration, which may hold more than these
        self.escaped: dict[Value, None] = {}
        self.wild: dict[str, Cell] = {}  # attributes that are set on unknown objects
        self.entered: dict[Function, None] = {}
        self.to_enter: list[Function] = []
        self.postponed: list[Callable[[], None]] = []  # what is to be asked once nothing else is new
        self.made: dict[Class, dict[Value, None]] = {}  # the objects of each class
        self.runs: dict[cst.CSTNode, dict[Function, None]] = (
            {}
        )  # the functions that run at a place in the code
        self.wrappers: dict[cst.FunctionDef, Wrapper | None] = {}
        self.wrappers_by_part: dict[cst.CSTNode, Wrapper] = (
            {}
        )  # by their inner functions, and the calls in these
        self.decorating: set[Arguments] = set()
        self.wrapped: set[tuple[Function, Wrapper]] = set()
        self.handed: set[tuple[cst.CSTNode, Function]] = (
            set()
        )  # calls in inner functions, and what these wrap
        self.loose: dict[Wrapper, Cell] = (
            {}
        )  # what a wrapper has been called with, but to decorate a function
        self.done: set[Hashable] = set()  # what has been set up once and for all
        self.arguments: dict[cst.CSTNode, Arguments] = {}

    # ---- operations, each with its rules in a file of its own ---------------------------------------------

    @abstractmethod
    def evaluate(self, node: cst.BaseExpression) -> Cell:
        """The cell of an expression."""

    @abstractmethod
    def call(self, callee: Value, arguments: Arguments, result: Cell) -> None:
        """What calling a value does, and gives."""

    @abstractmethod
    def read(self, value: Value, name: str, result: Cell, node: cst.CSTNode) -> None:
        """An attribute of a value."""

    @abstractmethod
    def write(self, value: Value, name: str, cell: Cell, node: cst.CSTNode) -> None:
        """An attribute of a value is set."""

    @abstractmethod
    def iterate(self, value: Value, result: Cell, node: cst.CSTNode) -> None:
        """The elements that a loop over a value takes."""

    @abstractmethod
    def escape(self, value: Value, to: str) -> None:
        """A value goes to code that is not read."""

    # ---- cells -------------------------------------------------------------------------------------------

    def once(self, *key: Hashable) -> bool:
        """Whether this is the first time that it is asked for the key."""
        if key in self.done:
            return False
        self.done.add(key)
        return True

    def holding(self, *values: Value) -> Cell:
        cell = Cell()
        for value in values:
            self.add(cell, value)
        return cell

    def unknown(self, reason: str, node: cst.CSTNode | None) -> Cell:
        return self.holding(Unknown(reason, node))

    def of_variable(self, variable: Variable) -> Cell:
        """What a variable may hold; one of a class is an attribute of it."""
        if variable not in self.variables:
            node = variable.scope.node
            is_attribute = variable.scope.kind == "class" and isinstance(node, cst.ClassDef)
            self.variables[variable] = (
                self.attribute(Class(node), variable.name)
                if is_attribute and isinstance(node, cst.ClassDef)
                else Cell()
            )
        return self.variables[variable]

    def of_binding(self, binding: Binding) -> Cell:
        """What one binding of a variable gives it."""
        if binding not in self.bindings:
            self.bindings[binding] = Cell()
            self.flow(self.bindings[binding], self.of_variable(binding.variable))
        return self.bindings[binding]

    def of_function(self, function: Function) -> Cell:
        """What a function returns."""
        return self.returned.setdefault(function, Cell())

    def enter(self, function: Function) -> None:
        """The function is called from somewhere: its code is read."""
        if function not in self.entered:
            self.entered[function] = None
            self.to_enter.append(function)

    # ---- objects -----------------------------------------------------------------------------------------

    def attribute(self, owner: Value, name: str) -> Cell:
        """An attribute that an object or a class has of its own."""
        cells = self.attributes.setdefault(owner, {})
        if name not in cells:
            cells[name] = Cell()
            if owner in self.escaped:
                self.flow(self.wild_attribute(name), cells[name])
        return cells[name]

    def wild_attribute(self, name: str) -> Cell:
        return self.wild.setdefault(name, Cell())

    def element(self, owner: Container, key: Hashable) -> Cell:
        """The element of a container at an index, or under a key."""
        key = OTHER if isinstance(key, int) and not 0 <= key < MAX_PLACES else key
        cells = self.elements.setdefault(owner, {})
        if key not in cells:
            cells[key] = Cell()
            self.flow(cells[key], self.any_element(owner))
            for target, entries in self.followers.get(owner, ()):
                self._copy_element(owner, key, target, entries)
        return cells[key]

    def copy(self, source: Container, target: Container, entries: Entries = ALL) -> None:
        """All elements of one container, or some entries, are put into the other, under the same keys."""
        follower = target, entries
        if source is target or follower in self.followers.setdefault(source, []):
            return
        self.followers[source].append(follower)
        if source in self.open:
            self.leave_open(target, self.open[source])
        self.flow(self._kept_keys(source, entries), self.any_key(target))
        for key in list(self.elements.get(source, ())):
            self._copy_element(source, key, *follower)

    def leave_open(self, owner: Container, known: frozenset[str]) -> None:
        """A container of a configuration's, which may hold more than what is known when building."""
        known |= self.open.get(owner, frozenset())
        if self.open.get(owner) != known:
            self.open[owner] = known
            for target, _ in self.followers.get(owner, ()):
                self.leave_open(target, known)

    def _copy_element(
        self,
        source: Container,
        key: Hashable,
        target: Container,
        entries: Entries,
    ) -> None:
        if key == OTHER or entries.has(key):
            self.copy_values(self._kept_values(self.element(source, key), entries), target, key)
            for node in self.written.get((source, key), ()):
                self._write_down(target, key, node)

    def copy_values(self, cell: Cell, target: Container, key: Hashable) -> None:
        self.flow(cell, self.element(target, key))

    def _kept_keys(self, owner: Container, entries: Entries) -> Cell:
        if entries.named is None and not entries.left_out:
            return self.any_key(owner)
        return self.kept(
            self.any_key(owner),
            lambda key, into: (
                self.add(into, key) if not isinstance(key, Literal) or entries.has(key.value) else None
            ),
        )

    def _kept_values(self, cell: Cell, entries: Entries) -> Cell:
        """Those values whose entries are not left out because of them."""
        if not entries.leaves_none and not entries.leaves_false:
            return cell

        def keep(value: Value, result: Cell) -> None:
            if not isinstance(value, Literal) or not entries.leaves(value.value):
                self.add(result, value)

        return self.kept(cell, keep)

    def _write_down(self, owner: Container, key: Hashable, node: cst.BaseExpression) -> None:
        if node not in self.written.setdefault((owner, key), []):
            self.written[owner, key].append(node)

    def any_element(self, owner: Container) -> Cell:
        """All elements of a container together."""
        return self.all_elements.setdefault(owner, Cell())

    def any_key(self, owner: Container) -> Cell:
        return self.keys.setdefault(owner, Cell())

    def put(
        self,
        owner: Container,
        key: Hashable,
        cell: Cell,
        node: cst.BaseExpression | None = None,
    ) -> None:
        """An element is put into a container."""
        self.flow(cell, self.element(owner, key))
        if node is not None:
            self._write_down(owner, key, node)

    def shuffle(self, owner: Container) -> None:
        """Elements may stand at other places than those that they were put at."""
        if owner not in self.unordered:
            self.unordered.add(owner)
            self.flow(self.any_element(owner), self.element(owner, OTHER))

    def take(self, owner: Container, key: Hashable, result: Cell) -> None:
        """The element at a place that is known."""
        self.flow(self.element(owner, key), result)
        self.flow(self.element(owner, OTHER), result)
        if owner in self.open and key not in self.open[owner]:
            self.add(result, Option(f"{key}", owner.node))

    def sequence(
        self,
        kind: SequenceKind,
        node: cst.CSTNode,
        parts: Iterable[Cell] = (),
        part: str = "",
    ) -> Sequence:
        """A sequence of known parts."""
        made = Sequence(kind, node, part)
        for place, cell in enumerate(parts):
            self.put(made, OTHER if kind == "set" else place, cell)
        return made

    def collected(self, kind: SequenceKind, node: cst.CSTNode, elements: Cell, part: str = "") -> Sequence:
        """A sequence of elements at places that are not known."""
        made = Sequence(kind, node, part)
        self.put(made, OTHER, elements)
        return made

    # ---- what many rules do ------------------------------------------------------------------------------

    def each(self, cell: Cell, rule: Callable[[Value, Cell], None]) -> Cell:
        """What a rule gives for each value of a cell."""
        result = Cell()
        self.watch(cell, lambda value: rule(value, result))
        return result

    def kept(self, cell: Cell, rule: Callable[[Value, Cell], None]) -> Cell:
        """Those values of a cell that a rule keeps: they come from it."""
        result = self.each(cell, rule)
        result.sources.append(cell)
        return result

    def elements_of(self, cell: Cell, node: cst.CSTNode) -> Cell:
        return self.each(cell, lambda value, result: self.iterate(value, result, node))

    def called(self, cell: Cell, arguments: Arguments) -> Cell:
        return self.each(cell, lambda value, result: self.call(value, arguments, result))

    def method(self, value: Value, name: str, node: cst.CSTNode, *cells: Cell) -> Cell:
        """What a method of a value gives, called with the arguments."""
        found = Cell()
        self.read(value, name, found, node)
        return self.called(found, Arguments(node, tuple(Argument(cell) for cell in cells)))

    def none(self, node: cst.CSTNode) -> Literal:
        return Literal(None, node)
