"""Statements on the line of what holds them are given blocks of their own."""

from __future__ import annotations

from textwrap import dedent

import libcst as cst
import libcst.matchers as m
from ddpgen.source.source import Source
from ddpgen.source.suites import in_blocks

TEXT = dedent("""\
    é = 1; f = 2
    if é: f = 3; g(f)  # why
    elif f: pass
    else: f = 4
    for each in f: g(
        each)
    try: f = 5
    except ValueError: pass
    finally: f
    match f:
        case 1: f = 6
    class A:
        @g
        def me(self) -> int: return self.f
    """)


def test_each_compound_statement_holds_a_block() -> None:
    source = in_blocks(Source.parse("main.py", TEXT))
    assert not m.findall(source.module, m.SimpleStatementSuite())
    assert m.findall(source.module, m.IndentedBlock())
    assert cst.parse_module(source.text).code.count("# why") == 1


def test_places_are_those_of_the_user() -> None:
    source = in_blocks(Source.parse("main.py", TEXT))
    (node,) = m.findall(source.module, m.Return())
    span = source.span(node)
    assert (span.line, span.column, span.end_line) == (14, 26, 14)
    assert source.line_of(span) == "    def me(self) -> int: return self.f"


def test_code_in_blocks_stays() -> None:
    source = Source.parse("main.py", "table = {1: 2}\nif table:\n    table = 3\n")
    assert in_blocks(source) is source
