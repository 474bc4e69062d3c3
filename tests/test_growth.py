"""The work of a build grows about linearly with what is reached: it is counted in calls, which no load changes."""

from __future__ import annotations

import cProfile
import pstats
import sys
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

ROOT = Path(__file__).parents[1]
SIZES = (6, 12, 18)
"""Modules, which all are reached."""

MORE = 1.25
"""So many times the calls of one step of sizes the next may need; with a square of the size it would be 1.7."""

FEW = 5_000
"""Calls that are too few to tell."""


def calls_of_a_build(count: int, folder: Path) -> Counter[str]:
    """How many functions of each package are called while a project is built; `all` has libraries' too."""
    sys.path.insert(0, str(ROOT / "tests" / "benchmarks"))
    from bench_build import package_of

    entry, profile = package_of(count, folder), cProfile.Profile()
    profile.enable()
    result = CliRunner().invoke(main, ["build", str(entry), "-o", str(folder / "train_built.py")])
    profile.disable()
    assert result.exit_code == 0, result.output
    found = Counter[str]()
    for (path, _, _), (_, calls, *_) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        found["all"] += calls
        if Path(path).is_relative_to(ROOT / "codegen"):
            found[Path(path).relative_to(ROOT / "codegen").parts[0]] += calls
    return found


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> list[Counter[str]]:
    calls_of_a_build(4, tmp_path_factory.mktemp("first"))  # what is loaded once
    return [calls_of_a_build(count, tmp_path_factory.mktemp(f"of_{count}")) for count in SIZES]


def test_work_grows_linearly(calls: list[Counter[str]]) -> None:
    small, middle, large = calls
    grown = {name: (middle[name] - small[name], large[name] - middle[name]) for name in large}
    assert grown["all"][1] <= MORE * grown["all"][0]
    assert not {
        name: steps for name, steps in grown.items() if max(steps) > FEW and steps[1] > MORE * steps[0]
    }
