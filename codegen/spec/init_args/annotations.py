"""Annotations: the types that they allow, and those that are known here by their last names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

LISTS = frozenset("list List Sequence Iterable Collection MutableSequence".split())
TUPLES = frozenset("tuple Tuple".split())
SETS = frozenset("set Set frozenset FrozenSet AbstractSet".split())
MAPPINGS = frozenset("dict Dict Mapping MutableMapping".split())
FACTORIES = frozenset("OptimizerCallable LRSchedulerCallable".split())
CALLED = FACTORIES | {"Callable"}
CLASSES = frozenset("type Type".split())
NUMBERS = frozenset("bool int float complex".split())
TEXT = frozenset("str bytes LiteralString Text PathLike".split())
ANY = frozenset("Any object Hashable".split())
KNOWN = (
    LISTS
    | TUPLES
    | SETS
    | MAPPINGS
    | CALLED
    | CLASSES
    | NUMBERS
    | TEXT
    | ANY
    | {"Path", "timedelta", "Literal"}
)

STANDARD = frozenset("typing typing_extensions collections.abc pathlib datetime os numbers".split())
"""Modules whose types go by their last names here, as builtins do, and those of LightningCLI's."""


def kinds_of(annotation: str) -> list[ast.expr]:
    """The types that an annotation allows; none: any."""
    try:
        return list(alternatives(ast.parse(annotation, mode="eval").body))
    except SyntaxError:
        return []


def alternatives(node: ast.expr) -> Iterator[ast.expr]:
    """The types of a union, `None` left out."""
    if isinstance(node, ast.BinOp):
        yield from (*alternatives(node.left), *alternatives(node.right))
    elif isinstance(node, ast.Subscript) and known_name(node) in ("Optional", "Union", "Annotated"):
        inner = types_in(node)[: 1 if known_name(node) == "Annotated" else None]
        yield from (each for part in inner for each in alternatives(part))
    elif not isinstance(node, ast.Constant):
        yield node


def whole_name(node: ast.expr) -> str:
    return ast.unparse(node.value if isinstance(node, ast.Subscript) else node)


def known_name(node: ast.expr) -> str:
    """The last name of a type that is known here; of others nothing."""
    module, _, name = whole_name(node).rpartition(".")
    return name if not module or module in STANDARD or module.endswith("pytorch.cli") else ""


def types_in(node: ast.expr) -> list[ast.expr]:
    """Those in its brackets."""
    if not isinstance(node, ast.Subscript):
        return []
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
