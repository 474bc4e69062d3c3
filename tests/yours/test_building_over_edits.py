"""`ddpgen build` where the script was edited."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from ddpgen.ir.record import read_record

from .conftest import Project, change, run

EDIT = ("x * self.size", "x * self.size + 1")
CHANGE = ("abs(x)", "abs(x) ** 2")
RIVAL = ("x * self.size", "x * self.size - 1")


# ---- in different places ---------------------------------------------------------------------------------


def test_edits_and_changes_in_different_places_combine(project: Project) -> None:
    project.edit(*EDIT)
    project.change_model(*CHANGE)
    result = project.build()
    assert result.exit_code == 0
    text = project.script.read_text()
    assert EDIT[1] in text
    assert CHANGE[1] in text
    assert result.stderr == "note[edits-kept]: Your edits are kept:\n  train_ddp.py:13  Net.forward\n"
    assert result.stdout == "wrote train_ddp.py\n"
    before = project.files()
    assert project.build().stdout == "train_ddp.py is up to date\n"
    assert project.files() == before


def test_the_summary_names_lines_and_definitions(project: Project) -> None:
    project.edit("import math\n", "import math\nimport os\n")
    project.edit("    return math.sqrt(total)\n", "    print(total)\n    return math.sqrt(total)\n")
    project.edit("    total = 0\n", "")
    project.edit("    def loss(self, x):\n        return abs(x)\n", "")
    project.change_model("size = 3", "size = 4")
    listed = project.build().stderr.splitlines()[1:5]
    assert listed == [
        "  train_ddp.py:7",
        "  train_ddp.py:16  Net.loss (2 lines taken out)",
        "  train_ddp.py:19  fit (a line taken out)",
        "  train_ddp.py:21  fit",
    ]


def test_an_edit_that_today_makes_as_well_is_no_edit_any_more(project: Project) -> None:
    project.edit(*CHANGE)
    project.change_model(*CHANGE)
    result = project.build()
    assert (result.exit_code, result.stderr) == (0, "")
    project.change_model(CHANGE[1], "x")
    assert project.build().exit_code == 0
    assert CHANGE[1] not in project.script.read_text()


def test_edits_are_not_formatted(project: Project) -> None:
    project.edit("    size = 3\n", "    size = 3\n    it  =  {'a' :1}   \n\n\n\n")
    project.change_model(*CHANGE)
    assert project.build().exit_code == 0
    assert "    it  =  {'a' :1}   \n\n\n\n" in project.script.read_text()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\n", b"\r\n"),
        (b'"""Train', b'\xef\xbb\xbf"""Train'),
        (b"size = 3", b"size = 3  # \xe4\xff"),
        (b"size = 3", b"size = 3  # a\x0cb\xc2\x85c\xe2\x80\xa8d"),
        (b"# epochs: None\n", b"# epochs: None\n# no end of line"),
        (b"size = 3", b"size = '\\d'"),
        (b"        return x * self.size\n", b"        return (\n"),
    ],
    ids=[
        "line ends of another system",
        "a byte order mark",
        "no UTF-8",
        "odd spaces",
        "no last newline",
        "an escape that is none",
        "no Python",
    ],
)
def test_edits_of_any_bytes_survive(project: Project, before: bytes, after: bytes) -> None:
    edited = project.script.read_bytes().replace(before, after)
    project.script.write_bytes(edited)
    project.change_model(*CHANGE)
    result = project.build()
    assert result.exit_code == 0
    assert "Warning" not in result.stderr
    expected = edited.replace(b"abs(x)", b"abs(x) ** 2").removeprefix(b"\xef\xbb\xbf")
    assert project.script.read_bytes() == expected


def test_a_link_stays_a_link_and_modes_stay(project: Project) -> None:
    target = project.folder / "elsewhere.py"
    project.script.rename(target)
    project.script.symlink_to(target)
    target.chmod(0o750)
    project.edit(*EDIT)
    project.change_model(*CHANGE)
    assert project.build().exit_code == 0
    assert project.script.is_symlink()
    assert CHANGE[1] in target.read_text()
    assert stat.S_IMODE(target.stat().st_mode) == 0o750


def test_what_cannot_be_written_is_named(make_project: Callable[[], Project]) -> None:
    project = make_project()
    (project.folder / ".ddpgen").touch()
    result = project.build()
    assert result.exit_code == 1
    assert "error[not-writable]: train_ddp.py cannot be written: File exists: .ddpgen." in result.stderr
    assert not project.script.exists()


def test_what_is_no_file_is_left_alone(project: Project) -> None:
    for output in ("/dev/full", "/dev/null"):  # the first would be read without end
        for options in ([], ["--force"]):
            result = project.build("-o", output, *options)
            assert result.exit_code == 1
            assert f"{output} is no file of text" in result.stderr


# ---- in the same place -----------------------------------------------------------------------------------


@pytest.fixture
def conflicting(project: Project) -> Project:
    """One whose script and model were changed in the same line, and the script elsewhere too."""
    project.edit(*EDIT)
    project.edit("size = 3", "size = 5")
    project.change_model(*RIVAL)
    project.change_model(*CHANGE)
    return project


BOTH = f"""\
<<<<<<< yours
        return {EDIT[1]}
=======
        return {RIVAL[1]}
>>>>>>> generated now
"""


def test_a_conflict_leaves_marks_a_copy_and_a_place(conflicting: Project) -> None:
    mine = conflicting.script.read_text()
    result = conflicting.build()
    assert result.exit_code == 1
    assert "wrote" not in result.stdout
    text = conflicting.script.read_text()
    assert BOTH in text
    assert "size = 5" in text
    assert CHANGE[1] in text
    assert conflicting.copy.read_text() == mine
    line = text.split("\n").index("<<<<<<< yours") + 1
    assert result.stderr.startswith(
        f"train_ddp.py:{line}:1: error[merge-conflict]: From here to line {line + 4}, "
    )
    assert "train_ddp.py.yours" in result.stderr


def test_nothing_is_built_over_a_conflict(conflicting: Project) -> None:
    conflicting.build()
    before = conflicting.files()
    result = conflicting.build()
    assert result.exit_code == 1
    assert "error[conflict-stands]" in result.stderr
    conflicting.edit("<<<<<<< yours\n", "")  # half of it is settled
    before["train_ddp.py"] = conflicting.script.read_bytes()
    assert conflicting.build().exit_code == 1
    assert conflicting.files() == before


def test_a_conflict_that_is_settled_by_hand(conflicting: Project) -> None:
    conflicting.build()
    conflicting.edit(BOTH, "        return x\n")
    result = conflicting.build()
    assert result.exit_code == 0
    assert "        return x\n" in conflicting.script.read_text()
    assert not conflicting.copy.exists()
    conflicting.change_model("range(10)", "range(11)")
    assert conflicting.build().exit_code == 0
    assert "range(11)" in conflicting.script.read_text()
    assert "        return x\n" in conflicting.script.read_text()


def test_a_script_that_is_taken_back_merges_again(conflicting: Project) -> None:
    """Not as if its user had undone all that is new today."""
    mine = conflicting.files()["train_ddp.py"]
    conflicting.build()
    os.replace(conflicting.copy, conflicting.script)
    for _ in range(2):
        result = conflicting.build()
        assert result.exit_code == 1
        assert BOTH in conflicting.script.read_text()
        assert CHANGE[1] in conflicting.script.read_text()
        assert conflicting.copy.read_bytes() == mine
        conflicting.script.write_bytes(mine)
    assert conflicting.build("--ours").exit_code == 0
    assert EDIT[1] in conflicting.script.read_text()
    assert CHANGE[1] in conflicting.script.read_text()
    assert set(conflicting.files()) == {"model.py", "train_ddp.py", ".ddpgen/train_ddp.py.txt"}


def test_ones_own_side_settles_a_conflict_by_hand(project: Project) -> None:
    """The script is then again as it was, and yet no longer in conflict."""
    project.edit(*EDIT)
    project.change_model(*RIVAL)
    assert project.build().exit_code == 1
    os.replace(project.copy, project.script)
    assert project.build().exit_code == 0
    assert EDIT[1] in project.script.read_text()
    assert project.build().stdout == "train_ddp.py is up to date\n"


@pytest.mark.parametrize("when", ["at once", "afterwards"])
@pytest.mark.parametrize(("option", "line"), [("--ours", EDIT[1]), ("--theirs", RIVAL[1])])
def test_one_side_for_all_conflicts(conflicting: Project, option: str, line: str, when: str) -> None:
    if when == "afterwards":
        assert conflicting.build().exit_code == 1
    result = conflicting.build(option)
    assert result.exit_code == 0
    text = conflicting.script.read_text()
    assert f"        return {line}\n" in text
    assert "size = 5" in text, "what does not conflict is kept, whatever the side"
    assert CHANGE[1] in text
    assert "<<<<" not in text
    assert not conflicting.copy.exists()
    assert conflicting.build().stdout == "train_ddp.py is up to date\n"


@pytest.mark.parametrize("when", ["at once", "afterwards"])
def test_force_takes_all_of_todays_text(conflicting: Project, when: str) -> None:
    if when == "afterwards":
        conflicting.build()
    assert conflicting.build("--force").exit_code == 0
    assert conflicting.script.read_text().endswith(conflicting.model.read_text() + "# epochs: None\n")
    assert not conflicting.copy.exists()


@pytest.mark.parametrize("options", combinations(("--force", "--ours", "--theirs"), 2))
def test_conflicts_are_settled_in_one_way(project: Project, options: tuple[str, str]) -> None:
    result = project.build(*options)
    assert result.exit_code == 2
    assert "Give but one of --force, --ours and --theirs." in result.stderr


def test_marks_that_git_left_are_not_built_over(project: Project) -> None:
    both = "<<<<<<< HEAD\n    size = 4\n=======\n    size = 5\n>>>>>>> branch\n"
    project.edit("    size = 3\n", both)
    project.change_model(*CHANGE)
    for options in ([], ["--ours"]):
        result = project.build(*options)
        assert result.exit_code == 1
        assert "train_ddp.py:10:1: error[conflict-stands]" in result.stderr
        assert both in project.script.read_text()


def test_sides_that_cannot_be_told_apart_are_left_to_the_user(project: Project) -> None:
    project.edit("x * self.size", '"""\n=======\n"""')
    project.change_model(*RIVAL)
    assert project.build().exit_code == 1
    before = project.files()
    for option in ("--ours", "--theirs"):
        assert "error[conflict-stands]" in project.build(option).stderr
    assert project.files() == before


def test_text_that_looks_like_marks_is_in_nobodys_way(project: Project) -> None:
    project.change_model("import math\n", 'import math\n\nTEXT = """\n<<<<<<< yours\n>>>>>>> x\n"""\n')
    assert project.build().exit_code == 0
    project.edit(*EDIT)
    project.change_model(*CHANGE)
    assert project.build().exit_code == 0
    assert EDIT[1] in project.script.read_text()


# ---- what does not fit any more --------------------------------------------------------------------------


def test_a_merge_that_is_no_python_counts_as_a_conflict(project: Project) -> None:
    """Each of the two takes another half of a body away."""
    project.change_model("    return math.sqrt(total)\n", "    x = 1\n    y = 2\n    z = 3\n")
    project.change_model("        return abs(x)\n", "        a = 1\n\n        # a comment\n\n        b = 2\n")
    project.build()
    project.edit("        a = 1\n", "")
    project.change_model("        b = 2\n", "")
    mine = project.script.read_text()
    result = project.build()
    assert result.exit_code == 1
    assert re.search(
        r"train_ddp.py:\d+:1: error\[merge-broken\]: .*expected an indented block", result.stderr
    )
    assert project.copy.read_text() == mine
    assert project.build().exit_code == 1, "as long as it is none"
    assert project.copy.read_text() == mine
    assert project.build("--ours").exit_code == 1
    assert project.copy.read_text() == mine
    project.edit("        # a comment\n", "        pass\n")
    assert project.build().exit_code == 0
    assert not project.copy.exists()


DROPPED = {
    "a function": (
        ("def fit(net):", "def helper():\n    return 1\n\n\ndef fit(net):"),
        ("print(fit(Net()))", "print(fit(Net()))\nprint(helper())"),
        "undefined name 'helper'",
    ),
    "a method": (
        ("    def loss(", "    def helper(self):\n        return 1\n\n    def loss("),
        ("print(fit(Net()))", "print(fit(Net()))\nprint(Net().helper())"),
        "today's script no longer defines `helper`",
    ),
    "a parameter": (
        ("def fit(net):", "def fit(net, helper=1):"),
        ("print(fit(Net()))", "print(fit(Net(), helper=2))"),
        "today's script no longer defines `helper`",
    ),
}


@pytest.mark.parametrize("kind", DROPPED)
def test_an_edit_that_refers_to_what_is_gone(project: Project, kind: str) -> None:
    (old, new), edit, said = DROPPED[kind]
    project.change_model(old, new)
    project.build()
    project.edit(*edit)
    assert project.build().stderr.count("warning") == 0
    project.change_model(new, old)
    result = project.build()
    assert result.exit_code == 0
    line = next(n for n, text in enumerate(project.script.read_text().split("\n"), 1) if "helper" in text)
    assert f"train_ddp.py:{line}:1: warning[merge-doubtful]: " in result.stderr
    assert said in result.stderr


def test_a_name_that_is_defined_nowhere_is_told_until_it_is(project: Project) -> None:
    project.edit("print(fit(Net()))", "print(fit(Net()), helper)")
    for _ in range(2):
        assert "undefined name 'helper'" in project.build().stderr
    project.edit("import math\n", "import math\nfrom mine import helper, other\n")
    assert "warning" not in project.build().stderr, "what else is wrong with edits is their user's"


def test_what_both_define_is_told(project: Project) -> None:
    project.edit("\n\nprint(fit", "\n\ndef report():\n    return 1\n\n\nprint(fit")
    project.change_model("import math\n", "import math\n\n\ndef report():\n    return 2\n")
    result = project.build()
    assert "warning[merge-doubtful]" in result.stderr
    assert "redefinition of unused 'report'" in result.stderr


# ---- without what was generated before -------------------------------------------------------------------


def test_without_the_record_it_is_said_what_can_be_done(project: Project) -> None:
    project.edit(*EDIT)
    project.change_model(*CHANGE)
    project.record.unlink()
    before = project.files()
    result = project.build()
    assert result.exit_code == 1
    assert "error[edits-unknown]" in result.stderr
    assert ".ddpgen/train_ddp.py.txt is missing" in result.stderr
    assert project.files() == before

    assert project.build("--ours").exit_code == 0
    assert project.script.read_bytes() == before["train_ddp.py"]
    project.change_model("range(10)", "range(11)")
    assert project.build().exit_code == 0
    assert EDIT[1] in project.script.read_text()
    assert "range(11)" in project.script.read_text()


def test_without_the_record_todays_text_can_be_taken(project: Project) -> None:
    project.edit(*EDIT)
    project.record.unlink()
    assert project.build("--theirs").exit_code == 0
    assert EDIT[1] not in project.script.read_text()
    assert project.build().stdout == "train_ddp.py is up to date\n"


def test_without_the_record_a_script_as_built_is_known(project: Project) -> None:
    project.record.unlink()
    assert project.build().exit_code == 0
    assert project.record.exists()


def test_a_record_that_was_edited_is_not_trusted(project: Project) -> None:
    """As by a replacement over all files of a repository, which would make the user's edit look generated."""
    for path in (project.script, project.record):
        change(path, *EDIT)
    project.change_model(*CHANGE)
    result = project.build()
    assert result.exit_code == 1
    assert "error[edits-unknown]" in result.stderr
    assert "was edited" in result.stderr
    project.change_model(CHANGE[1], CHANGE[0])  # from the same sources, the record can be made again
    assert project.build().exit_code == 0
    assert EDIT[1] in project.script.read_text()
    project.change_model(*CHANGE)
    assert project.build().exit_code == 0
    assert EDIT[1] in project.script.read_text()


@pytest.mark.parametrize(
    "damage",
    ["ddpgen: 0.1.0", "sources:\n", "preset: ddp\n", "text: "],
)
def test_a_record_whose_head_is_damaged_is_mended(project: Project, damage: str) -> None:
    """As by git, where two branches have built: the text below may be right all the same."""
    project.edit(*EDIT)
    fresh = project.record.read_text()
    change(project.record, damage, f"<<<<<<< HEAD\n{damage}\n=======\n>>>>>>> branch\n")
    assert project.build().exit_code == 0
    assert EDIT[1] in project.script.read_text()
    assert project.record.read_text() == fresh


@pytest.mark.parametrize(
    "content", [b"", b"\xff\0", b"---\n", b"- a\n---\nb\n", b"{}\n---\n", b"a: [\n---\n"]
)
def test_a_record_of_anything(project: Project, content: bytes) -> None:
    project.record.write_bytes(content)
    project.edit(*EDIT)
    result = project.build()
    assert result.exit_code == 1
    assert "error[edits-unknown]" in result.stderr


def test_a_record_of_another_version_merges(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.edit(*EDIT)
    project.change_model(*CHANGE)
    monkeypatch.setattr("ddpgen.generate.__version__", "9.0.0")
    result = project.build()
    assert result.exit_code == 0
    assert (
        "note[other-version]: train_ddp.py was generated by ddpgen 0.1.0, and this is 9.0.0" in result.stderr
    )
    assert EDIT[1] in project.script.read_text()
    record = read_record(project.script, project.record)
    assert record is not None
    assert record.version == "9.0.0"


def test_without_git_only_edits_are_in_the_way(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    project.change_model(*CHANGE)
    assert project.build().exit_code == 0
    project.edit(*EDIT)
    assert project.build().exit_code == 0
    project.change_model("range(10)", "range(11)")
    before = project.files()
    result = project.build()
    assert result.exit_code == 1
    assert "error[cannot-merge]" in result.stderr
    assert "Install git" in result.stderr
    assert project.files() == before
    assert project.build("--force").exit_code == 0


def test_settings_of_git_change_nothing(conflicting: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where temporary files stand in a repository that has some, and in a hook of git's."""
    subprocess.run(["git", "init", "--quiet", "."], check=True)
    subprocess.run(["git", "config", "merge.conflictStyle", "diff3"], check=True)
    monkeypatch.setattr("tempfile.tempdir", str(conflicting.folder))
    for directory in (".git", str(conflicting.folder / ".git"), "/nowhere"):
        monkeypatch.setenv("GIT_DIR", directory)
        conflicting.build()
        assert BOTH in conflicting.script.read_text()
        os.replace(conflicting.copy, conflicting.script)


# ---- what is kept ----------------------------------------------------------------------------------------


def test_the_record_tells_how_to_build_and_nothing_of_the_machine(project: Project) -> None:
    (project.folder / "größer").mkdir()
    (project.folder / "specs").mkdir()
    (project.folder / "specs" / "ddp").write_text("trainer: {max_epochs: 3}\n")
    output = project.folder / "größer" / "my script.py"
    options = [
        "--strategy",
        "specs/ddp",
        "--model",
        "Net",
        "--data",
        "Data",
        "--root",
        ".",
        "-o",
        str(output),
    ]
    assert project.build(*options).exit_code == 0
    text = (output.parent / ".ddpgen" / "my script.py.txt").read_text("utf-8")
    head, _, generated = text.partition("\n---\n")
    assert generated == output.read_text()
    assert str(project.folder) not in text
    assert re.sub("[0-9a-f]{16}'?", "…", head).replace(": '…", ": …").split("\n")[3:] == [
        "model: ../model.py",
        "spec: ../specs/ddp",
        "model_class: Net",
        "data_class: Data",
        "roots:",
        "- ..",
        "sources:",
        "  ../model.py: …",
        "  ../specs/ddp: …",
        "text: …",
    ]


def test_names_that_are_no_text(project: Project) -> None:
    name = os.fsdecode(b"t\xff.py")
    try:
        Path(name).write_text("")
    except OSError:
        pytest.skip("the file system takes no such name")
    Path(name).unlink()
    assert project.build("-o", name).exit_code == 0
    change(Path(name), *EDIT)
    project.change_model(*CHANGE)
    assert project.build("-o", name).exit_code == 0
    assert EDIT[1] in Path(name).read_text()
    assert run("check", ".", "--rebuild").exit_code == 1, "the other script is not built again"


@pytest.mark.parametrize("form", ["json", "github"])
def test_machines_are_told_as_well(conflicting: Project, form: str) -> None:
    result = conflicting.build("--format", form)
    assert result.exit_code == 1
    if form == "json":
        (problem,) = json.loads(result.stdout)
        assert (problem["code"], problem["span"]["path"]) == ("merge-conflict", "train_ddp.py")
    else:
        assert result.stdout.startswith("::error file=train_ddp.py,line=13,")
    settled = conflicting.build("--ours", "--format", form)
    assert settled.exit_code == 0
    if form == "json":
        assert [note["code"] for note in json.loads(settled.stdout)] == ["edits-kept"]
    else:
        assert settled.stdout.startswith("::notice title=edits-kept::Your edits are kept:%0A  train_ddp.py:")
