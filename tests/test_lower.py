"""What becomes of the user's classes: Lightning's names go, all else stays as it was written."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass
from textwrap import dedent
from typing import Any

import pytest
from ddpgen.ir.rewrites import Rewrites
from ddpgen.link.project import read_project
from ddpgen.lower import lower
from ddpgen.source.definitions import Lowered
from ddpgen.source.lightning_names import in_plain_words
from ddpgen.source.source import Source


def lowering(text: str, data_has_base: bool = False) -> Lowered:
    """All statements of the file, lowered."""
    project = read_project(in_plain_words(Source.parse("model.py", dedent(text))))
    modules = [cls for cls in project.classes.values() if cls.kind == "module"]
    assert modules, "no class is known to be a LightningModule"
    return lower(project, project.statements, (), Rewrites(), data_has_base)


def lowered(text: str, data_has_base: bool = False) -> str:
    """As `lowering`, but the code alone."""
    result = lowering(text, data_has_base)
    return "".join(definition.code for definition in result.definitions).strip("\n") + "\n"


# ---- bases -----------------------------------------------------------------------------------------------

SPELLINGS = {
    "L": ("import lightning as L", "L.LightningModule"),
    "pl": ("import pytorch_lightning as pl", "pl.LightningModule"),
    "the old package, unaliased": ("import pytorch_lightning", "pytorch_lightning.LightningModule"),
    "lightning itself": ("import lightning", "lightning.LightningModule"),
    "lightning.pytorch in full": ("import lightning.pytorch", "lightning.pytorch.LightningModule"),
    "lightning.pytorch as pl": ("import lightning.pytorch as pl", "pl.LightningModule"),
    "pytorch from lightning": ("from lightning import pytorch as pl", "pl.LightningModule"),
    "pytorch under its own name": ("from lightning import pytorch", "pytorch.LightningModule"),
    "among other imports": ("import os, lightning as L", "L.LightningModule"),
    "bare": ("from lightning import LightningModule", "LightningModule"),
    "bare, from the old package": ("from pytorch_lightning import LightningModule", "LightningModule"),
    "bare, from lightning.pytorch": ("from lightning.pytorch import LightningModule", "LightningModule"),
    "renamed": ("from lightning import LightningModule as Base", "Base"),
    "from where it is defined": (
        "from lightning.pytorch.core.module import LightningModule",
        "LightningModule",
    ),
    "through a module deep inside": ("from lightning.pytorch import core", "core.LightningModule"),
    "in brackets": ("import lightning as L", "(L.LightningModule)"),
    "a star import": ("from lightning.pytorch import *", "LightningModule"),
    "a guarded import": (
        "try:\n    import lightning.pytorch as pl\nexcept ImportError:\n    import pytorch_lightning as pl",
        "pl.LightningModule",
    ),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_the_base_however_it_is_spelled(name: str) -> None:
    statement, base = SPELLINGS[name]
    assert "class Model(TrainModule):" in lowered(f"{statement}\n\n\nclass Model({base}):\n    pass\n")


BASES = {
    "a mixin before it": ("class M(Mixin, L.LightningModule):", "class M(Mixin, TrainModule):"),
    "a mixin behind it": ("class M(L.LightningModule, Mixin):", "class M(TrainModule, Mixin):"),
    "mixins on both sides": ("class M(A, L.LightningModule, b.B):", "class M(A, TrainModule, b.B):"),
    "a trailing comma": ("class M(L.LightningModule,):", "class M(TrainModule,):"),
    "a metaclass": (
        "class M(L.LightningModule, metaclass=ABCMeta):",
        "class M(TrainModule, metaclass=ABCMeta):",
    ),
    "a metaclass of one like Lightning's": (
        "class T(type(L.LightningModule)):\n    pass\nclass M(L.LightningModule, metaclass=T):",
        "class T(type):\n    pass\nclass M(TrainModule, metaclass=T):",
    ),
    "keywords of the class": ("class M(L.LightningModule, key=1):", "class M(TrainModule, key=1):"),
    "a generic": (
        "class M(L.LightningModule, Generic[T]):",
        "class M(TrainModule, Generic[T]):",
    ),
    "lines of their own, with comments": (
        "class M(\n    Mixin,  # first\n    L.LightningModule,  # second\n):",
        "class M(\n    Mixin,  # first\n    TrainModule,  # second\n):",
    ),
    "odd spaces": ("class  M( L.LightningModule ) :  # why", "class  M( TrainModule ) :  # why"),
    "a decorator": ("@final\nclass M(L.LightningModule):", "@final\nclass M(TrainModule):"),
    "a body on the same line": ("class M(L.LightningModule): x = 1", "class M(TrainModule): x = 1"),
}


@pytest.mark.parametrize("name", BASES)
def test_bases_of_a_module(name: str) -> None:
    before, after = (text if text.endswith("1") else f"{text}\n    pass" for text in BASES[name])
    assert lowered(f"import lightning as L\n\n{before}\n") == f"{after}\n"


# What a LightningDataModule is left with: nothing, or the script's own base where the class uses it.
DATA_BASES = {
    "alone": ("(L.LightningDataModule)", "", "(DataModule)"),
    "in brackets": ("((L.LightningDataModule))", "", "(DataModule)"),
    "with a trailing comma": ("(L.LightningDataModule,)", "", "(DataModule,)"),
    "a mixin before it": ("(Mixin, L.LightningDataModule)", "(Mixin)", "(Mixin, DataModule)"),
    "a mixin behind it": ("(L.LightningDataModule, Mixin)", "(Mixin)", "(DataModule, Mixin)"),
    "between two": ("(A, L.LightningDataModule, B)", "(A, B)", "(A, DataModule, B)"),
    "a metaclass": (
        "(L.LightningDataModule, metaclass=Meta)",
        "(metaclass=Meta)",
        "(DataModule, metaclass=Meta)",
    ),
}


@pytest.mark.parametrize("name", DATA_BASES)
def test_bases_of_a_data_module(name: str) -> None:
    before, without, with_base = DATA_BASES[name]
    text = "import lightning as L\n\nclass M(L.LightningModule):\n    pass\n\nclass D{}:  # data\n    pass\n"
    module = "class M(TrainModule):\n    pass\n\n"
    assert lowered(text.format(before)) == f"{module}class D{without}:  # data\n    pass\n"
    assert (
        lowered(text.format(before), data_has_base=True) == f"{module}class D{with_base}:  # data\n    pass\n"
    )


def test_bases_on_lines_of_their_own_lose_lightnings() -> None:
    text = """\
    import lightning as L

    class M(L.LightningModule):
        pass

    class D(
        Mixin,  # what is shared
        L.LightningDataModule,
    ):
        pass
    """
    code = lowered(text)
    assert "LightningDataModule" not in code
    assert "Mixin" in code
    assert "# what is shared" in code
    compile(code, "model.py", "exec")


def test_only_the_root_of_a_hierarchy_gets_the_scripts_base() -> None:
    text = """\
    import lightning as L
    from torch import nn

    class Root(L.LightningModule):
        pass

    class Other(nn.Module):
        pass

    class Leaf(Root):
        pass
    """
    after = """\
    class Root(TrainModule):
        pass

    class Other(nn.Module):
        pass

    class Leaf(Root):
        pass
    """
    assert lowered(text) == dedent(after)


def test_a_class_of_the_same_name_elsewhere_is_left_alone() -> None:
    text = "import lightning as L\nfrom mine import LightningModule\n\nclass A(LightningModule):\n    pass\n"
    code = lowered(text + "\nclass M(L.LightningModule):\n    pass\n")
    assert "class A(LightningModule):" in code
    assert "class M(TrainModule):" in code


def test_the_names_that_come_in_are_told() -> None:
    text = """\
    import lightning as L
    from lightning.pytorch.utilities.types import STEP_OUTPUT

    class M(L.LightningModule):
        def __init__(self, config):
            super().__init__()
            self.save_hyperparameters(config)

        def training_step(self, batch) -> STEP_OUTPUT:
            return batch
    """
    assert lowering(text).runtime_names == {"TrainModule", "as_hparams", "Any"}


def test_definitions_know_where_they_come_from() -> None:
    text = """\
    import lightning as L

    SCALE = 2


    class M(L.LightningModule):
        def forward(self, x):
            return SCALE * x
    """
    places = {
        definition.names: (definition.origin.path, definition.origin.first_line, definition.origin.last_line)
        for definition in lowering(text).definitions
    }
    assert places == {("SCALE",): ("model.py", 3, 3), ("M",): ("model.py", 6, 8)}


# ---- annotations -----------------------------------------------------------------------------------------

TYPES = "from lightning.pytorch.utilities.types import STEP_OUTPUT, OptimizerLRScheduler as Scheduler\n"

ANNOTATIONS = {
    "a result": ("def f(self) -> STEP_OUTPUT: ...", "def f(self) -> Any: ..."),
    "a result, renamed": ("def f(self) -> Scheduler: ...", "def f(self) -> Any: ..."),
    "a result, in full": (
        "def f(self) -> lightning.pytorch.utilities.types.STEP_OUTPUT: ...",
        "def f(self) -> Any: ...",
    ),
    "a parameter": ("def f(self, x: STEP_OUTPUT = None): ...", "def f(self, x: Any = None): ..."),
    "stars": (
        "def f(self, *x: STEP_OUTPUT, **y: STEP_OUTPUT): ...",
        "def f(self, *x: Any, **y: Any): ...",
    ),
    "inside of another": (
        "def f(self) -> dict[str, list[STEP_OUTPUT]]: ...",
        "def f(self) -> dict[str, list[Any]]: ...",
    ),
    "a union": ("def f(self) -> STEP_OUTPUT | None: ...", "def f(self) -> Any | None: ..."),
    "an attribute": ("last: STEP_OUTPUT = None", "last: Any = None"),
    "an attribute without a value": ("last: STEP_OUTPUT", "last: Any"),
    "one written as a string": ('def f(self) -> "STEP_OUTPUT": ...', 'def f(self) -> "Any": ...'),
    "a string inside of another": (
        'def f(self) -> list["STEP_OUTPUT"]: ...',
        'def f(self) -> list["Any"]: ...',
    ),
    "others": ("def f(self, x: Tensor) -> 'Tensor': ...", "def f(self, x: Tensor) -> 'Tensor': ..."),
    "one in prose": ('"""Gives STEP_OUTPUT: 1."""', '"""Gives STEP_OUTPUT: 1."""'),
}


@pytest.mark.parametrize("name", ANNOTATIONS)
def test_annotations(name: str) -> None:
    before, after = ANNOTATIONS[name]
    text = f"import lightning\n{TYPES}\nclass M(lightning.LightningModule):\n    {before}\n"
    assert lowered(text) == f"class M(TrainModule):\n    {after}\n"


def test_annotations_outside_of_classes() -> None:
    text = f"import lightning as L\n{TYPES}\nlast: STEP_OUTPUT = None\n\ndef f(x: STEP_OUTPUT): ...\n"
    code = lowered(text + "\nclass M(L.LightningModule): ...\n")
    assert "last: Any = None" in code
    assert "def f(x: Any): ..." in code


# ---- hyperparameters -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Saving:
    """A constructor's arguments, how it saves them, what stands there afterwards, and a call of the class."""

    arguments: str
    before: str
    after: str
    made: str

    def text(self, base: str, statement: str) -> str:
        arguments = f"self, {self.arguments}" if self.arguments else "self"
        constructor = f"    def __init__({arguments}):\n        super().__init__()\n        {statement}\n"
        return f"class M({base}):\n{constructor}"


ALL = "self.save_hyperparameters()"

SAVED = {
    "all": Saving("a, b=1", ALL, "self.hparams = HParams(a=a, b=b)", "M(3)"),
    "none": Saving("", ALL, "self.hparams = HParams()", "M()"),
    "annotated": Saving("a: int, b: str = 'x'", ALL, "self.hparams = HParams(a=a, b=b)", "M(1, b='y')"),
    "by position alone": Saving("a, /, b", ALL, "self.hparams = HParams(a=a, b=b)", "M(1, 2)"),
    "by keyword alone": Saving("a, *, b=2", ALL, "self.hparams = HParams(a=a, b=b)", "M(1, b=3)"),
    "with stars": Saving(
        "a, *rest, b=2, **others", ALL, "self.hparams = HParams(a=a, b=b, **others)", "M(1, 2, 3, c=4)"
    ),
    "all but one": Saving(
        "a, net", "self.save_hyperparameters(ignore='net')", "self.hparams = HParams(a=a)", "M(1, 2)"
    ),
    "all but some": Saving(
        "a, b, c", "self.save_hyperparameters(ignore=['a', 'c'])", "self.hparams = HParams(b=b)", "M(1, 2, 3)"
    ),
    "all but those in a tuple": Saving(
        "a, b, c", "self.save_hyperparameters(ignore=('a', 'c'))", "self.hparams = HParams(b=b)", "M(1, 2, 3)"
    ),
    "all, though more is said": Saving(
        "a", "self.save_hyperparameters(ignore=None, logger=False)", "self.hparams = HParams(a=a)", "M(1)"
    ),
    "by name": Saving(
        "a, b, c", "self.save_hyperparameters('a', 'c')", "self.hparams = HParams(a=a, c=c)", "M(1, 2, 3)"
    ),
    "a mapping": Saving(
        "config",
        "self.save_hyperparameters(config)",
        "self.hparams = as_hparams(config)",
        "M({'a': 1})",
    ),
    "a namespace": Saving(
        "args",
        "self.save_hyperparameters(args)",
        "self.hparams = as_hparams(args)",
        "M(Namespace(a=1, b=[2]))",
    ),
    "vars": Saving(
        "args",
        "self.save_hyperparameters(vars(args))",
        "self.hparams = as_hparams(vars(args))",
        "M(Namespace(a=1, b=[2]))",
    ),
    "a dict written there": Saving(
        "a",
        "self.save_hyperparameters({'a': a, 'b': 2})",
        "self.hparams = as_hparams({'a': a, 'b': 2})",
        "M(1)",
    ),
    "its keywords": Saving(
        "**kwargs",
        "self.save_hyperparameters(kwargs)",
        "self.hparams = as_hparams(kwargs)",
        "M(a=1, b=2)",
    ),
    "what was changed before": Saving(
        "a", f"a = a + 1; {ALL}", "a = a + 1; self.hparams = HParams(a=a)", "M(1)"
    ),
    "twice": Saving(
        "config, b",
        "self.save_hyperparameters(config); self.save_hyperparameters('b')",
        "self.hparams = as_hparams(config); self.hparams = updated_hparams(self.hparams, dict(b=b))",
        "M({'a': 1}, 2)",
    ),
}


@pytest.mark.parametrize("name", SAVED)
def test_saved_hyperparameters(name: str) -> None:
    case = SAVED[name]
    text = "import lightning as L\n\n" + case.text("L.LightningModule", case.before)
    assert lowered(text) == case.text("TrainModule", case.after)


HIERARCHIES = {
    "the leaf's arguments too": """\
    class Base(L.LightningModule):
        def __init__(self, lr, seed=1):
            super().__init__()
            self.save_hyperparameters()

    class M(Base):
        def __init__(self, width, lr=0.5):
            super().__init__(lr)
            self.net = width

    made = M(3)
    """,
    "a leaf that defines a class in a method": """\
    class Base(L.LightningModule):
        def __init__(self, lr, seed=1):
            super().__init__()
            self.save_hyperparameters()

    class M(Base):
        def __init__(self, width, lr=0.5):
            super().__init__(lr)
            self.net = self.make(width)

        def make(self, size):
            class Net(dict):
                def __init__(self, size):
                    super().__init__()
                    self.size = size

            return Net(size)

    made = M(3)
    """,
    "a leaf without a constructor": """\
    class Base(L.LightningModule):
        def __init__(self, lr, seed=1):
            super().__init__()
            self.save_hyperparameters()

    class M(Base):
        pass

    made = M(3)
    """,
    "keywords handed on": """\
    class Base(L.LightningModule):
        def __init__(self, lr, seed=1):
            super().__init__()
            self.save_hyperparameters()

    class Middle(Base):
        def __init__(self, width, **kwargs):
            super().__init__(**kwargs)
            self.width = width

    class M(Middle):
        def __init__(self, depth, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.depth = depth

    made = M(1, 2, lr=3)
    """,
    "both save": """\
    class Base(L.LightningModule):
        def __init__(self, lr):
            super().__init__()
            self.save_hyperparameters()

    class M(Base):
        def __init__(self, width, lr=2):
            super().__init__(lr)
            self.save_hyperparameters()

    made = M(3)
    """,
    "both save, the leaf less": """\
    class Base(L.LightningModule):
        def __init__(self, lr):
            super().__init__()
            self.save_hyperparameters()

    class M(Base):
        def __init__(self, width, lr=2):
            super().__init__(lr)
            self.save_hyperparameters(ignore="width")

    made = M(3)
    """,
    "the leaf alone saves": """\
    class Base(L.LightningModule):
        def __init__(self, lr):
            super().__init__()
            self.lr = lr

    class M(Base):
        def __init__(self, width, lr=2):
            super().__init__(lr)
            self.save_hyperparameters("width")

    made = M(3)
    """,
    "the base ignores": """\
    class Base(L.LightningModule):
        def __init__(self, lr):
            super().__init__()
            self.save_hyperparameters(ignore=["net"])

    class M(Base):
        def __init__(self, net, width):
            super().__init__(width)
            self.net = net

    made = M(1, 2)
    """,
    "the base ignores what the leaf takes with others": """\
    class Base(L.LightningModule):
        def __init__(self, net, width=2, lr=3):
            super().__init__()
            self.save_hyperparameters(ignore=["net"])

    class M(Base):
        def __init__(self, depth, **kwargs):
            super().__init__(**kwargs)

    made = M(1, net=2, lr=1)
    """,
    "two are ignored among others": """\
    class M(L.LightningModule):
        def __init__(self, depth, **kwargs):
            super().__init__()
            self.save_hyperparameters(ignore=["net", "loss", "depth"])

    made = M(1, net=2, lr=1)
    """,
    "the leaf ignores what the base was given": """\
    class Base(L.LightningModule):
        def __init__(self, net, lr=3):
            super().__init__()
            self.save_hyperparameters()

    class M(Base):
        def __init__(self, depth, **kwargs):
            super().__init__(**kwargs)
            self.save_hyperparameters(ignore=["net"])

    made = M(1, net=2, lr=1)
    """,
    "a middle class ignores": """\
    class Base(L.LightningModule):
        def __init__(self, lr=3):
            super().__init__()
            self.save_hyperparameters()

    class Middle(Base):
        def __init__(self, net, **kwargs):
            super().__init__(**kwargs)
            self.save_hyperparameters(ignore=["net"])

    class M(Middle):
        def __init__(self, depth, **kwargs):
            super().__init__(**kwargs)

    made = M(1, net=2, lr=1)
    """,
    "the base saves by name": """\
    class Base(L.LightningModule):
        def __init__(self, lr, seed):
            super().__init__()
            self.save_hyperparameters("lr")

    class M(Base):
        def __init__(self, net, width):
            super().__init__(width, 1)
            self.net = net

    made = M(1, 2)
    """,
    "the base saves an object": """\
    class Base(L.LightningModule):
        def __init__(self, config):
            super().__init__()
            self.save_hyperparameters(config)

    class M(Base):
        def __init__(self, width):
            super().__init__({"lr": 1})
            self.width = width

    made = M(2)
    """,
    "super in the old way": """\
    class Base(L.LightningModule):
        def __init__(self, lr):
            super(Base, self).__init__()
            self.save_hyperparameters()

    class M(Base):
        def __init__(self, width):
            super(M, self).__init__(width + 1)
            self.width = width

    made = M(2)
    """,
    "the base called by its name": """\
    class Base(L.LightningModule):
        def __init__(self, lr):
            super().__init__()
            self.save_hyperparameters()

    class M(Base):
        def __init__(self, width):
            Base.__init__(self, width + 1)
            self.width = width

    made = M(2)
    """,
    "on one way and on the other": """\
    class M(L.LightningModule):
        def __init__(self, a, b):
            super().__init__()
            if a:
                self.save_hyperparameters()
            else:
                self.save_hyperparameters(ignore="b")

    made = M(0, 1)
    """,
    "written to later": """\
    class M(L.LightningModule):
        def __init__(self, a, b):
            super().__init__()
            self.save_hyperparameters()
            self.hparams.a += 1
            self.hparams["c"] = self.hparams.b

    made = M(1, 2)
    """,
    "a mixin with a constructor": """\
    class Mixin:
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.mixed = True

    class Base(L.LightningModule):
        def __init__(self, lr):
            super().__init__()
            self.save_hyperparameters()

    class M(Mixin, Base):
        def __init__(self, width, lr=1):
            super().__init__(lr)
            self.width = width

    made = M(2)
    """,
    "a mixin with arguments": """\
    class Mixin:
        def __init__(self, rate=0.5, **kwargs):
            super().__init__(**kwargs)
            self.rate = rate

    class Base(L.LightningModule):
        def __init__(self, lr):
            super().__init__()
            self.save_hyperparameters()

    class M(Mixin, Base):
        def __init__(self, width, **kwargs):
            super().__init__(**kwargs)
            self.width = width

    made = M(2, lr=1)
    """,
    "read in the base's constructor": """\
    class Base(L.LightningModule):
        def __init__(self, lr, seed=1):
            super().__init__()
            self.save_hyperparameters()
            self.hparams.seen = dict(self.hparams)

    class Middle(Base):
        def __init__(self, depth, lr):
            super().__init__(lr=lr * 2)

    class M(Middle):
        def __init__(self, width, lr=4):
            width += 1
            super().__init__(3, lr + 1)
            self.width = width

    made = M(3)
    """,
    "changed in the base's constructor": """\
    class Base(L.LightningModule):
        def __init__(self, lr):
            super().__init__()
            self.save_hyperparameters()
            self.hparams.lr = 7

    class M(Base):
        def __init__(self, width, lr=4):
            super().__init__(lr)

    made = M(3)
    """,
    "a base that is used by itself too": """\
    class Base(L.LightningModule):
        def __init__(self, lr):
            super().__init__()
            self.save_hyperparameters()

    class M(Base):
        def __init__(self, width):
            super().__init__(width)

    made = M(3)
    made.hparams.inner = dict(Base(1).hparams)
    """,
    "the leaf drops what the base saved": """\
    class Base(L.LightningModule):
        def __init__(self, net, lr):
            super().__init__()
            self.save_hyperparameters()

    class M(Base):
        def __init__(self, width, net=None):
            super().__init__(net, lr=1)
            # these two
            self.save_hyperparameters(ignore=["net", "width"])  # go

    made = M(3)
    """,
    "a data module": """\
    class Base(L.LightningDataModule):
        def __init__(self, folder, seed=1):
            super().__init__()
            self.save_hyperparameters()

    class D(Base):
        def __init__(self, size):
            super().__init__("here", seed=2)
            self.size = size

    class M(L.LightningModule):
        pass

    made = D(1)
    """,
}


def hparams_under_lightning(text: str) -> dict[str, Any]:
    """The hyperparameters of `made`, as Lightning saves them."""
    names: dict[str, Any] = {"L": pytest.importorskip("lightning"), "Namespace": Namespace}
    exec(text, names)
    return dict(names["made"].hparams)


def hparams_of_script(text: str) -> dict[str, Any]:
    """The hyperparameters of `made`, as the lowered code saves them."""
    pytest.importorskip("torch")
    from ddpgen.strategies.loop import module as runtime

    names: dict[str, Any] = {**vars(runtime), "Namespace": Namespace}
    exec(lowered("import lightning as L\n" + text), names)
    return dict(names["made"].hparams)


@pytest.mark.parametrize("name", SAVED)
def test_values_are_those_that_lightning_saves(name: str) -> None:
    case = SAVED[name]
    text = case.text("L.LightningModule", case.before) + f"\nmade = {case.made}\n"
    assert hparams_of_script(text) == hparams_under_lightning(text)


@pytest.mark.parametrize("name", HIERARCHIES)
def test_class_hierarchies_save_what_they_save_under_lightning(name: str) -> None:
    text = dedent(HIERARCHIES[name])
    assert hparams_of_script(text) == hparams_under_lightning(text)


# ---- the rest, word for word -----------------------------------------------------------------------------

UNTOUCHED = {
    "comments and blank lines": """\
    # above

    def f(x):  # behind

        # inside
        return x   # spaces before


    # at the end of it
    """,
    "odd formatting": """\
    def f(x,y = 1,*,
          z):
        return {'a':x ,
                "b": [y,z,],}
    """,
    "docstrings": """\
    class A:
        '''Single quotes.

            Indented, with "quotes", {{ braces }} and {% blocks %}.
        '''

        def f(self):
            r'''Raw: \\d'''
    """,
    "strings that look like code": """\
    TEXT = "class M(L.LightningModule): self.save_hyperparameters()"
    OTHER = f"{TEXT!r:>{10}} L.LightningModule"
    """,
    "attributes of Lightning's names": """\
    def f(model):
        return model.LightningModule, model.STEP_OUTPUT, model.save_hyperparameters()
    """,
    "semicolons": """\
    x = 1; y = 2; print(x)
    """,
    "tabs": """\
    def f(x):
    \tif x:
    \t\treturn 1
    """,
    "a line that goes on": """\
    x = 1 + \\
        2
    """,
    "decorators": """\
    @cache
    # between
    @wraps(f)
    def g(): ...
    """,
    "what is not ASCII": """\
    größe = "ü 🦊"  # naïve
    """,
}


@pytest.mark.parametrize("name", UNTOUCHED)
def test_what_is_not_lightnings_stays(name: str) -> None:
    text = dedent(UNTOUCHED[name])
    code = lowered(f"import lightning as L\n{text}\nclass M(L.LightningModule):\n    pass\n")
    assert code.startswith(text)


def test_a_whole_class_word_for_word() -> None:
    before = '''\
    import lightning as L
    from lightning.pytorch.utilities.types import STEP_OUTPUT

    class M(L.LightningModule):  # the model
        """What it is.

        And more, of L.LightningModule and STEP_OUTPUT.
        """

        # a comment of the class's
        width : int=4

        def __init__(self,
                     hidden = 32,   # neurons
                     lr = 1e-3):
            super().__init__()
            # kept for later
            self.save_hyperparameters()   # all of them
            self.net = build( hidden )


        def training_step(self, batch, batch_idx)->STEP_OUTPUT:
            'loss'
            x,y = batch;  loss = self( x )-y
            return loss     # done
        # the end
    '''
    after = (
        before.split("\n\n", 1)[1]
        .replace("(L.LightningModule):", "(TrainModule):")
        .replace("self.save_hyperparameters()", "self.hparams = HParams(hidden=hidden, lr=lr)")
        .replace(")->STEP_OUTPUT:", ")->Any:")
    )
    assert lowered(before) == dedent(after)


def test_lowering_what_is_lowered_changes_nothing() -> None:
    text = """\
    import lightning as L

    class M(L.LightningModule):
        def __init__(self, a):
            super().__init__()
            self.save_hyperparameters()
    """
    once = lowered(text)
    other = "\n\nclass Other(L.LightningModule): ...\n"
    assert lowered("import lightning as L\n" + once + other).startswith(once)


def test_classes_of_one_name_stay_what_they_are() -> None:
    """The last one is read; what is changed of it is not changed of the others."""
    twins = """    class One: ...


    class Two:
        class One(Two): ...


    one = One()


    class One(list, L.LightningModule):
        if one:
            class Inner: ...
        else:
            class Inner(object): ...
    """
    after = twins.replace("L.LightningModule", "TrainModule")
    assert lowered("    import lightning as L\n\n\n" + twins) == dedent(after)


NAMES_OF_TYPES = {
    "Model = Union[L.LightningModule, None]": "Model = Union[Any, None]",
    'Told = Callable[["L.Trainer", list[L.Trainer]], None]': 'Told = Callable[["Any", list[Any]], None]',
    "Either = L.Trainer | L.LightningModule | None": "Either = Any | Any | None",
    'T = TypeVar("T", bound=L.LightningModule)': 'T = TypeVar("T", bound=Any)',
    "class Named(dict[str, L.Trainer]): ...": "class Named(dict[str, Any]): ...",
    # what stands for more than a type
    "Kind = Literal['L.Trainer']": "Kind = Literal['L.Trainer']",
    "a: Literal['L.Trainer']": "a: Literal['L.Trainer']",
    "Asked = Union[L.Trainer, int]\nis_one = isinstance(1, Asked)": (
        "Asked = Union[L.Trainer, int]\nis_one = isinstance(1, Asked)"
    ),
    "kinds = Own[L.Trainer]": "kinds = Own[L.Trainer]",
    "class Own:\n    kinds = list[L.Trainer]": "class Own:\n    kinds = list[L.Trainer]",
    "name = 'L.Trainer'": "name = 'L.Trainer'",
}


@pytest.mark.parametrize("before", NAMES_OF_TYPES)
def test_names_of_types(before: str) -> None:
    head = "import lightning as L\nfrom typing import Callable, Literal, TypeVar, Union\n\n\n"
    model = "class M(L.LightningModule): ...\n\n\n"
    assert lowered(head + model + before + "\n").partition("...\n\n\n")[2].strip() == NAMES_OF_TYPES[before]
