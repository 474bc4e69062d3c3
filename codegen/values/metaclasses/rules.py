"""Classes that a metaclass of the user's makes: it is told of each, and its `__call__` makes their objects."""

from __future__ import annotations

from abc import abstractmethod

import libcst as cst

from ...index import Index
from ..abstract import Class, Descriptor, Dict, Instance, Literal, Super, Unknown, Value
from ..flow import Argument, Arguments
from ..imports import ImportedNames
from ..rules.wrapping import Wrapping
from ..solver import Cell
from .making import Making, making_of


class Metaclasses(Wrapping):
    """What making a class runs, and calling it."""

    def __init__(self, index: Index, names: ImportedNames) -> None:
        super().__init__(index, names)
        self.made_by: dict[Class, Cell] = {}  # the classes of each metaclass
        self.asked: dict[Class, Cell] = {}  # the objects that calls of a class make by way of its metaclass

    @abstractmethod
    def make(self, cls: Class, arguments: Arguments, result: Cell) -> None:
        """An object of a class, as `type` makes it."""

    @abstractmethod
    def begin(self, made: Instance, cls: Class, arguments: Arguments, result: Cell) -> None:
        """The constructors of an object run."""

    @abstractmethod
    def hand_over(self, arguments: Arguments, to: str) -> None:
        """The arguments go to code that is not read."""

    # ---- objects -----------------------------------------------------------------------------------------

    def construct_by_metaclass(self, cls: Class, arguments: Arguments, result: Cell) -> bool:
        """An object, where a metaclass has a say in it; False: it is made as `type` makes it."""
        metaclass = self.bases.metaclass(cls)
        if not isinstance(metaclass, Class) or not self.bases.makes_types(metaclass):
            if metaclass is not None and not self.bases.is_type(metaclass):
                self.hand_over(arguments, f"the metaclass of `{cls.name}`")
                self.add(result, Unknown(f"`{cls.name}` has a metaclass", arguments.node))
            return False
        if not self._is_called_by_metaclass(cls):
            return False
        making = self._making(metaclass)
        if making is not None and making.gives_it:
            self._ask_for(Instance(cls, arguments.node), cls, making, arguments, result)
            result = Cell()
        method = Cell()
        self.lookup(metaclass, "__call__", self._bound(cls, method, arguments.node))
        self.flow(self.called(method, arguments), result)
        return True

    def _ask_for(
        self, made: Instance, cls: Class, making: Making, arguments: Arguments, result: Cell
    ) -> None:
        """Its own object for each place that calls the class."""
        self.add(result, made)
        self.add(self.asked.setdefault(cls, Cell()), made)
        if making.passes_on:
            self.begin(made, cls, arguments, result)

    def _making(self, metaclass: Class) -> Making | None:
        """What its `__call__` does, where it has but one."""
        scopes = [self.index.inner_scope(part.node) for part in self.lineage(metaclass)]
        found = [each.by for scope in scopes for each in scope.bindings("__call__")]
        is_one = len(found) == 1 and isinstance(found[0], cst.FunctionDef)
        return making_of(self.index, found[0]) if is_one else None  # type: ignore[arg-type]  # a FunctionDef

    def make_within(self, cls: Value, arguments: Arguments, result: Cell) -> None:
        """A metaclass's `__call__` asks `type` for an object."""
        if not isinstance(cls, Class):
            self.hand_over(arguments, "`type.__call__`")
            self.add(result, Unknown("it is what `type.__call__` gives", arguments.node))
            return
        metaclass = self.bases.metaclass(cls)
        making = self._making(metaclass) if isinstance(metaclass, Class) else None
        if making is None or not making.gives_it or making.call is not arguments.node:
            self.make(cls, arguments, result)
            return

        def give(made: Value) -> None:
            self.add(result, made)
            if isinstance(made, Instance) and not making.passes_on:
                self.begin(made, cls, arguments, result)

        self.watch(self.asked.setdefault(cls, Cell()), give)

    # ---- classes -----------------------------------------------------------------------------------------

    def make_class(self, node: cst.ClassDef, result: Cell) -> None:
        """A metaclass of the user's is told of a class."""
        cls = Class(node)
        metaclass = self.bases.metaclass(cls)
        if not isinstance(metaclass, Class):
            return
        for part in self.lineage(metaclass):
            self.add(self.made_by.setdefault(part, Cell()), cls)
        given = self._told_of_class(cls)
        new, begun = Cell(), Cell()
        self.lookup(metaclass, "__new__", lambda value: self.add(new, _plain(value)))
        first = Argument(self.holding(metaclass))
        made = self.called(new, Arguments(node, (first, *given)))
        self.watch(made, lambda value: None if isinstance(value, Class) else self.add(result, value))
        self.lookup(metaclass, "__init__", self._bound(cls, begun, node))
        self.called(begun, Arguments(node, given))

    def _told_of_class(self, cls: Class) -> tuple[Argument, ...]:
        """Its name, its bases, what its body binds, and what else stands beside them."""
        node = cls.node
        bases = self.sequence("tuple", node, [self.evaluate(each.value) for each in node.bases], "bases")
        values = (Literal(node.name.value, node), bases, Dict(node, cls))
        named = ((each.keyword.value, each.value) for each in node.keywords if each.keyword)
        rest = [Argument(self.evaluate(value), name) for name, value in named if name != "metaclass"]
        return (*(Argument(self.holding(each)) for each in values), *rest)

    def new_class(self, metaclass: Value, result: Cell, node: cst.CSTNode) -> None:
        """A metaclass's `__new__` asks `type` for a class."""
        if isinstance(metaclass, Class):
            self.flow(self.made_by.setdefault(metaclass, Cell()), result)
        else:
            self.add(result, Unknown("it is a class that `type` makes", node))

    def is_metaclass(self, value: Value) -> bool:
        """Whether what a method is asked of stands for a metaclass's own bases, as `super()` in it does."""
        return isinstance(value, Super) and self.bases.makes_types(value.cls)


def _plain(value: Value) -> Value:
    return value.function if isinstance(value, Descriptor) else value
