"""What must hold of a script before it is written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pyflakes import messages as flakes
from pyflakes.checker import Checker

from .. import messages
from ..diagnostics import CompileError
from ..ir.files import separate

FORBIDDEN = ("lightning", "pytorch_lightning", "lightning_fabric", "ddpgen")


def check(
    text: str,
    methods: Iterable[tuple[str, str]],
    known_undefined: frozenset[str],
    own_modules: frozenset[str] = frozenset(),
) -> None:
    """Make sure of each file: it compiles, names are defined and used, Lightning is gone; no method is lost.

    `methods` are pairs of class and method; `known_undefined` names the user's own file leaves undefined;
    `own_modules` are the project's, one of which may have a name of Lightning's.
    Raises CompileError where it would be broken, which is a defect of ddpgen's.
    """
    script, *beside = map(_Parsed, separate(text))
    problems = [*_problems(script, methods, known_undefined)]
    problems += [problem for each in beside for problem in _problems(each, (), frozenset())]
    problems += [f"it imports {each}" for file in (script, *beside) for each in _forbidden(file, own_modules)]
    for problem in problems:
        raise CompileError([messages.broken_script(problem)])


class _Parsed:
    """A file with the nodes of its tree, of which there are many."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self.nodes = tuple(ast.walk(self.tree))


def _problems(
    file: _Parsed, methods: Iterable[tuple[str, str]], known_undefined: frozenset[str]
) -> Iterable[str]:
    yield from _refusals(file)
    on_purpose = {number for number, line in enumerate(file.text.split("\n"), 1) if "# noqa: F401" in line}
    yield from _name_problems(file, known_undefined, on_purpose)
    found = {
        (node.name, part.name)
        for node in file.nodes
        if isinstance(node, ast.ClassDef)
        for part in node.body
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    for cls, method in methods:
        if (cls, method) not in found:
            yield f"{cls}.{method} is not in it"


def _refusals(file: _Parsed) -> Iterable[str]:
    """What Python's compiler refuses of a file that parses, such as an argument that is given twice."""
    try:
        compile(file.tree, "script", "exec", dont_inherit=True)
    except SyntaxError as error:
        yield f"line {error.lineno}: {error.msg}"


def undefined_names(tree: ast.Module) -> frozenset[str]:
    """Names that a module refers to and does not define."""
    return _undefined(Checker(tree).messages)


def names_not_its_own(tree: ast.Module) -> frozenset[str]:
    """The same, and names that may come with a star import."""
    found = Checker(tree).messages
    starred = (each for each in found if isinstance(each, flakes.ImportStarUsage))
    return _undefined(found) | {str(each.message_args[0]) for each in starred}


def _undefined(found: Iterable[flakes.Message]) -> frozenset[str]:
    return frozenset(
        str(message.message_args[0]) for message in found if isinstance(message, flakes.UndefinedName)
    )


def _name_problems(file: _Parsed, known_undefined: frozenset[str], on_purpose: set[int]) -> Iterable[str]:
    found = Checker(file.tree).messages
    yield from (f"the name {name} is undefined" for name in _undefined(found) - known_undefined)
    top = {node.lineno for node in file.tree.body if isinstance(node, ast.Import | ast.ImportFrom)}
    top -= on_purpose
    declared = {name for node in file.nodes if isinstance(node, ast.Global) for name in node.names}
    for message in found:
        unused = isinstance(message, flakes.UnusedImport) and message.lineno in top
        if unused and re.split(r"\W+", str(message.message_args[0]))[-1] in declared:
            continue  # a function's `global` hides from pyflakes where it is used
        if unused or (isinstance(message, flakes.RedefinedWhileUnused) and message.lineno in top):
            yield f"line {message.lineno}: {message.message % message.message_args}"


def _forbidden(file: _Parsed, own_modules: frozenset[str]) -> Iterable[str]:
    """What a script may not import; a package of the project's may have such a name."""
    for module in _imported_modules(file):
        if module.partition(".")[0] in FORBIDDEN and module not in own_modules:
            yield module


def _imported_modules(file: _Parsed) -> Iterable[str]:
    for node in file.nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
