"""Every folder in `cases`: a model, a spec if it needs one, and what comes of them.

expected.py      the script, to the letter
diagnostics.txt  all that is said, to the letter; where there are errors, nothing is written

A folder with neither builds, and nothing is said. DDPGEN_UPDATE=1 rewrites what there is of them; for a new case,
`touch` one.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import black
import pytest
from click.testing import CliRunner
from ddpgen import messages
from ddpgen.cli import main
from ddpgen.render.format import black_mode

CASES = Path(__file__).parent / "cases"
UPDATE = os.environ.get("DDPGEN_UPDATE") == "1"


@dataclass(frozen=True)
class Outcome:
    """How a build ended."""

    exit_code: int
    said: str
    script: str | None


def build(folder: Path, output: Path) -> Outcome:
    """Build the folder's script, from inside the folder, into `output`."""
    spec = ["--strategy", "spec.yaml"] if (folder / "spec.yaml").exists() else []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = CliRunner().invoke(
            main, ["build", "model.py", *spec, "-o", str(output)], catch_exceptions=False
        )
    script = output.read_text("utf-8") if output.exists() else None
    said = result.stderr.replace(f"{folder.resolve().as_posix()}/", "")
    return Outcome(result.exit_code, said, script)


def update(folder: Path, outcome: Outcome) -> None:
    """Make what came of the case what is expected of it, in the files that the folder has."""
    for path, text in ((folder / "diagnostics.txt", outcome.said), (folder / "expected.py", outcome.script)):
        if path.exists() and text is not None:
            path.write_text(text, "utf-8")


@pytest.mark.parametrize("name", sorted(path.parent.name for path in CASES.glob("*/model.py")))
def test_case(name: str, tmp_path: Path) -> None:
    folder = CASES / name
    outcome = build(folder, tmp_path / "train.py")
    assert (outcome.exit_code, outcome.script is None) in [(0, False), (1, True)], outcome.said
    if UPDATE:
        update(folder, outcome)
    assert outcome.said == (read(folder / "diagnostics.txt") or "")
    if outcome.script is not None:
        whole = black.format_str(outcome.script, mode=black_mode(folder))
        assert whole == outcome.script, "black would format it differently"
    expected = read(folder / "expected.py")
    if expected is not None:
        assert outcome.script == expected


def read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None


# ---- what the cases cover --------------------------------------------------------------------------------

# Messages that no model's code can cause: those on the spec have their tests in test_spec.py, those on files that
# cannot be read or written in test_hostile.py, that on overrides in test_configurations.py, those on modules that are
# loaded again, and on names that several modules have, in test_link.py, those on a LightningCLI in
# test_lightning_cli.py, those on edits and on what has changed since in tests/yours.
ELSEWHERE = {
    "broken_script",
    "unreadable",
    "too_deep",
    "unknown_strategy",
    "not_overwritten",
    "not_writable",
    "overwrites_source",
    "edits_kept",
    "machinery_edited",
    "module_named_so",
    "reload_left_out",
    "methods_left_out",
    "shown_left_out",
    "strategy_unchosen",
    "cli_checkpoint_settings",
    "cli_environment",
    "cli_object_acts",
    "edits_unknown",
    "other_version",
    "cannot_merge",
    "out_of_date",
    "script_missing",
    "record_missing",
    "record_damaged",
    "record_reaches_out",
    "not_generated",
    "source_missing",
    "not_installed",
    "not_estimated",
    "not_converted",
    "not_converted_over",
    "no_script",
    "already_there",
    "argument_lost",
    "overrides_unused",
    "overrides_left",
    "root_found",
    "copied_variable",
    "definition_renamed",
    "not_in_module",
    "display_name_written",
    "branch_ruled_out",
    "old_trainer_ruled_out",
}


def messages_on_code() -> Iterator[str]:
    """Those in use that say something of the user's code."""
    folder = Path(messages.__file__).parent
    text = "\n".join(path.read_text("utf-8") for path in folder.parent.rglob("*.py"))
    used = set(re.findall(r"\bmessages\.(\w+)", text))
    files = sorted(path for path in folder.glob("*.py") if path.stem != "making")
    for node in (each for path in files for each in ast.parse(path.read_text("utf-8")).body):
        if isinstance(node, ast.FunctionDef):
            parameters = [argument.arg for argument in node.args.args]
            on_spec = parameters[0] == "place" or node.name.startswith(("yaml_", "spec_"))
            if node.name in used and not on_spec and node.name not in ELSEWHERE:
                yield node.name


@pytest.mark.parametrize("name", list(messages_on_code()))
def test_there_is_a_case_for_each_message(name: str) -> None:
    said = [path.read_text("utf-8") for path in CASES.glob("*/diagnostics.txt")]
    assert any(f"[{name.replace('_', '-')}]" in text for text in said)


def test_places_are_where_the_marks_stand() -> None:
    """Each diagnostic shows its line as it stands in the file, with a mark at its column."""
    pattern = re.compile(
        r"^(\S+):(\d+):(\d+): .*(?:\n(?!\s*\d+ \| ).+)*\n +(\d+) \| (.*)\n( *)(\^+)$", re.MULTILINE
    )
    found = 0
    for path in CASES.glob("*/diagnostics.txt"):
        for file, line, column, number, shown, margin, marks in pattern.findall(path.read_text("utf-8")):
            lines = (path.parent / file).read_text("utf-8").split("\n")
            assert line == number
            assert lines[int(line) - 1] == shown
            assert len(margin) - len(f"{int(line):>5} | ") + 1 == int(column)
            assert len(margin) + len(marks) <= len(f"{int(line):>5} | ") + max(len(shown), int(column))
            found += 1
    assert found > 50


def test_few_cases_are_snapshots_of_whole_scripts() -> None:
    """They break with every change of a word; what a script does is tested elsewhere."""
    assert len(list(CASES.glob("*/expected.py"))) <= 4
