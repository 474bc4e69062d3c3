"""Names that are imported and then bound anew: each use sees what it sees in the modules."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from ddpgen import build
from ddpgen.diagnostics import CompileError
from ddpgen.link.link import link
from worlds import ran

BASE = """\
    class Net:
        said = "base"
    def said(cls):
        return cls.said
    """

OTHER = """\
    names = ["old"]
    class Net:
        said = "of the other"
    """

MODULES = {
    "a class of its base's name": """
        from base import Net
        class Net(Net):
            more = Net.said + " and more"
        """,
    "an alias for those that import it": """
        from base import Net
        class Other(Net):
            said = "other"
        Net = Other
        """,
    "a function around itself": """
        from functools import partial
        from base import Net, said
        said = partial(said, Net)
        """,
    "a library's": """
        from math import sqrt as Net
        before = Net(4)
        Net = str(before)
        """,
    "a library's, and a function above": """
        from math import sqrt as Net
        def root():
            return Net(4)
        before = root()
        Net = str(before)
        """,
    "a branch that is not taken": """
        import sys
        from base import Net
        if sys.version_info < (3,):
            Net = None
        """,
    "a branch that is taken": """
        import sys
        from base import Net
        if Net.said:
            Net = [Net.said]
        """,
    "a function that is called in between": """
        from base import Net
        def ask():
            return Net.said
        first = ask()
        class Net(Net):
            said = "new"
        second = ask()
        """,
    "a sum": """
        from base import Net
        from other import names
        names += ["new"]
        Net = names
        """,
    "imported from two modules": """
        from base import Net
        before = Net.said
        class Own(Net):
            pass
        from other import Net
        after = Own.said, Net.said
        """,
    "bound before it is imported": """
        Net = None
        def ask():
            return Net.said
        from base import Net
        answer = ask()
        """,
    "a star's": """
        from base import *
        class Net(Net):
            more = said(Net)
        """,
    "a star's, bound anew alone": """
        from base import *
        Net = 3
        """,
    "a builtin": """
        from functools import partial
        from base import Net
        sorted = partial(sorted, reverse=True)
        Net = sorted([1, 2, 3])
        """,
}

MAIN = """\
    import net
    from net import Net
    from base import Net as Base
    def shown():
        return getattr(Net, "__name__", Net), getattr(Net, "said", ""), Base.said
    {asks}
    result = shown()
    """

ASKS = {
    "a class of its base's name": "more = net.Net.more",
    "a function around itself": "more = net.said()",
    "a library's, and a function above": "more = net.before",
    "a function that is called in between": "more = net.first, net.second, net.ask()",
    "imported from two modules": "more = net.before, net.after",
    "a star's": "more = net.Net.more",
    "bound before it is imported": "more = net.answer",
}


@pytest.mark.parametrize("module", MODULES)
def test_the_script_sees_what_the_modules_see(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = dedent(MAIN).format(asks=ASKS.get(module, "more = None"))
    files = {"main": main, "net": MODULES[module], "base": BASE, "other": OTHER}
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(dedent(text))
    text = link(tmp_path / "main.py", tmp_path, embeds_all=True).source.text
    assert "from base" not in text
    (tmp_path / "linked.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    for each in files:
        monkeypatch.delitem(sys.modules, each, raising=False)
    wanted, given = (runpy.run_path(str(tmp_path / name)) for name in ("main.py", "linked.py"))
    for each in files:
        sys.modules.pop(each, None)
    _, *said = wanted["result"]
    assert (given["result"][1:], given["more"]) == (tuple(said), wanted["more"])


def test_one_file_alone(tmp_path: Path) -> None:
    """What the script itself imports too is imported once."""
    model = """
        from functools import partial
        import lightning as L
        import torch
        from torch import nn
        from torch.utils.data import DataLoader, TensorDataset
        from tqdm import tqdm
        tqdm = partial(tqdm, ncols=40)

        class Net(L.LightningModule):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 1)

            def training_step(self, batch, batch_idx):
                return self.layer(batch[0]).square().mean()

            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), lr=0.1)

            def train_dataloader(self):
                return DataLoader(TensorDataset(torch.stack([torch.ones(2) for _ in tqdm(range(4))])))
        """
    (tmp_path / "model.py").write_text(dedent(model))
    built = build(tmp_path / "model.py", "single")
    assert "from tqdm import tqdm as tqdm_\n" in built
    assert "tqdm = partial(tqdm_, ncols=40)\n" in built
    assert "bar = tqdm_(train_loader" in built


def test_lightnings_name_is_tried_and_then_imported(tmp_path: Path) -> None:
    """By two names of the package: the module's class has the second one, and nothing else asks for the first."""
    own_logger = """
        try:
            from lightning.pytorch.loggers.logger import Logger
        except ImportError:
            pass
        from pytorch_lightning.loggers.logger import Logger

        class Printing(Logger):
            name = version = "printing"

            def log_hyperparams(self, params, *args, **kwargs):
                pass

            def log_metrics(self, metrics, step=None):
                print(metrics)
        """
    main = """
        import lightning as L
        import torch
        from printing import Printing

        class Net(L.LightningModule):
            def __init__(self):
                super().__init__()
                self.weight = torch.nn.Parameter(torch.ones(1))

            def training_step(self, batch, batch_idx):
                return (self.weight * batch).sum()

            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), lr=0.1)

        if __name__ == "__main__":
            L.Trainer(max_epochs=1, logger=Printing()).fit(Net(), [torch.ones(1)])
        """
    (tmp_path / "printing.py").write_text(dedent(own_logger))
    (tmp_path / "model.py").write_text(dedent(main))
    built = build(tmp_path / "model.py", "single")
    assert "class Printing(Logger):" in built
    assert "loggers=logger_list(Printing())" in " ".join(built.split())


def test_a_module_of_the_projects_that_a_variable_holds(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("import base\nif base.Net:\n    base = 3\nprint(base)\n")
    (tmp_path / "base.py").write_text(dedent(BASE))
    with pytest.raises(CompileError) as caught:
        link(tmp_path / "main.py", tmp_path, embeds_all=True)
    assert {each.code for each in caught.value.diagnostics} == {"module-as-value"}


@pytest.mark.parametrize(
    "statement",
    [
        "if input():\n    if len(input()):\n        width = 2\n    else:\n        width = 4\n    print(f'{width}')",
        "with open('x'):\n    width = 2\n    print(width)",
    ],
)
def test_what_comes_with_a_star_and_is_bound_anew_above(statement: str, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(f"from base import *\n{statement}\nprint(height)\n")
    (tmp_path / "base.py").write_text("width = 3\nheight = 4\n")
    text = link(tmp_path / "main.py", tmp_path, embeds_all=True).source.text
    assert statement in text
    assert "width = 3" not in text


@pytest.mark.parametrize(
    "statement",
    [
        "width += 1",
        "if width > 2:\n    width = 2",
        "if input():\n    if len(input()):\n        width = 2\n    print(width)",
        "if input():\n    width: int\n    print(width)",
        "try:\n    width = 2\nfinally:\n    print(width)",
    ],
)
def test_what_comes_with_a_star_and_may_be_bound_anew(statement: str, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(f"from base import *\n{statement}\nprint(width)\n")
    (tmp_path / "base.py").write_text("width = 3\n")
    with pytest.raises(CompileError) as caught:
        link(tmp_path / "main.py", tmp_path, embeds_all=True)
    assert {each.code for each in caught.value.diagnostics} == {"starred-name-bound"}


MODEL = """
    import sys
    import lightning as L
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    class Net(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)

        def training_step(self, batch, batch_idx):
            return self.layer(batch[0]).square().mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    {above}
    if __name__ == "__main__":
        data = DataLoader(TensorDataset(torch.ones(4, 2)))
        L.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_progress_bar=False).fit(Net(), data)
        {below}
        print(torch)
    """

IN_SCRIPTS = {
    "imported again": ("", "import torch", "import torch\n"),
    "a package imported again with what is in it": ("", "import torch.utils.data", "import torch\n"),
    "something else in the guard": ("", "torch = None", "\ntorch = torch_\n"),
    "something else in a branch": ("if sys.maxsize < 0: torch = None", "", "\ntorch = torch_\n"),
}


@pytest.mark.parametrize("how", IN_SCRIPTS)
def test_what_a_guard_or_a_branch_binds_anew(how: str, tmp_path: Path) -> None:
    above, below, binding = IN_SCRIPTS[how]
    (tmp_path / "main.py").write_text(dedent(MODEL.format(above=above, below=below)))
    script = build(tmp_path / "main.py", "single")
    assert binding in script
    (tmp_path / "script.py").write_text(script)
    code, said = ran("script.py", folder=tmp_path)
    assert code == 0, said
    assert ("None" if below == "torch = None" else "<module 'torch'") in said


def test_imports_on_the_line_of_what_they_are_for(tmp_path: Path) -> None:
    line = "import sys; import os; sys.path.insert(0, os.getcwd())\nimport os\n"
    text = dedent(MODEL.format(above="", below="print(os.getcwd())")).replace("import sys\n", line)
    (tmp_path / "main.py").write_text(text)
    assert build(tmp_path / "main.py", "single").count("\nimport sys\n") == 1
