"""Makes random mains: a model, a trainer and data, each by a path that real mains take, and then `fit`."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

HEAD = """\
import argparse
import contextlib
import dataclasses
import functools
import sys

import lightning as L


class Watcher(L.Callback):
    def __init__(self, every=1):
        self.every = every

    def on_train_start(self, trainer, pl_module):
        self.seen = trainer, pl_module


class Data(L.LightningDataModule):
    def __init__(self, size=4, *rest, **more):
        super().__init__()
        self.size, self.rest, self.more = size, rest, more

    def train_dataloader(self):
        return [self.size]


class Base(L.LightningModule):
    made = []
    width = 8

    def __init__(self, width=8, *, depth=1, act=abs):
        super().__init__()
        self.width, self.depth = width, depth
        self.act = act
        self.made.append(self)

    @classmethod
    def small(cls, **more):
        return cls(2, **more)

    @staticmethod
    def other(*given, **more):
        return Other(*given, **more)

    @property
    def me(self):
        return self

    def training_step(self, batch, batch_idx):
        return self.act(batch) + self.helper(batch_idx)

    def helper(self, value):
        return value

    def configure_optimizers(self):
        return [self.width], self.trainer


class Net(Base):
    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        self.inner = Other()

    def helper(self, value):
        return super().helper(value) + self.depth


class Other(Base):
    pass


NETS = {"net": Net, "other": Other}
"""

Make = Callable[["Program", int], str]


@dataclass
class Program:
    """A program in the making."""

    chance: random.Random
    lines: list[str] = field(default_factory=list)
    count: int = 0

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}_{self.count}"

    def one_of(self, *codes: str) -> str:
        return self.chance.choice(codes)

    def define(self, text: str) -> None:
        self.lines += text.splitlines()


def made(program: Program, kind: str, depth: int) -> str:
    """Code for an object of a kind."""
    if depth <= 0:
        return DIRECT[kind](program)
    return program.chance.choice(PATHS)(program, kind, depth - 1)


# ---- objects, made in plain sight ------------------------------------------------------------------------


def model(program: Program) -> str:
    arguments = program.one_of("", "16", "width=4", "depth=3", "*[5]", "**{'depth': 2}", "act=lambda x: x")
    cls = program.one_of(
        "Net", "Other", "NETS['net']", "NETS[sys.argv[0][:0] or 'other']", "Net.other", "Net.small"
    )
    return f"{cls}({'' if cls.endswith('small') and '=' not in arguments else arguments})"


def trainer(program: Program) -> str:
    arguments = ["max_epochs=1", f"callbacks={made(program, 'callbacks', program.chance.choice([0, 0, 1]))}"]
    program.chance.shuffle(arguments)
    cls = program.one_of("L.Trainer", "functools.partial(L.Trainer, max_steps=3)", "make_trainer", "Mine")
    if cls == "make_trainer":
        program.define(
            "def make_trainer(**given):\n    given.setdefault('logger', False)\n    return L.Trainer(**given)"
        )
    if cls == "Mine":
        program.define(
            "class Mine(L.Trainer):\n    def fit(self, *given, **more):\n        return super().fit(*given, **more)"
        )
    return f"{cls}({', '.join(arguments)})"


def callbacks(program: Program) -> str:
    return program.one_of(
        "[Watcher()]", "[]", "[Watcher(every=i) for i in (1, 2)]", "list(map(Watcher, [3]))"
    )


def data(program: Program) -> str:
    return program.one_of(
        "Data()", "Data(2, 3)", "Data(size=5, more=1)", "Data(*(1, 2), **{'x': 3})", "[1, 2]"
    )


DIRECT: dict[str, Callable[[Program], str]] = {
    "model": model,
    "trainer": trainer,
    "callbacks": callbacks,
    "data": data,
}


# ---- paths from where it is made to where it is used -----------------------------------------------------


def by_function(program: Program, kind: str, depth: int) -> str:
    name, value = program.name("make"), made(program, kind, depth)
    parameter = program.one_of("", "flag=None", "*flags", "**flags")
    program.define(f"def {name}({parameter}):\n    made = {value}\n    return made")
    return f"{name}()"


def by_branches(program: Program, kind: str, depth: int) -> str:
    name = program.name("choose")
    first, second = made(program, kind, depth), made(program, kind, depth)
    program.define(
        f"def {name}(flag):\n    if flag:\n        return {first}\n"
        f"    else:\n        found = {second}\n    return found"
    )
    return f"{name}({program.one_of('True', 'len(sys.argv) > 3', 'flag=0')})"


def by_parameter(program: Program, kind: str, depth: int) -> str:
    name, value = program.name("keep"), made(program, kind, depth)
    head, call = program.chance.choice(
        [
            ("given", "{}"),
            ("given, other=None", "{}, 1"),
            ("other, /, *, given", "1, given={}"),
            ("*rest", "{}"),
            ("**rest", "given={}"),
        ]
    )
    body = {"*rest": "rest[0]", "**rest": "rest['given']"}.get(head, "given")
    program.define(f"def {name}({head}):\n    return {body}")
    return f"{name}({call.format(value)})"


def by_forwarding(program: Program, kind: str, depth: int) -> str:
    inner, outer = program.name("inner"), program.name("outer")
    program.define(
        f"def {inner}(first, second=None, *rest, **more):\n    return second\n"
        f"def {outer}(*given, **more):\n    return {inner}(*given, **more)"
    )
    value = made(program, kind, depth)
    return program.one_of(
        f"{outer}(1, {value})",
        f"{outer}(1, second={value})",
        f"{outer}(*[1, {value}], 3)",
        f"{outer}(*(1,), {value}, 3)",
        f"{outer}(*[1], {value})",
        f"{outer}(*((1,) if sys.argv else (1, 2)), {value})",
        f"{outer}(*(), *(1,), {value}, *[2, 3])",
    )


def by_variable(program: Program, kind: str, depth: int) -> str:
    name, value = program.name("held"), made(program, kind, depth)
    program.define(
        program.one_of(
            f"{name} = {value}",
            f"{name}: object = {value}",
            f"_, ({name}, *_) = 1, ({value}, 2, 3)",
            f"for {name} in [{value}]:\n    pass",
            f"for _, {name} in enumerate([{value}]):\n    pass",
            f"for {name}, _ in zip([{value}], 'a'):\n    pass",
            f"if ({name} := {value}) is None:\n    pass",
            f"with contextlib.nullcontext():\n    {name} = {value}",
            f"try:\n    {name} = {value}\nfinally:\n    pass",
            f"{name} = None\n{name} = {name} or {value}",
            f"globals()['{name}'] = {value}",
            f"{name} = 1\n{name} = [{name}, {value}][1]",
            f"{name}_ = 1\nfor _ in range(2):\n    {name} = {name}_\n    {name}_ = {value}",
            f"def set_{name}():\n    global {name}\n    {name} = {value}\n{name} = 1\nset_{name}()",
            f"try:\n    {name} = {value}\n    {name}.missing\n    {name} = 1\nexcept AttributeError:\n    pass",
            f"{name} = 1\nwhile True:\n    if {name} != 1:\n        break\n    {name} = {value}",
            f"{name} = 1\nif sys.argv:\n    {name} = {value}\nelse:\n    {name} = 2",
        )
    )
    return name


def by_container(program: Program, kind: str, depth: int) -> str:
    value = made(program, kind, depth)
    name = program.name("held")
    if program.chance.random() < 0.5:
        return program.one_of(
            f"[1, {value}][1]",
            f"({value},)[-1]",
            f"{{'a': {value}}}['a']",
            f"dict(a={value})['a']",
            f"[x for x in [{value}]][0]",
            f"next(iter([{value}]))",
            f"{{k: v for k, v in [('a', {value})]}}.get('a')",
            f"list({{'a': {value}}}.values())[0]",
            f"(1, *[{value}])[1]",
            f"([1] + [{value}])[1]",
            f"sorted([{value}], key=id)[0]",
        )
    program.define(
        program.one_of(
            f"{name} = []\n{name}.append({value})\n{name}.insert(1, 2)\n{name} = {name}[0:1]",
            f"{name} = {{}}\n{name}[0] = {value}",
            f"{name} = {{}}\n{name}.update({{0: {value}}})",
            f"{name} = [0]\n{name}[0] = {value}",
            f"{name} = [1, 1]\n{name} += [{value}]\n{name}.reverse()",
            f"{name} = {{0: None}} | {{0: {value}}}",
        )
    )
    return f"{name}[0]"


def by_object(program: Program, kind: str, depth: int) -> str:
    name, value = program.name("Holder"), made(program, kind, depth)
    form = program.chance.randrange(7)
    if form == 0:
        program.define(f"class {name}:\n    def __init__(self, held):\n        self.held = held")
        return f"{name}({value}).held"
    if form == 1:
        program.define(f"@dataclasses.dataclass\nclass {name}:\n    other: int\n    held: object = None")
        return program.one_of(f"{name}(1, {value}).held", f"{name}(other=1, held={value}).held")
    if form == 2:
        program.define(f"class {name}:\n    @property\n    def held(self):\n        return {value}")
        return f"{name}().held"
    if form == 3:
        program.define(f"class {name}:\n    pass\n{name}.held = {value}")
        return program.one_of(f"{name}.held", f"{name}().held", f"getattr({name}, 'held')")
    if form == 4:
        program.define(f"class {name}:\n    def __call__(self, given):\n        return given")
        return f"{name}()({value})"
    if form == 5:
        program.define(
            f"class {name}:\n    def __enter__(self):\n        return {value}\n"
            "    def __exit__(self, *how):\n        pass\n"
            f"with {name}() as {name.lower()}:\n    pass"
        )
        return name.lower()
    program.define(
        f"class {name}:\n    def make(self):\n        return {value}\n"
        f"class {name}More({name}):\n    def make(self):\n        return super().make()"
    )
    return f"{name}More().make()"


def by_wrapping(program: Program, kind: str, depth: int) -> str:
    name, value = program.name("wrap"), made(program, kind, depth)
    form = program.chance.randrange(5)
    if form == 0:
        program.define(
            f"def {name}(function):\n    @functools.wraps(function)\n    def inner(*given, **more):\n"
            "        return function(*given, **more)\n    return inner\n"
            f"@{name}\ndef {name}_made():\n    return {value}"
        )
        return f"{name}_made()"
    if form == 1:
        program.define(f"def {name}(given):\n    def inner():\n        return given\n    return inner")
        return f"{name}({value})()"
    if form == 2:
        program.define(f"@functools.lru_cache\ndef {name}():\n    return {value}")
        return f"{name}()"
    if form == 3:
        program.define(
            f"@contextlib.contextmanager\ndef {name}():\n    yield {value}\nwith {name}() as {name}_made:\n    pass"
        )
        return f"{name}_made"
    return program.one_of(f"(lambda given: given)({value})", f"functools.partial(lambda a, b: b, 1)({value})")


def by_statements(program: Program, kind: str, depth: int) -> str:
    """A variable of a function's, which several statements bind, and some only if they are run."""
    name, value = program.name("bind"), made(program, kind, depth)
    body = program.chance.choice(STATEMENTS).replace("VALUE", value)
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    program.define(f"def {name}(flag=None, times=2):\n{lines}\n    return x")
    return f"{name}({program.one_of('', '1', 'sys.argv', 'times=0', 'len(sys.argv) > 9, 1')})"


STATEMENTS = (
    "x = 1\nif flag: x = VALUE",
    "x = VALUE\nif not flag: x = 1; x = VALUE",
    "x = 1\nif flag: pass\nelse: x = VALUE",
    "x = 1\nfor _ in range(times): x = VALUE",
    "x = VALUE\nwhile times: times -= 1; x = [x][0]",
    "x = VALUE\ntry: x = int('a')\nexcept ValueError: pass",
    "x = 1\ntry: int('a'); x = 2\nexcept ValueError: x = VALUE\nfinally: flag = x",
    "x = 1\nwith contextlib.suppress(KeyError): x = VALUE; {}[0]; x = 2",
    "x = 1\ndef put():\n    nonlocal x\n    x = VALUE\nput()",
    "x = 1\ndef put():\n    nonlocal x; x = VALUE\nif flag: put()",
    "while True:\n    x = VALUE\n    break\nelse:\n    x = 1",
    "for x in (1, VALUE): pass",
    "for x in (1, VALUE):\n    if flag: continue\n    break",
    "for _ in range(times): x = 1\nelse: x = VALUE",
    "match flag:\n    case None: x = VALUE\n    case _: x = 1",
    "match [flag, VALUE]:\n    case [_, x]: pass",
    "match {'a': VALUE}:\n    case {'a': x}: pass",
    "[x := each for each in (1, VALUE)]",
    "x = 1; x = VALUE",
    "x = 1; del x; x = VALUE",
    "assert (x := VALUE) is not None",
    "x, y = 1, VALUE\nx, y = y, x",
    "*_, x = 1, VALUE",
    "_, *x = 1, VALUE\n(x,) = x",
    "x: object\nx = VALUE",
    "x = y = VALUE",
    "x = (lambda x=VALUE: x)()",
    "x = (yield_ := VALUE) if flag else yield_ if False else VALUE",
    "def give():\n    try: return 1\n    finally: return VALUE\nx = give()",
    "def give():\n    if flag: return VALUE\nx = give() or VALUE",
    "def give():\n    yield 1\n    yield VALUE\n_, x = give()",
    "def give():\n    yield from [VALUE]\nx = next(give())",
    "def give():\n    x = yield VALUE\n    yield x\nx = give().send(None)",
    "def give(x, y=VALUE): return y\nx = give(1, **({} if flag else {}))",
    "class K: x = 1; x = VALUE\nx = K.x",
    "class K:\n    x = 1\n    if flag is None: x = VALUE\nx = K().x",
    "class K: x = 1\nk = K()\nif not flag: k.x = VALUE\nx = k.x",
    "class K:\n    def __getitem__(self, key): return VALUE\nx = K()[0]",
    "class K:\n    def __iter__(self): return iter([VALUE])\n(x,) = K()",
    "class K:\n    def __iter__(self): yield VALUE\nfor x in K(): pass",
    "class K:\n    def __getattr__(self, name): return VALUE\nx = K().x",
    "class K:\n    def __new__(cls): return VALUE\nx = K()",
    "class K:\n    def __get__(self, owner, cls): return VALUE\nclass O: x = K()\nx = O().x",
    "class K:\n    def __add__(self, other): return other\nx = K() + VALUE",
    "class K:\n    def __contains__(self, other): self.x = other; return True\nk = K(); VALUE in k\nx = k.x",
    "class A: x = VALUE\nclass B(A): x = 1\nclass C(A): pass\nclass D(C, B): pass\nx = D.x or VALUE",
    "class A:\n    def __init_subclass__(cls, x): cls.x = x\nclass B(A, x=VALUE): pass\nx = B.x",
    "class A:\n    @functools.cached_property\n    def x(self): return VALUE\nx = A().x",
    "class A:\n    def __enter__(self): return VALUE\n    def __exit__(self, *how): return True\nwith A() as x: pass",
    "x = functools.reduce(lambda a, b: b, [1, VALUE])",
    "x = list(filter(None, [0, VALUE]))[-1]",
    "x = {}.setdefault('a', VALUE)",
    "x = {'a': VALUE}.pop('a')",
    "x = [VALUE].pop()",
    "x = {VALUE}.pop()",
    "x = dict([('a', VALUE)])['a']",
    "x = dict(zip('a', [VALUE]))['a']",
    "x = {**{'a': 1}, 'a': VALUE}['a']",
    "x = vars(argparse.Namespace(a=VALUE))['a']",
    "x = max([VALUE], key=id)",
    "x = [[VALUE]][0][0]",
    "x = ([1] * 2 + [VALUE])[2]",
    "x = [1, VALUE][::-1][0]",
    "x = tuple(each for each in [VALUE])[0]",
    "x = {**locals(), 'y': VALUE}['y']",
    "x = (flag and 1) or VALUE",
    "x = VALUE if not flag else VALUE",
    "x = [VALUE]\nx[0:0] = [1]\nx = x[1]",
    "x = [1]\nx.extend(each for each in [VALUE])\nx = x[-1]",
    "x = [None] * 2\nx[times - times] = VALUE\nx = x[0]",
)


PATHS = (
    by_function,
    by_branches,
    by_parameter,
    by_forwarding,
    by_variable,
    by_container,
    by_object,
    by_wrapping,
    by_statements,
    by_statements,
)


# ---- the whole -------------------------------------------------------------------------------------------


def random_main(seed: int) -> str:
    """A main in one of the forms that mains have."""
    program = Program(random.Random(seed))
    depth = program.chance.choice([0, 1, 2, 3])
    parts = {kind: made(program, kind, depth) for kind in ("model", "trainer", "data")}
    fit = program.one_of(
        "{trainer}.fit({model}, {data})",
        "{trainer}.fit(model={model}, datamodule={data})",
        "{trainer}.fit(*({model}, {data}))",
        "{trainer}.fit(**{{'model': {model}, 'train_dataloaders': {data}}})",
        "run = {trainer}.fit\nrun({model}, {data})",
        "getattr({trainer}, 'fit')({model}, {data})",
    ).format(**parts)
    return HEAD + "\n".join(program.lines) + "\n" + in_form(program, fit)


def in_form(program: Program, fit: str) -> str:
    """The call of `fit`: flat, in a function, in a class, under a command line."""
    body = fit.replace("\n", "\n    ")
    inner = fit.replace("\n", "\n        ")
    return program.one_of(
        f"{fit}\n",
        f"if __name__ == '__main__':\n    {body}\n",
        f"def main():\n    {body}\nmain()\n",
        f"class Experiment:\n    def run(self):\n        {inner}\nExperiment().run()\n",
        f"class Experiment:\n    def __call__(self, flag):\n        {inner}\n"
        "class Special(Experiment):\n    pass\nSpecial()(1)\n",
        "parser = argparse.ArgumentParser()\nparser.add_argument('--width', type=int, default=3)\n"
        f"args = parser.parse_args()\nNet.width = args.width\ndef main(args):\n    print(vars(args))\n    {body}\n"
        "main(args)\n",
    )
