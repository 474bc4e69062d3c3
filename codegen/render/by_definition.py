"""Black, over each function and class alone; what stands in the runtime word for word takes none of its passes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from textwrap import indent

import black
from black.mode import TargetVersion

from ..runtime.definitions import load_runtime
from ..source.source_text import first_line
from .by_statement import Settings, by_statement, codes_of_statements

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

SCRIPTS_RUN_ON = frozenset(each for each in TargetVersion if each.value >= TargetVersion.PY310.value)
"""Black would tell from all of a text which versions it is for; a part of it may hold no sign of them."""

_SWITCH = re.compile(r"#\s*(fmt|yapf):")
"""Turns black off, perhaps over several definitions."""

_PLACEHOLDER = "def _{}():\n    pass"
"""What stands for definitions: black separates it from what is round it as it does definitions."""


def by_definition(text: str, mode: black.Mode) -> str:
    """The text as black leaves it. Raises InvalidInput or SyntaxError where it is no Python."""
    mode = replace(mode, target_versions=mode.target_versions or set(SCRIPTS_RUN_ON))
    if _SWITCH.search(text):
        return black.format_str(text, mode=mode)
    settings = Settings(mode.get_cache_key(), mode)
    rest, rows = _taken_out(text, ast.parse(text).body)
    formatted = [[_formatted(each, settings) for each in row] for row in rows]
    return _put_back(formatted, by_statement(_spaced(rest), settings))


@lru_cache(maxsize=2048)
def _formatted(definition: str, settings: Settings) -> str:
    """Kept, because a process that builds several scripts meets most of the runtime's definitions again."""
    (node,) = ast.parse(definition).body
    named = load_runtime().definitions.get(getattr(node, "name", ""))
    runtimes = named.code if named and _are_the_runtimes(settings) else ""
    if definition in runtimes:
        return definition
    members = node.body if isinstance(node, ast.ClassDef) and runtimes else []
    rest, rows = _taken_out(definition, members, runtimes)
    return _put_back(rows, by_statement(rest, settings, _codes_of(runtimes)), "    ")


def _are_the_runtimes(settings: Settings) -> bool:
    return settings.mode == replace(black.Mode(), target_versions=settings.mode.target_versions)


_codes_of = lru_cache(maxsize=512)(codes_of_statements)


def _taken_out(text: str, body: list[ast.stmt], known: str | None = None) -> tuple[str, list[list[str]]]:
    """The text with one short definition in the place of those that follow each other, and these.

    Only what stands in the `known` code is taken out, if that is given.
    """
    lines = text.split("\n")
    rest: list[str] = []
    rows: list[list[str]] = []
    done = 0
    for node in _definitions(body):
        first, end = _lines_of(node, lines)
        definition = "\n".join([*lines[first:end], ""])
        if known is not None and definition not in known:
            continue
        if not rows or any(map(str.strip, lines[done:first])):
            placeholder = _PLACEHOLDER.format(len(rows))
            rest += [*lines[done:first], indent(placeholder, " " * node.col_offset)]
            rows.append([])
        rows[-1].append(definition)
        done = end
    return "\n".join([*rest, *lines[done:]]), rows


def _spaced(rest: str) -> str:
    """The text with two blank lines round its definitions: black, which would put them there, takes one pass less."""
    rest = re.sub(r"^(def _\d+\(\):\n    pass\n)\n*(?=.)", r"\1\n\n", rest, flags=re.M)
    return re.sub(r"\n{2,}(?=def _\d+\(\):\n    pass\n)", "\n\n\n", rest)


def _put_back(rows: list[list[str]], text: str, margin: str = "") -> str:
    between = "\n" if margin else "\n\n"
    placed = re.compile(rf"^{margin}def _(\d+)\(\):\n{margin}    pass\n", re.M)
    return placed.sub(lambda found: between.join(rows[int(found[1])]), text)


def _definitions(body: list[ast.stmt]) -> Iterator[Definition]:
    """Those in the body but the ones that end with `...`, which black crowds."""
    for node in body:
        if isinstance(node, Definition) and not _is_stub(node):
            yield node


def _is_stub(node: Definition) -> bool:
    last = node.body[-1]
    return isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant) and last.value.value is ...


def _lines_of(node: Definition, lines: list[str]) -> tuple[int, int]:
    """Where the definition begins and ends, with its decorators and with the comments that end it."""
    first = first_line(node)
    end = number = node.end_lineno or node.lineno
    while number < len(lines) and lines[number][: node.col_offset + 1].strip() == "":
        number += 1
        end = number if lines[number - 1].strip() else end
    return first - 1, end
