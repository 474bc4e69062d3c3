"""The runs are made once a session, for the cases that were selected."""

from __future__ import annotations

import pytest

from .cases import CASES
from .runs import Runs


@pytest.fixture(scope="session")
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Runs of the cases which the selected tests are about."""
    parameters = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    selected = {each["case"] for each in parameters if "case" in each and "world" in each}
    return Runs(tmp_path_factory.mktemp("parity"), [case for name, case in CASES.items() if name in selected])
