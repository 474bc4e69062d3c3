"""Small projects of several files, one for each form of import: built in both ways, and trained as Lightning does."""

from __future__ import annotations

import ast
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from parity.differences import first_difference
from worlds import run

PROJECTS = Path(__file__).with_name("projects")
CHOSEN = os.environ.get("DDPGEN_PROJECTS", "").split()
NAMES = CHOSEN or sorted(folder.name for folder in PROJECTS.iterdir() if folder.is_dir())
OWN_MAINS = [name for name in NAMES if name.startswith("main_")]
IMPORTS = ("embed-lightning", "embed-all")

# A build and a run take a second and more. Every second project has a script that stands alone beside the one that
# imports what does not touch Lightning; two processes run a third of the mains, and one process runs all.
# DDPGEN_ALL=1 runs everything, DDPGEN_PROJECTS="main_vae main_gpt" all of these.
ALL_RUN = bool(os.environ.get("DDPGEN_ALL") or CHOSEN)
IMPORTS_OF = {name: IMPORTS if ALL_RUN or place % 2 == 0 else IMPORTS[:1] for place, name in enumerate(NAMES)}
SHOWN_BY_TWO = {
    "main_asks_elsewhere",
    "main_persistent_workers",
    "main_trains_apart",
    "main_unsynced",
}  # what one process can't
RUN_BY_TWO = [
    name for place, name in enumerate(OWN_MAINS) if ALL_RUN or place % 3 == 1 or name in SHOWN_BY_TWO
]
SAVES_NOTHING = re.compile(r'enable_checkpointing"?(: bool)?\s*[=:]\s*[Ff]alse')


@dataclass(frozen=True)
class Runs:
    """Where the projects were copied to, built and run."""

    folder: Path

    def entry(self, name: str) -> Path:
        return next((self.folder / "projects" / name).rglob("main.py"))

    def script(self, name: str, imports: str) -> Path:
        """Beside the entry; a script that needs nothing else stands alone in a folder of its own."""
        alone = self.folder / "alone" / name / "train.py"
        return self.entry(name).with_name("train.py") if imports == "embed-lightning" else alone

    def is_one_file(self, name: str) -> bool:
        """Whether it has no modules that a script could import, so that both are the same."""
        return len([*(self.folder / "projects" / name).rglob("*.py")]) == 1

    def saves_nothing(self, name: str) -> bool:
        """Whether its code tells a Trainer so."""
        project = self.folder / "projects" / name
        files = (*project.rglob("*.py"), *project.rglob("*.yaml"))
        return any(SAVES_NOTHING.search(file.read_text()) for file in files)

    def log(self, name: str, program: str) -> Path:
        return self.folder / f"{name}.{program}.log"

    def weights(self, name: str) -> Path:
        return self.folder / f"{name}.pt"

    def out(self, name: str, imports: str) -> Path:
        return self.folder / f"{name}.{self.run_of(name, imports)}"

    def run_of(self, name: str, imports: str) -> str:
        """The run that shows what such a script does: where both are the same, that of the one that stands alone."""
        scripts = [each for each in map(partial(self.script, name), IMPORTS) if each.exists()]
        are_same = len(scripts) == 2 and len({each.read_text() for each in scripts}) == 1
        return "embed-all" if are_same else imports


def build(runs: Runs, name: str, imports: str) -> None:
    """Those that two processes run, too, have one script for both."""
    strategy = "ddp" if name in RUN_BY_TWO else "single"
    spec = runs.folder / imports / f"{strategy}.yaml"
    spec.parent.mkdir(exist_ok=True)
    keeps = "checkpoint: true\n" if name not in KEEPING_OTHERS and runs.saves_nothing(name) else ""
    spec.write_text(
        f"strategy: {strategy}\nimports: {imports}\n{keeps}trainer: {{enable_progress_bar: false}}\n"
    )
    beside = runs.entry(name).with_name("train.py")
    alone = runs.script(name, "embed-all")
    if imports == "embed-lightning" and alone.exists() and runs.is_one_file(name):
        shutil.copy(alone, beside)
        return
    command = ["build", str(runs.entry(name)), "--strategy", str(spec), "-o", str(beside)]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    if result.exit_code:
        runs.log(name, imports).write_text(result.output)
    elif imports == "embed-all":
        alone.parent.mkdir(parents=True)
        shutil.move(beside, alone)
        if (settings := beside.with_name("conf")).exists():
            shutil.copytree(settings, alone.with_name("conf"))


def jobs_of(runs: Runs, name: str, world: int) -> list[dict[str, object]]:
    """Lightning's run, then those of the scripts."""
    entry, root = runs.entry(name), runs.folder / "projects" / name
    path = [str(entry.parent), *([str(root / "src")] if (root / "src").exists() else [])]
    reference: dict[str, object] = {
        "program": str(entry),
        "path": path,
        "arguments": [],
        "cwd": str(runs.folder),
        "weights": str(runs.weights(name)),
        "log": str(runs.log(name, "lightning")),
        "world": world,
    }
    if (entry.parent / "__init__.py").exists():
        reference |= {"module": f"{entry.parent.name}.main", "path": [str(root)]}
    wanted = IMPORTS_OF[name] if world == 1 else IMPORTS[:1]
    built = [each for each in wanted if not runs.log(name, each).exists()]
    scripts: list[dict[str, object]] = [
        {
            "program": str(runs.script(name, imports)),
            "path": [str(runs.script(name, imports).parent)],
            "arguments": [],
            "cwd": str(runs.out(name, imports)),
            "weights": None,
            "log": str(runs.log(name, imports)),
            "world": world,
        }
        for imports in dict.fromkeys(runs.run_of(name, each) for each in built)
    ]
    return [reference, *scripts]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all projects and their scripts."""
    runs = Runs(tmp_path_factory.mktemp("built"))
    shutil.copytree(PROJECTS, runs.folder / "projects", ignore=shutil.ignore_patterns("__pycache__"))
    for name in NAMES:
        for imports in reversed(IMPORTS_OF[name]):
            build(runs, name, imports)
    return runs.folder


@pytest.fixture(scope="module")
def runs(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """All projects, run by one process."""
    return run_by(1, NAMES, built, tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def runs_of_two(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The projects with a main of their own, run by two."""
    return run_by(2, RUN_BY_TWO, built, tmp_path_factory.mktemp("runs_of_two"))


def run_by(world: int, names: Sequence[str], built: Path, folder: Path) -> Runs:
    shutil.copytree(built, folder, dirs_exist_ok=True)
    runs = Runs(folder)
    run(folder, [job for name in names for job in jobs_of(runs, name, world)], world)
    return runs


@pytest.mark.processes
@pytest.mark.parametrize(("name", "imports"), [(name, each) for name in NAMES for each in IMPORTS_OF[name]])
def test_a_project_trains_as_under_lightning(runs: Runs, name: str, imports: str) -> None:
    compare(runs, name, imports)


@pytest.mark.processes
@pytest.mark.parametrize("name", RUN_BY_TWO)
def test_a_main_trains_with_two_processes_as_under_lightning(runs_of_two: Runs, name: str) -> None:
    compare(runs_of_two, name, IMPORTS[0])


def compare(runs: Runs, name: str, imports: str) -> None:
    """The script's weights are Lightning's."""
    for program in dict.fromkeys(("lightning", imports, runs.run_of(name, imports))):
        log = runs.log(name, program)
        assert not log.exists(), f"{program}: {log.read_text()}"
    expected = torch.load(runs.weights(name), weights_only=True)
    for checkpoint in checkpoints_of(runs, name, imports):
        trained = torch.load(checkpoint, weights_only=True)["state_dict"]
        assert trained.keys() == expected.keys()
        for key, value in expected.items():
            assert torch.equal(trained[key], value), key
    for file in runs.folder.glob(f"{name}.*.results.pt"):
        theirs, ours = (
            torch.load(path, weights_only=False) for path in (file, runs.out(name, imports) / file.name)
        )
        assert not (difference := first_difference(theirs, ours, file.stem)), difference


KEEPING_OTHERS = frozenset("""
    main_arguments main_best main_boxes main_by_time main_byol main_checkpoint_io main_ends_early
    main_epochs_or_none main_epochs_set main_evaluates_others main_fits_again main_goes_further
    main_goes_on_within main_gpt main_graphs main_iterators main_kept_arguments main_loads_own_way
    main_mean_teacher main_merged_defaults main_metric_sets main_model_callbacks main_only_tests
    main_pix2pix main_saved_objects main_series_forecasts main_shares_out main_vae main_validation_off
    """.split())
"""Those that have a ModelCheckpoint of their own, or do not train."""


def checkpoints_of(runs: Runs, name: str, imports: str) -> list[Path]:
    """The one that a script keeps of what it trains last, unless the code keeps others."""
    first = list(runs.out(name, imports).rglob("last.ckpt"))
    assert len(first) == (name not in KEEPING_OTHERS)
    later = [path for each in first for path in each.parent.glob("last-of-fit-*.ckpt")]
    return sorted(later, key=lambda path: int(path.stem.rpartition("-")[2]))[-1:] or first


KEPT = {
    "absolute": {"samples"},
    "aliases": {"nets.samples"},
    "conditional": {"samples"},
    "namespace": {"nets.samples", "nets.blocks"},
    "reexports": set(),  # nets/__init__.py touches Lightning, and so does every module below it
    "source_folder": {"project.samples", "project.blocks"},
    "star_for_all": {"samples", "blocks"},
}
"""Modules that scripts go on importing, as they do not touch Lightning."""


@pytest.mark.parametrize(("name", "modules"), KEPT.items())
def test_what_does_not_touch_lightning_stays_where_it_is(runs: Runs, name: str, modules: set[str]) -> None:
    script = runs.script(name, "embed-lightning").read_text()
    assert {module for module in imported_by(script) if _is_in_project(runs, name, module)} == modules


def imported_by(script: str) -> set[str]:
    nodes = list(ast.walk(ast.parse(script)))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    members = {f"{node.module}.{alias.name}" for node in froms for alias in node.names}
    return plain | members | {node.module or "" for node in froms}


def _is_in_project(runs: Runs, name: str, module: str) -> bool:
    file = Path(*module.split(".")).with_suffix(".py")
    return any(path.match(str(file)) for path in (runs.folder / "projects" / name).rglob("*.py"))
