"""Dataclasses and enums of the project's, made anew of what their definitions say.

They have the same fields, with the same types and defaults, and no code of the project's.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, get_type_hints

from ...diagnostics import Span
from ..modules.module import Module
from .after_init import AFTER, MISSING, SPEAKING, forgetting
from .annotations import annotation, is_replaced_whole
from .values import Function, Scope, Unread, Values, unread

OWN_WAYS = frozenset(
    "__new__ __init__ __init_subclass__ __getattr__ __getattribute__ __setattr__ __set_name__".split()
)
"""Methods by which instances may get other attributes than a dataclass says."""

RULES = frozenset("_missing_ _generate_next_value_ __new__ __init__".split())
"""Methods by which an enum's members may be others than it says."""

PLAIN = (object, str, int, float, enum.Enum, enum.IntEnum, getattr(enum, "StrEnum", enum.Enum))
"""Bases that come from Python."""


@dataclass(eq=False)
class Classes:
    """Makes them, once each. Raises Unread."""

    values: Values
    made: dict[ast.ClassDef, type | Unread] = field(default_factory=dict)
    places: dict[type, dict[str, Span]] = field(default_factory=dict)  # of the fields of each

    def __post_init__(self) -> None:
        self.values.classes = self

    def has(self, value: object) -> bool:
        """Whether it is such a class."""
        return isinstance(value, type) and value in self.places

    def of(self, module: Module, node: ast.ClassDef) -> type:
        if node not in self.made:
            self.made[node] = Unread(f"`{node.name}` refers to itself")
            try:
                self.made[node] = self._made(module, node)
            except Unread as error:
                self.made[node] = error
        found = self.made[node]
        if isinstance(found, Unread):
            raise found
        return found

    def _made(self, module: Module, node: ast.ClassDef) -> type:
        bases = tuple(self._base(each, Scope(module)) for each in node.bases)
        if node.keywords:
            raise Unread(f"`{node.name}` has a metaclass")
        if any(issubclass(each, enum.Enum) for each in bases):
            made = self._enum(module, node, bases)
            self.places[made] = {}
        else:
            made = self._with_fields(module, node, bases)
            self.places[made] = self._places(module, node, bases)
        return made

    def _base(self, node: ast.expr, scope: Scope) -> type:
        found = self.values.of(node, scope)
        return found if isinstance(found, type) and (self.has(found) or found in PLAIN) else unread(node)

    def _places(self, module: Module, node: ast.ClassDef, bases: tuple[type, ...]) -> dict[str, Span]:
        found = dict[str, Span]()
        for base in reversed(bases):
            found |= self.places.get(base, {})
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                found[each.target.id] = span(module, each)
        return found

    # ---- enums -------------------------------------------------------------------------------------------

    def _enum(self, module: Module, node: ast.ClassDef, bases: tuple[type, ...]) -> type:
        if node.decorator_list or RULES & _methods(node).keys():
            raise Unread(f"`{node.name}` is an enum with rules of its own")
        members = dict[str, Any]()
        for name, value in _members(node):
            members[name] = self._member(value, Scope(module, members), bases)
        *mixed, kind = bases
        try:
            given = {"type": mixed[0]} if mixed else {}
            return kind(node.name, members, module=module.place.name, **given)  # type: ignore[no-any-return]
        except (TypeError, ValueError) as error:
            raise Unread(str(error)) from None

    def _member(self, node: ast.expr, scope: Scope, bases: tuple[type, ...]) -> Any:
        """Its value; where that is not known, something that nothing else is."""
        try:
            if isinstance(node, ast.Call) and self.values.of(node.func, scope) is enum.auto:
                return enum.auto()
            return self.values.known(node, scope)
        except Unread:
            if bases != (enum.Enum,):
                raise
            return object()

    # ---- dataclasses -------------------------------------------------------------------------------------

    def _with_fields(self, module: Module, node: ast.ClassDef, bases: tuple[type, ...]) -> type:
        if own := OWN_WAYS & _methods(node).keys():
            raise Unread(f"`{node.name}` has a method `{min(own)}`")
        how, body = self._how(module, node), self._body(module, node, bases)
        try:
            made = type(node.name, bases, body)
            if how is not None:
                made = dataclasses.dataclass(**how)(made)
                get_type_hints(made)
            return made
        except (TypeError, ValueError, NameError) as error:
            raise Unread(f"`{node.name}`: {error}") from None

    def _how(self, module: Module, node: ast.ClassDef) -> dict[str, Any] | None:
        """What the decorator is given; None: it is no dataclass."""
        if not node.decorator_list:
            return None
        *others, own = node.decorator_list
        for each in others:
            self._check(each, module)
        call = own if isinstance(own, ast.Call) else None
        if self.values.of(call.func if call else own, Scope(module)) is dataclasses.dataclass:
            return self.values.arguments(call, Scope(module))[1] if call else {}
        self._check(own, module)
        return None

    def _check(self, decorator: ast.expr, module: Module) -> None:
        """Raises Unread, if it may give another class than it is given."""
        call = decorator if isinstance(decorator, ast.Call) else None
        found = self.values.of(call.func if call else decorator, Scope(module))
        node = found.node if isinstance(found, Function) and isinstance(found.node, ast.FunctionDef) else None
        inner = _given(node) if call and node else node
        if inner is None or not _gives_back(inner):
            raise Unread(f"what the decorator `{ast.unparse(decorator)}` gives is not known")

    def _body(self, module: Module, node: ast.ClassDef, bases: tuple[type, ...]) -> dict[str, Any]:
        """The class's attributes."""
        types, held, methods = dict[str, Any](), dict[str, Any](), _methods(node)
        for name, type_, value in _attributes(node):
            if type_ is not None:
                types[name] = self._type(node, name, type_, module)
            if value is not None:
                scope = Scope(module, held, is_class=True)
                is_open = name not in types or (is_replaced_whole(types[name]) and name not in SPEAKING)
                held[name] = self._default(node, name, value, scope, is_open)
        if clash := types.keys() & methods.keys():
            raise Unread(f"`{node.name}.{min(clash)}` is a method too")
        known = {name: each for name, each in held.items() if not isinstance(each, Unread)}
        unknown = dict.fromkeys(types.keys() & held.keys() - known.keys(), MISSING)
        more = {AFTER: forgetting(node.name, methods[AFTER], bases)} if AFTER in methods else {}
        return {**known, **unknown, **more, "__annotations__": types, "__module__": module.place.name}

    def _type(self, node: ast.ClassDef, name: str, type_: ast.expr, module: Module) -> Any:
        try:
            return annotation(type_, Scope(module), self.values)
        except Unread as error:
            raise Unread(f"`{node.name}.{name}`: {error}") from None

    def _default(self, node: ast.ClassDef, name: str, value: ast.expr, scope: Scope, is_open: bool) -> Any:
        """What an attribute is at first; an Unread, where it `is_open` to be that: nothing is ever mixed with it."""
        try:
            return self._read(value, scope)
        except Unread as error:
            if is_open:
                return error
            raise Unread(f"`{node.name}.{name}`: {error}") from None

    def _read(self, node: ast.expr, scope: Scope) -> Any:
        if not (isinstance(node, ast.Call) and self.values.of(node.func, scope) is dataclasses.field):
            return self.values.known(node, scope)
        given, named = self.values.arguments(node, scope)
        if factory := named.get("default_factory"):
            self.values.made_by(factory)
            named["default_factory"] = partial(self.values.made_by, factory)
        if given or not self.values.is_known(named.get("default")):
            unread(node)
        return dataclasses.field(**named)


def _gives_back(node: ast.FunctionDef) -> bool:
    """Whether a function gives what it is given, and as it was."""
    own = node.args.args[0].arg if node.args.args else ""
    nodes = [*ast.walk(node)]
    given = {ast.unparse(each.value) for each in nodes if isinstance(each, ast.Return) and each.value}
    own_or_part = (each for each in nodes if isinstance(each, ast.Attribute | ast.Name))
    is_set = any(
        not isinstance(each.ctx, ast.Load) and ast.unparse(each).partition(".")[0] == own
        for each in own_or_part
    )
    return given == {own} and not is_set and "setattr" not in ast.unparse(node)


def _given(node: ast.FunctionDef) -> ast.FunctionDef | None:
    """The function that a function defines and gives."""
    given = {ast.unparse(each.value) for each in node.body if isinstance(each, ast.Return) and each.value}
    found = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name in given]
    return found[0] if len(found) == 1 else None


def _methods(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}


def _attributes(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr | None, ast.expr | None]]:
    """The names that a class's body binds otherwise than by methods, with their types and what they are."""
    for each in node.body:
        match each:
            case ast.AnnAssign(ast.Name(name), type_, value):
                yield name, type_, value
            case ast.Assign([ast.Name(name)], value):
                yield name, None, value
            case ast.FunctionDef() | ast.Expr(ast.Constant()) | ast.Pass():
                pass
            case _:
                raise Unread(f"`{node.name}` holds `{ast.unparse(each).partition(chr(10))[0]}`")


def _members(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for name, type_, value in _attributes(node):
        if type_ is not None or value is None:
            raise Unread(f"`{node.name}.{name}` is no member of an enum")
        yield name, value


def span(module: Module, node: ast.stmt | ast.expr) -> Span:
    """Where it stands in its file."""
    end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    shown, _ = module.shown_place((node.lineno, node.col_offset), end)
    return dataclasses.replace(shown, path=str(module.place.path))
