"""What holds of every command: its help has examples, shells complete it, colours go to terminals that want them."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from ddpgen.cli import main
from ddpgen.spec.load import preset_list

DIGITS = Path(__file__).parents[1] / "generated_examples" / "digits"


def help_of(name: str) -> str:
    return CliRunner().invoke(main, [name, "--help"], catch_exceptions=False).output


def examples(name: str) -> list[list[str]]:
    """The examples in a command's help, without what a shell would do with them."""
    lines = re.findall(rf"^ +ddpgen {name}\b(.*)$", help_of(name), re.MULTILINE)
    return [re.sub(r"(>|#).*", "", line).split() for line in lines]


# ---- help ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", main.commands)
def test_each_command_has_examples_of_itself_that_parse(name: str) -> None:
    command = main.commands[name]
    assert examples(name)
    for arguments in examples(name):
        paths = [each for each in command.params if isinstance(each.type, click.Path) and each.type.exists]
        exists = [each.type for each in paths]
        for kind in exists:
            assert isinstance(kind, click.Path)
            kind.exists = False
        try:
            command.make_context(name, list(arguments))
        finally:
            for kind in exists:
                kind.exists = True  # type: ignore[attr-defined]  # a Path's


@pytest.mark.parametrize("name", main.commands)
def test_help_fits_a_terminal_and_tells_every_option(name: str) -> None:
    text = help_of(name)
    assert all(len(line) <= 80 for line in text.splitlines())
    for parameter in main.commands[name].params:
        if isinstance(parameter, click.Option):
            assert parameter.help
            assert parameter.opts[0] in text


def test_each_command_is_told_in_one_line() -> None:
    text = CliRunner().invoke(main, ["--help"]).output
    assert all(re.search(rf"^  {name} +\S", text, re.MULTILINE) for name in main.commands)
    assert "ddpgen build model.py" in text


# ---- completion ------------------------------------------------------------------------------------------


def completed(*words: str) -> list[str]:
    """What bash offers for the last of the words."""
    given = {
        "_DDPGEN_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    done = CliRunner().invoke(main, [], prog_name="ddpgen", env=given, catch_exceptions=False)
    return done.output.splitlines()


def test_commands_and_options_are_completed() -> None:
    assert completed("ddpgen", "ver") == ["plain,verify"]
    assert "plain,--html" in completed("ddpgen", "explain", "--")


def test_strategies_are_completed_by_name_and_as_files() -> None:
    names = [name for name, _ in preset_list() if name.startswith("ddp-")]
    assert completed("ddpgen", "build", "m.py", "--strategy", "ddp-") == [
        *(f"plain,{name}" for name in names),
        "file,ddp-",
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_code(shell: str) -> None:
    given = {"_DDPGEN_COMPLETE": f"{shell}_source"}
    done = CliRunner().invoke(main, [], prog_name="ddpgen", env=given)
    if shell == "bash" and not shutil.which("bash"):
        pytest.skip("click asks bash for its version")
    assert "_DDPGEN_COMPLETE" in done.output


# ---- colours ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A script with an edit, so that there is something to show in colour."""
    folder = tmp_path_factory.mktemp("colours") / "digits"
    shutil.copytree(DIGITS, folder)
    script = folder / "train_ddp.py"
    script.write_text(script.read_text().replace("import argparse\n", "import argparse\nimport sys\n"))
    return script


def on_a_terminal(command: list[str], **environment: str) -> str:
    """What a command writes to a terminal of its own."""
    ours, theirs = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "ddpgen", *command],
        stdout=theirs,
        stderr=theirs,
        stdin=theirs,
        env={**env, "TERM": "xterm-256color", "PYTHONDONTWRITEBYTECODE": "1", **environment},
    )
    os.close(theirs)
    output = b""
    while chunk := _read(ours):
        output += chunk
    process.wait(timeout=60)
    os.close(ours)
    return output.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


@pytest.mark.parametrize("name", ["explain", "diff"])
def test_colours_are_for_terminals_that_want_them(name: str, edited: Path) -> None:
    command = [name, str(edited)]
    assert "\x1b[" in on_a_terminal(command)
    assert "\x1b" not in on_a_terminal(command, NO_COLOR="1")
    assert "\x1b" not in CliRunner().invoke(main, command).output


@pytest.mark.parametrize(
    "command", [["strategies"], ["schema"], ["inspect", str(DIGITS / "model.py")], ["--help"]]
)
def test_other_output_is_plain_wherever_it_goes(command: list[str]) -> None:
    assert "\x1b" not in CliRunner().invoke(main, command).output
