"""Classes that derive from Lightning's Trainer, read as functions, and those that cannot be."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest
from ddpgen.link.modules.reached_files import entry_graph
from ddpgen.link.trainers.functions import trainer_functions
from ddpgen.source.source import Source

CLASS = """
import pytorch_lightning as pl
from pytorch_lightning.callbacks import Timer
import functools
import torch

class Own(pl.Trainer):
{body}


{below}
"""

INIT = "def __init__(self, *args, **kwargs):\n    super().__init__(*args, **kwargs)"
MADE = "own = Own(max_epochs=2)\nown.fit(model, loader)"


def read(folder: Path, body: str, below: str = MADE) -> str:
    """The text with functions in it; empty: there is none, as the class is not read as one."""
    path = folder / "main.py"
    path.write_text(CLASS.format(body=indent(dedent(body), " " * 4), below=dedent(below)))
    made = trainer_functions(entry_graph(Source.read(path), path, ()))
    text = made.texts.get(path.resolve(), "")
    assert bool(text) is bool(made.said)
    if text:
        assert text.count("\n") == path.read_text().count("\n")
        compile(text, "main.py", "exec")
    return " ".join(text.split())


READ = {
    "nothing of its own": ("pass", "Own = pl.Trainer"),
    "a docstring": ('"""Is one."""', "Own = pl.Trainer"),
    "what it is given": (INIT, "def Own(**kwargs): return pl.Trainer(**kwargs)"),
    "a setting": (
        "def __init__(self, lr=1):\n    pl.Trainer.__init__(self, max_epochs=lr)",
        "def Own(lr=1): return pl.Trainer(max_epochs=lr)",
    ),
    "a member that nothing asks for": (
        "def __init__(self, lr):\n    self.x: int = lr\n    super().__init__(callbacks=[Timer(self.x)])",
        "def Own(lr): x: int = lr return pl.Trainer(callbacks=[Timer(x)])",
    ),
    "a member with the name of a variable": (
        "def __init__(self, lr):\n    self.lr = lr + 1\n    super().__init__(max_epochs=lr, min_epochs=self.lr)",
        "def Own(lr): own_lr = lr + 1 return pl.Trainer(max_epochs=lr, min_epochs=own_lr)",
    ),
    "what is taken out of others": (
        "def __init__(self, **kwargs):\n    self.lr = float(kwargs.pop('lr', 1))\n    super().__init__(**kwargs)",
        "def Own(lr=1, **kwargs): lr = float(lr) trainer = pl.Trainer(**kwargs); trainer.lr = lr; return trainer",
    ),
    "what may be taken out of others": (
        "def __init__(self, **kwargs):\n    if kwargs.pop('lr', 1): pass\n    super().__init__(**kwargs)",
        "def Own(**kwargs): if kwargs.pop('lr', 1): pass return pl.Trainer(**kwargs)",
    ),
    "a last statement of several lines": (
        "def __init__(self):\n    super().__init__()\n    if self.max_epochs:\n        self.x = 1",
        "def Own(): trainer = pl.Trainer() if trainer.max_epochs: trainer.x = 1 return trainer",
    ),
    "decorators of a method": (
        "@torch.no_grad()\ndef told(self): return self.x\ndef fit(self, *given): super().fit(*given); self.told()",
        "Own = pl.Trainer @torch.no_grad() def told(trainer): return trainer.x "
        "def own_fit(trainer, *given): trainer.fit(*given); told(trainer)",
    ),
}


@pytest.mark.parametrize("what", READ)
def test_a_function_in_its_place(what: str, tmp_path: Path) -> None:
    body, expected = READ[what]
    assert expected in read(tmp_path, body)


FIT = "def fit(self, *given):\n    super().fit(*given)"

UNREAD = {
    "another base's constructor twice": (
        "def __init__(self):\n    super().__init__()\n    super().__init__()",
        MADE,
    ),
    "none of the base's": ("def __init__(self):\n    self.x = 1", MADE),
    "what the Trainer calls itself": ("def save_checkpoint(self, path): pass", MADE),
    "what it may call": ("def _run(self, model): pass", MADE),
    "a property": ("@property\ndef told(self): return 1", MADE + "\nprint(own.told)"),
    "a class method": ("@classmethod\ndef of(cls): return cls()", "own = Own.of()\nown.fit(model)\nOwn()"),
    "a setting of the class": ("max_epochs = 3", MADE),
    "a member of the Trainer's, set before": (
        "def __init__(self):\n    self.callbacks = []\n    super().__init__()",
        MADE,
    ),
    "itself, before it is made": ("def __init__(self):\n    made(self)\n    super().__init__()", MADE),
    "a member that may not be set": (
        "def __init__(self, lr):\n    if lr: self.x = 1\n    super().__init__()",
        MADE + "\nown.x",
    ),
    "a name that is taken": (
        "def __init__(self, **more):\n    x = more.pop('pl', 1)\n    super().__init__(**more)",
        MADE,
    ),
    "a return": ("def __init__(self):\n    super().__init__()\n    return None", MADE),
    "something given by place": (INIT, "own = Own(None)\nown.fit(model)"),
    "a class that derives from it": ("pass", MADE + "\nclass Further(Own): pass"),
    "a question for its kind": ("pass", MADE + "\nprint(isinstance(own, Own))"),
    "a name in quotes": ("pass", MADE + "\nKINDS = ['Own']"),
    "another name": ("pass", "Other = Own\nOther().fit(model)\n" + MADE),
    "a method of what may be one": (FIT, MADE + "\ndef go(trainer): trainer.fit(model)"),
    "a method that is handed on": (FIT, MADE + "\nstart = own.fit"),
    "a method by its name": (FIT, MADE + "\ngetattr(own, 'fit')(model)"),
    "a method by any name": (FIT, MADE + "\ngetattr(own, name)(model)"),
    "two objects": (FIT, MADE + "\nown = pl.Trainer()\nown.fit(model)"),
    "a copy of one": (FIT, MADE + "\nother = functools.partial(own)\nother.fit(model)"),
    "a member of another object's": (FIT, MADE + "\nbox.trainer.fit(model)"),
    "a tuner": (FIT, MADE + "\npl.tuner.Tuner(own).lr_find(model)"),
    "a method's name that is taken": ("def told(self): pass", MADE + "\nown.told()\ntold = 3"),
    "another method of the Trainer's": ("def fit(self, *given):\n    super()._run(*given)", MADE),
}


@pytest.mark.parametrize("what", UNREAD)
def test_what_no_function_can_do(what: str, tmp_path: Path) -> None:
    assert read(tmp_path, *UNREAD[what]) == ""
