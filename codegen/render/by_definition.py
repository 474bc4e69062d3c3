"""Black, over each function and class alone: those that black leaves alone take one of its passes instead of two."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

import black
from black.mode import TargetVersion

SCRIPTS_RUN_ON = frozenset(each for each in TargetVersion if each.value >= TargetVersion.PY310.value)
"""Black would tell from all of a text which versions it is for; a part of it may hold no sign of them."""

_SWITCH = re.compile(r"#\s*(fmt|yapf):")
"""Turns black off, perhaps over several definitions."""

_PLACEHOLDERS = {"class": "class _{}:\n    pass", "def": "def _{}():\n    pass"}
"""What stands for a definition: black separates it from what is round it as it does the definition."""

_PLACEHOLDER = re.compile(r"^(?:class|def) _(\d+)(?:\(\))?:\n    pass\n", re.M)


def by_definition(text: str, mode: black.Mode) -> str:
    """The text as black leaves it. Raises InvalidInput or SyntaxError where it is no Python."""
    mode = replace(mode, target_versions=mode.target_versions or set(SCRIPTS_RUN_ON))
    if _SWITCH.search(text):
        return black.format_str(text, mode=mode)
    settings = _Settings(mode.get_cache_key(), mode)
    rest, definitions = _taken_out(text)
    texts = [_formatted(each, settings) for each in definitions]
    return _PLACEHOLDER.sub(lambda found: texts[int(found[1])], black.format_str(rest, mode=mode))


@dataclass(frozen=True)
class _Settings:
    """Black's, in a form that can be looked up."""

    key: str
    mode: black.Mode = field(compare=False)


@lru_cache(maxsize=2048)
def _formatted(definition: str, settings: _Settings) -> str:
    """Kept, because a process that builds several scripts meets most of the runtime's definitions again."""
    return black.format_str(definition, mode=settings.mode)


def _taken_out(text: str) -> tuple[str, list[str]]:
    """The text with a short definition of the same kind in the place of each, and those."""
    lines = text.split("\n")
    rest: list[str] = []
    definitions: list[str] = []
    done = 0
    for kind, first, end in _places(ast.parse(text), lines):
        rest += [*lines[done:first], _PLACEHOLDERS[kind].format(len(definitions))]
        definitions.append("\n".join([*lines[first:end], ""]))
        done = end
    return "\n".join([*rest, *lines[done:]]), definitions


def _places(tree: ast.Module, lines: list[str]) -> Iterator[tuple[str, int, int]]:
    """Where definitions stand, with the comments that end them; but those whose body is `...`, which black crowds."""
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or _is_stub(node):
            continue
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        yield "class" if isinstance(node, ast.ClassDef) else "def", first - 1, _end(node, lines)


def _is_stub(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    last = node.body[-1]
    return isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant) and last.value.value is ...


def _end(node: ast.stmt, lines: list[str]) -> int:
    """The number of lines up to the last that is indented."""
    end = number = node.end_lineno or node.lineno
    while number < len(lines) and lines[number][:1].strip() == "":
        number += 1
        end = number if lines[number - 1].strip() else end
    return end
