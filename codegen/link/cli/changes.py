"""What `before_instantiate_classes` changes of the settings, before anything is made of them."""

from __future__ import annotations

import ast
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from ...spec.layers import Layer
from ...spec.yaml_file import KeyPath
from .calls import CliCall
from .known import KnownValues, Unknown
from .links import Links
from .parser import place_of, setting_path

METHOD = "before_instantiate_classes"


@dataclass
class Changes:
    """Reads the method's statements; those that change a setting to a known value are what the settings say."""

    cli: CliCall
    layer: Layer
    links: Links
    command: str
    names: dict[str, KeyPath] = field(default_factory=dict)  # variables for sections of the settings
    values: dict[str, Any] = field(default_factory=dict)  # those for other settings

    def apply(self) -> tuple[ast.stmt, ...]:
        """The statements that the script can do without."""
        found = self.cli.methods().get(METHOD)
        if found is None or not found[1].args.args:
            return ()
        self.module, method = found
        self.own = method.args.args[0].arg
        read = list(takewhile(self._is_read, method.body))
        is_all = len(read) == len(method.body)
        return tuple(each for each in read if is_all or _sets_a_part(each))

    def _is_read(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Pass() | ast.Expr(ast.Constant()):
                return True
            case ast.Expr(ast.Call(ast.Attribute(ast.Call(ast.Name("super")), name), [], [])):
                return name == METHOD
            case ast.Assign([ast.Name(name)], given) if (path := self.path(given)) is not None:
                try:
                    self.values[name] = self.value_at(given, path)
                except Unknown:  # it is a section
                    self.names[name] = path
                return True
            case ast.Assign([ast.Attribute() | ast.Subscript() as target], given):
                return self._set(target, given)
            case ast.AugAssign(ast.Attribute() | ast.Subscript() as target, operation, given):
                before = ast.parse(ast.unparse(target), mode="eval").body
                whole = ast.copy_location(ast.BinOp(before, operation, given), statement)
                return self._set(target, ast.fix_missing_locations(whole))
        return False

    def _set(self, target: ast.expr, given: ast.expr) -> bool:
        path = self.path(target)
        if not path or self._is_linked(_setting(path)):
            return False
        try:
            known = KnownValues(self.cli.paths, self.module, self.values)
            value = known.value(_Filled(self).visit(deepcopy(given)))
        except Unknown:
            return False
        self.layer.put(_setting(path), value, place_of(self.module, target)[0])
        return True

    def _is_linked(self, setting: KeyPath) -> bool:
        """Whether others have been computed from a setting, or it is computed once objects are made."""
        links = [link for link in self.links.links if self.links.has(setting_path(link.target))]
        targets = [setting_path(link.target) for link in links if link.is_of_objects]
        sources = [setting_path(each) for link in links if not link.is_of_objects for each in link.sources]
        return any(_touch(setting, each) for each in (*targets, *sources))

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
            case ast.Attribute(ast.Name(self.own), "config"):
                return None if self.cli.runs else ()
            case ast.Attribute(inner, name):
                return self._below(inner, (name,))
            case ast.Subscript(inner, key):
                return self._below(inner, self._named(key))
        return None

    def _below(self, inner: ast.expr, keys: KeyPath) -> KeyPath | None:
        if self.cli.runs and ast.unparse(inner) == f"{self.own}.config":
            return keys[1:] if keys[:1] == (self.command,) else None
        outer = self._keys(inner)
        return (*outer, *keys) if outer is not None and keys else None

    def _named(self, key: ast.expr) -> KeyPath:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            return tuple(key.value.split("."))
        is_command = ast.unparse(key).replace("'", '"') in (
            f"{self.own}.subcommand",
            f"{self.own}.config.subcommand",
            f'{self.own}.config["subcommand"]',
        )
        return (self.command,) if is_command else ()

    def value_at(self, node: ast.expr, path: KeyPath) -> Any:
        """Raises Unknown where only a run could tell."""
        try:
            return ast.literal_eval(self.links.code(_setting(path)))
        except (ValueError, SyntaxError):
            raise Unknown(node) from None


def _sets_a_part(statement: ast.stmt) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement]
    return isinstance(targets[0], ast.Attribute | ast.Subscript | ast.AugAssign)


def _touch(one: KeyPath, other: KeyPath) -> bool:
    """Whether one setting is a part of the other."""
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


class _Filled(ast.NodeTransformer):
    """Puts the values of settings in their place. Raises Unknown."""

    def __init__(self, changes: Changes) -> None:
        self.changes = changes

    def visit(self, node: ast.AST) -> Any:
        path = self.changes.path(node) if isinstance(node, ast.expr) else None
        if path and isinstance(node, ast.expr):
            value = self.changes.value_at(node, path)
            return ast.copy_location(ast.parse(repr(value), mode="eval").body, node)
        return self.generic_visit(node)


def _setting(path: KeyPath) -> KeyPath:
    return setting_path(".".join(map(str, path)))
