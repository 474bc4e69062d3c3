"""The parts of rendering: deciding what is known, leaving out what nothing uses, names and imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import black
import libcst as cst
import pytest
from ddpgen.index.renaming import renamed
from ddpgen.render import imports
from ddpgen.render.imports import import_block
from ddpgen.render.rename import renaming
from ddpgen.runtime import shake
from ddpgen.runtime.definitions import RuntimeDefinition, load_runtime
from ddpgen.runtime.folding.fold import fold
from ddpgen.runtime.folding.known import Known
from ddpgen.runtime.shake import Wanted
from ddpgen.source.definitions import Import
from ddpgen.source.names import attributes_in, global_names

# ---- folding ---------------------------------------------------------------------------------------------


def folded(body: str, known: Known) -> str:
    """The body of a class, folded."""
    before = "class C:\n" + indented(body)
    (node,) = cst.parse_module(before).body
    code = cst.Module([fold(cst.ensure_type(node, cst.ClassDef), known)]).code
    compile(code, "folded.py", "exec")
    return formatted(code.partition("\n")[2])


def formatted(code: str) -> str:
    return black.format_str(dedent(code), mode=PLAIN)


# As black formats where a trailing comma does not put each element on a line of its own.
PLAIN = black.Mode(magic_trailing_comma=False)


def indented(body: str) -> str:
    return "".join("    " + line if line.strip() else line for line in dedent(body).splitlines(keepends=True))


PARAMETERS: dict[str, tuple[dict[str, str], str, str]] = {
    "its value for its name": (
        {"b": "2"},
        """\
        def f(self, a, b=2):
            return a + b
        """,
        """\
        def f(self, a):
            return a + 2
        """,
    ),
    "by keyword alone": (
        {"b": "None"},
        """\
        def f(self, a, *, b=None, c=1):
            return a, b, c
        """,
        """\
        def f(self, a, *, c=1):
            return a, None, c
        """,
    ),
    "a branch taken": (
        {"b": "True"},
        """\
        def f(self, b=True):
            if b:
                g()  # why
                h()
            else:
                i()
        """,
        """\
        def f(self):
            g()  # why
            h()
        """,
    ),
    "an argument that is always the default": (
        {"b": "False", "c=": "False"},
        """\
        def f(self, a, b=False):
            return g(a, c=b), g(c=a)
        """,
        """\
        def f(self, a):
            return g(a), g(c=a)
        """,
    ),
    "a branch not taken": (
        {"b": "False"},
        """\
        def f(self, b=False):
            if b:
                g()
            return 1
        """,
        """\
        def f(self):
            return 1
        """,
    ),
    "the other branch": (
        {"b": "None"},
        """\
        def f(self, b=None):
            if b is not None:
                g()
            else:
                h()
        """,
        """\
        def f(self):
            h()
        """,
    ),
    "a test of None": (
        {"b": "None"},
        """\
        def f(self, a, b=None):
            return a if b is None else b
        """,
        """\
        def f(self, a):
            return a
        """,
    ),
    "a comparison of strings": (
        {"b": '"mean"'},
        """\
        def f(self, a, b="mean"):
            if b == "mean" and a:
                return 1
            return 2
        """,
        """\
        def f(self, a):
            if a:
                return 1
            return 2
        """,
    ),
    "in a tuple of names": (
        {"b": "False"},
        """\
        def f(self, a, b=False):
            return not b and a
        """,
        """\
        def f(self, a):
            return a
        """,
    ),
    "an or": (
        {"b": "None"},
        """\
        def f(self, a, b=None):
            return b or a or 1
        """,
        """\
        def f(self, a):
            return a or 1
        """,
    ),
    "as another's keyword": (
        {"b": "3"},
        """\
        def f(self, b=3):
            g(b=b)
        """,
        """\
        def f(self):
            g(b=3)
        """,
    ),
    "as another's attribute": (
        {"b": "3"},
        """\
        def f(self, a, b=3):
            return a.b + self.b + b
        """,
        """\
        def f(self, a):
            return a.b + self.b + 3
        """,
    ),
    "stars": (
        {"*rest": "()"},
        """\
        def f(self, a, *rest, **options):
            g(a, *rest, **options)
        """,
        """\
        def f(self, a, **options):
            g(a, **options)
        """,
    ),
    "a variable that stands for another": (
        {"b": "False"},
        """\
        def f(self, a, b=False):
            c = a and not b
            return g(c)
        """,
        """\
        def f(self, a):
            return g(a)
        """,
    ),
    "a variable that is constant": (
        {"b": "None"},
        """\
        def f(self, b=None):
            c = b is None
            if c:
                g()
        """,
        """\
        def f(self):
            g()
        """,
    ),
    "a variable that changes": (
        {"b": "1"},
        """\
        def f(self, a, b=1):
            c = b
            for c in a:
                g(c)
            return c
        """,
        """\
        def f(self, a):
            c = 1
            for c in a:
                g(c)
            return c
        """,
    ),
    "a variable that grows": (
        {"b": "1"},
        """\
        def f(self, a, b=1):
            c = b
            c += a
            return c
        """,
        """\
        def f(self, a):
            c = 1
            c += a
            return c
        """,
    ),
    "a variable that is given back": (
        {"b": "1"},
        """\
        def f(self, a, b=1):
            c = a + b
            return c
        """,
        """\
        def f(self, a):
            return a + 1
        """,
    ),
    "all that are passed by name": (
        {"b": "None", "c": "None"},
        """\
        def f(self, *, b=None, c=None, **options):
            return g(options, b, c)
        """,
        """\
        def f(self, **options):
            return g(options, None, None)
        """,
    ),
    "a block that becomes empty": (
        {"b": "False"},
        """\
        def f(self, a, b=False):
            if a:
                if b:
                    g()
            return a
        """,
        """\
        def f(self, a):
            return a
        """,
    ),
    "an elif": (
        {"b": "False"},
        """\
        def f(self, a, b=False):
            if b:
                return 1
            elif a:
                return 2
            return 3
        """,
        """\
        def f(self, a):
            if a:
                return 2
            return 3
        """,
    ),
    "an elif that is never reached": (
        {"b": "False"},
        """\
        def f(self, a, b=False):
            if a:
                return 1
            elif b:
                return 2
            else:
                return 3
        """,
        """\
        def f(self, a):
            if a:
                return 1
            else:
                return 3
        """,
    ),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_that_are_never_passed(name: str) -> None:
    known, before, after = PARAMETERS[name]
    assert folded(before, Known(parameters=known)) == dedent(after)


def test_a_signature_that_got_shorter_stays_on_its_line() -> None:
    """Black puts each parameter on a line of its own where a comma is left behind the last."""
    (node,) = cst.parse_module("class C:\n    def f(self, a, b=2):\n        return a + b\n").body
    code = cst.Module([fold(cst.ensure_type(node, cst.ClassDef), Known({"b": "2"}))]).code
    assert (
        black.format_str(code, mode=black.Mode()) == "class C:\n    def f(self, a):\n        return a + 2\n"
    )


ATTRIBUTES: dict[str, tuple[dict[str, str], str, str]] = {
    "not set any more": (
        {"seen": "()"},
        """\
        def __init__(self):
            self.seen: set[str] = set()  # what was seen
            self.other = 1
        """,
        """\
        def __init__(self):
            self.other = 1
        """,
    ),
    "an item not set any more": (
        {"seen": "()"},
        """\
        def f(self, x):
            self.seen[x] = 1
            return x
        """,
        """\
        def f(self, x):
            return x
        """,
    ),
    "its methods not called any more": (
        {"seen": "()"},
        """\
        def f(self, x):
            self.seen.update(x)
            return x
        """,
        """\
        def f(self, x):
            return x
        """,
    ),
    "operands that bind less than what is around them": (
        {"keeps": "True"},
        """\
        def f(self, x, y, z):
            return (x or y and self.keeps or not self.keeps) and z
        """,
        """\
        def f(self, x, y, z):
            return (x or y) and z
        """,
    ),
    "operands over several lines": (
        {"keeps": "True"},
        """\
        def f(self, x, y):
            if (
                x
                and y
                and self.keeps
            ):
                g()
        """,
        """\
        def f(self, x, y):
            if x and y:
                g()
        """,
    ),
    "nothing in it": (
        {"seen": "()"},
        """\
        def f(self, x):
            return f"{x}_step" if x in self.seen else x
        """,
        """\
        def f(self, x):
            return x
        """,
    ),
    "everything not in it": (
        {"seen": "()"},
        """\
        def f(self, x):
            if x not in self.seen:
                g()
        """,
        """\
        def f(self, x):
            g()
        """,
    ),
    "one of several known values": (
        {"mode": "None"},
        """\
        def f(self, x):
            if self.mode not in (None, "step"):
                raise ValueError(self.mode)
            return x if self.mode in (None, "epoch") else g(x)
        """,
        """\
        def f(self, x):
            return x
        """,
    ),
    "no way through it": (
        {"seen": "()"},
        """\
        def f(self, x):
            for name in self.seen:
                x.pop(name)
            for value in self.seen.values():
                value.reset()
            return x
        """,
        """\
        def f(self, x):
            return x
        """,
    ),
    "a flag": (
        {"syncs": "False"},
        """\
        def f(self, x, sync):
            if sync and self.syncs:
                return g(x)
            return x
        """,
        """\
        def f(self, x, sync):
            return x
        """,
    ),
    "of others": (
        {"seen": "()"},
        """\
        def f(self, other):
            other.seen.update(self.unseen)
            return other.seen
        """,
        """\
        def f(self, other):
            other.seen.update(self.unseen)
            return other.seen
        """,
    ),
    "a value instead": (
        {"size": "1"},
        """\
        def f(self, x):
            return x * (self.size or 2)
        """,
        """\
        def f(self, x):
            return x * 1
        """,
    ),
    "a branch that is never taken, and of which nothing is left": (
        {"is_kept": "False", "kept": "()"},
        """\
        def f(self, x):
            if self.is_kept:
                self.kept[x] = 1
            else:
                g(x)
        """,
        """\
        def f(self, x):
            g(x)
        """,
    ),
}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_that_never_change(name: str) -> None:
    known, before, after = ATTRIBUTES[name]
    assert folded(before, Known(attributes=known)) == dedent(after)


TIDIED: dict[str, tuple[str, str]] = {
    "a condition and its opposite": (
        """\
        def f(self, a, b=None):
            there = a is not None and a.b
            elsewhere = not there if b is None else b
            if there:
                g(a)
            if elsewhere:
                h(a)
        """,
        """\
        def f(self, a):
            there = a is not None and a.b
            if there:
                g(a)
            else:
                h(a)
        """,
    ),
    "an opposite that is more than a condition": (
        """\
        def f(self, a, b=None):
            there = a is not None and a.b
            elsewhere = not there if b is None else b
            if there:
                g(a)
            if elsewhere:
                h(elsewhere)
        """,
        """\
        def f(self, a):
            there = a is not None and a.b
            elsewhere = not there
            if there:
                g(a)
            if elsewhere:
                h(elsewhere)
        """,
    ),
    "a condition that changes": (
        """\
        def f(self, a, b=None):
            a = g(a, b)
            if a:
                a = h(a)
            if not a:
                i(a)
        """,
        """\
        def f(self, a):
            a = g(a, None)
            if a:
                a = h(a)
            if not a:
                i(a)
        """,
    ),
    "a condition that may change its mind": (
        """\
        def f(self, a, b=None):
            if a:
                a.clear()
                if a:
                    g(b)
            if not a:
                h(a)
        """,
        """\
        def f(self, a):
            if a:
                a.clear()
                if a:
                    g(None)
            if not a:
                h(a)
        """,
    ),
    "a flag of its own": (
        """\
        def __init__(self, a: bool, c: list[int]):
            self.a = a
            self.c = c

        def f(self, b=None):
            if self.a:
                g(b)
            if not self.a:
                h(b)
            if self.c:
                g(self.c)
            if not self.c:
                h(self.c)
        """,
        """\
        def __init__(self, a: bool, c: list[int]):
            self.a = a
            self.c = c


        def f(self):
            if self.a:
                g(None)
            else:
                h(None)
            if self.c:
                g(self.c)
            if not self.c:
                h(self.c)
        """,
    ),
    "an opposite of what was left": (
        """\
        def f(self, a: bool, b=None):
            if a:
                return b
            if not a:
                g(a)
        """,
        """\
        def f(self, a: bool):
            if a:
                return None
            if not a:
                g(a)
        """,
    ),
    "a condition within itself": (
        """\
        def f(self, a: bool, b=None):
            if a:
                g(b)
                if a:
                    h(a)
                if b or not a:
                    i(a)
        """,
        """\
        def f(self, a: bool):
            if a:
                g(None)
                h(a)
        """,
    ),
    "a condition within itself, with another way": (
        """\
        def f(self, a: bool, b=None):
            if a:
                if a:
                    g(b)
                else:
                    h(b)
        """,
        """\
        def f(self, a: bool):
            if a:
                g(None)
        """,
    ),
    "a set of one": (
        """\
        def f(self, a, b=None):
            self.seen.update({a, a if b is None else b})
            self.seen.update({a, g(b)})
            self.named.update({a: b})
        """,
        """\
        def f(self, a):
            self.seen.add(a)
            self.seen.update({a, g(None)})
            self.named.update({a: None})
        """,
    ),
    "the same twice": (
        """\
        def f(self, a, b=None):
            self.a[a] = self.b[a]
            self.a[b or a] = self.b[a]
            self.c[a] = g(a)
            self.c[a] = g(a)
        """,
        """\
        def f(self, a):
            self.a[a] = self.b[a]
            self.c[a] = g(a)
            self.c[a] = g(a)
        """,
    ),
    "what follows a return": (
        """\
        def f(self, a, b=None):
            if a:
                g(a)
                if b is None:
                    return
                h(a)
            i(a)
            if b is None:
                return
            j(a)
        """,
        """\
        def f(self, a):
            if a:
                g(a)
                return
            i(a)
        """,
    ),
    "a variable that nothing reads": (
        """\
        def f(self, a, b=None):
            c = a.b == 1 or a.c
            d: int = a.d
            e = g(a)
            if b is not None and c and d and e:
                h(a)
        """,
        """\
        def f(self, a):
            e = g(a)
        """,
    ),
    "a question with a name": (
        """\
        def f(self, a, b=None):
            c = g(a)
            if b or c:
                h(a)
            d = g(a)
            if not d and b is None:
                h(a)
            e = g(a)
            if e:
                h(e)
        """,
        """\
        def f(self, a):
            if g(a):
                h(a)
            if not g(a):
                h(a)
            e = g(a)
            if e:
                h(e)
        """,
    ),
    "what alters nothing": (
        """\
        def f(self, a, c, b=None):
            return a or b or "c", a and b is None and c, (a or b) and c, a or b and c or c
        """,
        """\
        def f(self, a, c):
            return a or "c", a and c, (a or None) and c, a or c
        """,
    ),
    "what is not in something": (
        """\
        def f(self, a, c, b=None):
            return not (b is None and a in c), not (b or a in c) and a, not (a in c) in c
        """,
        """\
        def f(self, a, c):
            return a not in c, a not in c and a, (a in c) not in c
        """,
    ),
}


@pytest.mark.parametrize("name", TIDIED)
def test_what_deciding_leaves_behind(name: str) -> None:
    before, after = TIDIED[name]
    assert folded(before, Known({"b": "None"})) == dedent(after)


def test_attributes_that_are_never_none() -> None:
    before = """\
    def __init__(self):
        self.size: int | None = None  # None at first
        self.other: int | None = None

    def f(self):
        if self.size is None or self.other is None:
            return self.other or 1
        return self.size or 1
    """
    after = """\
    def __init__(self):
        self.size = 2
        self.other: int | None = None

    def f(self):
        if self.other is None:
            return self.other or 1
        return self.size
    """
    assert folded(before, Known(present={"size": "2"})) == formatted(after)


def test_other_names_for_attributes() -> None:
    """Of those alone that last: the others may be something else by the time the name is read."""
    before = """\
    def __init__(self, a):
        self.lasting, self.changing = a, a

    def f(self, b):
        lasting = self.lasting
        changing = self.changing
        self.start()
        return lasting + lasting, changing, b

    def start(self):
        self.changing, other = {}, 1
    """
    after = before.replace("    lasting = self.lasting\n    ", "").replace("(self, b)", "(self)")
    after = after.replace("lasting + lasting, changing, b", "self.lasting + self.lasting, changing, 2")
    assert folded(before, Known({"b": "2"})) == formatted(after)


def test_types_without_values() -> None:
    before = """\
    def f(self, x):
        if isinstance(x, Metric):
            return x.compute()
        if isinstance(x, Tensor):
            return 1
        return 2
    """
    after = """\
    def f(self, x):
        if isinstance(x, Tensor):
            return 1
        return 2
    """
    assert folded(before, Known(types=frozenset({"Metric"}))) == dedent(after)


UNCHANGED = {
    "comments and odd formatting": """\
    '''Doc.'''

    x = 1  # one

    def f(self, a, *b, c=None, **d):
        # first
        if a and not b or c is None:
            e = a  if  b else (c)
            return g(e, c=c)
    """,
    "a parameter that is given a value at times": """\
    def f(self, a, b):
        if b:
            a = None
        return a
    """,
    "a parameter that is given another's value": """\
    def f(self, a, b):
        for c in b:
            a = c
        return a
    """,
    "a variable of a function inside": """\
    def f(self, a):
        b = None

        def g():
            nonlocal b
            b = a

        g()
        return b
    """,
}


@pytest.mark.parametrize("name", UNCHANGED)
def test_what_is_not_known_stays(name: str) -> None:
    before = "class C:\n" + indented(UNCHANGED[name])
    (node,) = cst.parse_module(before).body
    code = cst.Module([fold(cst.ensure_type(node, cst.ClassDef), Known())]).code
    assert code == before


def test_nothing_is_known_by_default() -> None:
    assert not Known()
    assert Known({"a": "1"})
    assert Known(attributes={"a": "1"})
    assert Known(types=frozenset({"A"}))


# Code with each construct that folding touches. Whatever is known, it must do what it did with those values.
SUBJECT = """\
class C:
    def __init__(self, size):
        self.size = size
        self.seen = set()
        self.latest = {}
        self.scale = 2

    def f(self, name, value, by_step=None, flag=False, reduce="mean", weight=None):
        in_step = self.size is not None
        chosen = in_step if by_step is None else by_step
        if chosen and flag:
            self.seen.add(name)
        if flag is True:
            self.latest.update({name: value})
        total = value * (weight or self.size or 1)
        if reduce == "mean":
            result = total / 2
        elif reduce in ("sum", "max"):
            result = total
        else:
            result = None
        for key in self.seen:
            result = [key, result]
        prefix = f"{name}_step" if name in self.seen else name
        return prefix, result, chosen, sorted(self.latest), self.scale if not flag else -self.scale
"""

DEFAULTS = {"by_step": "None", "flag": "False", "reduce": '"mean"', "weight": "None"}


@pytest.mark.parametrize("chosen", range(2 ** len(DEFAULTS)))
@pytest.mark.parametrize("attributes", [{}, {"seen": "()"}, {"seen": "()", "latest": "()"}])
def test_folded_code_does_what_it_did(chosen: int, attributes: dict[str, str]) -> None:
    """For every choice of parameters that nobody passes, and of attributes that stay empty."""
    known = {name: value for bit, (name, value) in enumerate(DEFAULTS.items()) if chosen >> bit & 1}
    if attributes and "flag" not in known:
        pytest.skip("with the flag the attributes are not empty")
    (node,) = cst.parse_module(SUBJECT).body
    after = cst.Module([fold(cst.ensure_type(node, cst.ClassDef), Known(known, attributes))]).code
    values: dict[str, list[Any]] = {
        "by_step": [None, True, False],
        "flag": [False, True],
        "reduce": ["mean", "sum", "min"],
        "weight": [None, 3],
    }
    calls: list[dict[str, Any]] = [{}]
    for name, options in values.items():
        if name not in known:
            calls = [{**call, name: value} for call in calls for value in options]
    for size in (None, 4):
        for call in calls:
            assert result_of(after, size, call) == result_of(SUBJECT, size, call)


def result_of(code: str, size: int | None, call: Mapping[str, Any]) -> list[Any]:
    names: dict[str, Any] = {}
    exec(code, names)
    made = names["C"](size)
    return [made.f("a", 1.0, **call), made.f("b", 2.0, **call)]


# ---- members ---------------------------------------------------------------------------------------------

CLASS = '''\
class C(Base):
    """What it is."""

    count = 0
    kind: str
    limit: int = 3

    def __init__(self, x):
        super().__init__()
        self.x = x
        self.y: int = 1  # of y
        self.z = g(x)

    @property
    def first(self):
        """Of first."""
        return self.second() + self.x

    def second(self):
        return self.limit

    @staticmethod
    def third():
        # of third
        return helper()

    def __len__(self):
        return self.y
'''

MEMBERS: dict[str, tuple[set[str], str]] = {
    "none": (
        set(),
        '''\
class C(Base):
    """What it is."""

    def __init__(self, x):
        super().__init__()
''',
    ),
    "one": (
        {"third"},
        '''\
class C(Base):
    """What it is."""

    def __init__(self, x):
        super().__init__()

    @staticmethod
    def third():
        # of third
        return helper()
''',
    ),
    "what it uses too": (
        {"first"},
        '''\
class C(Base):
    """What it is."""
    limit: int = 3

    def __init__(self, x):
        super().__init__()
        self.x = x

    @property
    def first(self):
        """Of first."""
        return self.second() + self.x

    def second(self):
        return self.limit
''',
    ),
    "attributes": (
        {"kind", "y"},
        '''\
class C(Base):
    """What it is."""
    kind: str

    def __init__(self, x):
        super().__init__()
        self.y: int = 1  # of y
''',
    ),
    "others' names": ({"nothing", "of", "these"}, ""),
}


def slimmed(code: str, members: set[str] | None, known: Known | None = None) -> str:
    wanted = Wanted(
        frozenset({"C"}),
        {"C": frozenset(members)} if members is not None else {},
        {"C": known} if known else {},
    )
    return shaken({"C": code}, wanted)["C"]


def shaken(code: Mapping[str, str], wanted: Wanted) -> dict[str, str]:
    """What is kept of a runtime of these definitions."""
    definitions = {name: RuntimeDefinition(name, "module", text) for name, text in code.items()}
    runtime = load_runtime()
    bound = {"math": Import("math", "math"), "nn": Import("nn", "torch", "nn")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shake, "load_runtime", lambda: type(runtime)(definitions, {"module": bound}))
        result = shake.shake(wanted)
    assert {each.name for each in result.imports} <= set(bound)
    return {each.name: each.code for each in result.definitions} | {
        f"import {each.name}": "" for each in result.imports
    }


@pytest.mark.parametrize("name", MEMBERS)
def test_members_that_are_wanted(name: str) -> None:
    members, after = MEMBERS[name]
    code = slimmed(CLASS, members)
    assert without_blank_lines(code) == without_blank_lines(after or MEMBERS["none"][1])
    compile(code, "class.py", "exec")


def without_blank_lines(code: str) -> list[str]:
    return [line for line in code.splitlines() if line.strip()]


MADE = """
class C:
    def __init__(self, f=None, g=None):
        self.f = f or self.own_f
        self.g = g or self.own_g

    def own_f(self):
        return 1

    def own_g(self):
        return 2

    def run(self):
        return self.f()
"""


def test_what_a_constructor_uses_stays_with_what_it_makes() -> None:
    code = slimmed(MADE, {"run"})
    assert "def own_f" in code
    assert "own_g" not in code


def test_a_class_of_which_nothing_is_wanted_is_still_one() -> None:
    code = slimmed("class C(Base):\n    def f(self):\n        return 1\n", set())
    assert ast.dump(ast.parse(code)) == ast.dump(ast.parse("class C(Base): pass"))


def test_a_class_without_a_list_of_members_stays_as_it_is() -> None:
    assert slimmed(CLASS, None) == CLASS


def test_members_that_only_decided_code_uses() -> None:
    """What a branch that goes would have used goes as well."""
    code = """\
    class C:
        def f(self, a, b=None):
            if b is not None:
                return self.g(b)
            return a

        def g(self, b):
            return helper(b)
    """
    after = """\
    class C:
        def f(self, a):
            return a
    """
    assert black.format_str(slimmed(dedent(code), {"f"}, Known({"b": "None"})), mode=PLAIN) == dedent(after)


# ---- definitions -----------------------------------------------------------------------------------------

DEFINITIONS = {
    "LIMIT": "LIMIT = math.inf\n",
    "unused": "def unused():\n    return nn.Module()\n",
    "leaf": "def leaf(x: 'Kind') -> float:\n    return LIMIT\n",
    "Kind": "class Kind:\n    pass\n",
    "middle": "@decorate\ndef middle():\n    leaf = 1\n    return leaf\n",
    "decorate": "def decorate(f):\n    return f\n",
    "even": "def even(n):\n    return n == 0 or odd(n - 1)\n",
    "odd": "def odd(n):\n    return n == 1 or even(n - 1)\n",
}


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        (set(), []),
        ({"LIMIT"}, ["LIMIT", "import math"]),
        ({"leaf"}, ["LIMIT", "leaf", "Kind", "import math"]),
        ({"unused"}, ["unused", "import nn"]),
        ({"middle"}, ["middle", "decorate"]),
        ({"odd"}, ["even", "odd"]),
        ({"no such", "print", "decorate"}, ["decorate"]),
    ],
)
def test_definitions_that_are_wanted(wanted: set[str], kept: list[str]) -> None:
    """They and all that they use, in the runtime's order, each as it stands there."""
    found = shaken(DEFINITIONS, Wanted(frozenset(wanted), {}, {}))
    assert list(found) == kept
    assert all(code == DEFINITIONS[name] for name, code in found.items() if not name.startswith("import "))


@pytest.mark.parametrize("name", sorted(load_runtime().definitions))
def test_each_definition_of_the_runtime_brings_what_it_needs(name: str) -> None:
    """With what is kept and imported, no name is undefined."""
    result = shake.shake(Wanted(frozenset({name}), {}, {}))
    code = "\n\n".join(each.code for each in result.definitions)
    # the script quotes annotations that name what stands further down
    assert not undefined(f"from __future__ import annotations\n{import_block(result.imports)}\n\n\n{code}")


def undefined(text: str) -> list[str]:
    from pyflakes import checker, messages

    found = checker.Checker(ast.parse(text)).messages
    return [str(each) for each in found if isinstance(each, messages.UndefinedName)]


@pytest.mark.parametrize(
    "member", ["log", "log_dict", "print", "optimizer_step", "configure_gradient_clipping"]
)
def test_members_of_the_scripts_module_stand_alone(member: str) -> None:
    result = shake.shake(Wanted(frozenset({"TrainModule"}), {"TrainModule": frozenset({member})}, {}))
    (module,) = (each.code for each in result.definitions if each.name == "TrainModule")
    (node,) = ast.parse(module).body
    assert isinstance(node, ast.ClassDef)
    assert member in {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    code = "\n\n".join(each.code for each in result.definitions)
    # the script quotes annotations that name what stands further down
    assert not undefined(f"from __future__ import annotations\n{import_block(result.imports)}\n\n\n{code}")


def test_attributes_in_code() -> None:
    code = "model.log(x.\n    step).end ()\nself . apart\nnot_this = 3.5 + .5\n"
    assert {"log", "step", "end", "apart"} <= attributes_in(code)
    assert "not_this" not in attributes_in(code)


# ---- names -----------------------------------------------------------------------------------------------

NAMES = {
    "read at the top": ("x = y", {"y"}),
    "called, and got at": ("f(a.b, c[d])", {"f", "a", "c", "d"}),
    "read in a function": ("def f():\n    return y", {"y"}),
    "parameters and variables are none": ("def f(a):\n    b = a\n    return b", set()),
    "defaults and decorators": ("@d\ndef f(a=b): ...", {"d", "b"}),
    "bases and keywords": ("class C(B, metaclass=M): ...", {"B", "M"}),
    "a class's body": ("class C:\n    x = y\n    z = x", {"y"}),
    "a method's": ("class C:\n    def f(self):\n        return y", {"y"}),
    "a class's variable is none in its methods": (
        "class C:\n    x = 1\n    def f(self):\n        return x",
        {"x"},
    ),
    "a closure's": ("def f():\n    x = 1\n    def g():\n        return x + y\n    return g", {"y"}),
    "a lambda's": ("f = lambda a: a + b", {"b"}),
    "a comprehension's": ("x = [a + b for a in c]", {"b", "c"}),
    "a global statement": ("def f():\n    global x\n    x = 1", {"x"}),
    "annotations": ("def f(a: A) -> B:\n    c: C = a\n    return c", {"A", "B", "C"}),
    "annotations as strings": ("def f(a: 'A[B]') -> \"C.D\": ...", {"A", "B", "C"}),
    "a string inside of an annotation": ("x: list['A'] = y", {"list", "A", "y"}),
    "a literal's values": ("def f(a: Literal['x y', 'mean']): ...", {"Literal", "mean"}),
    "f-strings": ("x = f'{a!r:>{b}}'", {"a", "b"}),
    "strings are none": ("x = 'a + b'", set()),
    "attributes and keywords are none": ("f(a=1).b", {"f"}),
    "a star": ("f(*a, **b)", {"f", "a", "b"}),
    "assignments through something": ("a.b = 1\nc[d] = 2", {"a", "c", "d"}),
    "what is deleted": ("def f():\n    global x\n    del x", {"x"}),
    "a match": ("match a:\n    case B(c=d):\n        e", {"a", "B", "e"}),
    "a walrus": ("if (a := b): pass", {"b"}),
    "an exception": ("try: a\nexcept B as c: d", {"a", "B", "d"}),
    "with": ("with a as b: c", {"a", "c"}),
    "super's class": ("class C(B):\n    def f(self):\n        super().f()", {"B", "super"}),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_code_takes_from_its_module(name: str) -> None:
    code, expected = NAMES[name]
    assert global_names(code) - {"__class__", "__name__", "__module__", "__qualname__"} == expected


# ---- imports ---------------------------------------------------------------------------------------------

IMPORTS: dict[str, tuple[list[Import], list[str], str]] = {
    "nothing": ([], [], ""),
    "a module": ([Import("torch", "torch")], [], "import torch"),
    "a module under another name": ([Import("np", "numpy")], [], "import numpy as np"),
    "a module inside of another": ([Import("torch", "torch.nn")], [], "import torch.nn"),
    "a module inside of another, by a name": (
        [Import("F", "torch.nn.functional")],
        [],
        "import torch.nn.functional as F",
    ),
    "a name": ([Import("nn", "torch", "nn")], [], "from torch import nn"),
    "a name under another": ([Import("Net", "torch", "nn")], [], "from torch import nn as Net"),
    "merged": (
        [Import("nn", "torch", "nn"), Import("Tensor", "torch", "Tensor"), Import("nn", "torch", "nn")],
        [],
        "from torch import Tensor, nn",
    ),
    "a name under another beside others": (
        [Import("nn", "torch", "nn"), Import("T", "torch", "Tensor"), Import("Tensor", "torch", "Tensor")],
        [],
        "from torch import Tensor, nn\nfrom torch import Tensor as T",
    ),
    "constants, classes, functions": (
        [Import(name, "m", name) for name in ("b", "B", "BB", "a", "A_1", "X")],
        [],
        "from m import A_1, BB, B, X, a, b",
    ),
    "grouped": (
        [
            Import("L", "local", "L", 1),
            Import("torch", "torch"),
            Import("os", "os"),
            Import("Path", "pathlib", "Path"),
            Import("math", "math"),
            Import("nn", "torch", "nn"),
        ],
        ["annotations"],
        dedent("""\
        from __future__ import annotations

        import math
        import os
        from pathlib import Path

        import torch
        from torch import nn

        from .local import L"""),
    ),
    "relative": (
        [Import("a", "", "a", 1), Import("b", "c", "b", 2)],
        [],
        "from . import a\nfrom ..c import b",
    ),
    "a star": ([Import("*m", "m", "*")], [], "from m import *"),
    "the future": (
        [],
        ["division", "annotations", "division"],
        "from __future__ import annotations, division",
    ),
    "case does not count": (
        [Import("Zoo", "Zoo"), Import("apple", "apple")],
        [],
        "import apple\nimport Zoo",
    ),
}


@pytest.mark.parametrize("name", IMPORTS)
def test_import_statements(name: str) -> None:
    wanted, future, expected = IMPORTS[name]
    assert import_block(wanted, future) == expected
    assert import_block(list(reversed(wanted)), list(reversed(future))) == expected


@pytest.mark.parametrize("name", [name for name in IMPORTS if name not in ("nothing", "a star")])
def test_import_statements_bind_what_was_asked_for(name: str) -> None:
    wanted, _, _ = IMPORTS[name]
    bound = {
        alias.asname or (alias.name.partition(".")[0] if isinstance(node, ast.Import) else alias.name)
        for node in ast.walk(ast.parse(import_block(wanted)))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert bound == {each.name for each in wanted}


def test_imports_stand_as_ruff_sorts_them(tmp_path: Path) -> None:
    wanted = [each for _, (wanted, _, _) in sorted(IMPORTS.items()) for each in wanted if not each.level]
    wanted += [each for bound in load_runtime().imports.values() for each in bound.values()]
    wanted = [each for each in wanted if not each.is_star and each.name in (each.attribute, each.module)]
    text = black.format_str(import_block(wanted), mode=black.Mode())
    path = tmp_path / "imports.py"
    path.write_text(text)
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "I", path]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + text


def test_every_import_of_the_runtime_is_known() -> None:
    runtime = load_runtime()
    for definition in runtime.definitions.values():
        bound = runtime.imports[definition.module]
        assert all(isinstance(bound[name], imports.Import) for name in definition.uses if name in bound)


# ---- renaming --------------------------------------------------------------------------------------------

FIT = Import("fit", "curves", "fit")

CLASHES: dict[str, tuple[set[str], set[Import], set[Import], set[str], dict[str, str]]] = {
    "none": ({"Net"}, set(), {Import("os", "os")}, {"shard"}, {}),
    "a function of the user's": ({"fit"}, set(), set(), set(), {"fit": "fit_"}),
    "an import of the user's": (set(), {FIT}, set(), set(), {"fit": "fit_"}),
    "one of its own that the user's code never calls": ({"start"}, set(), set(), set(), {"start": "start_"}),
    "twice over": ({"fit", "fit_"}, set(), set(), set(), {"fit": "fit__"}),
    "a definition of the runtime's": ({"shard"}, set(), set(), {"shard"}, {"shard": "shard_"}),
    "one that the script does not have": ({"shard"}, set(), set(), {"local_device"}, {}),
    "another's import": ({"os"}, set(), {Import("os", "os")}, set(), {"os": "os_"}),
    "the same import": (set(), {Import("os", "os")}, {Import("os", "os")}, set(), {}),
    "the same module, imported in another way": (
        set(),
        {Import("nn", "torch.nn")},
        {Import("nn", "torch", "nn")},
        set(),
        {},
    ),
    "a package of the same name": (
        set(),
        {Import("nn", "nn")},
        {Import("nn", "torch", "nn")},
        set(),
        {"nn": "nn_"},
    ),
    "what the user's code has under another name": (
        {"tqdm"},
        {Import("bar", "tqdm", "tqdm")},
        {Import("tqdm", "tqdm", "tqdm")},
        set(),
        {"tqdm": "bar"},
    ),
    "the same name for another module": (
        set(),
        {Import("nn", "mine", "nn")},
        {Import("nn", "torch", "nn")},
        set(),
        {"nn": "nn_"},
    ),
}


@pytest.mark.parametrize("name", CLASHES)
def test_the_scripts_names_give_way(name: str) -> None:
    user_names, user_imports, own_imports, own_names, expected = CLASHES[name]
    assert renaming(user_names, user_imports, own_imports, own_names) == expected


RENAMED = {
    "a call": ("fit(1)\n", "fit_(1)\n"),
    "a definition": ("def fit(x):\n    return fit\n", "def fit_(x):\n    return fit_\n"),
    "no attribute": ("model.fit(fit.fit)\n", "model.fit(fit_.fit)\n"),
    "no keyword": ("f(fit=fit)\n", "f(fit=fit_)\n"),
    "no string": ("x = 'fit'  # fit\n", "x = 'fit'  # fit\n"),
    "in an f-string": ("x = f'{fit}'\n", "x = f'{fit_}'\n"),
    "in an annotation": ("def f(x: fit) -> fit: ...\n", "def f(x: fit_) -> fit_: ...\n"),
    "several": ("fit(os)\n", "fit_(os_)\n"),
    "none": ("f(x)\n", "f(x)\n"),
    "no parameter of that name": ("def f(fit):\n    return fit\n\nf(fit=1)\n", None),
    "no field of that name": ("@dataclass\nclass C:\n    fit: int = 1\n\nC(fit=1).fit\n", None),
}


@pytest.mark.parametrize("name", RENAMED)
def test_renamed_code(name: str) -> None:
    before, after = RENAMED[name]
    code = renamed(before, {"fit": "fit_", "os": "os_"})
    assert code.strip("\n") == (after or before).strip("\n")


def test_without_names_code_stays_as_it_is() -> None:
    assert renamed("x = ( fit )\n\n\n", {}) == "x = ( fit )\n\n\n"
    assert renamed("", {"fit": "fit_"}) == ""
