"""The plugin of pytest's; and by it, the examples."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_examples import entry_of
from ddpgen.pytest_plugin import Snapshots

from .conftest import MODEL, change

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "generated_examples"

TESTS = """\
import pytest


@pytest.mark.parametrize("strategy", ["spec.yaml"])
def test_script(ddpgen_snapshot, strategy):
    ddpgen_snapshot("model.py", strategy)
    ddpgen_snapshot("model.py", strategy, model_class="Net")
"""


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir()))
def test_an_example_is_what_a_build_gives(name: str, ddpgen_snapshot: Snapshots) -> None:
    spec = EXAMPLES / name / "ddp.yaml"
    entry = entry_of(spec)
    ddpgen_snapshot(entry, spec, entry.with_name("train_ddp.py"))


def test_a_users_snapshots(
    pytester: pytest.Pytester, built: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path = pytester.path
    pytester.makeini("[pytest]")  # no conftest further up is this project's
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # others' plugins take their time

    def run_pytest(*options: str) -> str:
        return pytester.runpytest_inprocess("-q", "-p", "ddpgen.pytest_plugin", *options).stdout.str()

    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_model.py").write_text(TESTS)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "spec.yaml").write_text("strategy: ddp\n")

    missing = run_pytest()
    name = "snapshots/test_model/test_script-spec-yaml-model-spec"
    assert f"There is no snapshot tests/{name}.txt yet." in missing
    assert not (tests / "snapshots").exists()

    assert "1 passed" in run_pytest("--ddpgen-update")
    stored = sorted(path.relative_to(tests).as_posix() for path in tests.rglob("*.txt"))
    assert stored == [f"{name}.2.txt", f"{name}.txt"]
    assert "1 passed" in run_pytest()

    change(tmp_path / "model.py", "size = 3", "size = 4")
    differs = run_pytest()
    assert "1 failed" in differs
    assert "\n-    size = 3\n" in differs
    assert "\n+    size = 4\n" in differs
    assert "Traceback" not in differs

    (tmp_path / "spec.yaml").write_text("strateg: ddp\n")
    assert "spec.yaml:1:1: error[unknown-setting]" in run_pytest()
