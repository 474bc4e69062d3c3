"""Modules that Python would not find from where the file stands: what is said where the model is lost with them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main as build

BASE = """
import lightning as L
import torch


class Base(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 4))
"""

DERIVED = """
from shared.base import Base


class Net(Base):
    def training_step(self, batch, batch_idx):
        return self.layer(batch).mean()
"""

RUN = """
trainer = L.Trainer(max_epochs=1)
trainer.fit(Base())
"""

MAIN = f"""
import lightning as L
from shared.base import Base
{RUN}"""

HYDRA = """
import hydra
import lightning as L


@hydra.main(config_path=".", config_name="config", version_base=None)
def main(cfg):
    L.Trainer(max_epochs=1).fit(hydra.utils.instantiate(cfg.model))


main()
"""


def said_of(folder: Path, text: str, *options: str) -> str:
    """What the build of a script in a repository says, of which the base stands in another folder."""
    (folder / "code" / "shared").mkdir(parents=True, exist_ok=True)
    (folder / "scripts").mkdir(exist_ok=True)
    (folder / "pyproject.toml").write_text("")
    (folder / "code" / "shared" / "base.py").write_text(BASE)
    (folder / "scripts" / "train.py").write_text(text)
    return CliRunner().invoke(build, ["build", "scripts/train.py", *options], catch_exceptions=False).output


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("text", [DERIVED, MAIN])
def test_the_folder_is_named_that_holds_it(tmp_path: Path, text: str) -> None:
    said = said_of(tmp_path, text)
    assert "`shared.base`" in said
    assert "add `--root code`" in said
    assert "wrote" in said_of(tmp_path, text, "--root", "code")


def test_another_path_of_the_users_is_not_asked_for_the_folder(tmp_path: Path) -> None:
    """Users have `from path import Path`, and modules beside, which the script finds with its own."""
    own = "from path import Path\nfrom sizes import sys, width\n" + BASE.replace("(4, 1)", "(width, 1)")
    main = own + "\nL.Trainer(max_epochs=1).fit(Base())\nprint(Path, sys)\n"
    (tmp_path / "made").mkdir()
    (tmp_path / "sizes.py").write_text("width, sys = 4, 1\n")
    (tmp_path / "train.py").write_text(main)
    said = CliRunner().invoke(build, ["build", "train.py", "-o", "made/train.py"], catch_exceptions=False)
    assert "wrote" in said.output
    script = (tmp_path / "made" / "train.py").read_text()
    assert "from pathlib import Path as Path_\n" in script
    assert "import sys as sys_\n" in script
    assert "\nsys_.path.insert(0, str(Path_(__file__).resolve().parents[1]))\n\nfrom sizes import" in script


def test_where_there_is_none_the_module_is_named(tmp_path: Path) -> None:
    said = said_of(tmp_path, DERIVED.replace("shared", "other"))
    assert "[model-base-unread]" in said
    assert "`other.base`" in said
    assert "`--root FOLDER`" in said


def test_environments_and_hidden_folders_are_not_looked_into(tmp_path: Path) -> None:
    for folder, file in (("env", "pyvenv.cfg"), (".cache", "x")):
        (tmp_path / folder / "hidden").mkdir(parents=True)
        (tmp_path / folder / file).write_text("")
        (tmp_path / folder / "hidden" / "base.py").write_text(BASE)
    assert "FOLDER" in said_of(tmp_path, DERIVED.replace("shared", "hidden"))


NEEDED = {
    "requirements.txt": "torch\nshared>=1.0  # theirs\n",
    "requirements-dev.txt": "shared[all] ; python_version > '3'\n",
    "setup.py": "from setuptools import setup\nsetup(name='x', extras_require={'all': ['shared==1.0']})\n",
    "setup.cfg": "[options]\ninstall_requires =\n    torch\n    shared\n",
    "environment.yml": "dependencies:\n  - python=3.11\n  - pip:\n    - shared\n",
}
PYPROJECTS = (
    '[project]\nname = "x"\ndependencies = ["shared"]\n',
    '[project.optional-dependencies]\nall = ["shared~=1.0"]\n',
    '[tool.poetry.group.dev.dependencies]\nshared = "^1"\n',
)


@pytest.mark.parametrize("file", NEEDED)
def test_a_package_that_the_project_needs_is_not_its_own(tmp_path: Path, file: str) -> None:
    """A folder of its name would hide it."""
    (tmp_path / file).write_text(NEEDED[file])
    said = said_of(tmp_path, MAIN)
    assert "No package here has `shared`" in said
    assert "--root code" not in said


@pytest.mark.parametrize("text", PYPROJECTS)
def test_a_package_of_which_pyproject_tells(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert "root-found" not in built(tmp_path, "scripts", mark="")


def test_a_project_that_names_itself(tmp_path: Path) -> None:
    """For extras of its own."""
    own = '[project]\nname = "shared"\noptional-dependencies = {dev = ["shared[all]"]}\n'
    (tmp_path / "pyproject.toml").write_text(own)
    assert "root-found" in built(tmp_path, "scripts", mark="")


def test_a_package_that_everybody_knows(tmp_path: Path) -> None:
    (tmp_path / "code" / "datasets").mkdir(parents=True)
    (tmp_path / "code" / "datasets" / "__init__.py").write_text(BASE)
    assert "--root code" not in said_of(tmp_path, MAIN.replace("shared.base", "datasets"))


def test_data_that_is_not_found_is_not_said_to_lack(tmp_path: Path) -> None:
    """Whether it has what an evaluation needs is not known."""
    evaluating = (
        "data = Data()\ntrainer.fit(Base(), datamodule=data)\ntrainer.validate(Base(), datamodule=data)\n"
    )
    text = MAIN.replace("trainer.fit(Base())\n", evaluating)
    model = BASE.replace(
        "def configure_optimizers", "validation_step = training_step\n\n    def configure_optimizers"
    )
    said = said_of(
        tmp_path, f"from nowhere import Data\n{model}\n{text}".replace("from shared.base import Base\n", "")
    )
    assert "No package here has `nowhere`" in said
    assert "[evaluation-stops]" not in said


def test_torchs_classes_are_no_models(tmp_path: Path) -> None:
    said = said_of(tmp_path, DERIVED.replace("shared.base import Base", "torch.nn import Module as Base"))
    assert "[model-base-unknown]" in said


# ---- what is found by itself -----------------------------------------------------------------------------


def built(
    folder: Path, holder: str, text: str = MAIN, entry: str = "scripts/deep/train.py", mark: str = ".git"
) -> str:
    """What the build of an entry says, of which a module stands in the folder `holder`."""
    if mark:
        (folder / mark).touch()
    for path, content in ((Path(holder, "shared", "base.py"), BASE), (Path(entry), text)):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)
    return CliRunner().invoke(build, ["build", entry], catch_exceptions=False).output


@pytest.mark.parametrize("holder", ["scripts", "scripts/src"])
def test_a_folder_above_the_file_is_taken(tmp_path: Path, holder: str) -> None:
    said = built(tmp_path, holder)
    assert f"note[root-found]: Python would not find `shared.base` from here: taken from `{holder}`" in said
    assert f"`--root {holder}`" in said
    assert "wrote" in said


@pytest.mark.parametrize("holder", [".", "src"])
def test_the_current_folder_is_taken(tmp_path: Path, holder: str) -> None:
    assert f"taken from `{holder}`" in built(tmp_path, holder, mark="")


def test_one_of_two_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "scripts" / "src" / "shared").mkdir(parents=True)
    (tmp_path / "scripts" / "src" / "shared" / "base.py").write_text(BASE)
    said = built(tmp_path, "scripts")
    assert "[import-not-found]" in said
    assert "`shared.base`, which Python would not find from here: add `--root scripts`" in said


def test_what_is_installed_is_not_looked_for(tmp_path: Path) -> None:
    said = built(tmp_path, "scripts", MAIN.replace("shared.base", "yaml.nodes"))
    assert "root-found" not in said


def test_the_folder_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(tmp_path, "src", mark="")
    monkeypatch.chdir(tmp_path / "scripts" / "deep")
    for options in ([], ["--rebuild"]):
        result = CliRunner().invoke(build, ["check", ".", *options], catch_exceptions=False)
        assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    "added",
    [
        'sys.path.append("../../lib")',
        'sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))',
        'sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lib"))',
        'ROOT = Path(__file__).parent.parent.parent\nsys.path.extend([str(ROOT), (ROOT / "lib").as_posix()])',
        'sys.path.append(os.path.join(os.getcwd(), "lib"))',
        'sys.path += ["../../lib"]',
        'sys.path = [str(Path(__file__).parents[2] / "lib")] + sys.path',
        'sys.path[:0] = ["../../lib"]',
        'import site\nsite.addsitedir("../../lib")',
        'rootutils.setup_root(__file__, indicator=".libraries", pythonpath=True)',
        "from pyrootutils import setup_root\n"
        'root = setup_root(search_from=__file__, indicator=["x", ".libraries"], pythonpath=True)',
    ],
)
def test_what_the_code_adds_to_the_path(tmp_path: Path, added: str) -> None:
    (tmp_path / "lib").mkdir()
    text = f"import os\nimport sys\nfrom pathlib import Path\n\nimport rootutils\n\n{added}\n{MAIN}"
    holder = "lib"
    if "libraries" in added:
        (tmp_path / "scripts").mkdir()
        (tmp_path / "scripts" / ".libraries").touch()
        holder = "scripts"
    said = built(tmp_path, holder, text)
    assert "wrote" in said
    assert "root-found" not in said


def test_what_follows_from_a_missing_module_is_not_said(tmp_path: Path) -> None:
    text = MAIN.replace("Base())", "Base(), Data())").replace(
        "shared.base import Base", "shared.base import Base, Data"
    )
    said = built(tmp_path, "other", text)
    assert said.count("error[") == 1


def test_a_package_that_imports_from_itself(tmp_path: Path) -> None:
    """A circle of imports in a package that stays."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("from package import version\n")
    (tmp_path / "package" / "version.py").write_text("number = 4\n")
    own = BASE.replace("import torch\n", "import torch\nfrom package import version\n", 1)
    (tmp_path / "train.py").write_text(f"{own.replace('Linear(4,', 'Linear(version.number,')}\n\n{RUN}")
    said = CliRunner().invoke(build, ["build", "train.py"], catch_exceptions=False).output
    assert "wrote" in said


@pytest.mark.parametrize("imported", [".shared", "shared.shared"])
def test_a_module_with_its_packages_name(tmp_path: Path, imported: str) -> None:
    """`python -m shared`, which does not look beside the entry, finds the package; a script finds the module."""
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "__init__.py").touch()
    (tmp_path / "shared" / "lightning.py").write_text(BASE)
    (tmp_path / "shared" / "shared.py").write_text("from .lightning import Base\n")
    said = built(tmp_path, "other", MAIN.replace("shared.base", imported), "shared/__main__.py")
    assert "wrote" in said


def test_a_script_finds_the_module_with_its_packages_name(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "__init__.py").touch()
    (tmp_path / "shared" / "shared.py").write_text(BASE)
    said = built(tmp_path, "other", MAIN.replace("shared.base", "shared"), "shared/train.py")
    assert "wrote" in said


@pytest.mark.parametrize("clone", ["a-clone", "clone"])
def test_a_repository_is_no_package_whatever_it_is_cloned_as(tmp_path: Path, clone: str) -> None:
    """An `__init__.py` at its root names nothing that could be imported, wherever the clone stands."""
    package = tmp_path / clone / "package"
    package.mkdir(parents=True)
    (tmp_path / clone / ".git").mkdir()
    (tmp_path / clone / "__init__.py").touch()
    (package / "__init__.py").write_text('print("imported")\n')
    (package / "number.py").write_text("number = 4\n")
    own = BASE.replace("import torch\n", "import torch\nfrom package.number import number\n", 1)
    (package / "train.py").write_text(f"{own.replace('Linear(4,', 'Linear(number,')}\n\n{RUN}")
    command = ["build", str(package / "train.py")]
    assert "wrote" in CliRunner().invoke(build, command, catch_exceptions=False).output
    assert "import package  # noqa: F401  # for what it does\n" in (package / "train_ddp.py").read_text()


def test_a_package_with_the_name_of_an_installed_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a folder that `--root` names it is no package of Python's path, and hides nothing."""
    package = tmp_path / "code" / "own"
    for name in ("torch", "lightning"):
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").write_text("")
    (package / "lightning" / "train.py").write_text(
        f"from own.base import Base\nimport lightning as L\n{RUN}"
    )
    (package / "base.py").write_text(BASE)
    monkeypatch.chdir(tmp_path)
    arguments = ["build", "code/own/lightning/train.py", "-o", "train.py", "--root", "code"]
    said = CliRunner().invoke(build, arguments, catch_exceptions=False).output
    assert "wrote train.py" in said, said
    assert "class Base(TrainModule):" in (tmp_path / "train.py").read_text()


def test_a_package_within_one_of_its_name_is_not_it(tmp_path: Path) -> None:
    """An entry with relative imports is started by `python -m`, which finds nothing beside it."""
    inner = tmp_path / "shared" / "shared"
    inner.mkdir(parents=True)
    for folder in (inner.parent, inner):
        (folder / "__init__.py").touch()
    (inner / "other.py").write_text(BASE)
    (inner.parent / "base.py").write_text(BASE)
    kept = "try:\n    from shared import other\n\n    KEPT = [other]\nexcept ImportError:\n    KEPT = []\n"
    main = MAIN.replace("shared.base", ".base").replace("as L\n", f"as L\n\n{kept}", 1)
    assert "wrote" in built(tmp_path, "other", f"{main}print(KEPT)\n", "shared/__main__.py")
    (script,) = tmp_path.rglob("*_ddp.py")
    assert script.read_text().count("class Base") == 1


# ---- PYTHONPATH ------------------------------------------------------------------------------------------


def on_python_path(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """What the environment says, and Python has made of it when it started."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, folders)))
    for folder in reversed(folders):
        monkeypatch.syspath_prepend(folder.resolve())


@pytest.mark.parametrize("folder", [".", "/shared"])
def test_what_pythonpath_names_are_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    sources = tmp_path / folder.strip("/")
    (sources / "own_sources").mkdir(parents=True)
    (sources / "own_sources" / "base.py").write_text(BASE)
    on_python_path(monkeypatch, Path("empty"), Path(folder) if folder == "." else sources)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "train.py").write_text(MAIN.replace("shared", "own_sources"))
    said = CliRunner().invoke(build, ["build", "scripts/train.py", "--strategy", "ddp"])
    assert said.output == "wrote scripts/train_ddp.py\n"
    assert "class Base(" in (tmp_path / "scripts" / "train_ddp.py").read_text()


def test_what_a_configuration_names_is_in_pythonpath_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "named_sources").mkdir()
    (tmp_path / "named_sources" / "base.py").write_text(BASE)
    on_python_path(monkeypatch, tmp_path)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "config.yaml").write_text("model:\n  _target_: named_sources.base.Base\n")
    (tmp_path / "scripts" / "train.py").write_text(HYDRA)
    said = CliRunner().invoke(build, ["build", "scripts/train.py", "--strategy", "ddp"])
    assert "wrote scripts/train_ddp.py" in said.output, said.output


def test_packages_that_pythonpath_names_stay_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `pip install --target` leaves them."""
    installed = tmp_path / "installed"
    (installed / "some_package").mkdir(parents=True)
    (installed / "some_package" / "__init__.py").write_text("size = 4\n")
    (installed / "some_package-1.0.dist-info").mkdir()
    on_python_path(monkeypatch, installed)
    (tmp_path / "train.py").write_text(f"from some_package import size\n{BASE}{RUN}print(size)\n")
    said = CliRunner().invoke(build, ["build", "train.py", "--strategy", "ddp"])
    assert "wrote train_ddp.py" in said.output, said.output
    assert "sys.path" not in (tmp_path / "train_ddp.py").read_text()
