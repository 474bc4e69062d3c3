"""The arguments of a Trainer: those in the call, and those in mappings that are unpacked there."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...spec.trainer_settings import EXPRESSIBLE, TRAINER_ARGUMENTS
from ...values import Dict, Instance, Literal, Sequence, Value, Values, ValueSet, values_of
from ..code.literals import code_of, is_literal
from .unpacked_mappings import stored_in

KEPT = m.Name() | m.Attribute() | m.Subscript() | m.BaseNumber() | m.SimpleString() | m.Dict(elements=[])
COPIES = m.Name("vars") | m.Name("dict") | m.Attribute(attr=m.Name("get") | m.Name("copy"))
"""Expressions that may be asked for twice, and functions that hold the same objects each time."""


STORABLE = frozenset({"callbacks", "logger", "default_root_dir", *EXPRESSIBLE})
"""What need not be known when the script is built, so that it may come from elsewhere, too."""

PLUGINS = "plugins"
"""The setting whose objects a script does not make, but is written for."""


@dataclass(frozen=True)
class Unpacked:
    """A mapping that a Trainer is given its arguments from."""

    place: int  # among the call's arguments
    node: cst.BaseExpression
    entries: tuple[Argument, ...]
    is_open: bool  # what it holds is known only when the script runs
    is_configured: bool = False  # as far as a configuration does not say it when building
    may_be_asked_twice: bool = True  # it is the same each time


def _is_kept(node: cst.BaseExpression) -> bool:
    if not isinstance(node, cst.Call):
        return m.matches(node, KEPT)
    receiver = node.func.value if isinstance(node.func, cst.Attribute) else node.func
    parts = [receiver, *(argument.value for argument in node.args)]
    return m.matches(node.func, COPIES) and all(map(_is_kept, parts))


def _is_computed(project: Project, node: cst.BaseExpression) -> bool:
    """Whether an attribute may be a property, which code of the user's computes each time."""
    found = project.index.within(node, cst.Attribute) if node in project.index else []
    names = {each.attr.value for each in found}
    methods = (each for each in project.index.of_kind(cst.FunctionDef) if each.name.value in names)
    return any(project.index.class_of(each) is not None and each.decorators for each in methods)


@dataclass(frozen=True)
class Argument:
    """An argument by its name."""

    name: str
    node: cst.Arg  # of a mapping's entry, as if it stood in the call
    place: int  # among the call's arguments
    in_mapping: bool = False
    is_sure: bool = True  # it is there, and is what `value` says
    is_there: bool = True  # surely, whatever it is
    held: tuple[Value, ...] = ()  # what a mapping has there, as far as that is known when building
    is_configured: bool = False  # by a configuration, of which a run may be told otherwise

    @property
    def value(self) -> cst.BaseExpression:
        return self.node.value


def unpacked(
    project: Project, call: cst.Call, expected: tuple[str, ...], open_names: Container[str] = EXPRESSIBLE
) -> Iterator[Unpacked]:
    """The mappings that a call unpacks; one that cannot be read is taken to hold what is `expected` beside the rest.

    Of a configuration's entries those with `open_names` stay as they are, of which a run alone knows the value.
    """
    named = {argument.keyword.value for argument in call.args if argument.keyword}
    expected = tuple(name for name in expected if name not in named)
    for place, argument in enumerate(call.args):
        if argument.star == "**":
            values = values_of(project)
            entries = _entries(values, place, argument.value)
            is_configured = entries is not None and _is_configured(values, argument.value)
            if entries is None:
                stored = _stored(project, place, argument.value)
                asked = _asked_for(place, argument.value, expected)
                entries_by_name = {each.name: each for each in (*asked, *stored) if each.name not in named}
                known = tuple(entries_by_name.values())
            else:  # what the call names stands in none, which would be an error
                known = tuple(each for each in entries if each.name not in named)
            if is_configured:
                known = tuple(each if each.name in open_names else _built_for(values, each) for each in known)
                known = tuple(replace(each, is_configured=True) for each in known)
            is_kept = _is_kept(argument.value) and not _is_computed(project, argument.value)
            yield Unpacked(place, argument.value, known, entries is None, is_configured, is_kept)


def arguments(project: Project, call: cst.Call, expected: tuple[str, ...]) -> tuple[Argument, ...]:
    """All arguments that have a name, in order."""
    mappings = {each.place: each.entries for each in unpacked(project, call, expected)}
    found = list[Argument]()
    for place, argument in enumerate(call.args):
        if argument.keyword is not None:
            found.append(Argument(argument.keyword.value, argument, place))
        found += mappings.get(place, ())
    return tuple(found)


def may_lack(project: Project, calls: Iterable[cst.Call], expected: tuple[str, ...], name: str) -> bool:
    """Whether a mapping may give some Trainer an argument, and may not."""
    given = (each for call in calls for each in arguments(project, call, expected))
    return any(each.name == name and not each.is_there for each in given)


def told(project: Project, call: cst.Call, expected: tuple[str, ...]) -> cst.Call:
    """The call, with what mappings hold in their place."""
    if not any(argument.star == "**" for argument in call.args):
        return call
    return call.with_changes(args=[each.node for each in arguments(project, call, expected)])


def _entries(values: Values, place: int, mapping: cst.BaseExpression) -> tuple[Argument, ...] | None:
    """What a mapping holds; None: that is not known."""
    found = values.of(mapping)
    if not found:  # nothing that was read has put it where it is looked for
        return None
    entries = dict[tuple[str, cst.BaseExpression], Argument]()
    for value in found:
        parts = values.parts(value) if isinstance(value, Dict) else None
        if parts is None or not all(isinstance(key, str) for key in parts):
            return None
        assert isinstance(value, Dict)
        sure = values.sure_parts(value) if len(found) == 1 else {}
        for key in parts:
            if key not in TRAINER_ARGUMENTS and values.may_be_taken_out(value, key):
                continue  # before the mapping is unpacked, which would be an error
            written = values.written(value, key) or _made(parts[key]) or (_item(mapping, str(key)),)
            is_sure = key in sure and len(written) == 1
            for each in written:
                entry = _entry(str(key), each, place, is_sure)
                entries[str(key), each] = replace(entry, held=parts[key].values, is_there=key in sure)
    return tuple(entries.values())


def _stored(project: Project, place: int, mapping: cst.BaseExpression) -> Iterator[Argument]:
    """What code puts into a mapping that is not known otherwise, of what the script can take from it in any case."""
    values = values_of(project)
    for each in stored_in(project, mapping):
        if isinstance(each, tuple):
            name, value = each
            found = [replace(_entry(name, value, place, False), held=values.of(value).values)]
        else:
            found = [*(_entries(values, place, each) or ())]
        for entry in found:
            if entry.name in STORABLE:
                yield replace(entry, is_sure=False, is_there=False)


def _is_configured(values: Values, mapping: cst.BaseExpression) -> bool:
    """Whether it is of a configuration, of which the script's command line may change what is known."""
    return any(isinstance(each, Dict) and values.is_open(each) for each in values.of(mapping))


def _built_for(values: Values, argument: Argument) -> Argument:
    """The argument, of a setting that may not be known later with the value that it has when building."""
    held = argument.held or values.of(argument.value)
    literals = [_written(each) for each in held if isinstance(each, Literal)]
    known = literals or (_listed(argument) if argument.name == PLUGINS else [])
    return (
        replace(argument, node=argument.node.with_changes(value=known[0]), is_sure=True)
        if known
        else argument
    )


def _listed(argument: Argument) -> list[cst.BaseExpression]:
    """The list that a mapping surely has there, as it is written."""
    nodes = [each.node for each in argument.held if isinstance(each, Sequence)]
    lists = {code_of(node): node for node in nodes if isinstance(node, cst.List)}
    return [*lists.values()] if len(lists) == 1 and len(nodes) == len(argument.held) else []


def _made(found: ValueSet) -> tuple[cst.BaseExpression, ...]:
    """The expressions that make values; none, where that is not known of all."""
    nodes = [_made_at(each) for each in found]
    known = tuple(node for node in nodes if isinstance(node, cst.BaseExpression))
    return known if len(known) == len(nodes) else ()


def _made_at(value: Value) -> cst.CSTNode | None:
    if isinstance(value, Literal):
        return _written(value)
    return value.node if isinstance(value, Instance) else None


def _written(value: Literal) -> cst.BaseExpression:
    """The literal as it stands in the code; what is computed of others, as one."""
    is_written = isinstance(value.node, cst.BaseExpression) and is_literal(value.node)
    return value.node if is_written else cst.parse_expression(repr(value.value))  # type: ignore[return-value]


def _asked_for(place: int, mapping: cst.BaseExpression, names: tuple[str, ...]) -> Iterator[Argument]:
    """What a mapping may hold."""
    yield from (_entry(name, _item(mapping, name), place, False) for name in names)


def _entry(name: str, value: cst.BaseExpression, place: int, is_sure: bool) -> Argument:
    return Argument(name, cst.Arg(value, cst.Name(name)), place, True, is_sure, is_sure)


def _item(mapping: cst.BaseExpression, key: str) -> cst.Subscript:
    index = cst.SubscriptElement(cst.Index(cst.SimpleString(f'"{key}"')))
    return cst.Subscript(mapping, [index])
