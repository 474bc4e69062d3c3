"""Strategies with precisions, accumulation, clipping, sync modes and states of checkpoints: what goes together."""

from __future__ import annotations

import ast
import itertools
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
from ddpgen.compile import compile_script, linked
from strategy_pairs import MODEL, OPTIONS, SCALED, codes_of, in_readme, loaded, merged, table
from worlds import Runs

STRATEGIES: dict[str, dict[str, Any]] = {
    "single": {"strategy": "single"},
    "ddp": {},
    "unused": {"ddp": {"find_unused_parameters": True}},
    "static": {"ddp": {"static_graph": True}},
    "fp16": {"ddp": {"comm_hook": "fp16"}},
    "powersgd": {"ddp": {"comm_hook": {"hook": "powersgd", "state": {"start_powerSGD_iter": 2}}}},
    "zero": {"optimizer": {"zero": True}},
    "local": {"ddp": {"local_sgd": {"period": 2, "start_localSGD_iter": 2}}},
    "join": {"ddp": {"join": True}},
    "fsdp": {"strategy": "fsdp", "fsdp": {"wrap": ["Block"]}},
    "offload": {"strategy": "fsdp", "fsdp": {"wrap": ["Block"], "cpu_offload": True}},
}
PRECISIONS: dict[str, dict[str, Any]] = {
    "32": {},
    "bf16-mixed": {"precision": "bf16-mixed"},
    "16-mixed": {"plugins": SCALED},
    "bf16-true": {"precision": "bf16-true"},
}
ACCUMULATED: dict[str, dict[str, Any]] = {"each": {}, "two": {"accumulate_grad_batches": 2}}
CLIPPED: dict[str, dict[str, Any]] = {
    "not": {},
    "norm": {"gradient_clip_val": 0.5},
    "value": {"gradient_clip_val": 0.05, "gradient_clip_algorithm": "value"},
}
SYNCS: dict[str, dict[str, Any]] = {
    "default": {},
    "multi": {"sync": "multi_auto_sync"},
    "forced": {"sync": "forced_sync"},
}
STATES: dict[str, dict[str, Any]] = {"full": {}, "sharded": {"checkpoint": {"state": "sharded"}}}
AXES = STRATEGIES, PRECISIONS, ACCUMULATED, CLIPPED, SYNCS, STATES

Cell = tuple[str, ...]

REFUSED = {
    ("single", "multi"): "setting-without-ddp",
    ("single", "forced"): "setting-without-ddp",
    ("static", "forced"): "static-graph-needs-multi-auto-sync",
    ("static", "two", "default"): "static-graph-needs-multi-auto-sync",
    ("fp16", "forced"): "comm-hook-never-called",
    ("powersgd", "forced"): "comm-hook-never-called",
    ("local", "multi"): "not-with-local-sgd",
    ("local", "forced"): "not-with-local-sgd",
    ("local", "16-mixed"): "not-with-local-sgd",
    ("join", "forced"): "not-with-join",
    ("fsdp", "forced"): "not-with-fsdp",
    ("offload", "forced"): "not-with-fsdp",
    ("offload", "16-mixed", "default"): "not-with-offload",
    ("offload", "16-mixed", "multi"): "not-with-offload",
    **{(name, "sharded"): "setting-without-fsdp" for name in STRATEGIES if name not in ("fsdp", "offload")},
}
"""What does not go together, with the error's code."""

AS_DDP = ("unused", "static", "zero", "join", "fsdp", "offload")
"""Strategies that train as plain DDP does, but for the order in which norms are added up."""

SAMPLE = 60
"""So many cells are trained at least."""


@dataclass
class Matrix:
    """The cells that there are scripts of, with those of a part of them, and the codes of the other cells."""

    valid: list[Cell] = field(default_factory=list)
    codes: dict[Cell, frozenset[str]] = field(default_factory=dict)
    scripts: dict[Cell, str] = field(default_factory=dict)


def spec_of(cell: Cell) -> dict[str, Any]:
    strategy, precision, accumulated, clipped, sync, state = cell
    trainer = {"max_epochs": 2, "enable_progress_bar": False}
    trainer |= PRECISIONS[precision] | ACCUMULATED[accumulated] | CLIPPED[clipped]
    spec = merged(STRATEGIES[strategy], SYNCS[sync], STATES[state], {"trainer": trainer})
    assert spec
    return spec


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    """Each cell is decided; those are rendered in which each two parts meet that can, and those that are trained."""
    found, project = Matrix(), linked(MODEL, MODEL.with_name("train.py"), (), loaded({}), None, ())
    for cell in itertools.product(*AXES):
        if codes := codes_of(spec_of(cell), project):
            found.codes[cell] = codes
        else:
            found.valid.append(cell)
    for cell in sampled(found.valid):
        found.scripts[cell] = compile_script(MODEL, loaded(spec_of(cell))).text
    return found


def covering(cells: list[Cell], together: int) -> list[Cell]:
    """A few of the cells, in which each `together` parts meet that meet in any."""
    meeting = {cell: set(itertools.combinations(cell, together)) for cell in cells}
    left, chosen = set[Cell]().union(*meeting.values()), list[Cell]()
    while left:
        chosen.append(max(cells, key=lambda cell: len(meeting[cell] & left)))
        left -= meeting[chosen[-1]]
    return chosen


def expected(cell: Cell) -> set[str]:
    return {code for parts, code in REFUSED.items() if set(parts) <= set(cell)}


def test_every_cell_is_built_or_is_its_error(matrix: Matrix) -> None:
    for cell, codes in matrix.codes.items():
        # what the spec says by itself is told before what does not go with the code
        assert codes, cell
        assert codes <= expected(cell), (cell, codes)
    assert not [cell for cell in matrix.valid if expected(cell)]
    assert len(matrix.valid) > 500
    for script in set(matrix.scripts.values()):
        ast.parse(script)


def test_mypy_finds_nothing(matrix: Matrix, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    names = {script: f"cell_{number}" for number, script in enumerate(sorted(set(matrix.scripts.values())))}
    (tmp_path / "scripts").mkdir()
    for script, name in names.items():
        (tmp_path / "scripts" / f"{name}.py").write_text(script)
    # kept from run to run, because torch is large
    cache = pytestconfig.rootpath / ".mypy_cache" / "scripts"
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent"]
    command += ["--config-file=", f"--cache-dir={cache}", "--no-error-summary", "scripts"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


# ---- what is trained -------------------------------------------------------------------------------------


def sampled(valid: list[Cell]) -> list[Cell]:
    """Cells in which each two parts meet that can, those that others are compared with, and more."""
    plain = [cell for cell in valid if cell[0] == "ddp" and (cell[1], cell[4]) == ("32", "default")]
    pairs = covering(valid, 2)
    return list(dict.fromkeys([*plain, *pairs, *valid[:: len(valid) // SAMPLE]]))[
        : max(SAMPLE, len(plain) + len(pairs))
    ]


@pytest.fixture(scope="module")
def trained(matrix: Matrix, tmp_path_factory: pytest.TempPathFactory) -> tuple[Runs, list[Cell]]:
    """What the sampled cells have left after two epochs."""
    runs, cells = Runs(MODEL.parent, tmp_path_factory.mktemp("matrix")), list(matrix.scripts)
    for world in (1, 2):
        for cell in cells:
            if (cell[0] == "single") == (world == 1):
                (runs / f"train_{name_of(cell)}.py").write_text(matrix.scripts[cell])
                runs.train(name_of(cell), name_of(cell), 2)
        runs.run(world)
    return runs, cells


def name_of(cell: Cell) -> str:
    return "_".join(cell).replace("-", "_")


@pytest.mark.processes
def test_a_sample_of_the_cells_trains(trained: tuple[Runs, list[Cell]]) -> None:
    runs, cells = trained
    assert len(cells) >= SAMPLE
    for cell in cells:
        if cell[5] == "sharded":
            assert (runs / name_of(cell) / "last.ckpt").is_dir()
            continue
        weights = runs.checkpoint(name_of(cell))["state_dict"]
        reference = runs.checkpoint(name_of(("ddp", "32", *cell[2:4], "default", "full")))["state_dict"]
        for name, value in weights.items():
            assert value.isfinite().all(), (cell, name)
            if cell[0] in AS_DDP and cell[1] == "32":
                # norms and sums are added up in another order, by which Adam's first steps differ most
                torch.testing.assert_close(value, reference[name], rtol=1e-4, atol=1e-5, msg=str(cell))


# ---- the table of pairs ----------------------------------------------------------------------------------


def test_each_option_builds_by_itself() -> None:
    assert {name: codes_of(spec) for name, spec in OPTIONS.items()} == dict.fromkeys(OPTIONS, frozenset())


def test_the_readme_has_the_pairs_that_do_not_go_together() -> None:
    assert in_readme()[1] == table(), "python tests/strategy_pairs.py --update"
