"""The names that code asks objects for: written behind a dot, or in quotes."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

BY_WORD = frozenset("attrgetter getattr hasattr methodcaller".split())
"""What asks an object for what a string names."""

ALL = frozenset("dir getmembers getmembers_static vars".split())
"""What asks an object for all that it has."""

NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Asked:
    """What is asked for."""

    names: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)  # strings and parameters, which may come to name something
    by_words: bool = False  # whether something is asked for by a name that a variable holds
    all: bool = False  # whether it is one that is put together, or everything

    def add(self, other: Asked) -> None:
        self.names |= other.names
        self.words |= other.words
        self.by_words |= other.by_words
        self.all |= other.all

    def may_name(self, name: str) -> bool:
        """Whether a name that is known only when the code runs may be this one."""
        return self.all or (self.by_words and name in self.words)


def asked_names(nodes: Iterable[ast.AST], apart: Collection[ast.AST] = ()) -> Asked:
    """What nodes ask for; what stands in those `apart` is left out, unless these are the nodes."""
    asked = Asked()
    for node in (inner for each in nodes for inner in _walk(each, apart)):
        match node:
            case ast.Attribute(attr=name):
                asked.names.add(name)
            case ast.Constant(value=str(text)):
                asked.words.update(NAME.findall(text) if len(text) < LONGEST else ())
            case ast.FunctionDef(name="__init__", args=arguments):
                asked.words.update(each.arg for each in [*arguments.args, *arguments.kwonlyargs])
            case ast.ClassDef(body=body):
                asked.names.update(_named_plainly(body))
            case ast.Call():
                _add_call(asked, node)
    return asked


LONGEST = 100
"""A longer string names nothing."""


def _walk(node: ast.AST, apart: Collection[ast.AST]) -> Iterator[ast.AST]:
    yield node
    for each in ast.iter_child_nodes(node):
        if each not in apart:
            yield from _walk(each, apart)


def _named_plainly(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that a class's own statements use, of its methods for one."""
    for statement in body:
        is_function = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for node in statement.decorator_list if is_function else [statement]:  # type: ignore[attr-defined]
            yield from (each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _add_call(asked: Asked, call: ast.Call) -> None:
    function = ast.unparse(call.func).rpartition(".")[2]
    if function in ALL and call.args:
        asked.all = True
    for word in _words(function, call):
        match word:
            case ast.Constant(value=str(text)):
                asked.names.update(text.split("."))
            case ast.JoinedStr() | ast.BinOp() | ast.Call():
                asked.all = True
            case _:
                asked.by_words = True


def _words(function: str, call: ast.Call) -> list[ast.expr]:
    """What a call asks by."""
    if function not in BY_WORD:
        return []
    return call.args[1:2] if function.endswith("attr") else call.args
