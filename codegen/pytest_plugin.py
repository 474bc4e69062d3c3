"""A plugin of pytest's: snapshot tests of generated scripts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .ir.record import Record


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites snapshots."""
    parser.getgroup("ddpgen").addoption(
        "--ddpgen-update", action="store_true", help="Rewrite the snapshots of ddpgen_snapshot."
    )


@dataclass(frozen=True)
class Snapshots:
    """Compares fresh builds with stored ones; a call for each."""

    root: Path  # from which paths are seen
    folder: Path  # where snapshots are stored that are not given a path
    test: str
    updates: bool
    taken: list[Path] = field(default_factory=list)

    def __call__(
        self,
        model: str | Path,
        strategy: str | Path = "ddp",
        snapshot: str | Path | None = None,
        *,
        model_class: str | None = None,
        data_class: str | None = None,
    ) -> None:
        """Fail where the script that is built from `model` is not the stored one."""
        from .diagnostics import CompileError
        from .generate import generate
        from .ir.recipe import Recipe
        from .spec.load import load_spec

        model = self.root / model
        named = strategy if self._is_preset(strategy) else self.root / strategy
        try:
            spec = load_spec(str(named))
            path = self.root / snapshot if snapshot else self._path(f"{model.stem}-{spec.name}")
            script = path if snapshot else model.with_name(f"train_{spec.name}.py")
            record, _ = generate(Recipe(script, model, named, model_class, data_class), spec)
        except CompileError as error:
            pytest.fail(str(error), pytrace=False)
        self._compare(path, record)

    def _is_preset(self, strategy: str | Path) -> bool:
        from .spec.load import preset_list

        return strategy in [name for name, _ in preset_list()]

    def _path(self, name: str) -> Path:
        """Where this test's next snapshot stands; no Python file, so that nothing takes it for a script."""
        stem = re.sub(r"\W+", "-", f"{self.test}-{name}")
        count = sum(path.name.startswith(f"{stem}.") for path in self.taken)
        path = self.folder / (f"{stem}.{count + 1}.txt" if count else f"{stem}.txt")
        self.taken.append(path)
        return path

    def _compare(self, path: Path, record: Record) -> None:
        from .output.edits import unified

        stored = _stored(path)
        if stored == record.text:
            return
        if self.updates:
            _store(path, record)
            return
        shown = path.relative_to(self.root) if path.is_relative_to(self.root) else path
        if stored is None:
            pytest.fail(f"There is no snapshot {shown} yet. Run pytest with --ddpgen-update.", pytrace=False)
        what = "A fresh build differs from the snapshot. If it is right, run pytest with --ddpgen-update."
        difference = unified(stored, record.text, (f"{shown}", f"{shown} (a fresh build)"))
        pytest.fail(f"{what}\n\n{difference}", pytrace=False)


def _stored(path: Path) -> str | None:
    """What is stored, of a script with the module beside it."""
    from .ir.record import record_path
    from .output.write import present_text
    from .source.text_file import read_text

    if record_path(path).exists():
        return present_text(path)
    return read_text(path) if path.exists() else None


def _store(path: Path, record: Record) -> None:
    """Write a snapshot; one that is a script with a record of its own gets a new one of those as well."""
    from .ir.record import record_path
    from .output.write import write_script
    from .source.text_file import replace_file

    if record_path(path).exists():
        write_script(record, force=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, record.text)


@pytest.fixture
def ddpgen_snapshot(request: pytest.FixtureRequest) -> Snapshots:
    """Compare `ddpgen_snapshot(model, strategy)` with a stored build; paths are seen from pytest's rootdir."""
    folder = request.path.parent / "snapshots" / request.path.stem
    updates = bool(request.config.getoption("--ddpgen-update"))
    return Snapshots(request.config.rootpath, folder, request.node.name, updates)
