"""What is there to be copied: the hook, the workflow, the lines of README.md."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml
from ddpgen.cli import main
from ddpgen.version import __version__

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", README, re.M | re.S)


def commands_in(data: object) -> Iterator[str]:
    """The commands of ddpgen's that a workflow or a hook runs."""
    if isinstance(data, dict | list):
        for value in data.values() if isinstance(data, dict) else data:
            yield from commands_in(value)
    elif isinstance(data, str) and data.startswith("ddpgen "):
        yield data


def parsed(command: str) -> click.Context:
    """The command line as ddpgen reads it; wrong usage raises."""
    _, name, *arguments = shlex.split(command, comments=True)
    return main.commands[name].make_context(name, arguments)


@pytest.mark.parametrize("text", [(ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"), *BLOCKS])
def test_yaml_is_valid_and_its_commands_exist(text: str) -> None:
    for command in commands_in(yaml.safe_load(text)):
        parsed(command)


def test_the_workflow_checks_and_pins() -> None:
    (workflow,) = (text for text in BLOCKS if "runs-on" in text)
    assert "ddpgen check --format github" in list(commands_in(yaml.safe_load(workflow)))
    assert f"ddpgen=={__version__}" in workflow


def test_the_hook_is_the_one_that_the_readme_names() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert hook["id"] == "ddpgen-check"
    assert hook["id"] in README
    assert parsed(hook["entry"]).info_name == "check"
