"""What runs is among what was predicted: each expression of small projects and of random mains is watched."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from ddpgen.link.link import link
from ddpgen.values import values_of
from observed import run_watched, surprises
from random_mains import random_main
from worlds import exit_codes, program

HERE = Path(__file__).parent
NOT_WATCHED = frozenset("""
    cli cli_described cli_environment cli_images cli_linked cli_optimizer cli_scores cli_short cli_weather
    default_logger failing hydra_logger loggers main_bare_folder main_batch_samplers main_cli main_configured
    main_dict_updated main_expected main_exports main_filtered main_given_later main_hyphens main_instantiated
    main_listed_callbacks main_listed_of_mapping main_loop_given main_makes_later main_merged_defaults
    main_merged_targets main_named main_noted_elsewhere main_own_evaluator main_own_samplers main_parsers
    main_partials main_root_added main_settings_taken main_static main_streamed main_swapped_averages
    main_target_trainer main_written_trainer tutorial written_defaults
    """.split())
"""They need a configuration file, an argument or a server, end in an error that is meant, have torch or hydra look for
their source, which watched code has not, a parser for the signature of the Trainer, in whose place is another, or code
for its default logger, or Lightning's code asks their `__getattr__`, or wraps their constructors; they ask for modules
of theirs by names that are put together, of which linked code has but the classes; they have a library make what it was
told of, of which it is taken to make what is its own; or they have a loader say which sampler they have given it, which
is taken for the loader's own."""

WATCHED = [
    folder
    for group in ("projects", "callback_projects")
    for folder in sorted((HERE / group).iterdir())
    if folder.is_dir() and folder.name not in NOT_WATCHED
]
# Each takes as long as a training under Lightning, and they have much in common; DDPGEN_WATCH=1 watches all of them.
FOLDERS = {folder.name: folder for folder in WATCHED[:: 1 if os.environ.get("DDPGEN_WATCH") else 2]}

# A few are enough to show that a change went wrong; `random_mains` was tried with hundreds.
SEEDS = range(40)


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """The runs of all projects, by name."""
    folder = tmp_path_factory.mktemp("observed") / "projects"
    for name, source in FOLDERS.items():
        shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    found = folder.with_name("found.jsonl")
    watched = program(
        [HERE / "observing_runner.py", folder, found], {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    )
    assert exit_codes([watched]) == [0]
    return {each["name"]: each for each in map(json.loads, found.read_text().splitlines())}


@pytest.mark.processes
@pytest.mark.parametrize("name", FOLDERS)
def test_what_a_project_computes_was_predicted(observed: dict[str, dict[str, object]], name: str) -> None:
    found = observed[name]
    assert found["surprises"] == []
    assert found["error"] == ""
    assert int(str(found["compared"])) > 50


@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_random_main_computes_was_predicted(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import stub_lightning

    monkeypatch.setitem(sys.modules, "lightning", stub_lightning.stub())
    stub_lightning.CALLS.clear()
    path = tmp_path / "main.py"
    path.write_text(random_main(seed))
    project = link(path, tmp_path)
    with contextlib.redirect_stdout(io.StringIO()):
        seen, error = run_watched(project.source.text, str(path))
    # arguments that are given twice, say, and a number in the place of a trainer
    assert isinstance(error, TypeError | AttributeError | None)
    assert list(surprises(project, seen)) == []
    values = values_of(project)
    lines = project.source.joined_lines
    for name, line in stub_lightning.CALLS:
        spans = [project.source.span(call) for call in values.calls_of(name)]
        line = lines[line - 1].number if lines else line
        assert any(span.line <= line <= span.end_line for span in spans), f"{name} in line {line}"
