"""Which line of a text as it was put together became which line of it as black laid it out."""

from __future__ import annotations

import io
import tokenize

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

    Raises ValueError where the two are not the same code.
    """
    old, new = ([token for token in _tokens(text) if not _is_moved(token)] for text in (before, after))
    if [_plain(token) for token in old] != [_plain(token) for token in new]:
        raise ValueError("not the same code")
    found: dict[int, int] = {}
    for one, other in zip(old, new, strict=True):
        span = one.end[0] - one.start[0]
        for offset in range(other.end[0] - other.start[0] + 1):
            found.setdefault(other.start[0] + offset, one.start[0] + min(offset, span))
    # lines that hold nothing else belong to what stands above them
    for token in filter(_is_moved, _tokens(after)):
        found.setdefault(token.start[0], found.get(token.start[0] - 1, 1))
    return found


def _is_moved(token: tokenize.TokenInfo) -> bool:
    return token.string in MOVABLE


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token for token in tokens if token.type not in LAYOUT]


def _plain(token: tokenize.TokenInfo) -> str:
    """What black leaves of it; how strings and numbers are written, it may change."""
    is_literal = (
        token.type in (tokenize.STRING, tokenize.NUMBER) or "FSTRING" in tokenize.tok_name[token.type]
    )
    return tokenize.tok_name[token.type] if is_literal else token.string
