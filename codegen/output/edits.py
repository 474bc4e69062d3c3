"""What a user changed in a generated script: where it stands, and what it refers to that is no longer there."""

from __future__ import annotations

import ast
import difflib
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyflakes.checker import Checker
from pyflakes.messages import Message, UndefinedName

from ..ir.files import files_of
from ..source.source_text import first_line

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Edit:
    """A stretch of lines, from 1, that differs from what was generated."""

    first: int
    last: int  # before `first`, where lines were only taken out
    where: str  # the innermost definition, `Model.forward`, or nothing

    @property
    def lines(self) -> range:
        return range(self.first, self.last + 1)

    @property
    def shown_lines(self) -> str:
        return f"{self.first}-{self.last}" if self.last > self.first else f"{self.first}"


Finding = tuple[int, str]
"""A line, from 1, and what is wrong with it."""


def edits(generated: str, present: str) -> tuple[Edit, ...]:
    """Where `present` differs from `generated`."""
    matcher = difflib.SequenceMatcher(None, generated.split("\n"), present.split("\n"), autojunk=False)
    before, after = _definitions(generated), _definitions(present)
    return tuple(
        Edit(
            first + 1, last, after.get(first + 1, "") if last > first else _taken_out(before, start + 1, end)
        )
        for tag, start, end, first, last in matcher.get_opcodes()
        if tag != "equal"
    )


def _taken_out(names: Mapping[int, str], first: int, last: int) -> str:
    count = f"{last - first + 1} lines" if last > first else "a line"
    return f"{names.get(first, '')} ({count} taken out)".strip()


def distance(one: str, other: str) -> int:
    """How many lines stand in one of the texts alone."""
    matcher = difflib.SequenceMatcher(None, one.split("\n"), other.split("\n"), autojunk=False)
    return sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal")


def unified(before: str, after: str, names: tuple[str, str]) -> str:
    """A unified diff; nothing where both are the same."""
    return "".join(map(_whole, difflib.unified_diff(_lines(before), _lines(after), *names)))


def differences(script: Path, before: str, after: str, notes: tuple[str, str]) -> str:
    """A unified diff of a script, and of the module beside it; `notes` follow the names of the files."""
    texts = [dict(files_of(script, text)) for text in (before, after)]
    return "".join(
        unified(
            texts[0].get(file, ""),
            texts[1].get(file, ""),
            (f"{file.as_posix()}{notes[0]}", f"{file.as_posix()}{notes[1]}"),
        )
        for file in {**texts[0], **texts[1]}
    )


def _lines(text: str) -> list[str]:
    return re.findall("[^\n]*\n|[^\n]+", text)


def _whole(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


# ---- names -----------------------------------------------------------------------------------------------


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Python's own, such as of escapes: they are of the user's lines, and Python will repeat them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _definitions(text: str) -> dict[int, str]:
    """For each line, from 1, the dotted name of the innermost function or class round it."""
    tree = parsed(text)
    return dict(_named_lines(tree, "")) if tree else {}


def _named_lines(node: ast.AST, prefix: str) -> Iterator[tuple[int, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Definition):
            name = f"{prefix}{child.name}"
            first = first_line(child)
            yield from ((line, name) for line in range(first, (child.end_lineno or first) + 1))
            yield from _named_lines(child, f"{name}.")
        elif isinstance(child, ast.stmt):
            yield from _named_lines(child, prefix)


def parsed(text: str) -> ast.Module | None:
    """The text's syntax tree; None: it has none."""
    try:
        with _no_warnings():
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# ---- what a merge may break ------------------------------------------------------------------------------


def syntax_error(text: str) -> Finding | None:
    """Why Python cannot read the text; None: it can."""
    try:
        with _no_warnings():
            compile(text, "script", "exec", dont_inherit=True)  # nothing is run
    except SyntaxError as error:
        return error.lineno or 1, f"Python cannot read this: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return 1, f"Python cannot read this: {error}"
    return None


def strangers(base: str, present: str, generated: str, merged: str) -> Iterator[Finding]:
    """Names that `merged` does not define, and what is wrong with it that was wrong with neither side alone."""
    tree = parsed(merged)
    if tree is None:
        return
    own = {_kind(flaw) for flaw in _flaws(parsed(present)) if not isinstance(flaw, UndefinedName)}
    known = own | {_kind(flaw) for flaw in _flaws(parsed(generated))}
    for flaw in _flaws(tree):
        if _kind(flaw) not in known:
            yield flaw.lineno, flaw.message % flaw.message_args
    yield from _lost_members(parsed(base), tree, edits(generated, merged))


def _flaws(tree: ast.Module | None) -> list[Message]:
    return sorted(Checker(tree).messages, key=lambda flaw: flaw.lineno) if tree else []


def _kind(flaw: Message) -> tuple[object, ...]:
    """What is wrong, wherever it stands."""
    return (type(flaw), *(part for part in flaw.message_args if not isinstance(part, int)))


def _lost_members(base: ast.Module | None, tree: ast.Module, changed: Iterable[Edit]) -> Iterator[Finding]:
    """Methods and parameters that the user's lines name, and that the script had before."""
    lost = _members(base) - _members(tree) if base else set()
    own = {line for edit in changed for line in edit.lines}
    for node in ast.walk(tree):
        name = _member_named(node)
        line = getattr(node, "end_lineno", 0)
        if name in lost and line in own:
            yield line, f"today's script no longer defines `{name}`"


def _member_named(node: ast.AST) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.arg if isinstance(node, ast.keyword) else None


def _members(tree: ast.Module) -> set[str]:
    """Names that come after a dot or before an `=`: of methods, attributes and parameters."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, Definition):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
    return found
