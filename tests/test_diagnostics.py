"""How diagnostics are shown: together where they say the same, with lines that fit the terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from ddpgen.code_frame import code_frame
from ddpgen.diagnostics import CompileError, Diagnostic, Severity, Span, format_all
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len


def said(
    line: int,
    message: str,
    path: str = "model.py",
    subject: str = "",
    severity: Severity = "note",
) -> Diagnostic:
    """A note on the first word of a line."""
    return Diagnostic("left-out", message, Span(path, line, 5, line, 9), "    here()", severity, subject)


# ---- the same of several places ----------------------------------------------------------------------------


def test_what_says_the_same_is_said_once() -> None:
    told = [
        said(3, "The script does without `a`.", subject="a"),
        said(5, "The script does without `b`.", subject="b"),
    ]
    assert format_all(told, "text") == (
        "model.py:3:5: note[left-out]: The script does without `a`, `b`.\n"
        "    3 |     here()\n"
        "            ^^^^\n"
        "    5 |     here()\n"
        "            ^^^^"
    )


def test_a_subject_that_is_met_again_is_named_once() -> None:
    told = [said(line, "The script does without `a`.", subject="a") for line in (3, 5)]
    assert format_all(told, "text").startswith(
        "model.py:3:5: note[left-out]: The script does without `a`.\n    3 |"
    )


def test_other_files_are_named() -> None:
    told = [said(3, "Left out."), said(7, "Left out.", "data.py"), said(9, "Left out.", "data.py")]
    assert [line for line in format_all(told, "text").split("\n") if "^" not in line] == [
        "model.py:3:5: note[left-out]: Left out.",
        "    3 |     here()",
        "data.py:7:5",
        "    7 |     here()",
        "    9 |     here()",
    ]


def test_reasons_that_differ_are_told_apart() -> None:
    told = [
        said(3, "Without `a`: torchrun decides.", subject="a"),
        said(5, "Without `b`: no effect.", subject="b"),
    ]
    assert format_all(told, "text").count("note[left-out]") == 2


def test_machines_are_told_of_each_place() -> None:
    told = [said(3, "Left out."), said(5, "Left out.")]
    assert [each["span"]["line"] for each in json.loads(format_all(told, "json"))] == [3, 5]
    assert format_all(told, "github").count("::notice") == 2


def test_errors_are_told_once_and_in_order() -> None:
    first, second = said(3, "Wrong.", severity="error"), said(5, "Wrong too.", severity="error")
    assert CompileError([second, first, second]).diagnostics == (first, second)


# ---- lines that fit ----------------------------------------------------------------------------------------

LONG = "x = call(" + "first, " * 20 + "here, " + "other, " * 20 + ")"
AT = LONG.index("here")


def test_a_line_is_whole_where_there_is_no_terminal() -> None:
    text, marks = code_frame(LONG, 12, AT, AT + 4).split("\n")
    assert text == f"   12 | {LONG}"
    assert marks == " " * (8 + AT) + "^^^^"


def test_a_long_line_is_cut_on_both_sides() -> None:
    assert code_frame(LONG, 12, AT, AT + 4, 60) == (
        "   12 | …, first, first, first, here, other, other, other, …\n"
        "                                ^^^^"
    )


@pytest.mark.parametrize(("at", "shown"), [(0, "x = call(first, "), (len(LONG) - 1, "other, )")])
def test_the_ends_of_a_line_stand_whole(at: int, shown: str) -> None:
    text, marks = code_frame(LONG, 12, at, at + 1, 40).split("\n")
    assert shown in text
    assert text.count("…") == 1
    assert text[len(marks) - 1] == LONG[at]


def test_a_mark_that_is_longer_than_the_terminal_is_cut_too() -> None:
    text, marks = code_frame(LONG, 12, 9, len(LONG), 40).split("\n")
    assert (len(text), len(marks)) == (40, 39)
    assert "first, first" in text


def test_tabs_stay_where_all_is_shown() -> None:
    assert code_frame("\tx\t= bad", 3, 5, 8, 80) == "    3 | \tx\t= bad\n        \t \t  ^^^"


def test_tabs_are_blanks_where_a_line_is_cut() -> None:
    text, marks = code_frame("\tif a:\t" + LONG, 3, 1, 3, 40).split("\n")
    assert text == "    3 |         if a:   x = call(first,…"
    assert marks == " " * 16 + "^^"


def test_wide_characters_take_two_cells() -> None:
    assert code_frame('名 = "日本" + bad', 3, 11, 14) == '    3 | 名 = "日本" + bad\n' + " " * 22 + "^^^"


def test_characters_that_are_drawn_over_others_take_none() -> None:
    line = "e\u0301 = bad"
    assert code_frame(line, 3, 5, 8) == f"    3 | {line}\n" + " " * 12 + "^^^"


def test_characters_that_are_drawn_over_wide_ones_are_cut_with_them() -> None:
    text, _ = code_frame("\t\taa名\u0301a", 3, 0, 0, 28).split("\n")
    assert cell_len(text) <= 28


LINES = st.text(st.sampled_from("ab \t名\u0301…"), min_size=1, max_size=60)


@given(LINES, st.data(), st.integers(28, 70))
def test_every_line_fits(line: str, data: st.DataObject, width: int) -> None:
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    text, marks = code_frame(line, 3, start, end, width).split("\n")
    is_cut = "\t" not in text
    assert cell_len(text.expandtabs()) <= width or not is_cut
    assert len(marks.expandtabs()) <= width + 1  # what is missing behind a line is marked there
    assert "^" in marks
    if start < end and is_cut and line[start] in "ab…":
        assert _at_cell(text, len(marks) - len(marks.lstrip())).startswith(line[start])


def _at_cell(text: str, cell: int) -> str:
    """The text from a cell of the terminal on."""
    while cell > 0:
        cell -= cell_len(text[0])
        text = text[1:]
    return text.lstrip("\u0301")


# ---- how wide the terminal is ------------------------------------------------------------------------------

MODEL = f"import lightning as L\nclass Net(L.LightningModule):\n    {LONG.replace('here', 'here here')}\n"


def build_on_terminal(folder: Path, columns: int | None) -> str:
    """What a build prints on a terminal; None: on a pipe."""
    (folder / "model.py").write_text(MODEL)
    command = [sys.executable, "-m", "ddpgen", "build", "model.py"]
    if columns is None:
        return subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, text=True).stderr
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(command, cwd=folder, stderr=theirs) as process:
        process.wait()
    os.close(theirs)
    said = os.read(ours, 100_000).decode()
    os.close(ours)
    return said.replace("\r\n", "\n")


@pytest.mark.processes
def test_lines_are_cut_to_the_terminal(tmp_path: Path) -> None:
    lines = build_on_terminal(tmp_path, 50).splitlines()
    assert len(lines[1]) == 50
    assert lines[1].endswith("…")


@pytest.mark.processes
def test_lines_stay_whole_on_pipes(tmp_path: Path) -> None:
    assert LONG[-20:] in build_on_terminal(tmp_path, None).splitlines()[1]
