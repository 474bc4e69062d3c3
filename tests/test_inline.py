"""Methods that are called at one place alone are written out there, where that changes nothing."""

from __future__ import annotations

from textwrap import dedent, indent

import black
import libcst as cst
import pytest
from ddpgen.runtime.definitions import RuntimeDefinition
from ddpgen.runtime.empty_bases import without_empty_bases
from ddpgen.runtime.folding.inline import inlined, unpassed_parameters

CASES = {
    "statements for a statement": (
        """\
        def f(self, x):
            self._g(x)
            print(x)

        def _g(self, y):
            "About y."
            z = y + 1
            print(z)
        """,
        """\
        def f(self, x):
            z = x + 1
            print(z)
            print(x)
        """,
    ),
    "a result for a call": (
        """\
        def f(self, x, y):
            return not self._g(x + 1)

        def _g(self, a):
            return a == self.b
        """,
        """\
        def f(self, x, y):
            return not ((x + 1) == self.b)
        """,
    ),
    "what is passed is computed once": (
        """\
        def f(self, x):
            self._g(x.pop())

        def _g(self, a):
            print(a, a)
        """,
        """\
        def f(self, x):
            a = x.pop()
            print(a, a)
        """,
    ),
    "statements before that of a result": (
        """\
        def f(self, x):
            raise ValueError(self._g(x))

        def _g(self, a):
            b = ", ".join(a)
            return f"no {b}"
        """,
        """\
        def f(self, x):
            b = ", ".join(x)
            raise ValueError(f"no {b}")
        """,
    ),
    "what a condition asks, without a bool": (
        """\
        def f(self, x):
            if not self._g(x):
                print(x)

        def _g(self, a):
            return bool(a != self.b)
        """,
        """\
        def f(self, x):
            if x == self.b:
                print(x)
        """,
    ),
    "quotes for an f-string": (
        """\
        def f(self, x):
            raise self._g(", ".join(x))

        def _g(self, a):
            return ValueError(f"no {a}")
        """,
        """\
        def f(self, x):
            a = ", ".join(x)
            raise ValueError(f"no {a}")
        """,
    ),
    "returns where nothing follows": (
        """\
        def f(self, x):
            if x:
                self._g(x)

        def _g(self, a):
            if a > 1:
                return
            print(a)
        """,
        """\
        def f(self, x):
            if x:
                if x > 1:
                    return
                print(x)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_a_method_is_written_out(before: str, after: str) -> None:
    assert changed(before) == formatted(after)


KEPT = {
    "what others call": "def f(self):\n    self.g()\n\ndef g(self):\n    print(1)\n",
    "what is called twice": "def f(self):\n    self._g()\n    self._g()\n\ndef _g(self):\n    print(1)\n",
    "what is not called": "def f(self):\n    return self._g\n\ndef _g(self):\n    print(1)\n",
    "what calls itself": "def _g(self):\n    self._g()\n",
    "a return in the midst": (
        "def f(self, x):\n    self._g(x)\n    print(x)\n\n"
        "def _g(self, a):\n    if a:\n        return\n    print(a)\n"
    ),
    "a loop's return": (
        "def f(self, x):\n    for y in x:\n        self._g(y)\n\n"
        "def _g(self, a):\n    if a:\n        return\n    print(a)\n"
    ),
    "a name of the other's": (
        "def f(self, x):\n    y = 1\n    self._g(x)\n    print(y)\n\ndef _g(self, a):\n    y = a + 1\n    print(y)\n"
    ),
    "a parameter that is set": (
        "def f(self, a):\n    self._g(a)\n    print(a)\n\ndef _g(self, a):\n    a += 1\n    print(a)\n"
    ),
    "what takes any arguments": "def f(self, *x):\n    self._g(*x)\n\ndef _g(self, *a):\n    print(a)\n",
    "a property": "def f(self):\n    return self._g\n\n@property\ndef _g(self):\n    return 1\n",
    "a result that comes late": (
        "def f(self, x):\n    print(x, self._g(x))\n\ndef _g(self, a):\n    b = a + 1\n    return b * b\n"
    ),
    "a default": "def f(self):\n    self._g()\n\ndef _g(self, a=1):\n    print(a)\n",
}


@pytest.mark.parametrize("code", KEPT.values(), ids=KEPT)
def test_a_method_stays(code: str) -> None:
    assert changed(code) == formatted(code)


def test_a_method_stays_that_would_make_another_long() -> None:
    lines = "".join(f"    print({number})\n" for number in range(12))
    code = f"def f(self):\n{lines}    self._g()\n\ndef _g(self):\n{lines}"
    assert changed(code) == formatted(code)


def test_parameters_that_no_call_passes_have_their_defaults() -> None:
    code = """class C:
        def f(self): self.g(1); self.g(2, c=3); self.h(*self.x); self.each = self.k; self.k()
        def g(self, a, b=1, c=2): ...
        def h(self, a=1): ...
        def k(self, a=1): ...
    """
    (node,) = cst.parse_module(dedent(code)).body
    assert dict(unpassed_parameters(cst.ensure_type(node, cst.ClassDef))) == {"g": {"b": "1"}}


def test_a_base_that_says_nothing_gives_way_to_its_one_subclass() -> None:
    codes = {
        "Base": 'class Base(Above):\n    """Says nothing."""\n',
        "One": "class One(Base):\n    def f(self): ...\n",
        "asks": "def asks(x):\n    return isinstance(x, Base) or x.Base\n",
    }
    found = {name: RuntimeDefinition(name, "callbacks/callbacks", code) for name, code in codes.items()}
    left = without_empty_bases(found, set())
    assert {name: each.code for name, each in left.items()} == {
        "One": "class One(Above):\n    def f(self): ...\n",
        "asks": "def asks(x):\n    return isinstance(x, One) or x.Base\n",
    }
    assert without_empty_bases(found, {"Base"}) == found
    two = found | {"Two": RuntimeDefinition("Two", "callbacks/callbacks", "class Two(Base): ...\n")}
    assert without_empty_bases(two, set()) == two


def changed(body: str) -> str:
    (node,) = cst.parse_module("class C:\n" + indent(dedent(body), "    ")).body
    code = cst.Module([inlined(cst.ensure_type(node, cst.ClassDef), {"f", "g"})]).code
    return formatted(dedent(code.partition("\n")[2]))


def formatted(code: str) -> str:
    return black.format_str(dedent(code), mode=black.Mode())
