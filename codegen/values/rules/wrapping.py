"""Functions decorated with wrappers: each is told from the others, by what it is called with itself."""

from __future__ import annotations

import libcst as cst

from ...index.wrappers import Wrapper, wrapper_of
from ..abstract import Function, Value
from ..flow import Arguments
from ..solver import Cell
from .attributes import Attributes


class Wrapping(Attributes):
    """A name that is decorated stands for the wrapper's inner function, and for the one that it hands all on to.

    So calls of it are calls of both. What the inner function hands on is nothing else, so that it need not be followed
    through that, where what is handed to one function could not be told from what is handed to another.
    """

    def wrapper(self, function: Value) -> Wrapper | None:
        """The wrapper that a function is."""
        node = function.node if isinstance(function, Function) else None
        if not isinstance(node, cst.FunctionDef):
            return None
        if node not in self.wrappers:
            self.wrappers[node] = found = wrapper_of(self.index, node)
            if found:
                self.wrappers_by_part[found.inner] = self.wrappers_by_part[found.handing] = found
        return self.wrappers[node]

    def decorate(self, decorator: Value, arguments: Arguments, cell: Cell, result: Cell) -> None:
        """A decorator of the user's is called."""
        wrapper = self.wrapper(decorator)
        if wrapper:
            self.decorating.add(arguments)
            self.watch(cell, lambda value: self._wrap(value, wrapper, result))
        self.call(decorator, arguments, result)

    def _wrap(self, value: Value, wrapper: Wrapper, result: Cell) -> None:
        if isinstance(value, Function) and wrapper.gives_names_of(value.node):
            self.wrapped.add((value, wrapper))
            self.add(result, value)
        else:
            self.add(self.loosely(wrapper), value)

    def note_wrapped(self, function: Function, arguments: Arguments) -> None:
        """A wrapper may be called otherwise than by decorating something with it."""
        wrapper = self.wrapper(function)
        if wrapper and arguments not in self.decorating:
            given = arguments.cell(0, wrapper.wrapped.name.value) or self.of_parameter(wrapper.wrapped)
            self.flow(given, self.loosely(wrapper))

    def handing(self, function: Function, arguments: Arguments) -> Wrapper | None:
        """The wrapper that is put on a function, where its inner one hands on what it is given."""
        wrapper = self.wrappers_by_part.get(arguments.node)
        stars = [each.star for each in arguments.given]
        is_handing = not arguments.is_partial and stars[-2:] == ["*", "**"] and not any(stars[:-2])
        return wrapper if wrapper and is_handing and (function, wrapper) in self.wrapped else None

    def gives(self, function: Function, arguments: Arguments, receiver: Value | None, result: Cell) -> None:
        """What a function returns; an inner one, what that does not which it hands all on to."""
        wrapper = self.wrappers_by_part.get(function.node)
        if wrapper is None:
            self.flow(self.of_function(function), result)
            return
        for each in wrapper.others:
            self.flow(self.evaluate(each), result)
        if wrapper.may_give_none:
            self.add(result, self.none(wrapper.inner))
        self.watch(self.loosely(wrapper), lambda _: self.flow(self.of_function(function), result))

    def loosely(self, wrapper: Wrapper) -> Cell:
        """What it wraps that cannot be told from what else it wraps."""
        return self.loose.setdefault(wrapper, Cell())

    def of_parameter(self, parameter: cst.Param) -> Cell:
        binding = self.index.binding(parameter.name)
        assert binding is not None
        return self.of_variable(binding.variable)
