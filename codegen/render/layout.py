"""From blocks in order to the text of a script: its sections, each with its title."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from .annotations import quoted
from .placing.order import Arranged, Block

MADE_FROM = "what the model is made from"


def laid_out(order: Arranged, codes: dict[Block, str], source_name: str, width: int) -> list[str]:
    """The sections' titles, so wide, and their code."""
    parts: list[str] = []
    for title, blocks in _sections(order, source_name):
        if code := _code(blocks, codes):
            parts += [f"# ---- {title} ".ljust(width, "-"), code] if title else [code]
    return parts


def codes_of(blocks: Iterable[Block], quotes: bool) -> dict[Block, str]:
    """The blocks' text; `quotes`: annotations that look further down are quoted, but the user's stay as they are."""
    later: set[str] = set()
    codes = {}
    for block in reversed(list(blocks)):
        later |= block.bound
        is_quoted = quotes and block.whose != "user"
        codes[block] = quoted(block.code, frozenset(later)) if is_quoted else block.code
    return codes


def _sections(order: Arranged, source_name: str) -> Iterator[tuple[str, tuple[Block, ...]]]:
    of_source = f", from {source_name}"
    is_one_file = len(_files(order.all)) < 2
    yield "config", order.config
    yield MADE_FROM, order.made_from
    yield f"model and data{of_source if is_one_file else ''}", order.definitions
    yield "training", order.training
    yield f"main{of_source}", order.main
    yield from order.machinery
    yield _title_of_run(order, of_source), order.run


def _title_of_run(order: Arranged, of_source: str) -> str:
    """A guard alone needs none."""
    if all(block.is_guard for block in order.run):
        return ""
    return f"{'run' if order.main else 'main'}{of_source}"


def _files(blocks: Iterable[Block]) -> set[str]:
    return {block.path for block in blocks if block.path}


def _code(blocks: tuple[Block, ...], codes: dict[Block, str]) -> str:
    """The blocks' text; where user's come from several files, each says from which."""
    names_files = len(_files(blocks)) > 1
    parts = []
    for path, group in groupby(blocks, lambda block: block.path):
        (code,) = joined_code([*group], codes)
        parts.append(f"# from {path}\n{code}" if path and names_files else code)
    return ("\n\n\n" if names_files else "\n\n").join(parts)


def joined_code(blocks: Iterable[Block], codes: dict[Block, str]) -> list[str]:
    """The text of neighbouring blocks, those of each file in one piece."""
    parts = []
    for path, group in groupby(blocks, lambda block: block.path):
        joint = "" if path else "\n\n"  # the user's have their own blank lines
        parts.append(joint.join(codes[block] for block in group).strip("\n"))
    return parts
