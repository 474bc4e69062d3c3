"""The table at the README's end says what becomes of each construct; here each one is built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from construct_table import README, SECTIONS, TESTS, Row, node_id, rows, with_table
from ddpgen.compile import compile_script
from ddpgen.diagnostics import CompileError, Diagnostic
from ddpgen.spec.load import load_spec

ROWS = [row for section in SECTIONS for row in rows(section)]


def said_of(row: Row, folder: Path) -> tuple[bool, tuple[Diagnostic, ...]]:
    """Whether the row's file becomes a script, and what is said."""
    (folder / "model.py").write_text(row.text, "utf-8")
    (folder / "spec.yaml").write_text(row.spec or "strategy: ddp\n", "utf-8")
    try:
        return True, compile_script(folder / "model.py", load_spec(str(folder / "spec.yaml"))).notes
    except CompileError as error:
        return False, error.diagnostics


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_construct(row: Row, tmp_path: Path) -> None:
    is_built, said = said_of(row, tmp_path)
    codes = {each.code for each in said}
    assert is_built == (row.becomes != "refused"), said
    assert codes == ({row.code} if row.code else set()), said


def test_rows_have_names_of_their_own() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))


def test_the_readme_is_current() -> None:
    readme = README.read_text("utf-8")
    assert with_table(readme) == readme, "python tests/construct_table.py --update"


@pytest.mark.processes
def test_the_tests_that_are_named_exist(request: pytest.FixtureRequest) -> None:
    named = {node_id(row.test) for row in ROWS if row.test}
    # xdist adds the group
    missing = _without(named, [item.nodeid.partition("@")[0] for item in request.session.items])
    if missing:  # not all tests are run
        files = sorted({name.partition("::")[0] for name in missing})
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-o", "addopts=", *files]
        done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True)
        missing = _without(missing, [line for line in done.stdout.splitlines() if "::" in line])
    assert not missing


def _without(named: set[str], collected: list[str]) -> set[str]:
    """Those that are none of the collected tests."""
    ids = [each.removeprefix("tests/") for each in collected]
    return {name for name in named if not any(_is_of(each, name) for each in ids)}


def _is_of(collected: str, name: str) -> bool:
    """Whether a test is the one that is named, or one of those: `[a]` names `[a-1]` and `[a-2]`."""
    test, _, case = collected.partition("[")
    wanted, _, of = name.partition("[")
    return test == wanted and (not of or f"-{of[:-1]}-" in f"-{case[:-1]}-")
