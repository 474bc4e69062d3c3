"""What constructors take, read off their code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from .object_defaults import DescribedDefault

ENUMERATIONS = frozenset("Enum IntEnum StrEnum Flag IntFlag".split())
"""Bases of classes whose values are told by their names."""


@dataclass(frozen=True)
class Parameter:
    """What a constructor takes."""

    annotation: str = ""  # the names in it may be written out
    default: str = ""  # as code; empty: it has none
    written: str = ""  # the annotation, as it stands in the code
    by_place: bool = False  # and by that alone
    leaves_default: bool = False  # a value that is the default anyway need not be said
    described: DescribedDefault | None = None  # the default, where it is an object


@dataclass(frozen=True)
class Signature:
    """The parameters of a constructor."""

    parameters: Mapping[str, Parameter]
    takes_any: bool = False  # by name, beside them
    hands_on: bool = False  # the others, to a base whose parameters are among these
    is_dataclass: bool = False

    def __getitem__(self, name: str) -> Parameter:
        return self.parameters.get(name, Parameter())

    @property
    def after_first(self) -> Signature:
        """Without the first parameter, which is given by its place."""
        return replace(self, parameters=dict(list(self.parameters.items())[1:]))

    def changed(self, change: Callable[[Parameter], Parameter]) -> Signature:
        """With another of each parameter."""
        return replace(self, parameters={name: change(each) for name, each in self.parameters.items()})

    def on_top_of(self, base: Signature) -> Signature:
        """With what a base takes, to which others are handed on."""
        return replace(self, parameters={**base.parameters, **self.parameters}, hands_on=not base.takes_any)


def signature_in(node: ast.ClassDef) -> Signature | None:
    """What the class's own constructor takes, a dataclass's fields; None: it has none."""
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            return _of_function(part.args)
    if any(_last_name(each) == "dataclass" for each in node.decorator_list):
        return Signature(dict(_fields(node)), is_dataclass=True)
    return None


def is_opaque(node: ast.ClassDef) -> bool:
    """Whether a class may be made in another way than its constructor says."""
    others = [each for each in node.decorator_list if _last_name(each) != "dataclass"]
    methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    return bool(others or node.keywords) or "__new__" in methods


def with_whole_names(annotation: str, meaning: Callable[[str], str]) -> str:
    """The annotation, each name in it replaced by what it means."""
    try:
        node = ast.parse(annotation, mode="eval").body
    except SyntaxError:
        return ""
    return ast.unparse(_Whole(meaning).visit(node))


class _Whole(ast.NodeTransformer):
    def __init__(self, meaning: Callable[[str], str]) -> None:
        self.meaning = meaning

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._whole(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self._whole(ast.unparse(node))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        node.value = self.visit(node.value)
        if _last_name(node.value) != "Literal":  # which holds texts that are no types
            node.slice = self.visit(node.slice)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        quoted = with_whole_names(node.value, self.meaning) if isinstance(node.value, str) else ""
        return ast.parse(quoted, mode="eval").body if quoted else node

    def _whole(self, dotted: str) -> ast.expr:
        return ast.parse(self.meaning(dotted), mode="eval").body


def _last_name(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return ast.unparse(called).rpartition(".")[2]


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, Parameter]]:
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            is_made = isinstance(part.value, ast.Call) and _last_name(part.value) == "field"
            options = (
                {each.arg for each in part.value.keywords} if isinstance(part.value, ast.Call) else set()
            )
            if "ClassVar" in ast.unparse(part.annotation) or (is_made and "init" in options):
                continue
            has_default = not is_made or options & {"default", "default_factory"}
            yield part.target.id, _parameter(part.annotation, part.value if has_default else None)


def _of_function(arguments: ast.arguments) -> Signature:
    by_place = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(by_place) - len(arguments.defaults)), *arguments.defaults]
    pairs = [
        *list(zip(by_place, defaults, strict=True))[1:],
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    found = {each.arg: _parameter(each.annotation, default) for each, default in pairs}
    found |= {
        each.arg: replace(found[each.arg], by_place=True)
        for each in arguments.posonlyargs
        if each.arg in found
    }
    return Signature(found, takes_any=arguments.kwarg is not None)


def _parameter(annotation: ast.expr | None, default: ast.expr | None) -> Parameter:
    written = ast.unparse(annotation) if annotation else ""
    return Parameter(written, ast.unparse(default) if default else "", written)
