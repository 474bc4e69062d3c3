"""What modules do when they are imported: late, and in classes that their bases note."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from ddpgen import CompileError, build
from ddpgen.compile import compile_script
from ddpgen.spec.load import load_spec

NET = """
    import os
    import random
    import warnings
    import lightning as L
    import numpy as np
    import torch
    {done}

    class Net(L.LightningModule):
        width = 2

        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)

        def training_step(self, batch, batch_idx):
            return self.layer(batch[0]).mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)
    """
MAIN = """
    import lightning as L
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    {top}

    def main():
        L.seed_everything(7)
        {inner}
        L.Trainer(max_epochs=1).fit(Net(), DataLoader(TensorDataset(torch.rand(4, 2))))

    if __name__ == "__main__":
        {guard}
        main()
    """
BY_NAME = """
    import hydra
    import lightning as L
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    @hydra.main(version_base=None, config_path="conf", config_name="config")
    def main(cfg):
        L.seed_everything(7)
        model = hydra.utils.instantiate(cfg.model)
        L.Trainer(max_epochs=1).fit(model, DataLoader(TensorDataset(torch.rand(4, 2))))

    if __name__ == "__main__":
        main()
    """
OF_THE_RUN = [
    "torch.manual_seed(1)",
    "torch.set_default_dtype(torch.float64)",
    "NOISE = torch.randn(2); print(NOISE)",
    "random.seed(1)",
    "np.random.seed(1)",
    "L.seed_everything(1)",
]
SETTINGS = [
    "torch.backends.cudnn.benchmark = True",
    "torch.set_float32_matmul_precision('high')",
    "warnings.filterwarnings('ignore')",
    "os.environ['TOKENIZERS_PARALLELISM'] = 'false'",
    "os.environ.setdefault('TOKENIZERS_PARALLELISM', 'false')",
]
ALONE = [
    "RNG = np.random.default_rng(3); NOISE = RNG.normal(size=2)",
    "ORDER = random.Random(3).sample(range(4), 2)",
]
UNKNOWN = ["torch.load = None", "torch.hub.set_dir('weights')"]
IMPORT = "from net import Net"
PLACES = {"a function": {"inner": IMPORT}, "a branch": {"guard": IMPORT}}


def write(folder: Path, done: str, **places: str) -> Path:
    (folder / "net.py").write_text(dedent(NET).format(done=done))
    main = folder / "main.py"
    main.write_text(
        dedent(MAIN).format(**{each: places.get(each, "pass") for each in ("top", "inner", "guard")})
    )
    return main


def said(path: Path) -> list[str]:
    """The codes of the errors that stop a build; none: it is written."""
    try:
        build(path, strategy="ddp")
    except CompileError as error:
        return [f"{each.code} {Path(each.span.path).name}:{each.span.line}" for each in error.diagnostics]
    return []


@pytest.mark.parametrize("done", UNKNOWN)
@pytest.mark.parametrize("where", PLACES.values(), ids=PLACES)
def test_what_may_be_done_too_early_is_told(tmp_path: Path, where: dict[str, str], done: str) -> None:
    compiled = compile_script(write(tmp_path, done, **where), load_spec("ddp"))
    told = [each.span.line for each in compiled.notes if each.code == "done-early" and each.span]
    assert told == [8]
    assert done.replace("'", '"') in compiled.text


@pytest.mark.parametrize("done", OF_THE_RUN)
@pytest.mark.parametrize("where", PLACES.values(), ids=PLACES)
def test_what_would_be_done_too_early_stops_the_build(
    tmp_path: Path, where: dict[str, str], done: str
) -> None:
    assert said(write(tmp_path, done, **where)) == ["done-too-early net.py:8"]


@pytest.mark.parametrize("done", ALONE)
@pytest.mark.parametrize("where", PLACES.values(), ids=PLACES)
def test_generators_of_a_module_s_own_are_made_anywhere(
    tmp_path: Path, where: dict[str, str], done: str
) -> None:
    path = write(tmp_path, f"{done}; print({done.split()[0]})", **where)
    assert done.partition(";")[0] in build(path, strategy="ddp")


@pytest.mark.parametrize("done", SETTINGS)
@pytest.mark.parametrize("where", PLACES.values(), ids=PLACES)
def test_settings_are_made_first(tmp_path: Path, where: dict[str, str], done: str) -> None:
    path = write(tmp_path, done, **where)
    assert done.replace("'", '"') in build(path, strategy="ddp")


@pytest.mark.parametrize("done", [*OF_THE_RUN, *UNKNOWN, *SETTINGS])
@pytest.mark.parametrize("top", [IMPORT, f"try:\n    {IMPORT}\nexcept ImportError:\n    raise"])
def test_what_is_imported_at_the_top_is_done_there(tmp_path: Path, top: str, done: str) -> None:
    text = build(write(tmp_path, done, top=top), strategy="ddp")
    assert done.partition("(")[0].partition(" ")[0].replace("'", '"').replace("L.", "") in text


def test_what_an_own_function_draws_is_seen(tmp_path: Path) -> None:
    done = "def weights():\n    return torch.rand(2)\nclass Table:\n    entries = weights()\nprint(Table.entries)"
    assert said(write(tmp_path, done, inner=IMPORT)) == ["done-too-early net.py:10"]


@pytest.mark.parametrize("done", OF_THE_RUN)
def test_what_is_done_for_an_object_made_by_name(tmp_path: Path, done: str) -> None:
    main = write(tmp_path, done)
    main.write_text(dedent(BY_NAME))
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "config.yaml").write_text("model:\n  _target_: net.Net\n")
    assert said(main) == ["done-too-early net.py:8"]


BASE = """
    import lightning as L
    import torch
    KNOWN = {{}}

    class Base(L.LightningModule):
        noted = {{}}

        def __init_subclass__(cls, **options):
            super().__init_subclass__(**options)
            {notes}

        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)

        def training_step(self, batch, batch_idx):
            return self.layer(batch[0]).mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    class Net(Base):
        pass

    class Other(Base):
        pass
    """
NOTING = {
    "a variable, which is read": ("KNOWN[cls.__name__] = cls", "from net import KNOWN; print(KNOWN)", True),
    "a variable, which is not": ("KNOWN[cls.__name__] = cls", "pass", False),
    "an attribute, which is read": ("cls.noted[cls.__name__] = cls", "print(Net.noted)", True),
    "an attribute, which is not": ("cls.noted[cls.__name__] = cls", "pass", False),
    "a check": ("assert cls.__name__", "pass", False),
    "nothing, and it is asked": ("pass", "from net import Base; print(Base.__subclasses__())", True),
}


@pytest.mark.parametrize(("notes", "top", "is_needed"), NOTING.values(), ids=NOTING)
def test_classes_that_their_base_notes(tmp_path: Path, notes: str, top: str, is_needed: bool) -> None:
    main = write(tmp_path, "", top=f"{IMPORT}\n{top}")
    (tmp_path / "net.py").write_text(dedent(BASE).format(notes=notes))
    assert ("class Other(" in build(main, strategy="ddp")) is is_needed


# ---- packages --------------------------------------------------------------------------------------------

LATER = {
    "a package": ("import rich.table", True),
    "what Lightning has imported": ("import fsspec", False),
    "the standard library": ("import colorsys", False),
    "none": ("pass", False),
}


@pytest.mark.parametrize(("inner", "draws"), LATER.values(), ids=LATER)
def test_what_a_package_draws_that_is_imported_behind_the_seed(
    tmp_path: Path, inner: str, draws: bool
) -> None:
    """`rich`, which many packages import, draws one of Python's random numbers: under Lightning before the seed."""
    drawn = "import random; print('drawn', random.random())"
    main = write(tmp_path, "", top=IMPORT, inner=f"{inner}; {drawn}")
    script = tmp_path / "train.py"
    script.write_text(build(main, strategy="single"))
    assert ("rich.style" in script.read_text()) is draws
    if draws:
        run = subprocess.run(
            [sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert f"drawn {random.Random(7).random()}" in run.stdout
