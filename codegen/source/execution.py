"""What a top-level statement looks up when it is executed, as against when its functions are called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

Function = ast.FunctionDef | ast.AsyncFunctionDef

WRAPS = re.compile(r"(functools\.)?wraps\(\w+\)")

Use = Literal["as it is", "called", "otherwise"]

RUNS = (
    ast.Call,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Subscript,
    ast.JoinedStr,
    ast.comprehension,
    ast.For,
    ast.With,
    ast.AugAssign,
    ast.Delete,
)
"""What may have a function called, or a method of an object's."""


@dataclass(frozen=True)
class Execution:
    """Names that a run of top-level statements binds, and those that must be bound before."""

    bound: frozenset[str]
    looked_up: frozenset[str]  # annotations aside
    in_annotations: frozenset[str]
    in_calls: frozenset[str]  # of what may be called meanwhile, by itself or by what it is given to
    decorators: frozenset[str]  # called too, with the definition below
    defines: bool  # a class or a function
    calls: bool  # something, decorators aside
    imports: frozenset[str]  # the modules of the imports that are run, each in a branch of its own
    heads: frozenset[tuple[str, Use]]  # the names that decorators begin with, and how these are used
    decorates: Use | None  # how it may be used so that what it decorates is surely not called there

    @property
    def is_definition(self) -> bool:
        """Whether it can stand anywhere before its first use and behind what it looks up."""
        return self.defines and not self.calls


@cache
def execution(code: str) -> Execution:
    """What happens when `code`, a run of top-level statements, is executed."""
    tree = ast.parse(code)
    found = _Executed()
    for statement in tree.body:
        found.visit(statement)
    defines = all(isinstance(node, Function | ast.ClassDef) for node in tree.body)
    return Execution(
        bound=frozenset(name for node in tree.body for name in _bound(node)),
        looked_up=frozenset(found.looked_up),
        in_annotations=frozenset(found.in_annotations),
        in_calls=frozenset(found.in_calls),
        decorators=frozenset(found.decorators),
        defines=defines,
        calls=found.calls,
        imports=frozenset(found.imports),
        heads=frozenset(_head(each) for node in tree.body for each in getattr(node, "decorator_list", ())),
        decorates=_decorates(tree.body[0]) if len(tree.body) == 1 else None,
    )


def _head(decorator: ast.expr) -> tuple[str, Use]:
    match decorator:
        case ast.Name(name):
            return name, "as it is"
        case ast.Call(ast.Name(name)):
            return name, "called"
    names = [node.id for node in ast.walk(decorator) if isinstance(node, ast.Name)]
    return names[0] if names else "", "otherwise"


def _decorates(node: ast.stmt) -> Use | None:
    """A decorator that only wraps does so as it is; what gives back one that it defines does when it is called."""
    if _wraps(node):
        return "as it is"
    if not isinstance(node, ast.FunctionDef):
        return None
    returned = {each.value.id if isinstance(each.value, ast.Name) else "" for each in _returns(node.body)}
    inner = [each for each in node.body if returned & {*_bound(each)}]
    gives_one = len(returned) == len(inner) == 1 and isinstance(node.body[-1], ast.Return)
    return "called" if gives_one and _wraps(inner[0]) else None


def _returns(body: Iterable[ast.AST]) -> Iterator[ast.Return]:
    """Those of a function's own."""
    for node in body:
        if isinstance(node, ast.Return):
            yield node
        elif not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            yield from _returns(ast.iter_child_nodes(node))


def _wraps(node: ast.stmt) -> bool:
    last = node.body[-1] if isinstance(node, ast.FunctionDef) else None
    if not isinstance(node, ast.FunctionDef) or not isinstance(last, ast.Return):
        return False
    before = node.body[1:-1] if ast.get_docstring(node) is not None else node.body[:-1]
    inner = [each for each in before if isinstance(each, ast.FunctionDef) and _only_defines(each)]
    return len(inner) == len(before) and isinstance(last.value, ast.Name)


def _only_defines(node: ast.FunctionDef) -> bool:
    """Whether nothing else runs where the function is defined."""
    defaults = filter(None, (*node.args.defaults, *node.args.kw_defaults))
    is_plain = all(isinstance(each, ast.Constant | ast.Name) for each in defaults)
    return is_plain and all(WRAPS.fullmatch(ast.unparse(each)) for each in node.decorator_list)


def _bound(node: ast.AST) -> Iterable[str]:
    """The names that a statement binds in its module."""
    if isinstance(node, Function | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        for child in ast.iter_child_nodes(node):
            yield from _bound(child)


class _Executed(ast.NodeVisitor):
    """Goes through statements, but not into the bodies of functions."""

    def __init__(self) -> None:
        self.looked_up: set[str] = set()
        self.in_annotations: set[str] = set()
        self.in_calls: set[str] = set()
        self.decorators: set[str] = set()
        self.calls = False
        self.imports: set[str] = set()

    def visit(self, node: ast.AST) -> None:
        """One node; of a statement in which something is called every name counts as called."""
        if isinstance(node, ast.stmt) and not isinstance(node, Function | ast.ClassDef):
            self._simple(node)
        else:
            super().visit(node)

    def _simple(self, node: ast.stmt) -> None:
        part = _Executed()
        super(_Executed, part).visit(node)
        self._add(part)

    def _add(self, part: _Executed) -> None:
        self.looked_up |= part.looked_up
        self.in_annotations |= part.in_annotations
        self.decorators |= part.decorators
        self.imports |= part.imports
        self.in_calls |= part.looked_up if part.calls else part.in_calls
        self.calls |= part.calls

    def generic_visit(self, node: ast.AST) -> None:
        self.calls |= isinstance(node, RUNS)
        super().generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.looked_up.add(node.id)

    def visit_Import(self, node: ast.Import) -> None:
        self.imports |= {alias.name for alias in node.names}

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.imports |= {node.module} if node.module and not node.level else set()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def _function(self, node: Function) -> None:
        self._decorated(node.decorator_list)
        part = _Executed()
        for default in filter(None, (*node.args.defaults, *node.args.kw_defaults)):
            part.visit(default)
        self._add(part)
        for annotation in annotations_of(node):
            self._annotation(annotation)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for default in filter(None, (*node.args.defaults, *node.args.kw_defaults)):
            self.visit(default)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._decorated(node.decorator_list)
        part = _Executed()
        for base in (*node.bases, *(keyword.value for keyword in node.keywords)):
            part.visit(base)
        self._add(part)
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._annotation(node.annotation)
        if node.value is not None:
            self.visit(node.value)

    def _decorated(self, decorators: list[ast.expr]) -> None:
        for decorator in decorators:
            part = _Executed()
            part.visit(decorator)
            self.looked_up |= part.looked_up
            self.decorators |= part.looked_up

    def _annotation(self, annotation: ast.expr) -> None:
        part = _Executed()
        part.visit(annotation)
        self.in_annotations |= part.looked_up


def annotations_of(node: Function) -> list[ast.expr]:
    """Those of a function's parameters, and of what it returns."""
    every = (
        *node.args.posonlyargs,
        *node.args.args,
        *node.args.kwonlyargs,
        node.args.vararg,
        node.args.kwarg,
    )
    found = [argument.annotation for argument in every if argument and argument.annotation]
    return [*found, *([node.returns] if node.returns else [])]


# ---- annotations in quotes -------------------------------------------------------------------------------


def postponed(code: str) -> str:
    """`code`, a run of top-level statements, with all the annotations as strings that Python would evaluate.

    This is what `from __future__ import annotations` does.
    """
    return quoted(code, evaluated(ast.parse(code)))


def evaluated(node: ast.AST, is_in_function: bool = False) -> Iterator[ast.expr]:
    """The annotations below the node that are evaluated when the code runs: of a function's own variables, none."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield from annotations_of(child)
            yield from evaluated(child, is_in_function=True)
        elif isinstance(child, ast.AnnAssign):
            yield from () if is_in_function else (child.annotation,)
        elif not isinstance(child, ast.expr):
            yield from evaluated(child, is_in_function and not isinstance(child, ast.ClassDef))


def quoted(code: str, annotations: Iterable[ast.expr]) -> str:
    """`code` with those of its annotations as strings."""
    lines = code.encode().split(b"\n")
    for each in sorted(annotations, key=lambda each: (each.lineno, each.col_offset), reverse=True):
        _quote(lines, each)
    return b"\n".join(lines).decode()


def _quote(lines: list[bytes], annotation: ast.expr) -> None:
    """Replace the annotation's text, which may be several lines."""
    first, last = annotation.lineno - 1, (annotation.end_lineno or annotation.lineno) - 1
    before = lines[first][: annotation.col_offset]
    after = lines[last][annotation.end_col_offset :]
    text = ast.unparse(annotation)
    literal = repr(text) if '"' in text or "\\" in text else f'"{text}"'
    lines[first : last + 1] = [before + literal.encode() + after]


# ---- metaclasses, and bases ------------------------------------------------------------------------------

TOLD = frozenset({"__new__", "__init__"})
OF_BASES = "__init_subclass__"
"""What a base is told of a class that derives from it."""

SUBCLASSES = "__subclasses__"
"""What a base is asked for the classes that derive from it."""

OF_CLASSES = 4
"""So much is a metaclass's method told: what makes a class, or the class, its name, its bases, what it binds."""

LOOKS = frozenset(
    "callable getattr hasattr isinstance issubclass len list print repr setattr str tuple type".split()
)
"""Functions that keep nothing of what they are given."""


def notes_classes(metaclass: ast.ClassDef) -> bool:
    """Whether it may put a class somewhere when it makes it, itself."""
    methods = (each for each in metaclass.body if isinstance(each, ast.FunctionDef) and each.name in TOLD)
    return any(_may_keep(node) for method in methods for node in ast.walk(method))


def notes_subclasses(base: ast.ClassDef) -> bool:
    """Whether it may put a class somewhere that derives from it."""
    return any(_may_keep(node) for method in _told_of_subclasses(base) for node in ast.walk(method))


def noted_in(base: ast.ClassDef) -> tuple[set[str], set[str]]:
    """What a base puts classes into that derive from it, or hands them to: the names, and the attributes."""
    nodes = [node for method in _told_of_subclasses(base) for node in ast.walk(method) if _may_keep(node)]
    holders = [
        node.value if isinstance(node, ast.Subscript) else getattr(node, "func", node) for node in nodes
    ]
    parts = [part for each in holders for part in ast.walk(each)]
    own = {arg.arg for method in _told_of_subclasses(base) for arg in method.args.args}
    names = {part.id for part in parts if isinstance(part, ast.Name)} - own
    return names, {part.attr for part in parts if isinstance(part, ast.Attribute)}


def _told_of_subclasses(base: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    yield from (each for each in base.body if isinstance(each, ast.FunctionDef) and each.name == OF_BASES)


def told_of_classes(code: str) -> Iterator[str]:
    """The names that metaclasses use when they make a class, in a statement that defines one."""
    for cls in (each for each in ast.parse(code).body if isinstance(each, ast.ClassDef)):
        for method in (each for each in cls.body if isinstance(each, ast.FunctionDef) and each.name in TOLD):
            if len(method.args.posonlyargs + method.args.args) >= OF_CLASSES:
                yield from (each.id for each in ast.walk(method) if isinstance(each, ast.Name))


def _may_keep(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Store)
    return isinstance(node, ast.Call) and any(_names(node)) and not _only_looks(node.func)


def _names(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments that are variables."""
    given = (*call.args, *(each.value for each in call.keywords))
    yield from (each for each in given if isinstance(each, ast.Name))


def _only_looks(function: ast.expr) -> bool:
    """Whether it is a function that keeps nothing, or asks the base to make the class."""
    if isinstance(function, ast.Attribute) and function.attr in {*TOLD, OF_BASES}:
        return True
    return isinstance(function, ast.Name) and function.id in LOOKS
