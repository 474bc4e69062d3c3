"""Values that are known from the code alone."""

from __future__ import annotations

import ast
import operator
import os.path
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...spec.yaml_file import KeyPath
from ..modules.module import Module
from ..spec.class_paths import ClassPaths
from .texts_at_run import names_in, text_at_run, variable

OPERATORS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}


ASKED_OF_TORCH = frozenset({"torch.cuda.is_available()", "torch.accelerator.is_available()"})


class Unknown(Exception):
    """An expression whose value only a run could tell."""

    def __init__(self, node: ast.AST) -> None:
        super().__init__()
        self.node = node


@dataclass(frozen=True)
class KnownValues:
    """The values of expressions of one module; objects as LightningCLI's files describe them."""

    paths: ClassPaths
    module: Module
    names: Mapping[str, Any] = field(default_factory=dict)  # variables of the function that is read
    at_run: bool = False  # a text may be known only when the script runs
    after: bool = False  # other code has run by then

    def value(self, node: ast.expr) -> Any:
        """Raises Unknown."""
        try:
            return self._value(node)
        except Unknown:
            may_wait = self.at_run and self.names.keys().isdisjoint(names_in(node))
            if may_wait and (text := text_at_run(self.paths, self.module, node, self.after)):
                return text
            raise

    @property
    def _now(self) -> KnownValues:
        """For what values are made of."""
        return replace(self, at_run=False)

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.List() | ast.Tuple() | ast.Set():
                return [value for each in node.elts for value in self._elements(each)]
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                return {key: value for each in pairs for key, value in self._item(*each)}
            case ast.JoinedStr():
                return "".join(map(self._now._part, node.values))
            case ast.BinOp(ast.List() as left, ast.Add(), ast.List() as right):
                return [*self.value(left), *self.value(right)]
            case ast.BinOp(ast.Dict() as left, ast.BitOr(), right):
                return {**self.value(left), **self._mapping(right)}
            case ast.BinOp(left, operation, right):
                return self._now._computed(node, operation, left, right)
            case ast.UnaryOp(operation, operand):
                return self._now._computed(node, operation, operand)
            case ast.Call():
                return self._called(node)
            case ast.BoolOp(ast.Or(), [first, second]):
                return self._now.value(first) or self._now.value(second)
            case ast.DictComp(key, item, [ast.comprehension(ast.Name(name), each, [], 0)]):
                now = self._now
                each_one = (replace(now, names={**now.names, name: one}) for one in now.value(each))
                return {one.value(key): one.value(item) for one in each_one}
            case ast.Subscript(text, ast.Slice(lower, upper, None)):
                return self._text(text)[slice(*(self._index(each) for each in (lower, upper)))]
            case ast.Name() | ast.Attribute():
                return self._named(node)
        raise Unknown(node)

    def path(self, node: ast.expr) -> str:
        """The path of a class or a function with its module. Raises Unknown."""
        if not isinstance(node, ast.Name | ast.Attribute):
            raise Unknown(node)
        path = self.paths.meaning(self.module, ast.unparse(node))
        if "." not in path:
            raise Unknown(node)
        return path

    def _item(self, key: ast.expr | None, value: ast.expr) -> list[tuple[Any, Any]]:
        return [(self._now.value(key), self.value(value))] if key else list(self._mapping(value).items())

    def _mapping(self, node: ast.expr) -> dict[Any, Any]:
        value = self.value(node)
        if not isinstance(value, dict) or "class_path" in value:
            raise Unknown(node)
        return value

    def _elements(self, node: ast.expr) -> list[Any]:
        """One of a list's, or those of another that is unpacked in it."""
        if not isinstance(node, ast.Starred):
            return [self.value(node)]
        value = self.value(node.value)
        if not isinstance(value, list):
            raise Unknown(node)
        return value

    def _part(self, node: ast.expr) -> str:
        if isinstance(node, ast.FormattedValue):
            if node.format_spec or node.conversion != -1:
                raise Unknown(node)
            return str(self.value(node.value))
        return str(self.value(node))

    def _computed(self, node: ast.expr, operation: ast.AST, *operands: ast.expr) -> Any:
        values = [self.value(each) for each in operands]
        if type(operation) not in OPERATORS or not all(
            isinstance(each, int | float | str) for each in values
        ):
            raise Unknown(node)
        if isinstance(operation, ast.Mult | ast.Pow) and any(
            isinstance(each, str) or each > 1e9 for each in values
        ):
            raise Unknown(node)  # which may be very long
        try:
            return OPERATORS[type(operation)](*values)
        except (TypeError, ArithmeticError):
            raise Unknown(node) from None

    def _called(self, node: ast.Call) -> Any:
        """An object, described; `dict(...)`, and `lazy_instance(...)`, which describes one too."""
        if isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
            return self._keywords(node)
        match node:
            case ast.Call(ast.Name("str"), [given], []) if self.paths.meaning(self.module, "str") == "str":
                return self._as_text(given)
            case ast.Call(ast.Attribute(ast.Dict() as mapping, "get"), [key, *others], []) if len(others) < 2:
                default = self.value(others[0]) if others else None
                return self.value(mapping).get(self._now.value(key), default)
        path = self.path(node.func)
        if path == "os.path.join" and not node.keywords:
            return os.path.join(*(self._text(each) for each in node.args))
        if path == "jsonargparse.lazy_instance" and node.args:
            return {"class_path": self.path(node.args[0]), "init_args": self._keywords(node)}
        if not self.paths.is_class(path):
            raise Unknown(node)
        return {"class_path": path, "init_args": self._arguments(node, path)}

    def _index(self, node: ast.expr | None) -> int | None:
        value = self._now.value(node) if node else None
        if node and not isinstance(value, int):
            raise Unknown(node)
        return value

    def _as_text(self, node: ast.expr) -> str:
        """What `str` makes of it."""
        value = self._now.value(node)
        if not isinstance(value, bool | int | float | str | None):
            raise Unknown(node)
        return str(value)

    def _text(self, node: ast.expr) -> str:
        value = self._now.value(node)
        if not isinstance(value, str):
            raise Unknown(node)
        return value

    def _arguments(self, node: ast.Call, path: str) -> dict[str, Any]:
        takes = self.paths.signature(path)
        known = list(takes.parameters) if takes else []
        if len(node.args) > len(known) or any(isinstance(each, ast.Starred) for each in node.args):
            raise Unknown(node)
        by_place = {name: self.value(each) for name, each in zip(known, node.args, strict=False)}
        return by_place | self._keywords(node)

    def _keywords(self, node: ast.Call) -> dict[str, Any]:
        return {name: value for each in node.keywords for name, value in self._keyword(each)}

    def _keyword(self, node: ast.keyword) -> list[tuple[str, Any]]:
        value = self.value(node.value)
        if node.arg is None and not isinstance(value, dict):
            raise Unknown(node.value)
        return [(node.arg, value)] if node.arg else list(value.items())

    def _named(self, node: ast.Name | ast.Attribute) -> Any:
        """A variable's value; a class is its path."""
        if isinstance(node, ast.Name) and node.id in self.names:
            return self.names[node.id]
        target = variable(self.paths, self.module, node)
        if target and (value := target.assigned):
            return KnownValues(self.paths, target.module).value(value)
        path = self.path(node)
        if not self.paths.is_class(path):
            raise Unknown(node)
        return path


def of_the_machine(path: KeyPath, node: ast.expr) -> str | int | None:
    """What stands for a setting of the Trainer's that depends on the machine, of which the script asks torchrun."""
    match path, node:
        case ("trainer", "devices"), _:
            return "auto"
        case ("trainer", "num_nodes"), _:
            return 1
        case ("trainer", "accelerator"), ast.IfExp(
            test, ast.Constant("gpu" | "cuda" | "auto"), ast.Constant("cpu" | "auto")
        ):
            return "auto" if ast.unparse(test) in ASKED_OF_TORCH else None
    return None
