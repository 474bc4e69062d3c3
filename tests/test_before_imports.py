"""What code does before it imports something: a script does it in the same order."""

from __future__ import annotations

import importlib
import os
import random
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from ddpgen import CompileError, build

NET = """
    class Net(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)

        def training_step(self, batch, batch_idx):
            return self.layer(batch[0]).mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)
    """
FIT = """

    def main():
        L.Trainer(max_epochs=1).fit(Net(), DataLoader(TensorDataset(torch.rand(4, 2))))
    """
MODEL = NET + FIT
HEAD = """
    import lightning as L
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    """
GUARD = """
    if __name__ == "__main__":
        main()
    """


def code(*parts: str) -> str:
    return "\n".join(map(dedent, parts))


def write(folder: Path, files: dict[str, str]) -> Path:
    """The project's files, of which `main.py` is the entry."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "main.py"


def script_of(folder: Path, files: dict[str, str], strategy: str = "ddp") -> str:
    """The script's text, which also stands beside the entry."""
    text = build(write(folder, files), strategy=strategy)
    (folder / "train.py").write_text(text)
    return text


def in_order(text: str, *parts: str) -> bool:
    """Whether lines stand in a text in this order."""
    lines = text.split("\n")
    places = [lines.index(part) for part in parts]
    return places == sorted(places)


# ---- what is imported for what it does --------------------------------------------------------------------


def test_packages_that_act_are_imported_in_the_order_of_the_code(tmp_path: Path) -> None:
    """Of those that nothing uses, where they are known to act, or the code says that it means it."""
    imports = """
        import comet_ml
        import environments  # noqa: F401
        import tabulate
        import torch.fft as unused  # noqa: F401
        from unsloth import FastModel
        from accelerate import Accelerator
        """
    used = "KIND = Accelerator"
    text = script_of(tmp_path, {"main.py": code(imports, HEAD, used, MODEL, "print(KIND)", GUARD)})
    assert not {"tabulate", "fft"} & {*re.findall(r"\w+", text)}
    assert in_order(
        text,
        "import comet_ml  # noqa: F401  # for what it does",
        "import environments  # noqa: F401  # for what it does",
        "import unsloth  # noqa: F401  # for what it does",
        "from accelerate import Accelerator",
    )


# ---- where statements stand ------------------------------------------------------------------------------


def test_what_the_guard_imports_again_is_there_above(tmp_path: Path) -> None:
    """The guard runs last: what it binds is not what statements above it look up."""
    net = NET.replace("__init__(self)", "__init__(self, config: Config)")
    files = {
        "parts/__init__.py": "",
        "parts/config.py": "class Config:\n    pass\n",
        "parts/nets.py": code(HEAD, "from .config import Config", net),
        "main.py": code(
            "import sys",
            HEAD,
            'sys.path.append("more")',
            "from parts.config import Config",
            "from parts.nets import Net",
            FIT.replace("Net()", "Net(Config())"),
            GUARD.replace("main()", "import sys\n        main()"),
        ),
    }
    assert in_order(script_of(tmp_path, files), "import sys", 'sys.path.append("more")', "    import sys")


def test_nothing_stands_between_imports_where_nothing_did(tmp_path: Path) -> None:
    text = script_of(tmp_path, {"main.py": code(HEAD, "torch.set_num_threads(1)", MODEL, GUARD)})
    assert in_order(
        text, "import torch", "from tqdm import tqdm", "class Net(TrainModule):", "torch.set_num_threads(1)"
    )


@pytest.mark.parametrize(
    "line",
    [
        'os.environ["OMP_NUM_THREADS"] = "1"',
        'os.environ.setdefault("OMP_NUM_THREADS", "1")',
        'os.environ |= {"OMP_NUM_THREADS": "1"}',
        'sys.path.append("lib")',
        'warnings.filterwarnings("ignore")',
    ],
)
def test_a_statement_stands_above_torch(tmp_path: Path, line: str) -> None:
    text = script_of(tmp_path, {"main.py": code("import os, sys, warnings", line, HEAD, MODEL, GUARD)})
    assert in_order(text, line, "import torch", "import torch.distributed as dist", "from tqdm import tqdm")


def test_what_it_needs_comes_along(tmp_path: Path) -> None:
    early = """
        import argparse
        import os

        NAME = "OMP_NUM_THREADS"


        def threads():
            return parser.parse_args().threads


        parser = argparse.ArgumentParser()
        parser.add_argument("--threads", default="1")
        os.environ[NAME] = threads()
        """
    text = script_of(tmp_path, {"main.py": code(early, HEAD, MODEL, GUARD)})
    names = "parser = argparse.ArgumentParser()", "def threads():", "os.environ[NAME] = threads()"
    assert in_order(text, 'NAME = "OMP_NUM_THREADS"', "os.environ[NAME] = threads()", "import torch")
    assert in_order(text, names[0], names[2], "import torch")
    assert in_order(text, names[1], names[2], "import torch")


DECORATORS = {
    "wraps": (
        """
        def keeping(function):
            \"""Which says what it runs.\"""

            @wraps(function)
            def kept(*args, **kwargs):
                log.info("run")
                return function(*args, **kwargs)

            return kept
        """,
        ('log.warning("late")', "import scipy.stats", "def main():"),
    ),
    "calls": (
        """
        def keeping(function):
            log.info(function)
            return function
        """,
        (),
    ),
    "is made": (
        """
        def keeping_as(name):
            print(name)

            def keeping(function):
                def kept():
                    log.info(name)
                    return function()

                return kept

            return keeping
        """,
        ("def main():", 'log.warning("late")', "import scipy.stats"),
    ),
    "is made in two ways": (
        """
        def keeping_as(name):
            def keeping(function):
                def kept():
                    return function()

                return kept

            if name:
                return lambda function: function()
            return keeping
        """,
        (),
    ),
}


@pytest.mark.parametrize("name", DECORATORS)
def test_a_decorated_training_stays_unless_it_may_run_there(tmp_path: Path, name: str) -> None:
    """What stands between imports uses what the decorated function uses, too."""
    decorator, parts = DECORATORS[name]
    log = """
        import logging
        from functools import wraps

        log = logging.Logger("net")
        log.addHandler(logging.StreamHandler())
        """
    used = '@keeping_as("main")' if "def keeping_as" in decorator else "@keeping"
    model = MODEL.replace("    def main():", f"    {used}\n    def main():\n        log.info('begins')")
    model = model.replace("fit(Net()", "fit(Wide()")
    behind = (
        'log.warning("late")\nimport scipy.stats\n\n\nclass Wide(Net):\n    scale = scipy.stats.norm.pdf(0)\n'
    )
    files = {"main.py": code(HEAD, log, decorator, model, behind, GUARD)}
    if parts:
        assert in_order(script_of(tmp_path, files), *parts)
    else:
        with pytest.raises(CompileError, match="Imports stand below this"):
            script_of(tmp_path, files)


LATE = {
    "of the environment": ('os.environ["LATE"] = "1"', True),
    "by what is made late": ('late = logging.Logger("late")\nlate.warning("late")', True),
    "by what is made late, of what was there": ('late = log.getChild("late")\nlate.warning("late")', False),
    "by what was made of it": ("noted.append(1)", False),
}


@pytest.mark.parametrize(("late", "is_built"), LATE.values(), ids=LATE)
def test_a_decorated_training_stays_where_nothing_later_sees_what_it_may_change(
    tmp_path: Path, late: str, is_built: bool
) -> None:
    early = """
        import logging
        import os

        log = logging.Logger("net")
        log.addHandler(logging.StreamHandler())
        noted = log.handlers
        log.warning("early")


        def noting(function):
            log.info(function)
            return function
        """
    used = "\n    @noting\n    def main():\n        late_log()"
    behind = f"""{late}
import scipy.stats


def late_log():
    return {'late' if late.startswith('late') else 'None'}


class Wide(Net):
    scale = scipy.stats.norm.pdf(0)
"""
    model = MODEL.replace("    def main():", used).replace("fit(Net()", "fit(Wide()")
    files = {"main.py": code(HEAD, early, model, behind, GUARD)}
    if is_built:
        parts = 'log.warning("early")', late.splitlines()[-1], "import scipy.stats", "@noting"
        assert in_order(script_of(tmp_path, files), *parts)
    else:
        with pytest.raises(CompileError, match="Imports stand below this"):
            script_of(tmp_path, files)


@pytest.mark.parametrize(
    "line",
    [
        'NAMES["b"] = 2',
        "NAMES.update(b=int(2.5))",
        'log = logging.getLogger("net")',
        'note("b")',
        "args = parser.parse_args()",
    ],
)
def test_what_no_import_feels_stays(tmp_path: Path, line: str) -> None:
    early = """
        import argparse
        import logging

        NAMES = {"c": 3}
        parser = argparse.ArgumentParser()


        def note(name):
            NAMES[name] = 1


        """
    model = MODEL.replace("def main():", "def main():\n        print(NAMES, log, args)")
    rest = "log = args = None"
    text = script_of(tmp_path, {"main.py": code(early, rest, line, HEAD, model, GUARD)})
    assert in_order(text, "import torch", "from tqdm import tqdm", line)


def test_between_the_imports_of_modules_that_become_part_of_the_script(tmp_path: Path) -> None:
    files = {
        "main.py": code("from first import width", "from second import Net, main", "print(width)", GUARD),
        "first.py": code("import lightning, os", 'os.environ["MPLBACKEND"] = "Agg"', "width = 3"),
        "second.py": code(HEAD, "import scipy.stats", MODEL.replace("0.1", "scipy.stats.norm.pdf(0)")),
    }
    text = script_of(tmp_path, files)
    assert in_order(
        text, "import torch", 'os.environ["MPLBACKEND"] = "Agg"', "import scipy.stats", "width = 3"
    )


def test_with_the_machinery_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "beside.yaml").write_text("strategy: ddp\nruntime: beside\n")
    files = {
        "main.py": code(
            "import lightning as L", "L.seed_everything(1)", "from noise import noise", HEAD, MODEL, GUARD
        ).replace("TensorDataset(torch.rand(4, 2))", "TensorDataset(noise.expand(4, 2))"),
        "noise.py": "import torch\n\nnoise = torch.rand(1)\n",
    }
    write(tmp_path, files)
    text = build(tmp_path / "main.py", strategy=tmp_path / "beside.yaml")
    assert in_order(text, "seed_run(1)", "from noise import noise")
    assert text.index("seed_run") < text.index("\nseed_run(1)")


# ---- imports behind the training -------------------------------------------------------------------------


def test_an_import_behind_the_training_stays_there(tmp_path: Path) -> None:
    behind = "main()\nimport scipy\n\nprint(scipy.__name__)\n"
    text = script_of(tmp_path, {"main.py": code(HEAD, MODEL, behind)})
    assert in_order(text, "class Net(TrainModule):", "main()", "import scipy", "print(scipy.__name__)")


def test_an_import_behind_the_training_that_the_model_needs_is_refused(tmp_path: Path) -> None:
    behind = """
        main()
        import scipy.stats


        class Wide(Net):
            scale = scipy.stats.norm.pdf(0)


        L.Trainer(max_epochs=1).fit(Wide(), DataLoader(TensorDataset(torch.rand(4, 2))))
        """
    with pytest.raises(CompileError) as raised:
        script_of(tmp_path, {"main.py": code(HEAD, MODEL, behind)})
    (said,) = raised.value.diagnostics
    assert (said.code, said.span.line if said.span else 0) == ("imported-behind-training", 23)


# ---- what a run says -------------------------------------------------------------------------------------


@pytest.mark.processes
def test_threads_are_those_that_the_environment_says_before_torch_is_imported(tmp_path: Path) -> None:
    early = 'import os\nos.environ["OMP_NUM_THREADS"] = "1"\n'
    said = MODEL.replace("def main():", 'def main():\n        print("threads", torch.get_num_threads())')
    script_of(tmp_path, {"main.py": code(early, HEAD, said, GUARD)}, "single")
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    command = [sys.executable, "train.py"]
    shown = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert "threads 1" in shown.stdout


@pytest.mark.parametrize("seed", range(16))
def test_statements_and_imports_run_in_the_order_in_which_they_stand(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = random.Random(seed)
    monkeypatch.syspath_prepend(tmp_path)
    script_of(tmp_path, dict(_project(chosen)))
    runs = [_noted(tmp_path / name, monkeypatch) for name in ("main.py", "train.py")]
    assert runs[0] == runs[1]
    assert len(runs[0].split()) > 2


def _project(chosen: random.Random) -> Iterator[tuple[str, str]]:
    """Modules that note when they run: plain ones, which a script imports, and others that become part of it."""
    for name in ("p0", "p1", "p2"):
        yield f"{name}.py", f'import os\nos.environ["NOTED"] += " {name}"\nvalue = 1\n'
    inner = ["p0", "p1", "p2"]
    for name in ("e0", "e1"):
        lines = _mixed(chosen, name, inner)
        yield f"{name}.py", "\n".join(["import lightning", "import os", *lines, "value = 1", ""])
        inner = [*inner, name]
    lines = _mixed(chosen, "main", inner)
    used = [line.rpartition(" ")[2] for line in lines if line.startswith("from")]
    head = code(HEAD, "import os").strip().split("\n")
    where = chosen.randrange(len(head))
    total = MODEL.replace("def main():", f"def main():\n        print({', '.join(used)})")
    yield "main.py", code("\n".join(["import os", *head[:where], *lines, *head[where:]]), total, GUARD)


def _mixed(chosen: random.Random, name: str, modules: list[str]) -> list[str]:
    """Imports of modules, and statements that note that they run."""
    picked = chosen.sample(modules, chosen.randint(1, len(modules)))
    lines = [f"from {each} import value as {each}_in_{name}" for each in picked]
    for number in range(chosen.randint(1, 3)):
        note = f'os.environ["NOTED"] += " {name}.{number}"'
        kinds = [note], [f"def note_{name}_{number}():", f"    {note}", f"note_{name}_{number}()"]
        place = chosen.randrange(len(lines) + 1)
        lines[place:place] = ["\n".join(chosen.choice(kinds))]
    uses = [f"seen_{name} = [{', '.join(f'{each}_in_{name}' for each in picked)}]"]
    return [*lines, *(uses if name != "main" else [])]


def _noted(path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a program's modules note when it is imported."""
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name in ("p0", "p1", "p2", "e0", "e1")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setenv("NOTED", "")
    runpy.run_path(str(path), run_name="not_main")
    return os.environ["NOTED"]


SETTINGS = "SEED = 5\n\n\ndef settle(value):\n    global SEED\n    SEED = value\n"
LIT = code(HEAD, "{reads}", NET)
LATE = """
    def main():
        {sets}
        from lit import Net

        L.Trainer(max_epochs=1).fit(Net(), DataLoader(TensorDataset(torch.rand(4, 2))))
    """
FIRST = "from lit import Net\n"


@pytest.mark.parametrize(
    ("sets", "reads", "name"),
    [
        ("settings.SEED = 2", "from settings import SEED\n\nDOUBLE = SEED * 2", "settings.SEED"),
        ("settings.settle(2)", "from settings import SEED\n\nDOUBLE = SEED * 2", "settings.SEED"),
        ("settings.SEED = 2", "import settings\n\nDOUBLE = settings.SEED * 2", "settings.SEED"),
        ("settings.SEED = 2", "from other import DOUBLE\n\nprint(DOUBLE)", "settings.SEED"),
        (
            'os.environ["SEED"] = "2"',
            'import os\n\nDOUBLE = int(os.environ.get("SEED", 1))',
            'os.environ["SEED"]',
        ),
    ],
)
def test_what_a_main_sets_before_it_imports_what_reads_it(
    tmp_path: Path, sets: str, reads: str, name: str
) -> None:
    files = {"settings.py": SETTINGS, "other.py": "import settings\n\nDOUBLE = settings.SEED * 2\n"}
    files |= {"lit.py": LIT.replace("{reads}", f"{reads}\nprint(DOUBLE)")}
    main = code("import os\n\nimport settings", HEAD, LATE.replace("{sets}", sets), GUARD)
    with pytest.raises(
        CompileError, match=re.escape(f"This is `{name}` as it is when the module is imported")
    ):
        build(write(tmp_path, {**files, "main.py": main}))
    write(
        tmp_path,
        {
            "main.py": main.replace(FIRST.strip(), "pass").replace(
                "import settings", f"import settings\n{FIRST}", 1
            )
        },
    )
    build(tmp_path / "main.py")  # as all is imported first


def test_what_is_set_before_a_name_is_imported(tmp_path: Path) -> None:
    files = {"settings.py": SETTINGS}
    last = "from settings import SEED\n\nprint(SEED)"
    main = code("import settings\n\nsettings.SEED = 2", last, HEAD, MODEL, GUARD)
    with pytest.raises(CompileError, match=r"This is `settings\.SEED`"):
        build(write(tmp_path, {**files, "main.py": main}))
    main = code("import settings", last, "settings.SEED = 2", HEAD, MODEL, GUARD)
    build(write(tmp_path, {**files, "main.py": main}))
