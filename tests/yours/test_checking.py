"""`ddpgen check` and `ddpgen diff`: what they find, what they say, and that they write nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import black.files
import pytest
from click.testing import Result
from ddpgen.ir.record import digest

from .conftest import Project, change, run, stand_in

EDIT = ("x * self.size", "x * self.size + 1")
CHANGE = ("abs(x)", "abs(x) ** 2")


def check(project: Project, *arguments: object) -> Result:
    """The command, which must leave everything as it is."""
    before = project.files()
    result = run("check", *arguments)
    assert project.files() == before
    return result


def findings(project: Project, *arguments: object) -> list[dict[str, Any]]:
    """What is found, as data."""
    found: list[dict[str, Any]] = json.loads(check(project, "--format", "json", *arguments).stdout)
    return found


def codes(project: Project, *arguments: object) -> list[str]:
    return [each["code"] for found in findings(project, *arguments) for each in found["diagnostics"]]


# ---- up to date or not -----------------------------------------------------------------------------------


def test_edits_are_nobodys_business(project: Project) -> None:
    project.edit(*EDIT)
    result = check(project)
    assert result.exit_code == 0
    assert (result.stdout, result.stderr) == ("", "Generated scripts up to date: 1 of 1.\n")


def test_a_changed_model_shows(project: Project) -> None:
    project.edit(*EDIT)
    project.change_model(*CHANGE)
    result = check(project)
    assert result.exit_code == 1
    assert result.stderr == (
        "train_ddp.py:1:1: error[out-of-date]: This is not what its sources give now: model.py has changed. "
        "Run `ddpgen build model.py --strategy ddp`, which keeps your edits.\n"
        "Generated scripts up to date: 0 of 1.\n"
    )
    lines = result.stdout.splitlines()
    assert lines[:2] == ["--- train_ddp.py (generated last)", "+++ train_ddp.py (generated now)"]
    assert [line for line in lines[2:] if line[:1] in "+-"] == [
        "-        return abs(x)",
        "+        return abs(x) ** 2",
    ]
    assert project.build().exit_code == 0
    assert check(project).exit_code == 0


def test_a_change_that_changes_nothing_is_none(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script is built, and is the same."""
    change(project.record, "model.py: ", "model.py: 0")
    project.built.clear()
    assert check(project).exit_code == 0
    assert len(project.built) == 1


def test_line_ends_of_another_system_are_no_change(project: Project) -> None:
    """As git may write them there."""
    for path in (project.model, project.script, project.record):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    project.built.clear()
    assert check(project).exit_code == 0
    assert not project.built


def test_what_has_changed_is_named(project: Project) -> None:
    spec = project.folder / "ddp.yaml"
    spec.write_text("trainer: {max_epochs: 2}\n")
    os.mkdir("scripts")
    assert project.build("--strategy", "ddp.yaml", "-o", "scripts/train.py").exit_code == 0
    spec.write_text("trainer: {max_epochs: 3}\n")
    (message,) = (each["message"] for found in findings(project, "scripts") for each in found["diagnostics"])
    assert (
        "now: ddp.yaml has changed. Run `ddpgen build model.py --strategy ddp.yaml -o scripts/train.py`,"
        in message
    )
    project.change_model(*CHANGE)
    assert "ddp.yaml has changed; model.py has changed." in check(project, "scripts").stderr


def test_modules_that_come_and_go_are_named(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real reading of a project, for which the quick builds stand otherwise."""
    from ddpgen.compile import Compiled
    from ddpgen.link.modules.reached_files import reached_files

    def compiled(model: Path, *arguments: Any) -> Compiled:
        files = tuple(sorted(reached_files(model)))
        return stand_in("".join(path.read_text() for path in files), files, "26")

    monkeypatch.setattr("ddpgen.generate.compile_script", compiled)
    (project.folder / "old.py").write_text("A = 1\n")
    (project.folder / "new.py").write_text("A = 2\n")
    project.change_model("import math\n", "import math\nfrom old import A\n")
    assert project.build("--force").exit_code == 0
    project.change_model("from old", "from new")
    (found,) = findings(project)
    said = found["diagnostics"][0]["message"]
    assert "model.py has changed; new.py is new; old.py is no longer read." in said


def test_a_module_that_now_stands_before_another_is_noticed(project: Project) -> None:
    """Nothing that was read has changed, and yet `math` would be the project's own."""
    project.built.clear()
    assert check(project).exit_code == 0
    assert not project.built
    (project.folder / "math.py").write_text("def sqrt(x):\n    return x\n")
    check(project)
    assert project.built


def test_a_change_of_blacks_settings_is_noticed(make_project: Callable[[], Project]) -> None:
    project = make_project()
    settings = project.folder / "pyproject.toml"
    settings.write_text("[tool.black]\nline-length = 70\n")
    project.build()
    project.built.clear()
    check(project)
    assert not project.built
    change(settings, "70", "80")
    for function in vars(black.files).values():
        if hasattr(function, "cache_clear"):  # as in a process that starts
            function.cache_clear()
    check(project)
    assert project.built


def test_another_version_of_ddpgen_builds_anew(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("generate", "output.drift"):
        monkeypatch.setattr(f"ddpgen.{module}.__version__", "9.0.0")
    project.built.clear()
    assert check(project).exit_code == 0, "and finds the same"
    assert project.built
    project.change_model(*CHANGE)
    assert "ddpgen was 0.1.0 and is 9.0.0" in check(project).stderr


# ---- records ---------------------------------------------------------------------------------------------


def test_a_record_that_was_edited_is_found_out(project: Project) -> None:
    change(project.record, *EDIT)
    result = check(project)
    assert result.exit_code == 1
    assert ".ddpgen/train_ddp.py.txt was edited" in result.stderr


def test_a_record_that_was_forged_is_found_by_a_rebuild(project: Project) -> None:
    text = project.record.read_text()
    body = text.partition("\n---\n")[2]
    forged = body.replace(*EDIT)
    project.record.write_text(
        text.replace(digest(body.encode()), digest(forged.encode())).replace(body, forged)
    )
    assert check(project).exit_code == 0
    assert check(project, "--rebuild").exit_code == 1


PROBLEMS: dict[str, Callable[[Project], object]] = {
    "source-missing": lambda project: project.model.unlink(),
    "script-missing": lambda project: project.script.unlink(),
    "record-missing": lambda project: project.record.unlink(),
    "record-damaged": lambda project: change(project.record, "sources:", "<<<<<<< HEAD\nsources:"),
    "conflict-stands": lambda project: project.edit("size = 3", "size = 3\n<<<<<<< yours\n"),
    "syntax-error": lambda project: project.model.write_text("def f(:\n"),
}


@pytest.mark.parametrize("code", PROBLEMS)
def test_what_stands_in_the_way(project: Project, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PROBLEMS[code](project)
    if code == "syntax-error":
        monkeypatch.undo()
        monkeypatch.chdir(project.folder)
    assert codes(project) == [code]
    result = check(project)
    assert result.exit_code == 1
    assert f"error[{code}]" in result.stderr


BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(30))

DAMAGES = {
    "aliases that grow without end": f"{BOMB}sources: {{x: *a30}}\nrest:",
    "lists in lists": f"sources: {'[' * 100_000}",
    "a file name that is none": "sources:\n  [a, b]: c\nrest:",
    "a list for a name": "model: [model.py]\nsources:",
    "no mapping": "sources: [a]\nrest:",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_record_of_a_stranger_s_is_parsed_strictly(project: Project, damage: str) -> None:
    change(project.record, "sources:", damage)
    started = time.monotonic()
    assert codes(project) == ["record-damaged"]
    assert run("build", project.model).exit_code in (0, 1)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("model: model.py", "model: ../secret.py"),
        ("model: model.py", "model: link.py"),
        ("preset: ddp", "spec: ../../secret.yaml"),
        ("sources:", "roots:\n- ..\nsources:"),
        ("sources:", "sources:\n  /dev/zero: 0123456789abcdef"),
    ],
)
def test_a_record_names_nothing_outside_of_the_repository(project: Project, old: str, new: str) -> None:
    secret = project.folder.parent / "secret.py"
    secret.write_text("SECRET-WORD (:\n")
    (project.folder / "link.py").symlink_to(secret)
    (project.folder / ".git").mkdir()
    change(project.record, old, new)
    result = check(project, "--rebuild")
    assert "error[record-reaches-out]" in result.stderr
    assert "SECRET" not in result.output
    for command in ("explain", "diff"):
        said = run(command, project.script)
        assert said.exit_code
        assert "SECRET" not in said.output


def test_a_spec_that_is_gone(project: Project) -> None:
    (project.folder / "ddp.yaml").write_text("trainer: {max_epochs: 2}\n")
    project.build("--strategy", "ddp.yaml", "--force")
    (project.folder / "ddp.yaml").unlink()
    assert codes(project) == ["source-missing"]


def test_one_that_cannot_be_checked_is_in_no_others_way(project: Project) -> None:
    assert project.build("-o", "other.py").exit_code == 0
    change(project.folder / ".ddpgen" / "other.py.txt", "sources:", "sources")
    found = {each["script"]: each["is_up_to_date"] for each in findings(project)}
    assert found == {"other.py": False, "train_ddp.py": True}


# ---- which scripts ---------------------------------------------------------------------------------------


def test_scripts_are_found_where_they_are(project: Project) -> None:
    for folder in ("a/b", ".hidden", "venv/lib", "node_modules"):
        shutil.copytree(project.folder / ".ddpgen", Path(folder, ".ddpgen"))
        for file in (project.model, project.script):
            shutil.copy(file, folder)
    Path("venv/pyvenv.cfg").touch()
    os.mkfifo("pipe.py")
    Path("notes.py").write_text('"""Not generated by ddpgen 0.1.0 from model.py and ddp."""\n')
    assert [each["script"] for each in findings(project)] == ["a/b/train_ddp.py", "train_ddp.py"]
    assert [each["script"] for each in findings(project, "a")] == ["a/b/train_ddp.py"]
    assert [each["script"] for each in findings(project, "train_ddp.py", ".", "./a/..")] == [
        "a/b/train_ddp.py",
        "train_ddp.py",
    ]
    assert codes(project, "model.py") == ["not-generated"]


def test_a_folder_without_scripts(project: Project) -> None:
    os.mkdir("empty")
    result = check(project, "empty")
    assert (result.exit_code, result.stderr) == (0, "There are no generated scripts here.\n")
    assert check(project, "nowhere").exit_code == 2


def test_a_project_that_has_moved_is_the_same(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    moved = tmp_path_factory.mktemp("elsewhere") / "project"
    shutil.move(project.folder, moved)
    project.built.clear()
    result = run("check", moved)
    assert result.exit_code == 0, result.output
    assert not project.built
    project.folder.mkdir()


def test_every_option_of_the_build_comes_back(project: Project) -> None:
    options = ["--model", "Net", "--data", "Data", "--root", "src", "--root", "lib"]
    (project.folder / "ddp").write_text("trainer: {max_epochs: 5}\n")  # a file with the name of a preset
    assert project.build("--strategy", "./ddp", *options, "--force").exit_code == 0
    assert "# Net\n# Data\n# src\n# lib\n" in project.script.read_text()
    assert "# epochs: 5\n" in project.script.read_text()
    project.change_model(*CHANGE)
    (found,) = findings(project)
    assert len([line for line in found["difference"].split("\n") if line.startswith(("+ ", "- "))]) == 2
    said = found["diagnostics"][0]["message"]
    assert f"`ddpgen build model.py --strategy ./ddp {' '.join(options)}`" in said


@pytest.mark.parametrize("changed", [1, 20])
def test_of_a_hundred_scripts_those_are_built_whose_sources_have_changed(
    project: Project, changed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few in the process that looks for them, many in others."""
    for number in range(100):
        folder = project.folder / f"{number}"
        shutil.copytree(project.folder / ".ddpgen", folder / ".ddpgen")
        for file in (project.model, project.script):
            shutil.copy(file, folder)
    for number in range(changed):
        change(project.folder / f"{number}" / "model.py", *CHANGE)
    project.built.clear()
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    found = findings(project)
    assert len(found) == 101
    outdated = {each["script"] for each in found if not each["is_up_to_date"]}
    assert outdated == {f"{number}/train_ddp.py" for number in range(changed)}
    assert project.built == ([Path("0/model.py")] if changed == 1 else [])


def test_annotations(project: Project) -> None:
    project.change_model(*CHANGE)
    result = check(project, "--format", "github")
    assert result.exit_code == 1
    first, *difference = result.stdout.splitlines()
    assert first.startswith("::error file=train_ddp.py,line=1,col=1,endLine=1,title=out-of-date::")
    assert difference[0] == "--- train_ddp.py (generated last)"


# ---- diff ------------------------------------------------------------------------------------------------


def test_diff_shows_the_users_edits_alone(project: Project) -> None:
    project.change_model(*CHANGE)
    assert run("diff", "train_ddp.py").stderr == "train_ddp.py is as it was generated.\n"
    project.edit(*EDIT)
    result = run("diff", "train_ddp.py")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:2] == ["--- train_ddp.py (as generated)", "+++ train_ddp.py"]
    assert [line for line in lines[2:] if line[:1] in "+-"] == [
        f"-        return {EDIT[0]}",
        f"+        return {EDIT[1]}",
    ]


def test_diff_of_what_is_no_script(project: Project) -> None:
    result = run("diff", "model.py")
    assert result.exit_code == 1
    assert "error[not-generated]" in result.stderr
    assert run("diff", "nowhere.py").exit_code == 2


@pytest.mark.parametrize("no_color", [False, True])
def test_colours_are_for_terminals(project: Project, no_color: bool) -> None:
    project.edit(*EDIT)
    command = [sys.executable, "-m", "ddpgen", "diff", "train_ddp.py"]
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {"TERM": "xterm"} | ({"NO_COLOR": "1"} if no_color else {})
    piped = subprocess.run(command, cwd=project.folder, env=environment, capture_output=True, text=True)
    assert "\x1b" not in piped.stdout
    ours, theirs = os.openpty()
    subprocess.run(command, cwd=project.folder, env=environment, stdout=theirs, check=True)
    os.close(theirs)
    assert (b"\x1b[32m+" in b"".join(read_from(ours))) != no_color


def read_from(terminal: int) -> Iterator[bytes]:
    """What has been written to a terminal whose other end is closed, in as many parts as there are."""
    with suppress(OSError):  # the end
        while part := os.read(terminal, 10_000):
            yield part
