"""Which values are surely numbers, flags and texts: what is not sure is left to the script to look at."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest
from ddpgen.facts.code.scalars import Scalars
from ddpgen.link.link import link

MAIN = """\
import argparse
from somewhere import ask, other
parser = argparse.ArgumentParser(description=__doc__)
{}
args = parser.parse_args()
ask({})
"""

SURE = {
    "a number": ("", "3"),
    "a text or a flag": ("", "'a' if other else True"),
    "an option with a type": ("parser.add_argument('--x', type=int, default=3)", "args.x"),
    "a text": ("parser.add_argument('-x', '--long-x', default='a')", "args.long_x"),
    "a flag": ("parser.add_argument('--x', action='store_true')", "args.x"),
    "by its destination": ("parser.add_argument('--y', dest='x', type=float, default=.5)", "args.x"),
    "in a group": (
        "group = parser.add_argument_group('a')\ngroup.add_argument('--x', type=int, default=1)",
        "args.x",
    ),
    "by a function": (
        "def add(p):\n    p.add_argument('--x', type=int, default=1)\nadd(parser)",
        "args.x",
    ),
    "handed on": (
        "parser.add_argument('--x', type=int, default=1)\ndef f(a):\n    return a.x",
        "f(args)",
    ),
}
X = "parser.add_argument('--x', type=int, default=1)\n"
UNSURE = {
    "None": ("", "None"),
    "a list": ("", "[1]"),
    "anything": ("", "other"),
    "what is computed": (X, "args.x + 1"),
    "an option without a default": ("parser.add_argument('--x', type=int)", "args.x"),
    "a path": ("from pathlib import Path\nparser.add_argument('--x', type=Path, default='a')", "args.x"),
    "a default of another type": ("parser.add_argument('--x', type=float, default=1)", "args.x"),
    "several": ("parser.add_argument('--x', type=int, default=1, nargs='*')", "args.x"),
    "a flag that may be None": ("parser.add_argument('--x', action='store_true', default=None)", "args.x"),
    "another action": ("parser.add_argument('--x', action='append', default='a')", "args.x"),
    "two options of one name": (X + "parser.add_argument('--y', dest='x', default='a')", "args.x"),
    "other defaults": (X + "parser.set_defaults(x=None)", "args.x"),
    "a library's options": (X + "other(parser)", "args.x"),
    "a name that is computed": (X + "parser.add_argument('--' + other, default='a')", "args.x"),
    "unknown arguments": (X + "parser.add_argument('--y', **other)\nparser.add_argument(*other)", "args.x"),
    "changed options": (X + "parser.parse_args().x = None", "args.x"),
    "changed by a library": (X + "other(parser.parse_args())", "args.x"),
    "changed by name": (X + "setattr(parser.parse_args(), 'x', None)", "args.x"),
    "a namespace that is given": (X + "a = parser.parse_args(namespace=other)", "a.x"),
    "changed actions": (X + "a = parser.add_argument('--y')\na.default = 3\na.dest = 'x'", "args.x"),
    "changed as a dict": (X + "vars(parser.parse_args())['x'] = None", "args.x"),
    "of another parser": (X, "other.parser().parse_args().x"),
    "with parents": (X + "parser = argparse.ArgumentParser(parents=[other])", "args.x"),
    "of a subclass": (
        "class P(argparse.ArgumentParser):\n    pass\nparser = P()\n" + X,
        "args.x",
    ),
}


@pytest.mark.parametrize(("options", "value"), SURE.values(), ids=SURE)
def test_sure(options: str, value: str, tmp_path: Path) -> None:
    assert is_scalar(tmp_path, options, value)


@pytest.mark.parametrize(("options", "value"), UNSURE.values(), ids=UNSURE)
def test_unsure(options: str, value: str, tmp_path: Path) -> None:
    assert not is_scalar(tmp_path, options, value)


def test_of_one_kind(tmp_path: Path) -> None:
    assert is_scalar(tmp_path, X, "args.x", int)
    assert not is_scalar(tmp_path, X, "args.x", str)


def is_scalar(folder: Path, options: str, value: str, *kinds: type) -> bool:
    path = folder / "main.py"
    path.write_text(MAIN.format(options, value))
    scalars = Scalars(link(path, folder))
    (call,) = [each for each in scalars.index.of_kind(cst.Call) if getattr(each.func, "value", "") == "ask"]
    return scalars.all_are(scalars.values.of(call.args[0].value), *kinds)
