"""Configurations: what `instantiate` makes of them, and what their attributes are."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import TypeGuard

import libcst as cst

from ...index.entries import ALL, Entries, maker_of_filtered
from ...ir.project import MADE
from ...source.hydra import INSTANTIATING
from ..abstract import (
    Container,
    Dict,
    External,
    Function,
    Instance,
    Literal,
    NamedModule,
    Option,
    Sequence,
    Unknown,
    Value,
)
from ..flow import Argument, Arguments
from ..solver import Cell
from .library import NAMESPACES, PUT_TOGETHER, Library

PARTIAL = "_partial_"
SPECIAL = frozenset({PARTIAL, "_recursive_", "_convert_"})
"""Arguments of `instantiate` that say how it makes something."""

NAMED_ANEW = "()?"
"""The attribute under which it is kept why a mapping may name another class than when building."""

OF_LIBRARY = "[]?"
"""The attribute under which it is kept that a container may be a library's that is no list or dict."""

TARGET = "_target_"
"""The key under which a mapping names what is made of it."""

NAMELESS = Entries(left_out=frozenset({TARGET}))
"""What a mapping gives another in which a later one names the class."""

SET_BY_CODE = "set by code"
"""The part of a mapping that code has put there, objects with it, beside what the configuration says."""

MERGED = "merged"
"""What the mapping is called that merged ones give; of one that stands in it the key comes behind, and a dot."""

MERGED_WITHIN = 16

OF_CONFIGURATIONS = {"DictConfig": Dict, "ListConfig": Sequence}
"""Kinds of configurations, and what they are here."""

CONTAINERS = frozenset("dict frozenset list set tuple".split())
"""Builtin kinds that no scalar is of."""

METHODS = frozenset("clear copy get items keys pop popitem setdefault update values".split())


GIVE_WHAT_THEY_HOLD = frozenset("""
    omegaconf.OmegaConf.create omegaconf.OmegaConf.to_container omegaconf.OmegaConf.to_object omegaconf.DictConfig
    easydict.EasyDict box.Box box.ConfigBox munch.Munch munch.munchify
    munch.Munch.fromDict munch.DefaultMunch.fromDict addict.Dict ml_collections.ConfigDict attrdict.AttrDict
    """.split())
"""Functions that give a mapping, with attributes or without."""

MERGING = frozenset({"omegaconf.OmegaConf.merge", "omegaconf.OmegaConf.unsafe_merge"})


class Configurations(Library):
    """Configurations, known when building or not."""

    def call_external(self, callee: External, arguments: Arguments, result: Cell) -> None:
        if callee.name in MERGING:
            self._merge(arguments, result)
        elif callee.name in GIVE_WHAT_THEY_HOLD and not arguments.given:
            empty = Dict(arguments.node)
            self.leave_open(empty, frozenset())
            self.add(result, empty)
        elif callee.name in GIVE_WHAT_THEY_HOLD | NAMESPACES and len(given := _mappings(arguments)) == 1:
            self.watch(given[0].cell, lambda value: self._give_held(callee, value, arguments, result))
        elif callee.name in INSTANTIATING and (config := _parted(arguments)[0]):
            self.watch(config.cell, lambda _: self._left_to_hydra(callee, arguments, result))
        else:
            super().call_external(callee, arguments, result)

    def _left_to_hydra(self, callee: External, arguments: Arguments, result: Cell) -> None:
        """Something is made of a configuration, where there is one."""
        if self.once("left to hydra", arguments, result):
            super().call_external(callee, arguments, result)

    def _give_held(self, callee: External, value: Value, arguments: Arguments, result: Cell) -> None:
        is_known = value in self.open or callee.name not in NAMESPACES
        if isinstance(value, Dict) and not value.is_alias and is_known:
            self._make_open(value)
            self.add(result, value)
        elif self.once("no configuration", arguments, result):
            super().call_external(callee, arguments, result)

    def _make_open(self, value: Value) -> None:
        """Its elements are attributes too, and others may be put there where the script runs."""
        if isinstance(value, Dict) and isinstance(value.node, cst.Dict) and value not in self.open:
            self.leave_open(value, _keys(value.node))
        if isinstance(value, Dict | Sequence) and self.once("opened", value):
            self._mark_of_library(value)
            self.watch(self.any_element(value), self._make_open)

    def leave_open(self, owner: Container, known: frozenset[str]) -> None:
        super().leave_open(owner, known)
        self._mark_of_library(owner)

    def _mark_of_library(self, value: Container) -> None:
        self.add(self.attribute(value, OF_LIBRARY), Literal(True, value.node))

    def may_be_of_kind(self, kinds: frozenset[str], holds: bool, value: Value, result: Cell) -> None:
        """The value, where it may be of one of some kinds, or not; what is configured may be both."""
        of_configurations = kinds & OF_CONFIGURATIONS.keys()
        builtin = kinds - of_configurations
        if not of_configurations:
            self._may_be_builtin(builtin, holds, value, result)
        elif not builtin or holds:
            self._may_be_configured(of_configurations, holds, value, result)
            if builtin:
                self._may_be_builtin(builtin, holds, value, result)
        else:
            others = Cell()
            self._may_be_configured(of_configurations, holds, value, others)
            self.watch(others, lambda each: self._may_be_builtin(builtin, holds, each, result))

    def _may_be_builtin(self, kinds: frozenset[str], holds: bool, value: Value, result: Cell) -> None:
        if self._is_written_in_configuration(value):
            is_surely_not = "dict" not in kinds if isinstance(value, Dict) else _is_scalar_for(kinds, value)
            if not (is_surely_not and holds):
                self.add(result, value)
        elif self.is_builtin(value, kinds) is not (not holds):
            self.add(result, value)
        elif isinstance(value, Dict | Sequence):
            self.watch(self.attribute(value, OF_LIBRARY), lambda _: self.add(result, value))

    def _may_be_configured(self, kinds: frozenset[str], holds: bool, value: Value, result: Cell) -> None:
        """The same of kinds of configurations; what stands in one is of its kind, or a builtin one."""
        is_of_kind = isinstance(value, tuple(OF_CONFIGURATIONS[each] for each in kinds))
        is_surely = is_of_kind and self._is_written_in_configuration(value)
        is_surely_not = isinstance(value, Dict | Sequence | Instance | Literal) and not is_of_kind
        if not (is_surely_not if holds else is_surely):
            self.add(result, value)

    def _is_written_in_configuration(self, value: Value) -> bool:
        return self._is_of_whole(getattr(value, "node", None))

    def _is_of_whole(self, node: cst.CSTNode | None) -> bool:
        whole = self.configured.whole
        return whole is not None and node is not None and node in self.index and self.index.holds(whole, node)

    def _get(self, owner: Dict, name: str, given: list[Cell], result: Cell, arguments: Arguments) -> None:
        """An empty mapping in the place of one that is there when building is not looked into."""
        keys = (
            [each.value if isinstance(each, Literal) else None for each in given[0].values] if given else []
        )
        is_known = bool(keys) and set(keys) <= self.open.get(owner, frozenset())
        if is_known and len(given) > 1 and all(map(self._is_empty, given[1].values)):
            given = [given[0], Cell(), *given[2:]]
        super()._get(owner, name, given, result, arguments)

    def _is_empty(self, value: Value) -> bool:
        is_made = isinstance(value, Dict) and isinstance(value.node, cst.Dict | cst.Call)
        return is_made and not (value.node.elements if isinstance(value.node, cst.Dict) else value.node.args)  # type: ignore[union-attr]

    def spelled_out(self, value: Hashable, node: cst.CSTNode) -> Literal | Option:
        """A number or a text of the code's; where OmegaConf reads `${...}`, it gives what that stands for."""
        is_resolved = isinstance(value, str) and "${" in value
        return Option(str(value), node) if is_resolved else Literal(value, node)

    def _merge(self, arguments: Arguments, result: Cell) -> None:
        """One that holds what each of them does, as far as that is known."""
        made = Dict(arguments.node, part=MERGED)

        def merge(value: Value) -> None:
            if isinstance(value, Dict) and not value.is_alias:
                self._merge_into(made, value)
                self.add(result, made)

        if self.once("merged", arguments):
            self.hand_over(arguments, "`OmegaConf.merge`")
            for each in arguments.given:
                self.watch(self.elements_of(each.cell, arguments.node) if each.star else each.cell, merge)
            self.postponed.append(lambda: self._unless_merged(made, arguments.node, result))

    def gives(self, function: Function, arguments: Arguments, receiver: Value | None, result: Cell) -> None:
        """What is left of a configuration without some of its entries is one, like those that are merged."""
        maker, first = maker_of_filtered(function.node), arguments.cell(0)
        made = self.names.external(maker) if maker else None
        if first is None or made is None or made.name not in GIVE_WHAT_THEY_HOLD:
            super().gives(function, arguments, receiver, result)
            return
        self.watch(first, lambda each: self._filtered(each, arguments, result))
        is_outer = not self.index.holds(function.node, arguments.node)
        if is_outer and self.once("filtered", function, arguments, result):
            super().gives(function, arguments, receiver, Cell())

    def _filtered(self, value: Value, arguments: Arguments, result: Cell) -> None:
        if isinstance(value, Dict) and not value.is_alias:
            made = Dict(arguments.node, part=MERGED)
            self._merge_into(made, value)
            self.add(result, made)
        else:
            self.add(result, Unknown("it is made of what is left of a mapping", arguments.node))

    def _merge_into(self, made: Dict, value: Dict) -> None:
        self._make_open(value)
        self.leave_open(made, frozenset())
        self.copy(value, made)

    def copy_values(self, cell: Cell, target: Container, key: Hashable) -> None:
        """Where mappings are merged, those under one key are one, too."""
        if not isinstance(target, Dict) or not isinstance(key, str) or not _may_hold_merged(target):
            super().copy_values(cell, target, key)
            return
        held = Dict(target.node, part=f"{target.part}.{key}")

        def copy(value: Value) -> None:
            if isinstance(value, Dict) and not value.is_alias and value != held:
                self._merge_into(held, value)
                self.put(target, key, self.holding(held))
            else:
                self.add(self.element(target, key), value)

        self.watch(cell, copy)

    def _unless_merged(self, made: Dict, node: cst.CSTNode, result: Cell) -> None:
        if made not in result.values:
            self.add(result, Option("merge", node))

    def open_if_configured(self, made: Dict, node: cst.Dict) -> None:
        """What the command line changes is known only when the script runs."""
        whole = self.configured.whole
        for key, maker in self.configured.written.get(node, {}).items():
            self.flow(self.evaluate(maker), self.attribute(made, key))
        if whole is not None and self.index.holds(whole, node):
            self.leave_open(made, _keys(node))

    def escape(self, value: Value, to: str) -> None:
        """What other code puts into a configuration is no object, and checked in the script as what it reads is."""
        if not self._is_configured(value):
            super().escape(value, to)
        elif value not in self.escaped:
            self.escaped[value] = None
            self.watch(self.any_element(value), lambda each: self.escape(each, to))

    def _is_configured(self, value: Value) -> TypeGuard[Container]:
        whole = self.configured.whole
        is_part = whole is not None and isinstance(value, Sequence) and self.index.holds(whole, value.node)
        return is_part or (isinstance(value, Dict) and value in self.open)

    def call(self, callee: Value, arguments: Arguments, result: Cell) -> None:
        if isinstance(callee, Function) and callee.node is self.configured.instantiate:
            self.enter(callee)
            self._instantiate(arguments, result)
        elif isinstance(callee, Function) and callee.node is self.configured.import_module:
            self.enter(callee)
            self._import_module(arguments, result)
        elif isinstance(callee, Function) and callee.node in self.configured.makers and arguments.given:
            self._make(callee, arguments, result)
        else:
            super().call(callee, arguments, result)

    def _import_module(self, arguments: Arguments, result: Cell) -> None:
        """A module by its name, which a configuration may say: the script finds no other than it was built with."""
        names, node = arguments.cell(0) or Cell(), arguments.node
        unknown = Unknown("it is a module whose name is known only when the script runs", node)

        def named(name: Value) -> None:
            if isinstance(name, Literal) and isinstance(name.value, str):
                is_own = name.value.partition(".")[0] in self.configured.packages
                self.add(result, NamedModule(name.value) if is_own else self.names.of(name.value))
            elif isinstance(name, Option) or (isinstance(name, Unknown) and name.reason == PUT_TOGETHER):
                self.postponed.append(lambda: None if result.values else self.add(result, unknown))
            else:
                self.add(result, unknown)

        self.watch(names, named)

    def _make(self, callee: Function, arguments: Arguments, result: Cell) -> None:
        """What a function of the project's makes of what is known; of anything else as its code says."""
        first, rest = _parted(arguments)
        key = self.configured.makers[callee.node]

        def make(value: Value) -> None:
            given = Argument(self.holding(value))
            known = Arguments(arguments.node, (given, *rest.given), rest.is_open)
            made = self._maker_of(value, key)
            if made is not None:
                self.flow(self.called(made, known), result)
            if isinstance(value, Dict):
                self.watch(self.named_anew(value), lambda each: self.add(result, each))
            if made is None or isinstance(value, Dict):
                self.postponed.append(lambda: self._unless_known(made or Cell(), callee, known, result))

        if first is None:
            super().call(callee, arguments, result)
        elif self.once("make", arguments, callee):
            self.enter(callee)
            self.watch(first.cell, lambda value: None if isinstance(value, Option) else make(value))

    def named_anew(self, owner: Dict) -> Cell:
        """Why a mapping may name another class than when building: code sets what was a text in it."""
        return self.attribute(owner, NAMED_ANEW)

    def _set_anew(self, owner: Dict, key: Hashable, node: cst.CSTNode) -> None:
        whole = self.configured.whole

        def mark(value: Value) -> None:
            if isinstance(value, Literal) and isinstance(value.value, str):
                holders = (each for each in (whole, owner.node) if each is not None and each in self.index)
                if any(self.index.holds(each, value.node) for each in holders):
                    reason = f"`{key}` of what it is made of is set anew"
                    self.add(self.named_anew(owner), Unknown(reason, node))

        if self.configured.makers and self.once("set anew", owner, key, node):
            self.watch(self.element(owner, key), mark)

    def _unless_known(self, made: Cell, callee: Function, arguments: Arguments, result: Cell) -> None:
        if not made.values:
            super().call(callee, arguments, result)

    def _maker_of(self, value: Value, key: str) -> Cell | None:
        """The function that makes what a known value stands for."""
        if isinstance(value, Dict):
            return self.attribute(value, key)
        if isinstance(value, Literal) and (key, value.value) in self.configured.texts:
            return self.evaluate(self.configured.texts[key, value.value])
        return None

    def copy(self, source: Container, target: Container, entries: Entries = ALL) -> None:
        """What is made of one is made of the other, with what code has put there."""
        super().copy(source, target, entries)
        if entries.mapping is not None:
            reason = "it is made of some entries of a mapping"
            self.add(self.attribute(target, MADE), Unknown(reason, target.node))
            return
        if self.configured.instantiate and isinstance(source, Dict) and isinstance(target, Dict):
            if entries.has(TARGET):
                self.flow(self.attribute(source, MADE), self.attribute(target, MADE))
            super().copy(_set_by_code(source), _set_by_code(target), entries)
        for key in self.configured.makers.values():
            if isinstance(source, Dict) and key in self.attributes.get(source, ()):
                self.flow(self.attribute(source, key), self.attribute(target, key))

    def unpack(self, made: Dict, cell: Cell, later: list[Cell], node: cst.CSTNode) -> None:
        """A later one that names a class wins, so that what is made of this one is not made of both."""
        if not self.configured.instantiate or not later:
            super().unpack(made, cell, later, node)
            return
        self.watch(cell, lambda value: self._fill_from(made, value, node, NAMELESS))
        self.postponed.append(lambda: self._unless_named(made, cell, later, node))

    def _unless_named(self, made: Dict, cell: Cell, later: list[Cell], node: cst.CSTNode) -> None:
        unpack = partial(super().unpack, made, cell, later, node)
        naming = (each for each in later if each.values and all(map(self._names_its_class, each.values)))
        if winner := next(naming, None):
            self.watch(winner, lambda value: None if self._names_its_class(value) else unpack())
            self.watch(cell, lambda value: self._fill_from(_set_by_code(made), value, node, NAMELESS))
        else:
            unpack()

    def _names_its_class(self, value: Value) -> bool:
        if not isinstance(value, Dict) or not self.attribute(value, MADE).values:
            return False
        return value not in self.shrinking and TARGET not in self.taken_out.get(value, ())

    def _instantiate(self, arguments: Arguments, result: Cell) -> None:
        """An argument that is no part of the configuration is not known; in the script it is checked."""
        first, rest = _parted(arguments)
        is_partial = any(each.keyword == PARTIAL and _is_true(each) for each in arguments.given)
        unread = Unknown("it is made in part of a mapping in which code puts something", arguments.node)

        def make_of(value: Dict) -> None:
            if is_partial:
                self.flow(self.attribute(value, MADE), result)
                self.watch(self.any_element(_set_by_code(value)), lambda _: self.add(result, unread))
            elif self.once("make of", value, arguments):
                put = Argument(self.holding(_set_by_code(value)), star="**")
                given = Arguments(rest.node, (*rest.given, put), rest.is_open)
                self.flow(self.called(self.attribute(value, MADE), given), result)

        def make(value: Value) -> None:
            if isinstance(value, Dict) and value in self.open:
                make_of(value)
            elif isinstance(value, Dict) and not value.is_alias:
                self.watch(self.attribute(value, MADE), lambda _: make_of(value))
                self.postponed.append(lambda: self._unless_class_is_named(value, result))
            elif isinstance(value, Sequence):
                self.add(result, self._each_made(value, rest))
            elif not isinstance(value, Option):
                self.add(result, value)

        if first and self.once("instantiate", arguments):
            self.watch(first.cell, make)

    def _unless_class_is_named(self, value: Dict, result: Cell) -> None:
        if not self.attribute(value, MADE).values:
            self.add(result, value)

    def _each_made(self, value: Sequence, rest: Arguments) -> Sequence:
        """A list of what is made of each; where functions call themselves, it may be among its own elements."""
        elements = Cell()
        if self.once("each made", value, rest.node):
            self._instantiate(Arguments(rest.node, (Argument(self.any_element(value)),)), elements)
        return self.collected("list", value.node, elements, "instantiated")

    def set_item(
        self, owner: Value, key: Value, cell: Cell, node: cst.CSTNode, written: cst.BaseExpression | None
    ) -> None:
        if isinstance(owner, Dict) and isinstance(key, Literal) and self._is_of_code(key.value):
            self.flow(cell, self.attribute(owner, str(key.value)))
        else:
            if isinstance(owner, Dict) and isinstance(key, Literal) and not isinstance(node, cst.DictElement):
                self._set_anew(owner, self.key_of(owner, key), node)
            super().set_item(owner, key, cell, node, written)
            if self.configured.instantiate and isinstance(owner, Dict) and isinstance(key, Literal):
                self._keep_apart(owner, key.value, cell, node, written)

    def _keep_apart(
        self, owner: Dict, key: object, cell: Cell, node: cst.CSTNode, written: cst.BaseExpression | None
    ) -> None:
        """What code puts into a mapping, unless it is what a configuration could say, which the script checks."""
        if not isinstance(key, str) or self._is_of_whole(node) or owner.is_alias:
            return
        if key == TARGET and not self._is_of_whole(owner.node):
            self.add(self.attribute(owner, MADE), Unknown("its class is named in a copy of a mapping", node))
        elif key not in {TARGET, *SPECIAL} and self.once("kept apart", owner, key, cell):
            apart = Cell()
            self.watch(
                cell, lambda each: None if isinstance(each, Literal | Option) else self.add(apart, each)
            )
            self.put(_set_by_code(owner), key, apart, written)

    def _read_any(self, owner: Value, result: Cell, node: cst.CSTNode) -> None:
        """Of a module whose classes the script has, it finds no others than those that are known."""
        if isinstance(owner, NamedModule):
            self._unless_found(owner.name, result, node)
        else:
            super()._read_any(owner, result, node)

    def _unless_found(self, name: str, result: Cell, node: cst.CSTNode) -> None:
        self.postponed.append(lambda: None if result.values else self.add(result, Option(name, node)))

    def _is_of_code(self, key: object) -> bool:
        """Whether it is a key under which the code of a configuration has what is made of a mapping."""
        return key == MADE or key in self.configured.makers.values()

    def read(self, value: Value, name: str, result: Cell, node: cst.CSTNode) -> None:
        if isinstance(value, NamedModule):
            own = self.configured.targets.get(f"{value.name}.{name}")
            self.flow(self.evaluate(own), result) if own else self._unless_found(value.name, result, node)
        elif isinstance(value, Dict) and value in self.open and name not in METHODS:
            self.take(value, name, result)
        else:
            super().read(value, name, result, node)

    def write(self, value: Value, name: str, cell: Cell, node: cst.CSTNode) -> None:
        if isinstance(value, Dict) and value in self.open:
            self._set_anew(value, name, node)
            self.put(value, name, cell)
        else:
            super().write(value, name, cell, node)


def _set_by_code(owner: Dict) -> Dict:
    return Dict(owner.node, part=f"{owner.part}{SET_BY_CODE}")


def _may_hold_merged(made: Dict) -> bool:
    """Whether it is of merged mappings, and not so far within them that some hold themselves."""
    is_merged = made.part.startswith(MERGED) and not made.part.endswith(SET_BY_CODE)
    return is_merged and made.part.count(".") < MERGED_WITHIN


def _keys(node: cst.Dict) -> frozenset[str]:
    keys = (each.key for each in node.elements if isinstance(each, cst.DictElement))
    return frozenset(str(key.evaluated_value) for key in keys if isinstance(key, cst.SimpleString))


def _is_true(argument: Argument) -> bool:
    return isinstance(argument.node, cst.Name) and argument.node.value == "True"


def _is_scalar_for(kinds: frozenset[str], value: Value) -> bool:
    """Whether it is one, and kinds are none of scalars."""
    return isinstance(value, Literal) and kinds <= CONTAINERS


def _mappings(arguments: Arguments) -> list[Argument]:
    """What a mapping is made from: the first argument, and those that are unpacked."""
    return [each for each in arguments.given[:1] if not each.keyword and not each.star] + [
        each for each in arguments.given if each.star == "**"
    ]


def _parted(arguments: Arguments) -> tuple[Argument | None, Arguments]:
    """The configuration, and what else is given."""
    named = next((each for each in arguments.given if each.keyword == "config"), None)
    first = named or next((each for each in arguments.given if not each.keyword and not each.star), None)
    rest = tuple(each for each in arguments.given if each is not first and each.keyword not in SPECIAL)
    return first, Arguments(arguments.node, rest, arguments.is_open)
