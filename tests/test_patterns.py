"""Patterns of syntax: each finds what libcst's matcher of the same form finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import libcst as cst
import libcst.matchers
import pytest
from ddpgen.index import patterns
from ddpgen.index.search import findall, nodes

CODE = Path(__file__).read_text() + """
async def f(a, *b, c=None, **d):
    for x, in b[0]["key"]:
        self.x = x = y = a.b.c(1, k=2, *b) if not c else d or ()
    x: int
    z: int = 3
    return
def g(): return isinstance(a.b, C)
def h(): return True
"""

FORMS: list[Callable[[Any], Any]] = [
    lambda m: m.Name(),
    lambda m: m.Name("x"),
    lambda m: m.Name() | m.Attribute(attr=m.Name("b")) | m.Call(),
    lambda m: m.Attribute(m.Name("self"), m.Name("x") | m.Name("y")),
    lambda m: m.Attribute(value=~(m.Name("self") | m.Name("a"))),
    lambda m: m.Call(func=m.Attribute(value=m.Attribute(attr=m.Name("b")))),
    lambda m: m.Call(args=[]),
    lambda m: m.Call(args=[m.ZeroOrMore(), m.Arg(keyword=m.Name("k")), m.ZeroOrMore()]),
    lambda m: m.Call(args=[m.AtLeastN(n=2)]),
    lambda m: m.Call(args=[m.ZeroOrOne(), m.Arg(m.Name())]),
    lambda m: m.Call(m.Name("isinstance"), args=[m.Arg(m.Name() | m.Attribute()), m.Arg()]),
    lambda m: m.AnnAssign(target=m.Name(), value=m.DoNotCare()),
    lambda m: m.AnnAssign(value=None),
    lambda m: m.Return(value=None),
    lambda m: m.Return(m.Name("True")),
    lambda m: m.Subscript(slice=[m.SubscriptElement(m.Index(m.SimpleString(m.MatchRegex("['\"]k.*['\"]"))))]),
    lambda m: m.Name(value=m.MatchIfTrue(str.isupper)),
    lambda m: m.SimpleStatementLine(body=[m.Assign(targets=[m.AssignTarget(m.Name())])]),
    lambda m: m.UnaryOperation(operator=m.Not()),
    lambda m: m.ImportFrom(names=[m.ZeroOrMore(m.ImportAlias(asname=None))]),
]


@pytest.mark.parametrize("form", FORMS)
def test_a_pattern_finds_what_libcsts_matcher_finds(form: Callable[[Any], Any]) -> None:
    tree = cst.parse_module(CODE)
    expected = libcst.matchers.findall(tree, form(libcst.matchers))
    assert expected
    assert findall(tree, form(patterns)) == list(expected)


def test_what_is_saved() -> None:
    statement = cst.parse_statement("make(1, size)")
    for m in (libcst.matchers, patterns):
        argument: Any = m.Arg(m.SaveMatchedNode(m.Name(), "last"))
        call: Any = m.Call(
            func=m.Name(value=m.SaveMatchedNode(m.DoNotCare(), "name")), args=[m.ZeroOrMore(), argument]
        )
        saved = m.extract(statement, m.SimpleStatementLine(body=[m.Expr(call)]))
        assert saved is not None
        assert (saved["name"], saved["last"].value) == ("make", "size")
        assert m.extract(statement, m.SimpleStatementLine(body=[m.Expr(m.Name())])) is None


def test_a_pattern_of_what_is_no_syntax() -> None:
    with pytest.raises(AttributeError):
        patterns.Nonsense()
    with pytest.raises(AssertionError):
        patterns.Name(nonsense=1)


def test_nodes_of_kinds_and_of_those_derived_from_them() -> None:
    tree = cst.parse_module("def f(a):\n    return a + 1\n\n\nclass C: ...\n")
    assert [type(node) for node in nodes(tree, cst.BaseCompoundStatement)] == [cst.FunctionDef, cst.ClassDef]
    assert nodes(tree.body[0], cst.FunctionDef) == [tree.body[0]]
