"""What expressions may be: what the analysis says of small pieces of code."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest
from ddpgen.link.link import link
from ddpgen.values import (
    Class,
    Dict,
    Instance,
    Literal,
    Option,
    Unknown,
    Value,
    Values,
    ValueSet,
    solver,
    values_of,
)
from ddpgen.values.rules.escapes import Escapes
from ddpgen.values.solver import LATE_LIMIT, REASONS


def analyzed(folder: Path, text: str) -> Values:
    path = folder / "main.py"
    path.write_text(text)
    return values_of(link(path, folder))


def shown(value: Value) -> str:
    """A value in few words."""
    if isinstance(value, Literal):
        return repr(value.value)
    if isinstance(value, Unknown):
        return f"unknown: {value.reason}"
    if isinstance(value, Instance):
        return f"{shown(value.cls)}()"
    if isinstance(value, Option):
        return f"option {value.name}"
    return getattr(value, "name", type(value).__name__.lower())


def shown_all(values: ValueSet) -> list[str]:
    return sorted(shown(value) for value in values)


def asked(values: Values, name: str = "ask") -> list[str]:
    """What the first argument of the calls of a function may be."""
    calls = [call for call in values.index.of_kind(cst.Call) if getattr(call.func, "value", "") == name]
    return sorted({each for call in calls for each in shown_all(values.of(call.args[0].value))})


HEAD = """\
import argparse, functools
from somewhere import ask
class A:
    width = 1
    def __init__(self, x=None): self.x = x
    def me(self): return self
class B(A): pass
"""

PARSED = """\
parser = argparse.ArgumentParser()
parser.add_argument("--width")
args = parser.parse_args()
"""

REGISTRY = """\
TABLE = {}
def register(name):
    def put(cls):
        TABLE[name] = cls
        return cls
    return put
@register("c")
class C(A): pass
@register("d")
class D(C): pass
"""

CHOSEN = """\
p = argparse.ArgumentParser()
p.add_argument("-n", "--name", default="x", choices=["x", "me"])
args = p.parse_args()
"""

WRAPPER = """\
def keep(f):
    @functools.wraps(f)
    def g(*args, **kwargs):
        result = None
        try:
            result = f(*args, **kwargs)
        except ValueError:
            raise
        finally:
            print("done", f"{kwargs}")
        return result
    return g
"""

FILLED = "n = argparse.Namespace(**unseen)\n"

CASES = {
    "a class that a decorator notes": (REGISTRY + "ask(D)\n", ["D"]),
    "what a class makes that is asked of a table": (
        "def make(table, name, **given):\n  made = table[name]\n  return made(**given)\n"
        "make({'b': B}, 'b', x=2)\nask(make({'a': A}, 'a', x=1))\n",
        ["A()"],
    ),
    "what a class makes, with arguments that are unpacked": (
        "def make(table, name, **given): return table.get(name, table['c'])(**given)\n"
        "make({'c': B}, 'b')\nask(make(*[{'c': A}, 'b']))\nask(make({'c': A}, 'b', **{'x': 1}))\n",
        ["A()", "B()"],
    ),
    "what a method makes of what its object holds": (
        "class R:\n  def __init__(self, held): self.held = held\n  def get(self, name): return self.held[name]\n"
        "  def make(self, name): return self.get(name)()\n"
        "R({'b': B}).make('b')\nask(R({'a': A}).make('a'))\n",
        ["A()"],
    ),
    "what is called calls it again": (
        "def f(g): return g(f)\nask(f(f))\nask(f(lambda h: A()))\n",
        ["A()"],
    ),
    "what is added to None": ("m = None\nif unseen: m = []\nm += None or [A()]\nask(m[0])\n", ["A()"]),
    "what a partial is given anew, unpacked": (
        "def f(x, y=2): ask(x)\ng = functools.partial(f, **{'x': 1, 'y': 2})\nm = {'x': 3}\n"
        "m.update(y=4)\ng(**m)\n",
        ["3"],
    ),
    "what a partial may be given anew, unpacked": (
        "def f(x, y=2): ask(x)\ng = functools.partial(f, x=1)\nm = {'x': 3}\nm.pop('x')\ng(**m)\n",
        ["1", "3"],
    ),
    "what one of two mappings gives a partial anew": (
        "def f(x, y=2): ask(x)\ng = functools.partial(f, x=1)\n" "for m in ({'x': 3}, {'y': 4}):\n  g(**m)\n",
        ["1", "3"],
    ),
    "a class out of what a decorator notes": (REGISTRY + "ask(TABLE[unseen])\n", ["C", "D"]),
    "a decorator that may give something else": (
        "def change(cls): return cls if unseen else B\n@change\nclass C(A): pass\nask(C)\n",
        ["B", "C"],
    ),
    "a class that takes the place of its base": (
        "if unseen:\n    class A(A): pass\nask(A().width)\n",
        ["1"],
    ),
    "a namespace": ("n = argparse.Namespace(a=A())\nask(vars(n)['a'])\nask(n.a)\n", ["A()"]),
    "what was just set of a namespace": (
        FILLED + "n.x = A()\nif unseen:\n    print(n.y)\n    ask(n.x)\n",
        ["A()"],
    ),
    "what may be set of a namespace": (
        FILLED + "if unseen:\n    n.x = A()\nask(n.x)\n",
        ["A()", "option input[...]"],
    ),
    "what is set of a namespace that is handed on": (
        FILLED + "n.x = A()\nprint(n)\nask(n.x)\n",
        ["A()", "option input[...]"],
    ),
    "what is set of a namespace that is bound anew": (
        FILLED + "n.x = A()\nn = unseen\nask(n.x)\n",
        ["option input.x"],
    ),
    "what is set of a namespace twice": (
        FILLED + "n.x = B()\nif unseen: n.x = A()\nask(n.x)\n",
        ["A()", "B()", "option input[...]"],
    ),
    "what a loop sets of a namespace": (
        FILLED + "for each in unseen:\n    ask(n.x)\n    n.x = A()\n",
        ["A()", "option input[...]"],
    ),
    "what is set of a namespace by any name": (
        FILLED + "setattr(n, unseen, B())\nn.x = A()\nask(n.x)\n",
        ["A()", "B()", "option input[...]"],
    ),
    "a property that asks for itself, of what is wrapped": (
        "class W:\n    def __init__(self, inner): self.inner = inner\n"
        "    @property\n    def x(self): return self.inner.x\n"
        "w = A(1)\nfor each in unseen: w = W(w)\nask(w.x)\n",
        ["1"],
    ),
    "a slice that is set": ("x = [A()]\nx[0:0] = [1]\nask(x[1])\n", ["1", "A()"]),
    "a mapping of one's own": (
        "class K(dict): pass\nask(K(a=A())['a'])\n",
        ["unknown: it may be kept in `K(...)`"],
    ),
    "a function for each type": (
        "@functools.singledispatch\ndef f(x): return 1\n@f.register\ndef _(x: str): return A()\nask(f('a'))\n",
        ["1", "unknown: `functools.singledispatch` may call another function"],
    ),
    "a partial of itself": (
        "def f(*x): return x[0]\nfor each in unseen: f = functools.partial(f, A())\nask(f(3))\n",
        ["3", "A()", "unknown: it is what a `functools.partial` of what may be itself gives"],
    ),
    "assignment": ("a = b = A()\nask(b)\n", ["A()"]),
    "tuples": ("a, (b, *c) = A(), (B(), 1, 2)\nask(b)\n", ["B()"]),
    "the rest of a tuple": ("a, *c = A(), 1, 2\nask(c[0])\n", ["1", "2", "A()"]),
    "a conditional expression": ("ask(A() if unseen else B())\n", ["A()", "B()"]),
    "a condition that holds": ("def f(n): ask(A() if n else B())\nf(5)\n", ["A()"]),
    "a condition that may hold": ("def f(n): ask(A() if n else B())\nf(5)\nf(0)\n", ["A()", "B()"]),
    "an attribute by its name": ("ask(vars(A(1))['x'])\n", ["1"]),
    "attributes by the names of what is given": (
        "class P:\n def __init__(self, **given): self.__dict__.update(given)\nask(P(x=1, width=2).x)\n",
        ["1"],
    ),
    "attributes by names of which one is not known": (
        "m = {'x': 1}\nm[unseen] = 2\na = A(3)\nvars(a).update(m)\nask(a.x)\n",
        ["1", "2", "3"],
    ),
    "attributes by names that a configuration may add": (
        "from omegaconf import OmegaConf\nm = OmegaConf.create({'x': 1})\na = A(3)\n"
        "vars(a).update(m)\nask(a.x)\n",
        ["1", "3", "option update"],
    ),
    "attributes by the names of local variables": (
        "class P:\n def __init__(self, x, y=2): vars(self).update(locals())\nask(P(1).x)\n",
        ["1"],
    ),
    "attributes that are unpacked": ("def f(x): ask(x)\nf(**vars(A(1)))\n", ["1"]),
    "attributes as other arguments": (
        "def f(**rest): ask(rest['x'])\nf(**vars(A(1)))\n",
        ["unknown: it is an attribute whose name is not known"],
    ),
    "attributes of a library's object": (
        "def f(width): ask(width)\nf(**vars(argparse.Namespace(width=1)))\n",
        ["1"],
    ),
    "what is a list": ("def f(x): ask(x if isinstance(x, list) else 5)\nf([1])\nf(2)\n", ["5", "sequence"]),
    "what is no list": (
        "def f(x): ask(3 if isinstance(x, (list, tuple)) else x)\nf([1])\nf(2)\n",
        ["2", "3"],
    ),
    "what is no list, so that a list is made of it": (
        "def f(x):\n    if not isinstance(x, list):\n        x = [ask(x)]\nf([1])\nf(2)\n",
        ["2"],
    ),
    "what is no list in the second turn": (
        "def f(x):\n    if not isinstance(x, list):\n        for _ in unseen:\n            ask(x)\n            x = []\n"
        "f([1])\nf(2)\n",
        ["2", "sequence"],
    ),
    "what may be a library's mapping": (
        "from omegaconf import OmegaConf\ndef f(x): ask(3 if isinstance(x, dict) else x)\n"
        "f(OmegaConf.create({'a': 1}))\n",
        ["3", "dict"],
    ),
    "what OmegaConf resolves": (
        "from omegaconf import OmegaConf\ncfg = OmegaConf.create({'a': 1, 'b': '${a}'})\nask(cfg.b)\n",
        ["option ${a}"],
    ),
    "what a call of several gives back": ("def f(x): return x\nf(1)\nask(f(A()))\n", ["A()"]),
    "what one of two calls gives back": (
        "def f(x, y=2):\n    z = x if unseen else y\n    return z\nf(1, 3)\nask(f(y=B(), x=A()))\n",
        ["A()", "B()"],
    ),
    "what a call returns by a literal": (
        "def f(x):\n    if x == 'a':\n        return A()\n    return B()\nf('b')\nask(f('a'))\n",
        ["A()"],
    ),
    "what a call returns after a branch that leaves": (
        "def f(x):\n    if x in ('a', 'c'):\n        return A()\n    return B()\nf('a')\nask(f('b'))\n",
        ["B()"],
    ),
    "what a branch binds by a default": (
        "def f(x='a'):\n    if x == 'a':\n        y = A()\n    elif x == 'b':\n        y = B()\n    return y\n"
        "f('b')\nask(f())\n",
        ["A()"],
    ),
    "what a branch binds, by a flag": (
        "def f(x, is_a=False):\n    if not is_a:\n        return B()\n    return A()\nf(1)\nask(f(1, is_a=True))\n",
        ["A()"],
    ),
    "what a call returns by a literal that is bound anew": (
        "def f(x):\n    x = x.lower()\n    if x == 'a':\n        return A()\n    return B()\nask(f('A'))\n",
        ["A()", "B()"],
    ),
    "what a call returns by what is no literal": (
        "def f(x):\n    if x == 'a':\n        return A()\n    return B()\nask(f(input()))\n",
        ["A()", "B()"],
    ),
    "a default that a call gives back": ("def f(x, y=2): return y\nf(1, 3)\nask(f(1))\n", ["2"]),
    "what is given back, or made": (
        "def f(x):\n    if unseen: x = B()\n    if unseen: return\n    return x\nf(1)\nask(f(A()))\n",
        ["A()", "B()", "None"],
    ),
    "what is given back unless it is no list": (
        "def f(x):\n    if isinstance(x, int): return x\nask(f(A()))\nask(f(1))\n",
        ["1", "None"],
    ),
    "an attribute of what is given": (
        "a = A()\nb = A()\na.y = 1\nb.y = 2\ndef f(x): return x.y\nf(a)\nask(f(b))\n",
        ["2"],
    ),
    "an attribute of the receiver": (
        "class G:\n    @property\n    def y(self): return self.x\n"
        "a = G()\nb = G()\na.x = 1\nb.x = 2\na.y\nask(b.y)\n",
        ["2"],
    ),
    "a copy of what is given": (
        "import copy\ndef f(x):\n    made = copy.deepcopy(x)\n    return made\nf(B())\nask(f(A()))\n",
        ["A()"],
    ),
    "what is given back of what is unpacked": ("def f(x): return x\nf(1)\nask(f(*[A()]))\n", ["1", "A()"]),
    "what another function may change before it is given back": (
        "def f(x):\n    def g():\n        nonlocal x\n        x = B()\n    g()\n    return x\nf(1)\nask(f(A()))\n",
        ["1", "A()", "B()"],
    ),
    "what a loop changes before it is given back": (
        "def f(x):\n    for x in [x]: pass\n    return x\nf(1)\nask(f(A()))\n",
        ["1", "A()"],
    ),
    "what a lambda gives back": ("f = lambda x: x\nf(1)\nask(f(A()))\n", ["A()"]),
    "what calls itself and gives back": (
        "def f(x): return x if unseen else f(A())\nask(f(1))\nf(2)\n",
        ["1", "A()"],
    ),
    "what hydra makes of nothing": (
        "import hydra\nask([hydra.utils.instantiate(each) for each in []][0])\n",
        [],
    ),
    "what hydra makes": (
        "import hydra\nask([hydra.utils.instantiate(each) for each in [unseen]][0])\n",
        ["hydra.utils.instantiate()"],
    ),
    "what is no mapping of a library's": (
        "def f(x): ask(3 if isinstance(x, dict) else x)\nf({'a': 1})\n",
        ["3"],
    ),
    "what may be derived from a list": (
        "class K(list): pass\ndef f(x):\n    if isinstance(x, list): return\n    ask(x)\nf(K())\nf([1])\nf(2)\n",
        ["2", "K()"],
    ),
    "what is a list and more": (
        "def f(x):\n    if isinstance(x, list) and unseen: ask(x)\n    else: ask(x)\nf([1])\nf(2)\n",
        ["2", "sequence"],
    ),
    "or": ("ask(None or B())\n", ["B()"]),
    "a loop": ("for each in [A(), B()]:\n    ask(each)\n", ["A()", "B()"]),
    "enumerate": ("for i, each in enumerate([A()]):\n    ask(each)\n", ["A()"]),
    "zip": ("for a, b in zip([A()], [B()]):\n    ask(b)\n", ["B()"]),
    "items": ("for k, v in {'a': A()}.items():\n    ask(v)\n", ["A()"]),
    "entries of a mapping": (
        "d = {'a': A(), 'b': None}\ne = {k: v for k, v in d.items()}\nask(e['a'])\n",
        ["A()"],
    ),
    "entries that are not None": (
        "d = {'a': B() if unseen else None, 'b': A()}\nd = {k: v for k, v in d.items() if v is not None}\n"
        "ask(d['a'])\n",
        ["B()"],
    ),
    "entries that are something": (
        "d = dict(a=0 if unseen else 1, b=A())\nask({k: v for k, v in d.items() if v}.get('a', 2))\n",
        ["1", "2"],
    ),
    "entries that a function gives back": (
        "def f(x): return {k: v for k, v in x.items() if v is not None}\n"
        "def g(a, b=3): ask(a)\ng(**f({'a': A(), 'b': None, 'c': 4}))\n",
        ["A()"],
    ),
    "entries by their keys": (
        "d = {'a': A(), 'b': 1, 'c': 2, 'd': 3}\n"
        "e = {k: v for k, v in d.items() if k != 'b' and k not in {'c'} if k in ('a', 'b')}\n"
        "for key in e: ask(key)\nask(e.get('b', e['a']))\n",
        ["'a'", "A()"],
    ),
    "pairs of a mapping": (
        "d = {'a': A(), 'b': 1}\nask(dict((k, v) for k, v in d.items() if unseen(k))['a'])\n",
        ["A()"],
    ),
    "pairs that a mapping is updated with": (
        "d = {'a': A(), 'b': 1}\ne = {'b': 2}\ne.update([(k, v) for k, v in d.items()])\nask(e['b'])\n",
        ["1", "2"],
    ),
    "entries of what may be no plain mapping": (
        "class M:\n    def items(self): return [('a', B())]\n"
        "d = {'a': A(), 'b': 1} if unseen else M()\nask({k: v for k, v in d.items()}['a'])\n",
        ["1", "A()", "B()"],
    ),
    "entries with other values": (
        "d = {'a': A(), 'b': 1}\nask({k: [v] for k, v in d.items()}['a'])\n",
        ["sequence"],
    ),
    "entries in another order": (
        "d = {'a': A(), 'b': 1}\nask({v: k for k, v in d.items()}[1])\n",
        ["'a'", "'b'"],
    ),
    "what puts entries back": (
        "d = {'a': A(), 'b': None}\nfor _ in unseen:\n    d = {k: v for k, v in d.items() if k != 'c'}\n"
        "    d['c'] = 3\nask(d['a'])\n",
        ["A()"],
    ),
    "a comprehension": ("ask([x for x in (A(), B())][0])\n", ["A()", "B()"]),
    "a walrus": ("if (a := A()):\n    ask(a)\n", ["A()"]),
    "a variable that is bound again": ("m = A()\nm = B()\nask(m)\n", ["B()"]),
    "a variable that is bound again, in a comprehension": (
        "m = A()\nm = B()\n[ask(m) for _ in unseen]\n",
        ["B()"],
    ),
    "a variable that is bound again, in a generator": (
        "m = A()\ng = (ask(m) for _ in unseen)\nm = B()\nlist(g)\n",
        ["A()", "B()"],
    ),
    "a variable that is bound again, and the attributes of an object": (
        "m = A()\nm = B()\nvars(args)\nask(m)\n",
        ["B()"],
    ),
    "a variable that is bound again, and one by its name": (
        "m = A()\nm = B()\nprint(globals()['m'])\nask(m)\n",
        ["B()"],
    ),
    "a variable that may be bound by its name": (
        "m = A()\nm = B()\nglobals()['m'] = A(1)\nask(m)\n",
        ["A()", "B()"],
    ),
    "an object that calls a function, dressed up as it": (
        "class P:\n    def __init__(self, f): self.f = f\n    def __call__(self, *given): return self.f(*given)\n"
        "def dressed(f): return functools.wraps(f)(P(f))\n@dressed\ndef g(x): ask(x)\ng(A())\n",
        ["A()"],
    ),
    "some attribute of a function": (
        "def g(x): ask(x)\nh = getattr(g, unseen)\ng(A())\n",
        ["A()"],
    ),
    "what some attribute of a function calls": (
        "def g(x): ask(x)\ngetattr(g, unseen)(A())\ng(B())\n",
        ["A()", "B()"],
    ),
    "mappings that are merged": (
        "from omegaconf import OmegaConf\nc = OmegaConf.merge({'a': {'b': A()}}, {'a': {'c': 1}})\nask(c['a'].b)\n",
        ["A()"],
    ),
    "a mapping within merged ones": (
        "from omegaconf import OmegaConf\nd = {'a': {'b': A()}}\nc = OmegaConf.merge(d, {'a': {'c': 1}})\n"
        "c.a.b = 2\nask(d['a']['b'])\n",
        ["A()"],
    ),
    "a mapping that holds itself, merged": (
        "from omegaconf import OmegaConf\nd = {}\nd['d'] = d\nd['b'] = A()\nask(OmegaConf.merge(d, {}).b)\n",
        ["A()", "option b"],
    ),
    "a variable that is bound again on the way round": (
        "m = A()\nfor _ in unseen:\n    ask(m)\n    m = B()\n",
        ["A()", "B()"],
    ),
    "a variable that a function sets": (
        "m = A()\ndef f():\n    global m\n    m = B()\nm = 3\nf()\nask(m)\n",
        ["3", "A()", "B()"],
    ),
    "a slice": ("ask([1, A(), B()][1:][0])\n", ["A()"]),
    "a return": ("def f():\n    return A()\nask(f())\n", ["A()"]),
    "a function that may end": ("def f():\n    if x():\n        return A()\nask(f())\n", ["A()", "None"]),
    "a parameter": ("def f(a, b=2, *c, d, **e):\n    ask(a)\nf(A(), d=1)\nf(a=B(), d=1)\n", ["A()", "B()"]),
    "a default": ("def f(a, b=2):\n    ask(b)\nf(1)\nf(1, 3)\n", ["2", "3"]),
    "a default that is never taken": ("def f(a, b=2):\n    ask(b)\nf(1, b=3)\n", ["3"]),
    "stars": ("def f(a, b, *c):\n    ask(b)\nf(*(A(), B(), 1))\n", ["B()"]),
    "behind stars": ("def f(a, b, *c):\n    ask(b)\nf(*(1,), B(), 3)\n", ["B()"]),
    "behind stars of a length that is not known": (
        "def f(a, b, *c):\n    ask(b)\nf(*((1,) if unseen else (1, 2)), B())\n",
        ["2", "B()"],
    ),
    "a list that is repeated": ("ask((2 * [A()])[0])\n", ["A()"]),
    "lists that are added": ("ask([A()] + [B()])\n", ["sequence"]),
    "forwarded": ("def g(a, b): ask(b)\ndef f(*a, **k): g(*a, **k)\nf(A(), b=B())\n", ["B()"]),
    "a dict that is unpacked": ("def f(a, b): ask(b)\nd = {'a': 1}\nd['b'] = B()\nf(**d)\n", ["B()"]),
    "an attribute": ("a = A(3)\nask(a.x)\n", ["3"]),
    "attributes of different objects": ("a = A(3)\nb = A(4)\nask(a.x)\n", ["3", "4"]),
    "an attribute of the class": ("ask(B().width)\n", ["1"]),
    "a method": ("ask(B().me())\n", ["B()"]),
    "a property": ("class P:\n    @property\n    def p(self): return A()\nask(P().p)\n", ["A()"]),
    "a static method": ("class P:\n    @staticmethod\n    def p(): return A()\nask(P.p())\n", ["A()"]),
    "a class method": (
        "class P(A):\n    @classmethod\n    def p(cls): return cls()\nclass Q(P): pass\nask(Q.p())\n",
        ["Q()"],
    ),
    "super": (
        "class P(A):\n    def me(self): return 1\n    def you(self): return super().me()\nask(P().you())\n",
        ["P()"],
    ),
    "a closure": ("def f(a):\n    def g(): return a\n    return g\nask(f(A())())\n", ["A()"]),
    "a lambda": ("ask((lambda a: a)(A()))\n", ["A()"]),
    "a decorator": (
        "def keep(f):\n    @functools.wraps(f)\n    def g(*a, **k): return f(*a, **k)\n    return g\n"
        "@keep\ndef h(a): return a\nask(h(A()))\n",
        ["A()"],
    ),
    "functions of one decorator": (
        WRAPPER + "@keep\ndef h(a): return a\n@keep\ndef g(a): return a\ng(1)\nask(h(A()))\n",
        ["A()", "None"],
    ),
    "methods of one decorator": (
        WRAPPER
        + "class K:\n    @keep\n    def h(self, a): return a\n    @keep\n    def g(self, a): return a\n"
        "K().g(1)\nask(K().h(A()))\n",
        ["A()", "None"],
    ),
    "methods of a decorator that names their object": (
        "def keep(f):\n    def g(self, *a, **k): return f(self, *a, **k)\n    return g\n"
        "class K:\n    @keep\n    def h(self, a): return a\n    @keep\n    def g(self, a): return a\n"
        "K().g(1)\nask(K().h(A()))\n",
        ["A()"],
    ),
    "a decorator that hands on by another name": (
        "def keep(f):\n    def g(a, *b, **k): return f(a, *b, **k)\n    return g\n"
        "@keep\ndef h(x): return x\nask(h(a=A()))\n",
        ["A()"],
    ),
    "what a decorator changes before it hands it on": (
        "def keep(f):\n    def g(*a, **k):\n        k['a'] = B()\n        return f(*a, **k)\n    return g\n"
        "@keep\ndef h(a): return a\nask(h(a=A()))\n",
        ["A()", "B()"],
    ),
    "a decorator that is called, too": (
        WRAPPER + "@keep\ndef h(a=None): return a\nkeep(h)(A())\nask(h(1))\n",
        ["1", "A()", "None"],
    ),
    "what a partial hands on": (
        WRAPPER + "def h(a, b): return b\nask(keep(functools.partial(h, 1))(A()))\n",
        ["A()", "None"],
    ),
    "a decorator that notes what it gives": (
        "MADE = []\ndef keep(f):\n    def g(*a, **k): return f(*a, **k)\n    MADE.append(g)\n    return g\n"
        "@keep\ndef h(a=None): return a\nMADE[0](A())\nask(h(1))\n",
        ["1", "A()", "None"],
    ),
    "a function that has another prepare what it gives back": (
        "def own(x):\n    unseen(x)\n    return x\ndef keep(x):\n    x = own(x)\n    return x\n"
        "keep(B())\nask(keep(A()))\n",
        ["A()"],
    ),
    "functions that call each other": (
        "def own(x): return keep(x) if unseen else x\ndef keep(x): return own(x)\nkeep(B())\nask(keep(A()))\n",
        ["A()", "B()"],
    ),
    "a partial": ("def f(a, b): return b\nask(functools.partial(f, 1)(A()))\n", ["A()"]),
    "a table": ("NETS = {'a': A, 'b': B}\nask(NETS[unseen]())\n", ["A()", "B()"]),
    "an entry of a table": ("NETS = {'a': A, 'b': B}\nask(NETS['a']())\n", ["A()"]),
    "getattr": ("ask(getattr(A(4), 'x'))\n", ["4"]),
    "a context manager": (
        "import contextlib\n@contextlib.contextmanager\ndef c():\n    yield A()\nwith c() as a:\n    ask(a)\n",
        ["A()"],
    ),
    "append": ("l = []\nl.append(A())\nask(l[0])\n", ["A()"]),
    "setattr": ("a = A()\nsetattr(a, 'y', B())\nask(a.y)\n", ["B()"]),
    "globals": (
        "globals()['q'] = A()\nask(q)\n",
        ["A()", "unknown: `q` is not defined in the code that is read"],
    ),
    "a variable that is bound again further down": (
        "def f():\n    x = A()\n    if unseen:\n        x = B()\n    ask(x)\n    x = 3\nf()\n",
        ["A()", "B()"],
    ),
    "a variable that is bound where the code ends before": (
        "def f():\n    if unseen:\n        x = A()\n    elif unsure:\n        x = B()\n        if more:\n"
        "            return x\n        raise OSError\n    else:\n        x = 3; return x\n    ask(x)\nf()\n",
        ["A()"],
    ),
    "a variable that is bound where the code may end before": (
        "def f():\n    if unseen:\n        x = A()\n    else:\n        x = B()\n        if more:\n"
        "            return x\n    ask(x)\nf()\n",
        ["A()", "B()"],
    ),
    "a variable that is bound before an error that is caught": (
        "def f():\n    x = A()\n    try:\n        if unseen:\n            x = B()\n            return unsure(x)\n"
        "    except OSError:\n        pass\n    ask(x)\nf()\n",
        ["A()", "B()"],
    ),
    "a variable that is bound before what a `finally` runs": (
        "def f():\n    x = A()\n    try:\n        pass\n    except OSError:\n        pass\n    else:\n"
        "        x = 3\n        return x\n    finally:\n        ask(x)\nf()\n",
        ["3", "A()"],
    ),
    "a variable that is bound where an error may be passed over": (
        "def f():\n    x = A()\n    with suppress(OSError):\n        x = B()\n        raise OSError\n    ask(x)\nf()\n",
        ["A()", "B()"],
    ),
    "a variable that a loop binds again further down": (
        "x = A()\nfor _ in range(2):\n    if unseen:\n        x = B()\n    ask(x)\n    x = 3\n",
        ["3", "A()", "B()"],
    ),
    "a parameter that is bound again further down": (
        "def f(x):\n    if unseen:\n        x = B()\n    ask(x)\n    x = 3\nf(A())\n",
        ["3", "A()", "B()"],
    ),
    "a variable that another function binds": (
        "x = A()\nif unseen:\n    x = B()\ndef f():\n    global x\n    x = 4\nf()\nask(x)\nx = 3\n",
        ["3", "4", "A()", "B()"],
    ),
    "what code is handed by `eval`": (
        "def f(a): ask(a)\nf(A())\neval(unseen)\n",
        ["A()", "unknown: `eval` hands it over"],
    ),
    "what code is not handed that has global variables of its own": (
        "def f(a): ask(a)\nf(A())\neval(unseen, {}, {'x': 1})\nexec(unseen, dict(y=2))\n",
        ["A()"],
    ),
    "what code is handed that has these among its global variables": (
        "def f(a): ask(a)\nf(A())\neval(unseen, {'f': f})\n",
        ["A()", "unknown: `eval` hands it over"],
    ),
    "what `exec` sets": ("a = A()\nexec(unseen)\nask(a)\n", ["A()", "unknown: `exec` may set it"]),
    "what `exec` sets in what it is given": (
        "a = A()\nexec(unseen, globals())\nask(a)\n",
        ["A()", "unknown: `exec` may set it"],
    ),
    "an attribute that an option names": (
        CHOSEN + "ask(getattr(A(4), args.name))\n",
        ["4", "boundmethod"],
    ),
    "an attribute that an option names, which code sets": (
        CHOSEN + "args.name = unseen\nask(getattr(A(4), args.name))\n",
        ["unknown: it is an attribute whose name is not known"],
    ),
    "what code puts beside the options": (
        f"{PARSED}args.kind = A\nask(args.kind)",
        ["A"],
    ),
    "what code puts in the place of an option": (
        f"{PARSED}args.width = A\nask(args.width)",
        ["option args.width"],
    ),
    "what code that is not read may put there": (
        f"{PARSED}args.kind = A\nfor name, value in unseen:\n    setattr(args, name, value)\nask(args.kind)",
        ["option args.kind"],
    ),
    "beside options that another module adds": (
        f"{PARSED}import somewhere\nsomewhere.add(parser)\nargs.kind = A\nask(args.kind)",
        ["A", "option args.kind"],
    ),
    "what nothing has put there": (f"{PARSED}ask(args.kind)", ["option args.kind"]),
    "an option": (
        "p = argparse.ArgumentParser()\nargs = p.parse_args()\nask(args.width)\n",
        ["option args.width"],
    ),
    "a dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass D:\n    a: int\n    b: int = 2\nask(D(3).a)\n",
        ["3"],
    ),
    "a registry": (
        "NETS = {}\ndef put(name):\n    def inner(c):\n        NETS[name] = c\n        return c\n    return inner\n"
        "@put('n')\nclass N: pass\nask(NETS[unseen]())\n",
        ["N()"],
    ),
    "something of a library's": ("import torch\nask(torch.nn.Linear)\n", ["torch.nn.Linear"]),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_what_an_expression_may_be(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert asked(analyzed(tmp_path, f"unseen = input()\n{HEAD}{text}")) == expected


PARTS = """
import torch
from somewhere import ask, know
class Part(torch.nn.Module):
    def forward(self, x): return 1
class Net(torch.nn.Module):
    kept = None
    def step(self): return 2
class Other:
    kept = None
    def step(self): return 2
net, other, part = Net(), Other(), Part()
know(other)
setattr(net, unseen, part)
setattr(unseen, unseen, part)
setattr(net, unseen, lambda: 4)
"""

SET_ANYWHERE = {
    "a method of a module": ("net.step()", ["2", "4"]),
    "what a class of modules has": ("net.kept", ["None", "lambda"]),
    "a part of a module": ("net.part", ["Part()", "lambda", "part"]),
    "a method of another object": ("other.step()", ["2"]),
    "what a class of other objects has": ("other.kept", ["None", "Part()"]),
}


@pytest.mark.parametrize(("code", "expected"), SET_ANYWHERE.values(), ids=SET_ANYWHERE)
def test_modules_that_are_set_under_any_name(tmp_path: Path, code: str, expected: list[str]) -> None:
    """What a class has hides them in torch's modules, and they are set in place of no other object's method."""
    assert asked(analyzed(tmp_path, f"{PARTS}ask({code})\n")) == expected


def test_eval_reaches_what_its_own_file_has(tmp_path: Path) -> None:
    (tmp_path / "texts.py").write_text(
        "from lightning import Trainer\nfrom somewhere import tell\ndef of_texts(a): tell(a)\n"
        "def value_of(text): return eval(text)\n"
    )
    values = analyzed(
        tmp_path,
        "from texts import of_texts, value_of\nfrom somewhere import ask\ndef f(a): ask(a)\n"
        "f(1)\nof_texts(2)\nvalue_of(input())\n",
    )
    assert asked(values) == ["1"]
    assert asked(values, "tell") == ["2", "unknown: `eval` hands it over"]


def test_calls_of_lightnings(tmp_path: Path) -> None:
    values = analyzed(
        tmp_path,
        "import functools\nimport lightning as L\n"
        "class Mine(L.Trainer): pass\n"
        "class Net(L.LightningModule):\n    def __init__(self, width): super().__init__()\n"
        "made = {'max_epochs': 3}\nmade['devices'] = 1\n"
        "make = functools.partial(L.Trainer, logger=False)\n"
        "trainer = make(**made) if input() else Mine(max_steps=1)\n"
        "trainer.fit(Net(3))\n",
    )
    trainers = values.calls_of("Trainer")
    assert len(trainers) == 2
    given = values.arguments(trainers[0], ["accelerator"])
    assert {name: shown_all(each.values) for name, each in given.items()} == {
        "logger": ["False"],
        "max_epochs": ["3"],
        "devices": ["1"],
    }
    assert given.unknown is None
    (fit,) = values.calls_of("Trainer.fit")
    assert shown_all(values.arguments(fit, ["model"])["model"].values) == ["Net()"]
    (net,) = values.of(fit.args[0].value).instances
    assert isinstance(net.cls, Class)
    assert values.lightning_bases(net.cls) == ["LightningModule"]


def test_what_lightning_hands_over_is_unknown(tmp_path: Path) -> None:
    values = analyzed(
        tmp_path,
        "import lightning as L\nfrom somewhere import ask\n"
        "class Net(L.LightningModule):\n    def training_step(self, batch, batch_idx): ask(batch)\n"
        "L.Trainer().fit(Net())\n",
    )
    assert asked(values) == ["unknown: Lightning hands it to `training_step`"]


def test_names_that_only_look_like_lightnings(tmp_path: Path) -> None:
    values = analyzed(
        tmp_path,
        "class Trainer:\n    def fit(self, model): pass\ntrainer = Trainer()\ntrainer.fit(1)\n",
    )
    assert values.calls_of("Trainer", "Trainer.fit") == []


SURE = {
    "one call": ("f(a=1, b=2)", {"a", "b"}),
    "several calls": ("f(a=1, b=2)\nf(a=3)", {"a"}),
    "a mapping beside": ("f(a=1, **unseen)", set()),
    "a parameter of its own": ("f(1, a=1)\nf(first=1, a=2)", {"a"}),
    "what is not read may call it": ("f(a=1)\nunseen(f)", set()),
    "it is taken out": ("f(a=1, b=2)", {"b"}),
    "it is deleted": ("f(a=1, b=2)", {"b"}),
    "something is taken out": ("f(a=1, b=2)", set()),
    "the last is taken out": ("f(a=1, b=2)", set()),
}

TAKING = {
    "it is taken out": "more.pop('a')",
    "it is deleted": "del more['a']",
    "something is taken out": "more.pop(unseen)",
    "the last is taken out": "more.popitem()",
}


@pytest.mark.parametrize("name", SURE)
def test_what_all_calls_name(tmp_path: Path, name: str) -> None:
    calls, expected = SURE[name]
    taken = TAKING.get(name, "pass")
    values = analyzed(
        tmp_path,
        "from somewhere import ask, unseen\n"
        f"def f(first=0, **more):\n    ask(more)\n    {taken}\n{calls}\n",
    )
    call = next(call for call in values.index.of_kind(cst.Call) if getattr(call.func, "value", "") == "ask")
    (held,) = [each for each in values.of(call.args[0].value) if isinstance(each, Dict)]
    assert values.sure_parts(held).keys() == expected


TAKEN = {
    "all of them": ("{k: v for k, v in d.items()}", {"a", "b", "c", "e"}),
    "what is never None": ("{k: v for k, v in d.items() if v is not None}", {"a", "c"}),
    "what is something": ("{k: v for k, v in d.items() if v}", {"a"}),
    "those with other keys": ("{k: v for k, v in d.items() if k != 'a' and v is not None}", {"c"}),
    "those with some keys": ("dict((k, v) for k, v in d.items() if k in ('a', 'b'))", {"a", "b"}),
    "another condition": ("{k: v for k, v in d.items() if unseen(k)}", set()),
    "beside others": ("dict([(k, v) for k, v in d.items() if v is not None], f=1)", {"a", "c", "f"}),
    "one of two mappings": ("{k: v for k, v in (d if unseen() else {'a': 5}).items()}", {"a"}),
    "what may be no plain mapping": ("{k: v for k, v in (d if unseen() else unseen()).items()}", set()),
    "in turns": ("d\nfor _ in 1, 2:\n    e = {k: v for k, v in e.items()}", set()),
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_a_comprehension_surely_takes(tmp_path: Path, name: str) -> None:
    made, expected = TAKEN[name]
    given = "{'a': 1, 'b': unseen(), 'c': [], 'e': 3 if unseen() else None}"
    text = f"from somewhere import ask, unseen\nd = {given}\ne = {made}\nask(e)\n"
    values = analyzed(tmp_path, text)
    call = next(call for call in values.index.of_kind(cst.Call) if getattr(call.func, "value", "") == "ask")
    held = [each for each in values.of(call.args[0].value) if isinstance(each, Dict)]
    assert set.intersection(*({*values.sure_parts(each)} for each in held)) == expected


def test_few_reasons_say_that_a_place_is_unknown(tmp_path: Path) -> None:
    given = ", ".join(f"library.make_{each}()()" for each in range(2 * REASONS))
    found = asked(analyzed(tmp_path, f"import library\nfor x in [1, {given}]:\n    ask(x)\n"))
    assert "1" in found
    assert len(found) == 1 + REASONS


@pytest.mark.parametrize(("early", "is_known"), [(10**6, True), (10, False)])
def test_once_much_is_carried_on_less_is_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, early: int, is_known: bool
) -> None:
    monkeypatch.setattr(solver, "EARLY", early)
    given = ", ".join(map(str, range(2 * LATE_LIMIT)))
    found = asked(analyzed(tmp_path, f"for x in [{given}]:\n    ask(x)\n"))
    told = {*map(str, range(2 * LATE_LIMIT))}
    assert ({*found} == told) if is_known else any(each.startswith("unknown: more than") for each in found)


def test_calls_of_what_may_be_many_things_take_no_square_of_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What goes to code that is not read goes there once, however many things may be called."""
    asked_of, escape = list[int](), Escapes.escape

    def counted(self: Escapes, value: Value, to: str) -> None:
        asked_of[-1] += 1
        escape(self, value, to)

    monkeypatch.setattr(Escapes, "escape", counted)
    for size in (30, 60):
        asked_of.append(0)
        made = ", ".join(f"library.make_{each}()" for each in range(size))
        given = ", ".join(f"library.give_{each}()" for each in range(size))
        analyzed(tmp_path, f"import library\nfor f in [{made}]:\n    for x in [{given}]:\n        f(x)\n")
    assert asked_of[1] < 3 * asked_of[0]


# ---- metaclasses -----------------------------------------------------------------------------------------

METACLASS = """\
TABLE = {}
class Meta(type):
    def __new__(mcs, name, bases, namespace):
        return super().__new__(mcs, name, bases, namespace)
    def __init__(cls, name, bases, namespace):
        TABLE[name] = cls
    def __call__(cls, *args, **kwargs):
        made = super().__call__(*args, **kwargs)
        CHANGES
        return made
    def known(cls): return cls
class M(A, metaclass=Meta): pass
class N(M): pass
"""

OF_METACLASSES = {
    "an object of the class that is called": ("ask(N(1))", ["N()"]),
    "what its constructor gets": ("ask(N(1).x)", ["1"]),
    "a class of a table": ('ask(TABLE["N"])', ["M", "N"]),
    "a metaclass's method": ("ask(N.known())", ["N"]),
}


@pytest.mark.parametrize("name", OF_METACLASSES)
def test_what_metaclasses_make(name: str, tmp_path: Path) -> None:
    code, expected = OF_METACLASSES[name]
    text = METACLASS.replace("CHANGES", "print(made)")
    assert asked(analyzed(tmp_path, f"{HEAD}{text}{code}\n")) == expected


def test_a_metaclass_may_give_other_arguments_and_objects(tmp_path: Path) -> None:
    other = METACLASS.replace("(*args, **kwargs)\n        CHANGES", "(3)")
    assert asked(analyzed(tmp_path, f"{HEAD}{other}ask(N(1).x)\n")) == ["3"]
    kept = METACLASS.replace("CHANGES", "TABLE[cls] = made").replace("return made", "return TABLE[cls]")
    assert "N()" in asked(analyzed(tmp_path, f"{HEAD}{kept}ask(N(1))\n"))


def test_what_a_librarys_metaclass_makes_is_not_known(tmp_path: Path) -> None:
    code = "from elsewhere import Meta\nclass M(A, metaclass=Meta): pass\nask(M(1))\n"
    assert asked(analyzed(tmp_path, f"{HEAD}{code}")) == ["M()", "unknown: `M` has a metaclass"]
