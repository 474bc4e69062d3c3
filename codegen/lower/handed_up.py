"""What constructors hand up of their arguments to the classes above, which save hyperparameters too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import libcst as cst

from ..index.search import findall, nodes
from ..ir.project import Class
from ..ir.saving import (
    SUPER_INIT,
    arguments_of,
    ignored_by,
    is_before_base,
    keywords_of,
    lists_names,
    names_of,
    objects_of,
    parameter_names,
    save_calls,
)
from ..source.names import free_name


def handed_up(cls: Class, above: Iterable[Class]) -> str:
    """Which of its constructor's arguments the classes above save, as arguments of `HParams`; empty: none."""
    if not _has_arguments(cls):
        return ""
    if any(map(_saves_all, above)):
        return arguments_of(cls, None, {name for base in above for name in ignored_by(base)})
    saved = {name for base in above for _, call in save_calls(base) for name in names_of(call)}
    own = [f"{name}={name}" for name in parameter_names(cls) if name in saved]
    others = sorted(saved - {*parameter_names(cls)})
    if others and (keywords := keywords_of(cls)):
        own.append(f"**{{name: {keywords}[name] for name in {others} if name in {keywords}}}")
    return ", ".join(own)


def saves_all_before(cls: Class) -> bool:
    """Whether it saves all its arguments before the base's constructor finds them."""
    return any(_is_of_all(call) and is_before_base(cls, call) for _, call in save_calls(cls))


def kept_handed(cls: Class, chains: Iterable[Sequence[Class]]) -> str:
    """The variable for what classes below hand up, where they have other values for arguments that it saves again."""
    if not any(method == "__init__" and not objects_of(call) for method, call in save_calls(cls)):
        return ""
    below = [chain[: chain.index(cls)] for chain in chains]
    if not any(_changes(parts, cls) for parts in below):
        return ""
    return free_name("handed", {name.value for name in nodes(cls.own_methods["__init__"], cst.Name)})


def _changes(parts: Sequence[Class], cls: Class) -> bool:
    """Whether one of the classes has an argument of the name of one of the class's, which is not passed on as it is."""
    taking = [part for part in (*parts, cls) if "__init__" in part.own_methods]
    passed = [_passed_on(part, above) for part, above in pairwise(taking)]
    own = {*parameter_names(cls)}
    return any(
        name in own and not all(name in each for each in passed[i:])
        for i, part in enumerate(taking[:-1])
        for name in parameter_names(part)
    )


def _passed_on(part: Class, above: Class) -> set[str]:
    """The arguments that a constructor passes on to the one above under their own names, as they are."""
    calls = findall(part.own_methods["__init__"], SUPER_INIT)
    if len(calls) != 1:
        return set()
    arguments = [each for each in cst.ensure_type(calls[0], cst.Call).args if not each.star]
    names = [each.keyword.value if each.keyword else None for each in arguments]
    by_place = iter(parameter_names(above))
    told = [(name or next(by_place, ""), each.value) for name, each in zip(names, arguments, strict=True)]
    return {name for name, value in told if isinstance(value, cst.Name) and value.value == name}


def _has_arguments(cls: Class) -> bool:
    return "__init__" in cls.own_methods and bool(arguments_of(cls, None))


def _saves_all(cls: Class) -> bool:
    """Whether a call in the class saves all arguments, and so those of the classes below it."""
    return any(_is_of_all(call) for _, call in save_calls(cls))


def _is_of_all(call: cst.Call) -> bool:
    return not objects_of(call) and not lists_names(call)
