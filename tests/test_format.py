"""Black, over parts of a script alone, leaves what it leaves over all of it."""

from __future__ import annotations

import ast
from dataclasses import replace

import black
import pytest
from ddpgen.render.by_definition import SCRIPTS_RUN_ON, by_definition
from ddpgen.render.settled import is_settled
from ddpgen.runtime.definitions import load_runtime

MODE = black.Mode(target_versions=set(SCRIPTS_RUN_ON))


@pytest.mark.parametrize("name", load_runtime().definitions)
def test_the_runtime_stays_as_it_is(name: str) -> None:
    code = load_runtime().definitions[name].code
    assert black.format_str(code, mode=MODE) == code


CLASS = next(each.code for each in load_runtime().definitions.values() if each.name == "ModelCheckpoint")
CHANGED = CLASS.replace("        return ", "        return  ", 2).replace(
    "self.monitor is None", "(self.monitor) is None"
)

FUNCTION = (
    "def a(one: int, another: str, a_third: dict[str, tuple[str, ...]], more) -> dict[str, list[tuple]]:\n"
)
FUNCTION += "    b = 2\n    c = 3\n    d =  4\n\n    if c:\n\n        d = (5)\n    return b + c + d  \n    # the end\n"

TEXTS = [
    CLASS,
    CHANGED,
    f"{CHANGED}\n\nx = 1\n{CLASS}",
    f"{CLASS}# about y\ny = ( 2)\n\n\n\n{CHANGED}    # a comment at its end\n    z = 1\n",
    "def _0():\n    pass\ndef _1():\n    pass\nif x:\n    def _0():\n        pass\n",
    FUNCTION,
    f"@cached\n{FUNCTION}",
    FUNCTION.replace("    b = 2\n", "\n\n\n    # about b\n\n    b = 2\n"),
    FUNCTION.replace("    b = 2\n", "    @cached\n\n    def b(  ): ...\n"),
    FUNCTION.replace("    b = 2\n", '    """What it does. """\n\n\n    b=2\n'),
    "class Callback:\n    def _0(self):\n      def _0():\n          pass\n      return _0\n",
    (
        "import b, a\nimport c\nx = 1\nfrom d import (e)\n\n\n\n\nfrom f import g\n"
        "def _0():\n    pass\n\n# about h\nh = 'h'\n"
    ),
    (
        "if a:\n  b = 1; c = 2\n  d = ( 3)  # three\nelif b: c = (4)\n"
        "elif c:\n\n    # four\n    c = (4)\nelse:\n    c = 'five'\n"
    ),
    (
        "try:\n    a(b , c,)\nexcept (B):\n    raise C( 1)  from  None\n"
        "else:\n    d = {1: 2 ,}\nfinally:\n    del (e), (f)\n"
    ),
    (
        "match a:\n    case (1):\n        b = [ 1]\n    case [c, *_] if c:\n"
        "        b = (yield)\n        return(b)\n    case _: pass\n"
    ),
    (
        "class A:\n\n    'What it is.'\n    x :int=3\n    y: int\n    z = 1\n"
        "    def a(self)->None:\n    \ta=( 1)\n    \tif a:\n    \t\treturn (a)\n"
    ),
    (
        "def a():\n    b = '''one\n  two''' ; c = 1\n    d = '''three\n"
        "_0\n'''.strip( )\n    _0\n    _1 = ( _0)\n    ...\n    'text'\n"
    ),
    (
        "async def a():\n    async for b in c:\n        async with d as e, f: await(g)\n"
        "        await  g\n    h = \\\n        1\n"
    ),
    (
        "é = ('é'); ü = 1\nif é: ü = ( 2)\n"
        "assert some_name_of_a_length, (another_name_of_a_length, 'and a text that is long')\n"
    ),
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("width", [60, 88, 110])
def test_parts_are_as_in_the_whole(text: str, width: int) -> None:
    mode = replace(MODE, line_length=width)
    assert by_definition(text, mode) == black.format_str(text, mode=mode)


SETTLED = """
a = b
self.a: int = 3
a += b * c - d % 2 // e
a.b("c", d=[1, 2.5], **e)
return a if b and c else {"d": 1}
raise ValueError("a " + str(b)) from None
import a.b as c
from a import b, c as d
a[b] = c["d"] == e is not f
""".strip().split("\n")

UNSETTLED = """
a=b
a = (b)
a = b,
a, b = c
a = 'b'
a = r"b"
a = R"b"
a = u"b"
a = f"{b}"
a = "b" "c"
a = "b\\n"
a = b ** 2
a = b[1:2]
a = b[c, d]
a = -b
a = lambda: b
a = [b,]
a = b(c, )
a = b(* c)
a = 0XF
a = 1E5
a = 1_0
a = b  # c
a = "é"
return (a, b)
return(a)
assert (a)
del (a)
from a import (b)
a = b; c = d
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb + 1 * 2
""".strip().split("\n")


@pytest.mark.parametrize("line", [*SETTLED, *UNSETTLED])
def test_what_needs_no_black_is_left_alone_by_it(line: str) -> None:
    node = ast.parse(line).body[0]
    assert is_settled(line, node, MODE) == (line in SETTLED)
    if line in SETTLED:
        assert black.format_str(line, mode=MODE) == f"{line}\n"
