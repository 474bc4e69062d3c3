"""The scripts that are trained: small models, each with another way to keep what it has trained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner
from ddpgen import compile as compiler
from ddpgen.cli import main
from ddpgen.strategies.checkpoints.sharded_checkpoint import SHARED_PARTS, load_whole

from .buckets import BUCKET
from .training import RUN

SOURCES = Path(__file__).with_name("sources")
RESTARTED = {"TORCHELASTIC_ERROR_FILE": "/tmp/torchelastic/job/attempt_0/0/error.json"}
"""As torchrun starts a job again."""
EPOCHS, BATCHES = 3, 8  # with one rank
CHECKPOINTS = (".ckpt", ".partial")  # whole, or about to be


@dataclass(frozen=True)
class Script:
    """A script, and how many steps of the optimizer it may lose when it is killed."""

    name: str
    spec: str
    loses: int = BATCHES
    source: str = "model.py"
    arguments: tuple[str, ...] = ("--out", RUN, "--resume")
    environment: Mapping[str, str] = field(default_factory=dict)
    launch: str = ""  # what starts it: torchrun, or each rank on a node of its own
    in_bucket: bool = False  # else in a local folder
    edits: Mapping[str, str] = field(default_factory=dict)  # what is replaced in the script, and by what
    leftovers: tuple[str, ...] = ()  # files that may stay beside it: they were about to be replaced


SCRIPTS = {
    script.name: script
    for script in (
        Script("plain", ""),
        Script("steps", "checkpoint: {every_n_steps: 3}", loses=3),
        # while one is written, steps go on to the next
        Script("background", "checkpoint: {every_n_steps: 3, async: true}", loses=2 * 3),
        Script("shares", "strategy: fsdp\ncheckpoint: {state: sharded}"),
        Script("in_place", "", edits={'path.with_name(path.name + ".partial")': "path"}),
        # a step takes milliseconds: ranks hear of each other as quickly
        Script("leaving", "preemption: true", edits={"PAUSE = 0.25": "PAUSE = 0.01"}),
        Script("backed", "checkpoint: {keep: 2}"),
        Script("watched", "failures: {hang_timeout: 5s}"),
        Script("bucket", f"checkpoint: {{dir: {BUCKET}}}", in_bucket=True),
        Script("fresh", "", arguments=("--out", RUN)),
        Script("launched", "", arguments=("--out", RUN), launch="torchrun"),
        Script(
            "apart",
            "process_group: {timeout: 5s}",
            launch="nodes",
            environment={"GLOO_SOCKET_IFNAME": "wire"},
        ),
        Script(
            "kept",
            "",
            source="main.py",
            arguments=(),
            environment=RESTARTED,
            # the worst of three, which the one in its place tells nothing of
            leftovers=("epoch=0.ckpt",),
        ),
    )
}


def build(script: Script, folder: Path) -> Path:
    """The script's file."""
    written, spec = folder / f"train_{script.name}.py", folder / f"{script.name}.yaml"
    common = f"seed_everything: 3\ntrainer: {{max_epochs: {EPOCHS}, log_every_n_steps: 1}}"
    spec.write_text(f"{common}\n{script.spec}\n" if script.source == "model.py" else script.spec)
    arguments = [
        "build",
        str(SOURCES / script.source),
        "--strategy",
        str(spec),
        "-o",
        str(written),
    ]
    with patch.object(compiler, "formatted", lambda text, mode: text):  # black takes two fifths of a build
        result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert not result.exit_code, result.output
    text = written.read_text()
    for old, new in script.edits.items():
        assert old in text
        text = text.replace(old, new)
    written.write_text(text)
    return written


def left(folder: Path) -> dict[str, Any]:
    """All that a run has left in its folder, but for its name."""
    found = {}
    for path in files(folder):
        name = path.relative_to(folder).as_posix()
        content = checkpoint(path) if path.suffix == ".ckpt" else path.read_bytes()
        found[name] = without(f"{folder.parent}", content)
    return found


def without(folder: str, content: Any) -> Any:
    """The same wherever it was trained."""
    if isinstance(content, dict):
        return {
            without(folder, key): without(folder, value)
            for key, value in content.items()
            if key != "last_model_path"  # which a kill may leave out until the next save
        }
    if isinstance(content, list):
        return [without(folder, each) for each in content]
    return content.replace(folder, "") if isinstance(content, str) else content


def files(folder: Path) -> Iterator[Path]:
    """Files, and folders that are one checkpoint; what says whose the run is differs in each."""
    for path in sorted(folder.iterdir()) if folder.exists() else ():
        if path.name == "earlier":
            continue  # what another run has left
        if path.is_dir() and path.suffix not in CHECKPOINTS:
            yield from files(path)
        elif (
            path.name != "run-id"
            and path.suffix != ".damaged"
            and not path.name.startswith("newest-checkpoint")
        ):
            yield path


def checkpoint(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = load_whole(path, *SHARED_PARTS)
    return {key: value for key, value in loaded.items() if key != "run"}


def steps_kept(folder: Path) -> int:
    """The steps of the newest checkpoint in a run's folder."""
    return max(
        (checkpoint(path)["global_step"] for path in files(folder) if path.suffix == ".ckpt"),
        default=0,
    )
