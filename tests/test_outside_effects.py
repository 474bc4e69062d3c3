"""What a module's statements do to what is not the project's, by what they call."""

from __future__ import annotations

from pathlib import Path

from ddpgen.facts.entry.outside import runs
from ddpgen.link.link import link

MAKES = """
import os


class Setting:
    def __init__(self):
        os.environ["MODE"] = "fast"


class Holder:
    def __init__(self):
        self.setting = Setting()


holder = Holder()
"""


def test_a_constructor_that_another_one_runs_acts(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(MAKES.lstrip())
    found = runs(link(tmp_path / "main.py", tmp_path))
    assert "holder = Holder()" in {each.code.strip() for each in found if found[each].sets}
