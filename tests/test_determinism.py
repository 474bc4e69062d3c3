"""The same inputs give the same bytes: whatever the hash seed, the directory, the path's form, the environment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
EXAMPLES = TESTS.parent / "generated_examples"
MODELS = TESTS / "parity" / "models"

# Files to build from: the model's and the spec's. The last ones have errors, and it is their messages that count.
INPUTS = {
    "digits": (EXAMPLES / "digits" / "model.py", EXAMPLES / "digits" / "ddp.yaml"),
    "hooks": (MODELS / "hook_order.py", MODELS / "hook_order.yaml"),
    "logging": (MODELS / "log_keywords.py", MODELS / "log_keywords.yaml"),
    "errors": (TESTS / "cases" / "many-at-once" / "model.py", None),
    "members": (TESTS / "cases" / "trainer-members-set" / "model.py", None),
    "arguments": (
        TESTS / "cases" / "unknown-arguments" / "model.py",
        TESTS / "cases" / "unknown-arguments" / "spec.yaml",
    ),
}

SCRIPTS = ("digits", "hooks", "logging")

# Builds all inputs, named on the command line, and prints what comes of each.
BUILD = """\
import json, sys
from pathlib import Path
import ddpgen
texts = {}
for name, model, spec in json.loads(sys.argv[1]):
    try:
        texts[name] = ddpgen.build(Path(model), spec)
    except ddpgen.CompileError as error:
        texts[name] = str(error)
print(json.dumps(texts))
"""


@dataclass(frozen=True)
class Place:
    """Where and how the inputs are built."""

    folder: str = "here"
    paths: str = "{folder}/{name}"  # of a file
    seed: str = "0"
    options: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    backwards: bool = False  # the last input first


PLACES = {
    "another hash seed": Place(seed="1"),
    "absolute paths, in another directory": Place(
        folder="deep/down/in here, größer", paths="{root}/{folder}/{name}", seed="4242", backwards=True
    ),
    "odd paths, another locale, without assertions": Place(
        folder="a.b",
        paths="./{folder}/../{folder}/{name}",
        seed="random",
        options=("-O", "-X", "utf8=0"),
        environment={"LC_ALL": "C", "TZ": "Asia/Tokyo", "COLUMNS": "20", "NO_COLOR": "1"},
    ),
}


def outcome(place: Place, root: Path) -> dict[str, str]:
    """What comes of each input, built from a copy in the place; paths in messages without their folders."""
    folder = root / place.folder
    folder.mkdir(parents=True)
    arguments = []
    for name, files in INPUTS.items():
        (folder / name).mkdir()
        copies = []
        for file, title in zip(files, ("model.py", "spec.yaml"), strict=True):
            if file is not None:
                shutil.copy(file, folder / name / title)
                copies.append(place.paths.format(root=root, folder=place.folder, name=f"{name}/{title}"))
        arguments.append([name, copies[0], copies[1] if len(copies) > 1 else "ddp"])
    if place.backwards:
        arguments.reverse()
    command = [sys.executable, *place.options, "-c", BUILD, json.dumps(arguments)]
    environment = {**os.environ, "PYTHONHASHSEED": place.seed, **place.environment}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = place.paths.format(root=root, folder=place.folder, name="")
    return {
        name: text.replace(Path(shown).as_posix() + "/", "") for name, text in json.loads(done.stdout).items()
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What comes of the inputs in a plain place."""
    found = outcome(Place(), tmp_path_factory.mktemp("plain"))
    assert all("error[" in found[name] for name in INPUTS if name not in SCRIPTS)
    assert all(found[name].startswith('"""') for name in SCRIPTS)
    return found


@pytest.mark.parametrize("name", PLACES)
def test_the_same_bytes(name: str, expected: dict[str, str], tmp_path: Path) -> None:
    found = outcome(PLACES[name], tmp_path)
    assert sorted(found) == sorted(expected)
    for each, text in found.items():
        assert text == expected[each], f"{each} differs"


def test_no_path_of_this_machine_is_left(expected: dict[str, str]) -> None:
    """Nor a date, nor who built it."""
    for name in SCRIPTS:
        text = expected[name]
        assert str(Path.home()) not in text
        assert "/tmp" not in text
        assert f"{TESTS.parent}" not in text


def test_a_build_does_not_depend_on_those_before_it() -> None:
    """In one process, what other builds leave behind changes nothing."""
    from ddpgen import build

    hooks, digits = INPUTS["hooks"][0], INPUTS["digits"][0]
    first = build(hooks)
    build(digits, "single")
    assert build(hooks) == first
