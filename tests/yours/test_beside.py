"""A script with its machinery in a module beside it: the two are built, merged, checked and written as one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from ddpgen.cli import main
from ddpgen.diagnostics import CompileError
from ddpgen.ir.files import file_and_line, joined, module_name, module_path, separate
from ddpgen.ir.recipe import Recipe
from ddpgen.ir.record import Record
from ddpgen.output.merge import Side
from ddpgen.output.write import write_script

from .conftest import change
from .test_killed_writes import EDIT, HEADER, die_at, generated, in_a_child, state

DIGITS = Path(__file__).parents[2] / "generated_examples" / "digits"
MODULE_EDIT = ("line 20\n", "line 20\nalso_mine = 1\n")


def test_two_texts_are_one() -> None:
    whole = joined(["a\nb\n", "c\n"])
    assert separate(whole) == ["a\nb\n", "c\n"]
    assert separate("a\n") == ["a\n"]
    script = Path("train.py")
    places = [(path.name, line) for path, line in (file_and_line(script, whole, n) for n in (1, 2, 4))]
    assert places == [("train.py", 1), ("train.py", 2), ("train_runtime.py", 1)]


@pytest.mark.parametrize(("name", "module"), [("train.py", "train_runtime"), ("8-x.py", "_8_x_runtime")])
def test_the_module_has_a_name_that_can_be_imported(name: str, module: str) -> None:
    assert module_name(Path(name)) == module


# ---- what is written -------------------------------------------------------------------------------------


def record_of(script: Path, version: int) -> Record:
    recipe = Recipe(script, script.with_name("model.py"), "ddp")
    module = generated(version + 100).replace(" from model.py and ddp", " with train.py")
    return Record(joined([generated(version), module]), recipe, "0.1.0", "26", {"model.py": f"{version}"})


def inline_of(script: Path, version: int) -> Record:
    """The same machinery, in the script."""
    text = generated(version) + "\n".join(["", "# more"] * 5) + generated(version + 100).removeprefix(HEADER)
    recipe = Recipe(script, script.with_name("model.py"), "ddp")
    return Record(text, recipe, "0.1.0", "26", {"model.py": f"{version}"})


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    write_script(record_of(path, 1))
    return path


def edit_both(script: Path) -> None:
    change(script, *EDIT)
    change(module_path(script), *MODULE_EDIT)


def test_edits_in_either_survive(script: Path) -> None:
    edit_both(script)
    outcome, is_written = write_script(record_of(script, 2))
    assert is_written
    text, module = separate(record_of(script, 2).text)
    assert script.read_text() == text.replace(*EDIT)
    assert module_path(script).read_text() == module.replace(*MODULE_EDIT)
    said = "\n".join(note.message for note in outcome.notes)
    assert f"{script.as_posix()}:16" in said
    assert f"{module_path(script).as_posix()}:26" in said


@pytest.mark.parametrize("side", list(Side))
def test_conflicts_in_the_module_are_settled_as_in_the_script(script: Path, side: Side) -> None:
    module = module_path(script)
    change(module, "x = 101  # line 35", "x = 'mine'  # line 35")
    outcome, _ = write_script(record_of(script, 2))
    assert [problem.code for problem in outcome.conflicts] == ["merge-conflict"]
    assert "train_runtime.py" in outcome.conflicts[0].message
    assert "<<<<<<<" in module.read_text()
    assert "mine" in module.with_name("train_runtime.py.yours").read_text()
    with pytest.raises(CompileError, match="conflict-stands"):
        write_script(record_of(script, 2))
    write_script(record_of(script, 2), side=side)
    assert ("mine" in module.read_text()) is (side is Side.OURS)
    assert set(state(script)) == {"train.py", "train_runtime.py", ".ddpgen/train.py.txt"}


def test_force_takes_todays_text_of_both(script: Path) -> None:
    edit_both(script)
    write_script(record_of(script, 2), force=True)
    assert [script.read_text(), module_path(script).read_text()] == separate(record_of(script, 2).text)


@pytest.mark.parametrize("missing", ["script", "module"])
def test_what_is_gone_is_built_again_and_the_other_keeps_its_edits(script: Path, missing: str) -> None:
    edit_both(script)
    (script if missing == "script" else module_path(script)).unlink()
    write_script(record_of(script, 2))
    text, module = separate(record_of(script, 2).text)
    assert script.read_text() == (text if missing == "script" else text.replace(*EDIT))
    expected = module if missing == "module" else module.replace(*MODULE_EDIT)
    assert module_path(script).read_text() == expected


def test_a_file_of_the_users_is_not_overwritten(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    module_path(script).write_text("mine = 1\n")
    with pytest.raises(CompileError, match="not-overwritten"):
        write_script(record_of(script, 1), force=True)
    assert set(state(script)) == {"train_runtime.py"}


@pytest.mark.parametrize("side", [None, Side.OURS])
def test_the_machinery_comes_back_into_the_script_with_its_edits(script: Path, side: Side | None) -> None:
    edit_both(script)
    write_script(inline_of(script, 1), side=side)
    assert script.read_text() == inline_of(script, 1).text.replace(*EDIT, 1).replace(
        "line 20\n", MODULE_EDIT[1], 2
    ).replace(MODULE_EDIT[1], "line 20\n", 1)
    assert set(state(script)) == {"train.py", ".ddpgen/train.py.txt"}


def test_edits_where_the_files_part_are_not_lost_when_the_machinery_moves(script: Path) -> None:
    change(module_path(script), "Train.", "My machinery.")
    before = state(script)
    with pytest.raises(CompileError, match="machinery-edited"):
        write_script(inline_of(script, 1))
    assert state(script) == before


# ---- killed ----------------------------------------------------------------------------------------------


def to_inline(script: Path) -> None:
    write_script(inline_of(script, 1))


def to_two(script: Path) -> None:
    write_script(record_of(script, 3))


@pytest.mark.parametrize("build", [to_two, to_inline])
def test_killed_at_any_point_the_next_build_is_right(build: Callable[[Path], None], tmp_path: Path) -> None:
    expected = None
    for point in range(200):
        script = tmp_path / str(point) / "train.py"
        script.parent.mkdir()
        write_script(record_of(script, 1))
        edit_both(script)

        def killed(point: int = point, script: Path = script) -> None:
            die_at(point)  # 0: never
            build(script)

        code = in_a_child(killed)
        assert code in (0, 9)
        build(script)
        expected = expected or state(script)
        assert state(script) == expected, f"killed at {point}"
        if point and code == 0:
            break
    assert point > 5


# ---- the commands ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The digits, built with `runtime: beside`."""
    folder = tmp_path_factory.mktemp("beside") / "digits"
    folder.mkdir()
    shutil.copy(DIGITS / "model.py", folder)
    (folder / "ddp.yaml").write_text((DIGITS / "ddp.yaml").read_text() + "runtime: beside\n")
    assert run(folder, "build", "model.py", "--strategy", "ddp.yaml").exit_code == 0
    return folder


def run(folder: Path, *arguments: str) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return CliRunner().invoke(main, arguments, catch_exceptions=False)


def test_the_script_holds_what_people_read(built: Path) -> None:
    script, module = (built / name for name in ("train_ddp.py", "train_ddp_runtime.py"))
    text = script.read_text()
    assert "from train_ddp_runtime import (" in text
    for name in ("class DigitsClassifier(nn.Module):", "def fit(", "def main() -> None:", "class Config:"):
        assert name in text
        assert name not in module.read_text()
    assert "class Logs" in module.read_text()
    assert text.count("\n") < 300


def test_check_diff_and_explain_know_both(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "digits"
    shutil.copytree(built, folder)
    module = folder / "train_ddp_runtime.py"
    assert run(folder, "check").exit_code == 0
    assert run(folder, "check", "train_ddp_runtime.py").exit_code == 0
    change(module, "class JsonlLogger", "mine = 1\n\n\nclass JsonlLogger")
    for name in ("train_ddp.py", "train_ddp_runtime.py"):
        assert "+++ train_ddp_runtime.py\n" in run(folder, "diff", name).stdout
    line = module.read_text().split("\n").index("mine = 1") + 1
    assert "You wrote this" in run(folder, "explain", f"train_ddp_runtime.py:{line}").stdout
    assert "train_ddp_runtime.py:" in run(folder, "explain", "train_ddp.py").stdout
    module.unlink()
    found = run(folder, "check")
    assert found.exit_code == 1
    assert "train_ddp_runtime.py:1:1: error[script-missing]" in found.stderr + found.stdout


def test_a_module_of_the_users_by_that_name(tmp_path: Path) -> None:
    shutil.copy(DIGITS / "model.py", tmp_path)
    (tmp_path / "ddp.yaml").write_text("runtime: beside\n")
    made = "        super().__init__()\n"
    change(
        tmp_path / "model.py", "import lightning as L\n", "import lightning as L\nimport train_ddp_runtime\n"
    )
    change(tmp_path / "model.py", made, f"{made}        train_ddp_runtime\n")
    found = run(tmp_path, "build", "model.py", "--strategy", "ddp.yaml")
    assert found.exit_code == 1
    assert "module-named-so" in found.stderr + found.stdout
