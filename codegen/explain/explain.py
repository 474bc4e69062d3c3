"""The order of an explanation: build again, follow every line, then set the user's edits apart."""

from __future__ import annotations

import ast
import difflib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from .. import messages
from ..compile import Compiled
from ..diagnostics import CompileError
from ..generate import compile_recipe
from ..ir.recipe import Recipe
from ..ir.record import record_path
from ..output.drift import kept
from ..render.format import black_mode
from ..spec.load import load_spec
from .marks import marked
from .origins.imports import Imports
from .origins.places import Asked, seen
from .origins.runtime import RuntimeCode
from .origins.templates import TemplateCode
from .origins.user import UserCode
from .parts import Explanation, Part, Reason


def explain(script: Path) -> Explanation:
    """Where each line of the script comes from, and why it is there.

    Raises CompileError where the script's sources are not known, or have errors.
    """
    if not script.exists() and not record_path(script).exists():
        raise CompileError([messages.no_script(script.as_posix())])
    present, last, recipe = kept(script)
    spec = load_spec(recipe.strategy_argument)
    compiled = compile_recipe(recipe, spec)
    fresh = explained(compiled, recipe)
    return _as_it_stands(fresh, last.text, present)


def explained(compiled: Compiled, recipe: Recipe) -> Explanation:
    """The explanation of a script as it is built."""
    analysis, text = compiled.analysis, compiled.text
    found = marked(compiled, black_mode(recipe.model.parent).line_length)
    lines, tree = text.split("\n"), ast.parse(text)
    asked = Asked(analysis.facts, recipe.model)
    files = _files(compiled, recipe)
    split = {path: content.split("\n") for path, content in files.items()}
    user = UserCode(asked, compiled.lowered, found, split, tree)
    parts = [
        *TemplateCode(asked, found, tree, lines).parts(),
        *user.parts(),
        *RuntimeCode(asked, found, tree, lines).parts(),
        *Imports(found, split, tree, lines).parts(),
    ]
    shown = recipe.script.as_posix()
    return Explanation(shown, text, tuple(_with_comments(parts, lines)), files, user.lines())


def _with_comments(parts: list[Part], lines: list[str]) -> Iterator[Part]:
    """Parts in order; a comment belongs to what stands below it."""
    last = 0
    for part in sorted(parts, key=lambda part: part.first):
        above = range(part.first - 1, last, -1)
        comments = takewhile(lambda line: _is_comment(lines[line - 1]) or not lines[line - 1].strip(), above)
        first = min((line for line in comments if lines[line - 1].strip()), default=part.first)
        yield replace(part, first=first)
        last = part.last


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#") and not line.startswith("# ----")


def _files(compiled: Compiled, recipe: Recipe) -> dict[str, str]:
    """The user's files: the entry first, the others that went into the script, the spec."""
    folder, source = recipe.model.parent, compiled.analysis.facts.project.source
    paths = dict.fromkeys([source.path, *sorted(source.files)])
    found = {seen(path, folder): Path(path) for path in paths}
    if isinstance(recipe.strategy, Path):
        shown = seen(os.fspath(recipe.strategy), folder)
        found.pop(shown, None)  # where it is code, too
        found[shown] = recipe.strategy
    joined = {seen(path, folder): "\n".join(lines) for path, lines in source.files.items()}
    return {shown: joined.get(shown) or path.read_text("utf-8", "replace") for shown, path in found.items()}


# ---- the user's edits ------------------------------------------------------------------------------------


def _as_it_stands(fresh: Explanation, base: str, present: str) -> Explanation:
    """The explanation of the script as it is on the disk."""
    if present == fresh.text:
        return fresh
    moved = _moved(fresh.text, present)
    new_place = {old: new for new, old in moved.items()}
    parts = [each for part in fresh.parts for each in _pieces_of(part, new_place)]
    others = [line for line in range(1, present.count("\n") + 1) if line not in moved]
    from_base = _moved(base, present)
    texts = present.split("\n")
    for block in _runs(others, lambda line: line in from_base):
        if any(texts[line - 1].strip() for line in block):
            parts.append(_earlier(block) if block[0] in from_base else _edit(block))
    lines = {new: fresh.lines[old] for new, old in moved.items() if old in fresh.lines}
    return replace(fresh, text=present, parts=tuple(sorted(parts, key=lambda part: part.first)), lines=lines)


def _edit(block: list[int]) -> Part:
    return Part(block[0], block[-1], "edit", "your edit", None, Reason("You wrote this into the script."))


def _earlier(block: list[int]) -> Part:
    sentence = "An earlier build wrote this; today's would not. `ddpgen build` brings the script up to date."
    return Part(block[0], block[-1], "earlier", "earlier build", None, Reason(sentence))


def _moved(before: str, after: str) -> dict[int, int]:
    """For each line of `after` that stands in `before`, its number there."""
    matcher = difflib.SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False)
    return {
        block.b + offset + 1: block.a + offset + 1
        for block in matcher.get_matching_blocks()
        for offset in range(block.size)
    }


def _pieces_of(part: Part, new_place: dict[int, int]) -> Iterator[Part]:
    """What is left of a part, in the places where it stands now."""
    lines = [new_place[line] for line in range(part.first, part.last + 1) if line in new_place]
    for block in _runs(lines, lambda line: True):
        yield replace(part, first=block[0], last=block[-1])


def _runs(lines: list[int], kind: Callable[[int], bool]) -> Iterator[list[int]]:
    """Lines that follow each other and are of one kind."""
    block: list[int] = []
    for line in lines:
        if block and (line != block[-1] + 1 or kind(line) != kind(block[-1])):
            yield block
            block = []
        block.append(line)
    if block:
        yield block
