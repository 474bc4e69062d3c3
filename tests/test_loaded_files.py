"""Configurations that code loads from files: they are read when building, and again where the script runs."""

from __future__ import annotations

import runpy
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

PROJECT = Path(__file__).with_name("projects") / "main_files"

MAIN = """
import lightning as L
from lightning.pytorch.demos.boring_classes import BoringModel
{}

class Model(BoringModel):
    pass


L.Trainer(**cfg["trainer"]).fit(Model())
"""


def ddpgen(*arguments: str) -> str:
    return CliRunner().invoke(main, arguments, catch_exceptions=False).output


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "single.yaml").write_text("strategy: single\n")
    return folder


def build(project: Path, *arguments: str) -> str:
    """The script."""
    spec = str(project / "single.yaml")
    said = ddpgen("build", str(project / "main.py"), "--strategy", spec, "--", *arguments)
    assert "wrote" in said or "up to date" in said, said
    return (project / "train_single.py").read_text()


def run(project: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.chdir(project)
    monkeypatch.syspath_prepend(project)
    monkeypatch.delitem(sys.modules, "settings", raising=False)
    monkeypatch.setattr("sys.argv", ["train_single.py", *arguments])
    runpy.run_path("train_single.py", run_name="__main__")


def test_a_file_that_says_otherwise_stops_the_script(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(project)
    loop = project / "conf" / "loop.json"
    loop.write_text('{"trainer": {"max_epochs": 1, "precision": "64-true", "max_steps": 3}}')
    with pytest.raises(SystemExit, match=r"not built for max_steps=3: build it again"):
        run(project, monkeypatch)
    assert "conf/loop.json has changed" in ddpgen("check", str(project))
    build(project)
    run(project, monkeypatch)


def test_the_command_line_names_another_file(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "conf" / "short.json").write_text('{"trainer": {"max_epochs": 1, "limit_train_batches": 2}}')
    other = f"--loop={project / 'conf' / 'short.json'}"
    build(project)
    with pytest.raises(SystemExit, match="not built for limit_train_batches=2"):
        run(project, monkeypatch, other)
    assert '"limit_train_batches"' in build(project, "--loop", "conf/short.json")
    run(project, monkeypatch, other)
    assert "epoch 1" not in capsys.readouterr().out
    assert "up to date: 1 of 1" in ddpgen("check", str(project), "--rebuild")


def test_messages_point_at_the_setting(project: Path) -> None:
    assert "conf/train.yaml:12:15: note[display-left-out]" in ddpgen("build", str(project / "main.py"))
    train = project / "conf" / "train.yaml"
    train.write_text(train.read_text() + "  - _target_: lightning.pytorch.callbacks.ModelPruning\n")
    said = ddpgen("build", str(project / "main.py"))
    assert "conf/train.yaml:13:15: error[unsupported-lightning-name]" in said


@pytest.mark.parametrize(
    "code",
    [
        'import yaml\ncfg = yaml.safe_load(open("conf/c.yaml"))',
        'import yaml\nwith open("conf/c.yaml") as file:\n    cfg = yaml.load(file, Loader=yaml.FullLoader)',
        'import yaml\nfrom pathlib import Path\ncfg = yaml.safe_load(Path("conf/c.yaml").read_text())',
        'import yaml\nfrom pathlib import Path\ncfg = yaml.safe_load((Path(__file__).parent / "conf/c.yaml").open())',
        'import yaml\nfrom pathlib import Path\ncfg = yaml.full_load(open(Path(__file__).parents[0] / "conf/c.yaml"))',
        'import os, yaml\nD = os.path.dirname(os.path.abspath(__file__))\ncfg = yaml.load(open(f"{D}/conf/c.yaml"))',
        'from omegaconf import OmegaConf\ncfg = OmegaConf.load("conf/c.yaml")',
        'from omegaconf import OmegaConf\ncfg = OmegaConf.to_container(OmegaConf.load("conf/c.yaml"), resolve=True)',
        'from omegaconf import OmegaConf\ncfg = OmegaConf.merge(OmegaConf.load("conf/c.yaml"), OmegaConf.from_cli())',
        'from omegaconf import OmegaConf\ncfg = OmegaConf.create({"trainer": {"max_epochs": 1, "max_steps": 3}})',
        "import click, yaml\nimport sys\nN = 'c'\ncfg = yaml.safe_load(open('conf/' + N + '.yaml'))",
    ],
)
def test_files_whose_paths_are_known(tmp_path: Path, code: str) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "c.yaml").write_text("trainer:\n  max_epochs: 1\n  max_steps: 3\n")
    (tmp_path / "main.py").write_text(MAIN.format(code))
    said = ddpgen("build", str(tmp_path / "main.py"))
    assert "wrote" in said, said
    assert "settings-at-run" not in said
    assert '"max_steps"' in (tmp_path / "train_ddp.py").read_text()


@pytest.mark.parametrize(
    ("decorator", "parameter"),
    [
        ("@click.command()\n@click.option('-c', '--config', default='c.yaml')", "config"),
        ("@click.command()\n@click.option('--settings', 'config', default='c.yaml')", "config"),
        ("@app.command()", "config: str = typer.Option('c.yaml', help='settings')"),
        ("@app.command()", "config: str = 'c.yaml'"),
    ],
)
def test_files_that_commands_name_by_default(tmp_path: Path, decorator: str, parameter: str) -> None:
    (tmp_path / "c.yaml").write_text("trainer: {max_epochs: 1, max_steps: 3}\n")
    code = (
        "import click, typer, yaml\nimport lightning as L\n"
        "from lightning.pytorch.demos.boring_classes import BoringModel\napp = typer.Typer()\n\n"
        "class Model(BoringModel):\n    pass\n\n"
        f"{decorator}\ndef main({parameter}):\n    with open(config) as file:\n        cfg = yaml.safe_load(file)\n"
        "    L.Trainer(**cfg['trainer']).fit(Model())\n\nif __name__ == '__main__':\n    "
    )
    (tmp_path / "main.py").write_text(f"{code}{'main' if 'click.' in decorator else 'app'}()\n")
    said = ddpgen("build", str(tmp_path / "main.py"))
    assert "wrote" in said, said
    assert "settings-at-run" not in said


def test_a_file_that_the_command_line_names_by_its_place(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom omegaconf import OmegaConf\ndef configuration(path, rest):\n"
        "    return OmegaConf.merge(OmegaConf.load(path), OmegaConf.from_dotlist(rest))\n"
        "cfg = configuration(sys.argv[1], sys.argv[2:])\n"
    )
    (tmp_path / "c.yaml").write_text("trainer: {max_epochs: 1, max_steps: 3}\n")
    main_file = tmp_path / "main.py"
    main_file.write_text(MAIN.format(code))
    assert "warning[settings-at-run]" in ddpgen("build", str(main_file))
    said = ddpgen("build", str(main_file), "--force", "--", "c.yaml", "trainer.max_steps=2")
    assert "wrote" in said, said
    assert "settings-at-run" not in said
    main_file.write_text(MAIN.format(code.replace("argv[1]", "argv[3]")))
    said = ddpgen("build", str(main_file), "--force", "--", "c.yaml")
    assert "note[overrides-left]" in said
    assert "warning[settings-at-run]" in said


def test_files_that_are_no_settings(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(f"[{'1, ' * 40_000} 2]")
    code = 'import json\nnumbers = json.load(open("c.json"))\ncfg = json.load(open("d.json"))'
    (tmp_path / "main.py").write_text(MAIN.format(code))
    assert "warning[settings-at-run]" in ddpgen("build", str(tmp_path / "main.py"))


def test_paths_that_are_made_of_each_other(tmp_path: Path) -> None:
    """Each is looked at once, however many ways lead to it."""
    steps = "".join(f'p{n + 1} = f"{{p{n}}}" if p{n} else p{n} + ""\n' for n in range(40))
    code = f'import yaml\np0 = "settings.yaml"\n{steps}cfg = yaml.safe_load(open(p40))\n'
    (tmp_path / "main.py").write_text(MAIN.format(code))
    (tmp_path / "settings.yaml").write_text("trainer: {max_epochs: 1}\n")
    said = ddpgen("build", str(tmp_path / "main.py"), "-o", str(tmp_path / "train.py"))
    assert "wrote" in said, said
