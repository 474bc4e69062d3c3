"""Modules that code loads from files: where these are known when building, the script has their code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner
from ddpgen.cli import main as ddpgen

NET = """
    import torch
    from lightning.pytorch.demos.boring_classes import BoringModel

    class Net(BoringModel):
        pass

    def get_model(inner=2):
        return Net()
    """
LOADER = """
    import importlib.util

    def import_module(path, name="_mod"):
        spec = importlib.util.spec_from_file_location(name, path)
        mod = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(mod)
        return mod
    """
HEAD = """
    import argparse
    import importlib.util
    import os
    import sys
    import lightning as L
    from tools import import_module

    parser = argparse.ArgumentParser()
    parser.add_argument("-n", "--network-config")
    parser.add_argument("--epochs", type=int, default=1)
    """
GUARD = """
    if __name__ == "__main__":
        main()
    """
FIT = "L.Trainer(max_epochs=1, limit_train_batches=2, limit_val_batches=1).fit"


def project(folder: Path, main: str, loader: str = LOADER, net: str = NET) -> Path:
    (folder / "nets").mkdir()
    (folder / "tools.py").write_text(dedent(loader))
    for name in ("small", "other"):
        (folder / "nets" / f"{name}.py").write_text(dedent(net))
    (folder / "main.py").write_text("\n".join(map(dedent, (HEAD, main, GUARD))))
    return folder / "main.py"


def build(entry: Path, *arguments: str) -> str:
    command = ["build", entry.name, "--strategy", "single", "--", *arguments]
    return CliRunner().invoke(ddpgen, command, catch_exceptions=False).output


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "train_single.py", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


ASKED = {
    "a variable": """
        def setup(args, inner):
            network = import_module(args.network_config, name="_network")
            return network.get_model(inner)

        def main():
            args = parser.parse_args()
            FIT(setup(args, 3))
        """,
    "in an expression": """
        def setup(args):
            return import_module(path=args.network_config).get_model()

        def main():
            FIT(setup(parser.parse_args()))
        """,
    "without a function": """
        def main():
            args = parser.parse_args()
            spec = importlib.util.spec_from_file_location("network", args.network_config)
            if spec is None:
                raise FileNotFoundError(args.network_config)
            network = importlib.util.module_from_spec(spec)
            sys.modules["network"] = network
            spec.loader.exec_module(network)
            FIT(network.Net())
        """,
    "by a function that makes the model": """
        def model_of(path):
            spec = importlib.util.spec_from_file_location("network", os.path.abspath(path))
            network = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(network)
            return getattr(network, "Net")()

        def main():
            args = parser.parse_args()
            FIT(model_of(args.network_config))
        """,
    "at the top": """
        args = parser.parse_args()

        network = import_module(args.network_config)

        def main():
            FIT(network.get_model())
        """,
}


@pytest.mark.processes
@pytest.mark.parametrize("main", ASKED.values(), ids=ASKED)
def test_an_option_names_the_file(tmp_path: Path, main: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    entry = project(tmp_path, main.replace("FIT", FIT))
    arguments = ("-n", "nets/small.py")
    said = build(entry, *arguments)
    assert "note[module-of-file]: The module that is loaded here is `nets/small.py`" in said, said
    script = (tmp_path / "train_single.py").read_text()
    assert "class Net(BoringModel)" in script
    (tmp_path / "tools.py").unlink()
    assert run(tmp_path, *arguments).returncode == 0
    other = run(tmp_path, "-n", "nets/other.py")
    assert other.returncode == 1
    assert other.stderr.startswith("this script was not built with ")
    assert "nets/other.py: build it again" in other.stderr
    (tmp_path / "nets" / "small.py").unlink()  # where it runs, the file need not be
    assert run(tmp_path, *arguments, "--epochs", "1").returncode == 0


def test_what_the_file_imports_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script is built for this file: nothing in it is of other runs alone."""
    monkeypatch.chdir(tmp_path)
    entry = project(tmp_path, ASKED["a variable"].replace("FIT", FIT), net=f"import layers\n{dedent(NET)}")
    (tmp_path / "layers.py").write_text("import lightning\nimport package_of_others\n")
    said = build(entry, "-n", "nets/small.py")
    assert "wrote" in said
    assert "optional-module-taken" not in said


STAYING = {
    "it may not be loaded": """
        def main():
            args = parser.parse_args()
            network = import_module(args.network_config) if args.network_config else None
            FIT(network.get_model())
        """,
    "it is imported as well": """
        from nets import small

        def main():
            print(small.Net)
            network = import_module(parser.parse_args().network_config)
            FIT(network.get_model())
        """,
    "two by a statement": """
        def main():
            args = parser.parse_args()
            first, second = import_module(args.network_config), import_module("nets/other.py")
            FIT(first.get_model())
        """,
}


@pytest.mark.parametrize("main", STAYING.values(), ids=STAYING)
def test_where_no_import_can_take_its_place(
    tmp_path: Path, main: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = build(project(tmp_path, main.replace("FIT", FIT)), "-n", "nets/small.py")
    assert "error[module-of-file-stays]: This loads `nets/" in said
    assert not (tmp_path / "train_single.py").exists()


@pytest.mark.parametrize("arguments", [("--epochs", "1"), ("-n", "nets/absent.py")])
def test_a_file_that_is_not_known(
    tmp_path: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = build(project(tmp_path, ASKED["a variable"].replace("FIT", FIT)), *arguments)
    assert "tools.py:5:27: error[module-of-file-unknown]" in said
    assert not (tmp_path / "train_single.py").exists()


def test_a_function_that_does_more_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it does beside is not lost: it is its own call that becomes the import, if one can."""
    monkeypatch.chdir(tmp_path)
    more = LOADER.replace("return mod", "mod.SEEN = True\n        return mod")
    entry = project(tmp_path, ASKED["a variable"].replace("FIT", FIT), more)
    assert "wrote" not in build(entry, "-n", "nets/small.py")


def test_a_file_that_asks_for_nothing_of_lightning_s_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    main = """
        from lightning.pytorch.demos.boring_classes import BoringModel

        class Net(BoringModel):
            def __init__(self, layer):
                super().__init__()
                self.layer = layer

        def main():
            network = import_module(parser.parse_args().network_config)
            FIT(Net(network.get_model()))
        """.replace("FIT", FIT)
    net = "import torch\n\ndef get_model():\n    return torch.nn.Linear(32, 2)\n"
    said = build(project(tmp_path, main, net=net), "-n", "nets/small.py")
    assert "module-of-file" not in said
    assert "network = import_module(" in (tmp_path / "train_single.py").read_text()
