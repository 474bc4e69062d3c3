"""Random models train as under Lightning, hook by hook: RANDOM_MODELS="100 50" takes 50 others, from number 100 on."""

from __future__ import annotations

import os

import pytest

from .cases import Case
from .differences import first_difference
from .random_models import RandomModel
from .runs import Runs
from .test_parity import differences

pytestmark = pytest.mark.processes

FIRST, COUNT = map(int, os.environ.get("RANDOM_MODELS", "0 16").split())


@pytest.fixture(scope="module")
def random_runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("random_models")
    cases = []
    for seed in range(FIRST, FIRST + COUNT):
        model, source = RandomModel(seed), folder / f"model_{seed}.py"
        source.write_text(model.source)
        source.with_suffix(".yaml").write_text(model.spec)
        cases.append(Case(source.stem, source, source.with_suffix(".yaml")))
    return Runs(folder, cases)


@pytest.mark.parametrize("world", [1, 2])
@pytest.mark.parametrize("number", range(COUNT))
def test_a_random_model(number: int, world: int, random_runs: Runs) -> None:
    """Losses, weights, states, and at each hook the step, the modes and what has been drawn until then."""
    case = random_runs.cases[number]
    found = list(differences(random_runs.reference(case, world), random_runs.script(case, world)))
    logs = random_runs.hook_logs(case, world)
    found.append(first_difference(logs["reference"], logs["scripts"], "hooks by rank"))
    assert not any(found), "\n".join([case.source.read_text(), *filter(None, found)])
