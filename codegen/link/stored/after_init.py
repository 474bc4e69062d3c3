"""What a dataclass's `__post_init__` may change."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

from .annotations import is_replaced_whole, is_scalar
from .values import Unread

AFTER = "__post_init__"

MISSING = "???"
"""What stands for a value that is not known."""

SPEAKING = frozenset("defaults _target_ _partial_ _args_ _recursive_ _convert_".split())
"""Fields that decide what is composed, and made of it."""

REACHING = frozenset("vars locals globals exec eval super".split())
"""Functions by which code gets at more than it names."""


@dataclass(frozen=True)
class Mentioned:
    """What such a method does with the object that it is of."""

    sets: frozenset[str]
    uses: frozenset[str]
    asks_bases: bool  # to do the same
    is_open: bool  # it may set anything

    def may_set(self, name: str, type_: Any) -> bool:
        return self.is_open or name in self.sets or (name in self.uses and not is_scalar(type_))


def mentioned(node: ast.FunctionDef) -> Mentioned:
    own = node.args.args[0].arg if node.args.args else ""
    nodes = [*ast.walk(node)]
    of_own = [each for each in nodes if isinstance(each, ast.Attribute) and _is_of(each, own)]
    called = [each.func for each in nodes if isinstance(each, ast.Call)]
    asking = [each for each in called if ast.unparse(each) == f"super().{AFTER}"]
    names = [each.id for each in nodes if isinstance(each, ast.Name)]
    reaching = sum(name in REACHING for name in names) - len(asking)
    is_open = names.count(own) > len(of_own) or reaching > 0 or any(each in called for each in of_own)
    sets = frozenset(each.attr for each in of_own if not isinstance(each.ctx, ast.Load))
    return Mentioned(sets, frozenset(each.attr for each in of_own), bool(asking), is_open)


def _is_of(node: ast.Attribute, own: str) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == own


def forgetting(name: str, node: ast.FunctionDef, bases: tuple[type, ...]) -> Callable[..., None]:
    """In the place of the method of a class of that name: what it may set is not known afterwards."""
    found = mentioned(node)

    def after(self: Any, *given: object) -> None:
        for base in bases if found.asks_bases else ():
            if of_base := getattr(base, AFTER, None):
                of_base(self, *given)
        hints = get_type_hints(type(self))
        for each in (each.name for each in dataclasses.fields(self)):
            if found.may_set(each, hints[each]):
                if each in SPEAKING or not is_replaced_whole(hints[each]):
                    raise Unread(f"`{name}.{AFTER}` may change `{each}`")
                object.__setattr__(self, each, MISSING)

    return after
