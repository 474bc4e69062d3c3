"""A wheel, installed into a clean environment outside the checkout, builds a script there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.processes


def run(*command: str | Path, cwd: Path) -> str:
    """What the command prints; its error output comes with the failure."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, because setuptools writes beside the sources."""
    source = tmp_path_factory.mktemp("source")
    for folder in ("codegen", "strategies", "templates"):
        shutil.copytree(ROOT / folder, source / folder)
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, source)
    run(sys.executable, "-m", "build", "--wheel", "--outdir", "dist", ".", cwd=source)
    (built,) = (source / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that holds the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder)
    interpreter = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", interpreter]
    run(*pip, "install", "--quiet", "--no-compile", wheel, cwd=folder)  # Python compiles what is imported
    return interpreter


def test_the_wheel_holds_ddpgen_alone_and_all_of_it(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    folders = {"codegen": "ddpgen", "strategies": "ddpgen/strategies", "templates": "ddpgen/templates"}
    sources = {
        f"{package}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, package in folders.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names == sources
    assert {"ddpgen/py.typed", "ddpgen/strategies/presets/ddp.yaml"} < names
    assert any(name.startswith("ddpgen/templates/") and name.endswith(".jinja") for name in names)


def test_torch_is_not_pulled_in(python: Path, tmp_path: Path) -> None:
    code = "from importlib.util import find_spec; print(find_spec('torch'), find_spec('lightning'))"
    assert run(python, "-c", code, cwd=tmp_path) == "None None\n"


def test_both_commands_list_the_presets(python: Path, tmp_path: Path) -> None:
    listed = run(python, "-m", "ddpgen", "strategies", cwd=tmp_path)
    assert listed == run(python.with_name("ddpgen"), "strategies", cwd=tmp_path)
    for preset in (ROOT / "strategies" / "presets").glob("*.yaml"):
        assert preset.stem in listed


def test_it_builds_the_script_that_the_checkout_builds(python: Path, tmp_path: Path) -> None:
    built = []
    for number, interpreter in enumerate((python, Path(sys.executable))):
        folder = tmp_path / str(number)
        folder.mkdir()
        shutil.copy(ROOT / "generated_examples" / "digits" / "model.py", folder)
        run(interpreter, "-m", "ddpgen", "build", "model.py", "--strategy", "ddp", cwd=folder)
        built.append((folder / "train_ddp.py").read_bytes())
    compile(built[0], "train_ddp.py", "exec")
    assert built[0] == built[1]
