"""Which line of a text as it was put together became which line of it as black laid it out."""

from __future__ import annotations

import difflib
import io
import tokenize
from collections.abc import Iterator

Tokens = list[tokenize.TokenInfo]

LAYOUT = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
        tokenize.ENCODING,
    }
)
MOVABLE = frozenset("(),;")
"""What black adds and takes away."""


def line_map(before: str, after: str) -> dict[int, int]:
    """For each line of `after` that holds code, the line of `before` that it begins with.

    Where black writes code in another way, as its preview may, lines belong to what stands above them.
    """
    old, new = ([token for token in _tokens(text) if not _is_moved(token)] for text in (before, after))
    found: dict[int, int] = {}
    for one, other in _pairs(old, new):
        span = one.end[0] - one.start[0]
        for offset in range(other.end[0] - other.start[0] + 1):
            found.setdefault(other.start[0] + offset, one.start[0] + min(offset, span))
    for token in _tokens(after):
        found.setdefault(token.start[0], found.get(token.start[0] - 1, 1))
    return found


def _pairs(old: Tokens, new: Tokens) -> Iterator[tuple[tokenize.TokenInfo, tokenize.TokenInfo]]:
    """The tokens of the one text, each with itself in the other."""
    before, after = ([_plain(token) for token in tokens] for tokens in (old, new))
    if before == after:
        yield from zip(old, new, strict=True)
        return
    for block in difflib.SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        yield from zip(old[block.a : block.a + block.size], new[block.b : block.b + block.size], strict=True)


def _is_moved(token: tokenize.TokenInfo) -> bool:
    return token.string in MOVABLE


def _tokens(text: str) -> Tokens:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token for token in tokens if token.type not in LAYOUT]


def _plain(token: tokenize.TokenInfo) -> str:
    """What black leaves of it; how strings and numbers are written, it may change."""
    is_literal = (
        token.type in (tokenize.STRING, tokenize.NUMBER) or "FSTRING" in tokenize.tok_name[token.type]
    )
    return tokenize.tok_name[token.type] if is_literal else token.string
