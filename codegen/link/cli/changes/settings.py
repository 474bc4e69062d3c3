"""What `before_instantiate_classes` changes of the settings, before anything is made of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from ....source.names import free_name
from ....spec.init_args.environment import FromCode, FromEnvironment
from ....spec.init_args.values import Linked
from ....spec.layers import Layer
from ....spec.yaml_file import KeyPath
from ..calls import CliCall
from ..known import KnownValues, Unknown
from ..links import Links
from ..parser import place_of, setting_path
from ..texts_at_run import KEPT, KEPT_TEXT, value_at_run

METHOD = "before_instantiate_classes"

ROOTS: frozenset[str] = frozenset({"config"})
"""Attributes of the LightningCLI's that have the settings."""

SECTIONS = ("trainer", "model")
"""Those that the settings have in any case, beside the code's own."""

FOLDER = ("trainer", "default_root_dir")

CHANGEABLE = (ast.List, ast.Dict, ast.Set)
ENDING = (ast.Return, ast.Yield, ast.YieldFrom, ast.FunctionDef, ast.ClassDef, ast.Lambda)
"""What may end the method, or is run later."""

GIVE_ANYTHING = frozenset("super locals vars eval exec".split())
"""What gives the object, or may do so, and does not name it."""

NO_LITERALS = (dict, list, Linked, FromCode, FromEnvironment)
"""Values of settings that no code stands for."""


@dataclass
class Changes:
    """Reads the method's statements; those that change a setting to a known value are what the settings say."""

    cli: CliCall
    layer: Layer
    links: Links
    command: str
    roots: frozenset[str] = ROOTS
    names: dict[str, KeyPath] = field(default_factory=dict)  # variables for sections of the settings
    asked: list[KeyPath] = field(default_factory=list)  # settings that statements read which may stay
    acts: bool = False  # statements that stay have been run
    is_stale: bool = False  # one of these has changed since
    read: set[KeyPath] = field(default_factory=set)  # settings that the value at hand is computed from
    sources: dict[str, frozenset[KeyPath]] = field(default_factory=dict)  # the same of variables
    fixed: set[KeyPath] = field(default_factory=set)  # settings that others have been computed from
    values: dict[str, ast.expr] = field(
        default_factory=dict
    )  # what others are: plain values, or texts at run

    texts: dict[str, FromCode] = field(
        default_factory=dict
    )  # that variables have, by the script's attributes
    made_once: list[tuple[ast.expr, str]] = field(default_factory=list)  # what stands for them in the method

    def apply(self) -> tuple[ast.stmt, ...]:
        """The statements that the script can do without."""
        found = self.cli.methods().get(METHOD)
        if found is None or not found[1].args.args:
            return ()
        self.module, method = found
        self.own = method.args.args[0].arg
        read = list(self._read(method.body))
        is_all = len(read) == len(method.body)
        if self.is_stale and not is_all:
            return ()  # what stays would find the new values
        return tuple(each for each in read if is_all or _sets_a_part(each))

    def _read(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        """The statements that are followed, until one of the others may have to do with the settings."""
        for each in body:
            if self._is_read(each):
                yield each
            elif self._is_apart(each):
                self._leave(each)
            else:
                return

    def _is_apart(self, statement: ast.stmt) -> bool:
        """Whether it neither ends the method nor has anything that a setting is, or may become."""
        nodes = list(ast.walk(statement))
        names = {each.id for each in nodes if isinstance(each, ast.Name)}
        changing = {name for name, value in self.values.items() if isinstance(value, CHANGEABLE)}
        is_plain = not any(isinstance(each, ENDING) for each in nodes)
        return is_plain and names.isdisjoint({self.own, *GIVE_ANYTHING, *self.names, *changing})

    def _leave(self, statement: ast.stmt) -> None:
        """It stays: what it binds is not known, nor what it does to what else is asked when the script runs."""
        self.acts = True
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._forget(node.id)
            elif isinstance(node, ast.alias):
                self._forget(node.asname or node.name.partition(".")[0])

    def _is_read(self, statement: ast.stmt) -> bool:
        self.read.clear()
        match statement:
            case ast.Pass() | ast.Expr(ast.Constant()):
                return True
            case ast.Expr(ast.Call(ast.Attribute(ast.Call(ast.Name("super")), name), [], [])):
                return name == METHOD
            case ast.Assign([ast.Name(name)], given) if (path := self.path(given)) is not None:
                self._name(name, given, path)
                return True
            case ast.Assign([ast.Name() | ast.Attribute() | ast.Subscript() as target], given):
                return self._set(target, given)
            case ast.AugAssign(ast.Name() | ast.Attribute() | ast.Subscript() as target, operation, given):
                before = ast.parse(ast.unparse(target), mode="eval").body
                whole = ast.copy_location(ast.BinOp(before, operation, given), statement)
                return self._set(target, ast.fix_missing_locations(whole))
            case ast.If(test, body, otherwise):
                is_so = self._decided(test)
                self.fixed |= {each for each in self.read if not self._only_sets(each, [*body, *otherwise])}
                return is_so is not None and all(map(self._is_read, body if is_so else otherwise))
            case ast.For(target, ast.Call(ast.Attribute(section, "items"), [], []), body, []):
                return self._run_for_each(target, section, body)
        return False

    def _only_sets(self, setting: KeyPath, statements: list[ast.stmt]) -> bool:
        """Whether statements do no more than to set what is asked for: an option says it as well."""
        targets = (each.targets[0] if isinstance(each, ast.Assign) else None for each in statements)
        paths = [target is not None and self.path(target) for target in targets]
        return all(path and setting_at(path) == setting for path in paths)

    def _name(self, name: str, given: ast.expr, path: KeyPath) -> None:
        """A variable for a setting, or for a section of them."""
        self._forget(name)
        try:
            self.values[name] = as_code(self.value_at(given, path))
            self.sources[name] = frozenset(self.read)
        except Unknown:
            self.names[name] = path
            self.asked.pop()  # which finds what changes there

    def _forget(self, name: str) -> None:
        self.names.pop(name, None)
        self.values.pop(name, None)
        self.sources.pop(name, None)

    def _set(self, target: ast.expr, given: ast.expr) -> bool:
        asked = len(self.asked)
        try:
            value = self._value(given)
        except Unknown:
            return isinstance(target, ast.Name) and self._keep_value(target, given)
        if isinstance(target, ast.Name):
            self._bind(target.id, self._kept_once(target, given, value))
            return True
        path = self.path(target)
        setting = setting_at(path or ())
        if not self._is_there(setting):
            return False
        may_wait = setting == FOLDER or "init_args" in setting
        if not path or self._is_linked(setting) or (isinstance(value, FromCode) and not may_wait):
            return False
        self.layer.put(setting, value, place_of(self.module, target)[0])
        self.fixed |= self.read - {setting}
        del self.asked[asked:]
        self.is_stale |= any(touch(setting, each) for each in self.asked)
        return True

    def _is_there(self, setting: KeyPath) -> bool:
        """Whether there is what is numbered in lists, and the object of the Trainer's whose argument a setting is."""
        places = (setting[: number + 1] for number, key in enumerate(setting) if isinstance(key, int))
        if any(self.layer.get(each) is None for each in places):
            return False
        if setting[:1] != ("trainer",) or "init_args" not in setting:
            return True
        made = self.layer.get(setting[: setting.index("init_args")])
        return isinstance(made, dict) and "class_path" in made

    def _bind(self, name: str, value: Any) -> None:
        self._forget(name)
        self.values[name] = as_code(value)
        self.sources[name] = frozenset(self.read)

    def _keep_value(self, target: ast.Name, given: ast.expr) -> bool:
        """A variable that has no text, of which one may be made."""
        try:
            whole = _Filled(self).visit(deepcopy(given))
        except Unknown:
            return False
        made = value_at_run(self.cli.paths, self.module, whole, self.acts)
        if made is not None:
            self._bind(target.id, self._kept_once(target, given, made, KEPT))
        return made is not None

    def _kept_once(self, target: ast.Name, given: ast.expr, value: Any, prefix: str = KEPT_TEXT) -> Any:
        """The value of a variable; what is made when the script runs is made once, as here."""
        if not isinstance(value, FromCode):
            return value
        attribute = free_name(f"{prefix}{target.id}", set(self.texts))
        self.texts[attribute] = value
        is_whole = given.col_offset == target.col_offset  # of a statement that adds to the variable
        self.made_once.append((given, f"{target.id} = self.{attribute}" if is_whole else f"self.{attribute}"))
        return FromCode(ast.Attribute(ast.Name("self"), attribute), {})

    @property
    def texts_asked(self) -> dict[str, FromCode]:
        """Those of the texts that settings are made of."""
        asking = [each for _, each in self.layer.at_run() if isinstance(each, FromCode)]
        asked: dict[str, FromCode] = {}
        for attribute, text in reversed(self.texts.items()):
            codes = (ast.unparse(each.expression) for each in (*asking, *asked.values()))
            if any(f"self.{attribute}" in code for code in codes):
                asked[attribute] = text
        return dict(reversed(asked.items()))

    @property
    def kept_asked(self) -> list[tuple[ast.expr, str]]:
        """What the method has of those texts in the place of expressions, where it stays."""
        asked = tuple(f"self.{attribute}" for attribute in self.texts_asked)
        nodes = [node for node, _ in self.made_once]
        own = [
            (node, code) for node, code in self.made_once if code.endswith(asked) and nodes.count(node) == 1
        ]
        return [(node, code.replace("self.", f"{self.own}.")) for node, code in own] if asked else []

    def _value(self, node: ast.expr) -> Any:
        """What an expression gives; a text may be known only when the script runs. Raises Unknown."""
        whole = _Filled(self).visit(deepcopy(node))
        return KnownValues(self.cli.paths, self.module, at_run=True, after=self.acts).value(whole)

    def _decided(self, test: ast.expr) -> bool | None:
        """Whether something of plain values holds; None: that is not known."""
        match test:
            case ast.UnaryOp(ast.Not(), operand):
                return None if (decided := self._decided(operand)) is None else not decided
            case ast.BoolOp(operation, parts):
                is_any = isinstance(operation, ast.Or)
                each_one = [self._decided(each) for each in parts]
                return is_any if is_any in each_one else (None if None in each_one else not is_any)
            case ast.Compare(left, [ast.In() | ast.NotIn() as comparison], [right]):
                try:
                    is_in = self._value(left) in self._value(right)
                except (Unknown, TypeError):
                    return None
                return is_in is isinstance(comparison, ast.In)
            case ast.Compare(left, [ast.Is() | ast.IsNot() | ast.Eq() | ast.NotEq() as comparison], [right]):
                try:
                    left_value, right_value = self._value(left), self._value(right)
                except Unknown:
                    return None
                if isinstance(comparison, ast.Is | ast.IsNot) and right_value is not None:
                    return None
                if right_value is not None and FromCode in (type(left_value), type(right_value)):
                    return None
                is_same = left_value == right_value
                return is_same is isinstance(comparison, ast.Is | ast.Eq)
            case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call() | ast.Constant():
                with suppress(Unknown):
                    value = self._value(test)
                    return bool(value) if isinstance(value, bool | int | float | str | None) else None
        return None

    def _run_for_each(self, target: ast.expr, section: ast.expr, body: list[ast.stmt]) -> bool:
        """With the names and the values of a section's settings."""
        match target:
            case ast.Tuple([ast.Name(key), ast.Name(value)]):
                items = self._items(self.path(section) or ())
                return items is not None and all(
                    self._run_with({key: name, value: each}, body) for name, each in items.items()
                )
        return False

    def _items(self, path: KeyPath) -> Mapping[str, Any] | None:
        """What a section of the code's own holds; None: not all of that is known."""
        made = self.links.groups.get(path[0]) if len(path) == 1 else None
        takes = self.cli.paths.signature(made) if made else None
        items = self.layer.get(path)
        self.asked.append(path)
        self.fixed.add(path)
        if takes is None or not isinstance(items, dict) or items.keys() != takes.parameters.keys():
            return None
        return None if any(isinstance(each, NO_LITERALS) for each in items.values()) else items

    def _run_with(self, values: dict[str, Any], body: list[ast.stmt]) -> bool:
        for name, value in values.items():
            self._forget(name)
            self.values[name] = as_code(value)
        return all(map(self._is_read, body))

    def _is_linked(self, setting: KeyPath) -> bool:
        """Whether others have been computed from a setting, or it is computed once objects are made."""
        links = [link for link in self.links.links if self.links.has(setting_path(link.target))]
        targets = [setting_path(link.target) for link in links if link.is_of_objects]
        sources = [setting_path(each) for link in links if not link.is_of_objects for each in link.sources]
        return any(touch(setting, each) for each in (*targets, *sources))

    # ---- settings ----------------------------------------------------------------------------------------

    def path(self, node: ast.expr) -> KeyPath | None:
        """The keys of a section, below the command's; None: it is none."""
        whole = self._keys(node)
        if whole is None or (not whole and isinstance(node, ast.Name)):
            return None
        return whole

    def _keys(self, node: ast.expr) -> KeyPath | None:
        match node:
            case ast.Name(name) if name in self.names:
                return self.names[name]
            case ast.Attribute(ast.Name(self.own), root) if root in self.roots:
                return None if self.cli.runs else ()
            case ast.Call(
                ast.Attribute(ast.Name(self.own), "_get"),
                [ast.Attribute(ast.Name(self.own), root), ast.Constant(str(key)), *_],
            ) if (
                root in self.roots
            ):
                return (
                    tuple(key.split("."))
                    if key.partition(".")[0] in {*SECTIONS, *self.links.groups}
                    else None
                )
            case ast.Attribute(inner, name):
                return self._below(inner, (name,))
            case ast.Subscript(inner, key):
                return self._below(inner, self._named(key))
        return None

    def _below(self, inner: ast.expr, keys: KeyPath) -> KeyPath | None:
        if self.cli.runs and ast.unparse(inner) in {f"{self.own}.{root}" for root in self.roots}:
            return keys[1:] if keys[:1] == (self.command,) else None
        outer = self._keys(inner)
        return (*outer, *keys) if outer is not None and keys else None

    def _named(self, key: ast.expr) -> KeyPath:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            return tuple(key.value.split("."))
        if isinstance(key, ast.Constant) and type(key.value) is int and key.value >= 0:
            return (key.value,)
        if isinstance(key, ast.Name) and isinstance(named := self.values.get(key.id), ast.Constant):
            return self._named(named)
        return (self.command,) if self.is_command(key) else ()

    def is_command(self, node: ast.expr) -> bool:
        """Whether it is the name of the command that is run."""
        return self.cli.runs and ast.unparse(node).replace("'", '"') in (
            f"{self.own}.subcommand",
            f"{self.own}.config.subcommand",
            f'{self.own}.config["subcommand"]',
            f"str({self.own}.subcommand)",
        )

    def value_at(self, node: ast.expr, path: KeyPath) -> Any:
        """Raises Unknown where only a run could tell."""
        self.asked.append(setting_at(path))
        self.read.add(setting_at(path))
        if isinstance(text := self.layer.get(setting_at(path)), FromCode):
            return text
        try:
            return ast.literal_eval(self.links.code(setting_at(path)))
        except (ValueError, SyntaxError):
            raise Unknown(node) from None


def as_code(value: Any) -> ast.expr:
    """A value as code: plain, or put together when the script runs."""
    match value:
        case FromCode():
            return value.expression
        case dict():
            return ast.Dict([*map(as_code, value)], [*map(as_code, value.values())])
        case list():
            return ast.List([*map(as_code, value)], ast.Load())
    return ast.parse(repr(value), mode="eval").body


def _sets_a_part(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign([target, *_]) | ast.AugAssign(target):
            return isinstance(target, ast.Attribute | ast.Subscript)
    return False


def touch(one: KeyPath, other: KeyPath) -> bool:
    """Whether one setting is a part of the other."""
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


class _Filled(ast.NodeTransformer):
    """Puts the values of settings in their place. Raises Unknown."""

    def __init__(self, changes: Changes) -> None:
        self.changes = changes

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.expr):
            return self.generic_visit(node)
        if isinstance(node, ast.Name) and node.id in self.changes.values:
            self.changes.read |= self.changes.sources.get(node.id, frozenset())
            return deepcopy(self.changes.values[node.id])
        if self.changes.is_command(node):
            return ast.copy_location(as_code(self.changes.command), node)
        if path := self.changes.path(node):
            return ast.copy_location(as_code(self.changes.value_at(node, path)), node)
        return self._known(self.generic_visit(node))

    def _known(self, node: ast.AST) -> ast.AST:
        """A part's text in its place, where that is known by now."""
        if not isinstance(node, ast.BinOp | ast.Call | ast.JoinedStr | ast.Subscript):
            return node
        try:
            value = KnownValues(self.changes.cli.paths, self.changes.module).value(node)
        except Unknown:
            return node
        return ast.copy_location(as_code(value), node) if isinstance(value, str) else node


def setting_at(path: KeyPath) -> KeyPath:
    """As the settings have it written out, with places in lists as numbers."""
    return tuple(
        int(each) if str(each).isdigit() else each for each in setting_path(".".join(map(str, path)))
    )
