"""Sequences and dicts: their elements, and what their methods do."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from functools import partial

import libcst as cst

from ...index.entries import ALL, Entries, entries_of
from ..abstract import (
    Class,
    Container,
    Dict,
    External,
    Instance,
    Literal,
    Member,
    Option,
    Sequence,
    SequenceKind,
    Unknown,
    Value,
)
from ..fields import NAMED_TUPLE, Fields
from ..flow import ANY_NAME, OTHER, Argument, Arguments
from ..solver import Cell
from .attributes import option_in
from .calls import described
from .escapes import Escapes

REORDERING = frozenset("insert pop remove sort reverse clear appendleft popleft rotate".split())

SETTING = frozenset({"__setitem__", "__ior__", "__iadd__"})

OF_TEXT = frozenset("""
    capitalize format lower lstrip partition removeprefix removesuffix replace rpartition rsplit rstrip split strip
    title upper
    """.split())
"""Methods of texts whose results are texts, or lists of them."""

OF_MAPPINGS = frozenset("get items keys setdefault values".split())
"""Methods that no sequence has."""

REMOVING = frozenset("pop popitem clear __delitem__".split())


class Containers(Escapes):
    """Elements of containers."""

    # ---- one element -------------------------------------------------------------------------------------

    def key_of(self, owner: Container, key: Value) -> object:
        """The key of an element, where it is known; else that of the others."""
        if not isinstance(key, Literal):
            return OTHER
        if isinstance(owner, Dict):
            return key.value if isinstance(key.value, str | int | None) else OTHER
        is_place = isinstance(key.value, int) and not isinstance(key.value, bool)
        return key.value if is_place and owner.kind in ("tuple", "list") else OTHER

    def get_item(self, owner: Value, key: Value, result: Cell, node: cst.CSTNode) -> None:
        """`owner[key]`."""
        if isinstance(owner, Dict) and owner.is_alias:
            self._get_aliased(owner, key, result, node)
        elif isinstance(owner, Sequence | Dict):
            known = self.key_of(owner, key)
            if known == OTHER or (isinstance(known, int) and known < 0 and isinstance(owner, Sequence)):
                self.flow(self.any_element(owner), result)
            else:
                self.take(owner, known, result)
        elif isinstance(owner, Option):
            self.add(result, option_in(owner, "[...]"))
        elif isinstance(owner, Unknown):
            self.add(result, owner)
        elif isinstance(owner, Class | External):
            self.add(result, owner)  # a generic with its types
            if isinstance(owner, Class):
                self._get_of_class(owner, key, result, node)
        elif isinstance(owner, Instance) and isinstance(owner.cls, Class):
            self._get_of_object(owner, owner.cls, key, result, node)
        elif isinstance(owner, Member) and self._is_hyperparameter(owner, key, result):
            return
        else:
            self.add(result, Unknown(f"it is an element of {described(owner)}", node))

    def _get_of_object(
        self, owner: Instance, cls: Class, key: Value, result: Cell, node: cst.CSTNode
    ) -> None:
        if self._defines(cls, "__getitem__") or not self._places(cls):
            self.flow(self.method(owner, "__getitem__", node, self.holding(key)), result)
        elif isinstance(key, Literal) and isinstance(key.value, int):
            self.take_place(owner, key.value, result, node)
        else:
            self._iterate_object(owner, cls, result, node)

    def _places(self, cls: Class) -> list[str]:
        """The fields of a class of named tuples, by their places; empty: it is none."""
        bases = self.library_bases(cls)
        is_tuple = any(each.name == NAMED_TUPLE for each in bases)
        return Fields(self.index, self.names).of(self.lineage(cls), bases) if is_tuple else []

    def take_place(self, value: Value, place: int, result: Cell, node: cst.CSTNode) -> None:
        """What a target takes that stands at a place of several."""
        named: list[str] = []
        if isinstance(value, Instance) and isinstance(value.cls, Class):
            named = [] if self._defines(value.cls, "__iter__") else self._places(value.cls)
        if isinstance(value, Sequence) and value.kind in ("tuple", "list"):
            self.take(value, place, result)
        elif -len(named) <= place < len(named):
            self.read(value, named[place], result, node)
        elif not named:
            self.iterate(value, result, node)

    def _is_hyperparameter(self, owner: Member, key: Value, result: Cell) -> bool:
        is_named = isinstance(key, Literal) and isinstance(key.value, str)
        if not is_named or owner.name != "hparams" or not isinstance(owner.receiver, Instance):
            return False
        return self.hyperparameter(owner.receiver, str(key.value), result)  # type: ignore[union-attr]  # a BoundMethod

    def _get_of_class(self, owner: Class, key: Value, result: Cell, node: cst.CSTNode) -> None:
        if self._defines(owner, "__class_getitem__") or owner.node.keywords:
            self.add(result, Unknown(f"it is an element of `{owner.name}`", node))
        if self.is_enum(owner):
            self.add(result, Unknown(f"it is a member of the Enum `{owner.name}`", node))

    def set_item(
        self,
        owner: Value,
        key: Value,
        cell: Cell,
        node: cst.CSTNode,
        written: cst.BaseExpression | None,
    ) -> None:
        """`owner[key] = ...`."""
        if isinstance(owner, Dict) and owner.is_alias:
            self._set_aliased(owner, key, cell, node)
        elif isinstance(owner, Sequence | Dict):
            known = self.key_of(owner, key)
            known = OTHER if isinstance(known, int) and known < 0 else known
            self.put(owner, known, cell, written)
            self.add(self.any_key(owner), key)
        elif isinstance(owner, Instance) and isinstance(owner.cls, Class):
            self.method(owner, "__setitem__", node, self.holding(key), cell)
        elif not isinstance(owner, Literal) and self.once("given away", cell):
            self.watch(cell, lambda value: self.escape(value, "an object that is not known"))

    # ---- dicts that are the attributes of objects ---------------------------------------------------------

    def _get_aliased(self, owner: Dict, key: Value, result: Cell, node: cst.CSTNode) -> None:
        if isinstance(key, Literal) and isinstance(key.value, str):
            self.take_named(owner, key.value, result, node)
        else:
            self._iterate_aliased(owner, result, node)

    def _iterate_aliased(self, owner: Dict, result: Cell, node: cst.CSTNode) -> None:
        if owner.is_globals:
            for variable in list(self.index.module.variables.values()):
                self.flow(self.of_variable(variable), result)
        else:
            self.add(result, Unknown("it is an attribute whose name is not known", node))
            if owner.owner is not None:
                self.escape(owner.owner, "an attribute whose name is not known")

    def _set_aliased(self, owner: Dict, key: Value, cell: Cell, node: cst.CSTNode) -> None:
        name = key.value if isinstance(key, Literal) and isinstance(key.value, str) else ANY_NAME
        if owner.owner is not None:
            self.write(owner.owner, name, cell, node)
        elif name != ANY_NAME:
            self.flow(cell, self.of_variable(self.index.module.variable(name)))
        else:
            for variable in list(self.index.module.variables.values()):
                self.flow(cell, self.of_variable(variable))

    def copy_values(self, cell: Cell, target: Container, key: Hashable) -> None:
        """Entries of a mapping that become attributes, or variables, have their own names."""
        if isinstance(target, Dict) and target.is_alias:
            name = Unknown("it is a key that is not known", target.node)
            named = name if key == OTHER else Literal(key, target.node)
            self.set_item(target, named, cell, target.node, None)
        else:
            super().copy_values(cell, target, key)

    def leave_open(self, owner: Container, known: frozenset[str]) -> None:
        """What a configuration may hold besides is an attribute of a name that is not known."""
        if isinstance(owner, Dict) and owner.is_alias:
            name, option = Unknown("it is a key that is not known", owner.node), Option("update", owner.node)
            self._set_aliased(owner, name, self.holding(option), owner.node)
        else:
            super().leave_open(owner, known)

    # ---- all elements ------------------------------------------------------------------------------------

    def iterate(self, value: Value, result: Cell, node: cst.CSTNode) -> None:
        if isinstance(value, Sequence):
            self.flow(self.any_element(value), result)
        elif isinstance(value, Dict):
            self.flow(self.any_key(value), result)
        elif isinstance(value, Option):
            self.add(result, option_in(value, "[...]"))
        elif isinstance(value, Unknown):
            self.add(result, value)
        elif isinstance(value, Instance) and isinstance(value.cls, Class):
            self._iterate_object(value, value.cls, result, node)
        elif isinstance(value, Literal) and isinstance(value.value, str | bytes):
            self.add(result, Unknown("it is a letter of a string", node))
        elif not isinstance(value, Literal):
            self.add(result, Unknown(f"it is an element of {described(value)}", node))

    def _iterate_object(self, value: Instance, cls: Class, result: Cell, node: cst.CSTNode) -> None:
        if self._defines(cls, "__iter__"):
            for iterator in (self.method(value, "__iter__", node),):
                self.watch(iterator, lambda each: self._next(each, result, node))
        elif self._defines(cls, "__getitem__"):
            place = self.unknown("it counts", node)
            self.flow(self.method(value, "__getitem__", node, place), result)
        elif self._defines(cls, "__next__"):
            self.flow(self.method(value, "__next__", node), result)
        elif places := self._places(cls):
            for name in places:
                self.read(value, name, result, node)
        else:
            self.add(result, Unknown(f"it is an element of `{cls.name}(...)`", node))

    def _next(self, iterator: Value, result: Cell, node: cst.CSTNode) -> None:
        """What an iterator gives."""
        if isinstance(iterator, Instance) and isinstance(iterator.cls, Class):
            if self._defines(iterator.cls, "__next__"):
                self.flow(self.method(iterator, "__next__", node), result)
            else:
                self.add(
                    result,
                    Unknown(f"it is an element of `{iterator.cls.name}(...)`", node),
                )
        else:
            self.iterate(iterator, result, node)

    def take_out(self, owner: Value, keys: Cell | None) -> None:
        """Entries are taken out, of a mapping under these keys; None: it is not said which."""
        if isinstance(owner, Sequence):
            self.shuffle(owner)
        elif isinstance(owner, Dict) and keys is not None:
            self.watch(keys, lambda key: self._take_out(owner, key))
        elif isinstance(owner, Dict):
            self.shrinking.add(owner)

    def _take_out(self, owner: Dict, key: Value) -> None:
        if isinstance(key, Literal):
            self.taken_out.setdefault(owner, set()).add(self.key_of(owner, key))
        else:
            self.shrinking.add(owner)

    # ---- methods -----------------------------------------------------------------------------------------

    def call_container(self, callee: Member, arguments: Arguments, result: Cell) -> None:
        """A method of a sequence, a dict or a literal."""
        owner, node = callee.receiver, arguments.node
        if isinstance(owner, Sequence):
            if callee.name in REORDERING:
                self.shuffle(owner)
            self._call_sequence(owner, callee.name, arguments, result)
        elif isinstance(owner, Dict):
            if callee.name in REMOVING:
                self.take_out(owner, arguments.cell(0))
            self._call_dict(owner, callee.name, arguments, result)
        elif (
            isinstance(owner, Literal)
            and isinstance(owner.value, str)
            and self._is_plain(callee.name, arguments)
        ):
            self._call_text(owner.value, callee.name, arguments, (), result)
        elif not (isinstance(owner, Literal) and owner.value is None):  # which has no methods
            self.hand_over(arguments, described(callee))
            self.add(result, Unknown("it is computed when the script runs", node))

    def _is_plain(self, name: str, arguments: Arguments) -> bool:
        return name in OF_TEXT and not any(each.keyword or each.star for each in arguments.given)

    def _call_text(
        self, text: str, name: str, arguments: Arguments, known: tuple[object, ...], result: Cell
    ) -> None:
        """A method of a text, for each of the values that are known of its arguments."""
        if len(known) == len(arguments.given):
            self._add_text(text, name, arguments.node, known, result)
            return

        def given(value: Value) -> None:
            if isinstance(value, Literal):
                self._call_text(text, name, arguments, (*known, value.value), result)
            else:
                self.add(result, Unknown("it is computed when the script runs", arguments.node))

        self.watch(arguments.given[len(known)].cell, given)

    def _add_text(
        self, text: str, name: str, node: cst.CSTNode, given: tuple[object, ...], result: Cell
    ) -> None:
        try:
            found = getattr(text, name)(*given)
        except (TypeError, ValueError, LookupError, AttributeError):
            return  # so it ends when it runs
        if isinstance(found, str):
            self.add(result, Literal(found, node))
        else:
            kind: SequenceKind = "list" if isinstance(found, list) else "tuple"
            parts = (self.holding(Literal(each, node)) for each in found)
            self.add(result, self.sequence(kind, node, parts, repr((text, *given))))

    def _cells(self, arguments: Arguments) -> Iterator[Cell]:
        for argument in arguments.given:
            if argument.star == "*":
                yield self.elements_of(argument.cell, arguments.node)
            elif not argument.star:
                yield argument.cell

    def _call_sequence(self, owner: Sequence, name: str, arguments: Arguments, result: Cell) -> None:
        node, given = arguments.node, list(self._cells(arguments))
        written = [each.node for each in arguments.given]
        self.add(result, self.none(node))
        if name in ("append", "add", "appendleft"):
            for cell in given:
                self.put(owner, OTHER, cell, written[0])
        elif name == "insert":
            for cell in given[1:]:
                self.put(owner, OTHER, cell, written[1])
        elif name in ("extend", "update", "extendleft"):
            for cell in given:
                self.flow(self.elements_of(cell, node), self.element(owner, OTHER))
        elif name in ("pop", "popleft", "__next__", "send"):
            self.flow(self.any_element(owner), result)
        elif name == "sort":
            self._sort(owner, arguments)
        elif name in ("copy", "union", "intersection", "difference", "__iter__"):
            self._copied(owner, given, result, node)
        elif name not in ("remove", "clear", "reverse", "close", "discard", *OF_MAPPINGS):
            self.add(result, Unknown("it is computed when the script runs", node))
            self._set_within(owner, name, node)

    def _sort(self, owner: Sequence, arguments: Arguments) -> None:
        self.shuffle(owner)
        for argument in arguments.given:
            if argument.keyword == "key":
                part = Arguments(arguments.node, (Argument(self.any_element(owner)),))
                if self.once("sort", owner, arguments):
                    self.called(argument.cell, part)

    def _copied(self, owner: Sequence, given: list[Cell], result: Cell, node: cst.CSTNode) -> None:
        made = Sequence(owner.kind, node)
        self.copy(owner, made)
        for cell in given:
            self.flow(self.elements_of(cell, node), self.element(made, OTHER))
        self.add(result, made)

    def _call_dict(self, owner: Dict, name: str, arguments: Arguments, result: Cell) -> None:
        node, given = arguments.node, list(self._cells(arguments))
        if name in ("get", "pop", "setdefault"):
            self._get(owner, name, given, result, arguments)
        elif name == "update":
            self.fill(owner, arguments)
            self.add(result, self.none(node))
        elif name == "values":
            self.add(result, self.collected("iterator", node, self._values(owner, node)))
        elif name == "keys":
            self.add(result, self.collected("iterator", node, self.any_key(owner)))
        elif name in ("items", "popitem"):
            pair = self.sequence("tuple", node, (self.any_key(owner), self._values(owner, node)), "item")
            whole = self.collected("iterator", node, self.holding(pair))
            self.add(result, whole if name == "items" else pair)
        elif name == "copy":
            made = Dict(node)
            self.copy(owner, made)
            self.add(result, made)
        elif name == "clear":
            self.add(result, self.none(node))
        else:
            self.add(result, Unknown("it is computed when the script runs", node))
            self._set_within(owner, name, node)

    def _set_within(self, owner: Sequence | Dict, name: str, node: cst.CSTNode) -> None:
        """The method that an operator calls may set anything in there."""
        if name in SETTING:
            self.add(self.element(owner, OTHER), Unknown(f"`{name}` puts it there", node))

    def _values(self, owner: Dict, node: cst.CSTNode) -> Cell:
        if not owner.is_alias:
            return self.any_element(owner)
        cell = Cell()
        self._iterate_aliased(owner, cell, node)
        return cell

    def _get(
        self,
        owner: Dict,
        name: str,
        given: list[Cell],
        result: Cell,
        arguments: Arguments,
    ) -> None:
        node = arguments.node
        if name == "get" and len(given) < 2:
            self.add(result, self.none(node))
        for default in given[1:]:
            self.flow(default, result)
        for cell in given[:1]:
            self.watch(cell, lambda key: self.get_item(owner, key, result, node))
            if name == "setdefault":
                self._set_default(owner, cell, given[1:], arguments)

    def _set_default(self, owner: Dict, keys: Cell, given: list[Cell], arguments: Arguments) -> None:
        node, written = arguments.node, arguments.given[-1].node
        default = given[0] if given else self.holding(self.none(node))
        self.watch(keys, lambda key: self.set_item(owner, key, default, node, written))

    def fill(self, owner: Dict, arguments: Arguments) -> None:
        """A dict takes what `dict(...)` or `update(...)` is given."""
        node = arguments.node
        for argument in arguments.given:
            if argument.keyword:
                key = Literal(argument.keyword, node)
                self.set_item(owner, key, argument.cell, node, argument.node)
            elif argument.star == "*":
                self.add(
                    self.element(owner, OTHER),
                    Unknown("it is unpacked from a list", node),
                )
            elif entries := entries_of(argument.node):
                self.take_entries(owner, entries, partial(self._fill_from_each, owner, argument.cell, node))
            else:
                self._fill_from_each(owner, argument.cell, node)

    def _fill_from_each(self, owner: Dict, cell: Cell, node: cst.CSTNode) -> None:
        self.watch(cell, lambda value: self._fill_from(owner, value, node))

    def take_entries(self, made: Dict, entries: Entries, otherwise: Callable[[], None]) -> None:
        """Entries of mappings under their own keys; where one is no plain dict, what the comprehension says."""
        assert entries.mapping is not None
        if self.index.holds(made.node, entries.mapping):  # else it is updated with them
            self.taken[made] = entries

        def take(value: Value) -> None:
            if isinstance(value, Dict) and not value.is_alias:
                self.copy(value, made, entries)
            elif not isinstance(value, Literal) and self.once("looped over", made, entries):
                otherwise()

        self.watch(self.evaluate(entries.mapping), take)

    def unpack(self, made: Dict, cell: Cell, later: list[Cell], node: cst.CSTNode) -> None:
        """`{**first, **later}`, without what comes later."""
        self._fill_from_each(made, cell, node)

    def _fill_from(self, owner: Dict, value: Value, node: cst.CSTNode, entries: Entries = ALL) -> None:
        if isinstance(value, Dict) and not value.is_alias:
            self.copy(value, replace(owner, node=node) if owner.is_alias else owner, entries)
            return
        pairs, keys, values = Cell(), self.any_key(owner), Cell()
        if isinstance(value, Sequence):
            self.flow(self.any_element(value), pairs)
            self.watch(pairs, lambda pair: self.get_item(pair, Literal(0, node), keys, node))
            self.watch(pairs, lambda pair: self.get_item(pair, Literal(1, node), values, node))
        elif isinstance(value, Dict):
            self.flow(self._values(value, node), values)
        else:
            self._value_of_mapping(value, values, node)
        self.set_item(owner, Unknown("it is a key that is not known", node), values, node, None)
