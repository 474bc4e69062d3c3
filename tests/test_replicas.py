"""Groups of ranks that train beside each other: each as a job of its own does (`data_parallel_group` of the spec)."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from ddpgen.compile import compile_script
from ddpgen.diagnostics import CompileError
from ddpgen.spec.load import load_spec
from parity.differences import first_difference
from worlds import Runs, nameless

SOURCES = Path(__file__).with_name("replicas")
SEED = 6
SPEC = f"seed_everything: {SEED}\ntrainer: {{log_every_n_steps: 1}}"
VARIANTS = {"plain": "", "zero": "\noptimizer: {zero: true}"}
EPOCHS = 4


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What two groups of two ranks leave, stopped and gone on, and what each leaves by itself."""
    runs = Runs(SOURCES, tmp_path_factory.mktemp("trained"))
    for name, settings in VARIANTS.items():
        runs.build(name, SPEC + settings)
        runs.build(f"{name}_groups", f"{SPEC}{settings}\ndata_parallel_group: 2")
    runs.build("ranks", f"{SPEC}\ndata_parallel_group: 1")
    for name in VARIANTS:
        for seed in SEED, SEED + 1:
            train(runs, name, f"{name}-{seed}", EPOCHS, "--seed", str(seed))
    runs.run(world=2)
    train(runs, "plain", "alone", 1, "--seed", str(SEED + 1))
    runs.run(world=1)
    for name in VARIANTS:
        for epochs in 1, EPOCHS:
            train(runs, f"{name}_groups", f"{name}_groups", epochs)
    runs.run(world=4)
    train(runs, "ranks", "ranks", 1)
    runs.run(world=2)
    return runs


def train(runs: Runs, name: str, out: str, epochs: int, *options: str) -> None:
    arguments = ("--max-epochs", str(epochs), "--out", runs / out, "--resume", *options)
    runs.add(f"train_{name}.py", *arguments, cwd=f"in-{out}")


def left(folder: Path) -> dict[str, Any]:
    """The whole checkpoint, random states too, but for the run's name."""
    loaded: dict[str, Any] = torch.load(folder / "last.ckpt", weights_only=False)
    return nameless(loaded)


@pytest.mark.processes
@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("replica", [0, 1])
def test_a_group_trains_stops_and_goes_on_as_a_job_of_its_own(name: str, replica: int, trained: Runs) -> None:
    expected, actual = (
        trained / f"{name}-{SEED + replica}",
        trained / f"{name}_groups" / f"replica-{replica}",
    )
    assert not (difference := first_difference(left(expected), left(actual), name)), difference
    assert (actual / "metrics.jsonl").read_text() == (expected / "metrics.jsonl").read_text()


@pytest.mark.processes
def test_one_group_stops_early_by_itself(trained: Runs) -> None:
    epochs = [left(trained / "plain_groups" / f"replica-{replica}")["epoch"] for replica in (0, 1)]
    assert epochs == [EPOCHS - 1, 1]


@pytest.mark.processes
def test_data_is_prepared_once_for_all_groups(trained: Runs) -> None:
    """By the first rank of the node, for which the other groups wait."""
    assert (trained / "in-plain_groups" / "prepared").read_text() == "0 0\n" * 2


@pytest.mark.processes
def test_a_rank_may_be_a_group(trained: Runs) -> None:
    alone, rank = left(trained / "alone"), left(trained / "ranks" / "replica-1")
    assert not (difference := first_difference(alone, rank, "rank 1")), difference


def script(folder: Path, spec: str) -> str:
    shutil.copy(SOURCES / "model.py", folder)
    (folder / "spec.yaml").write_text(f"data_parallel_group: 2\n{spec}\n")
    return compile_script(folder / "model.py", load_spec(str(folder / "spec.yaml"))).text


def test_without_a_seed_groups_have_folders_alone(tmp_path: Path) -> None:
    assert '\n    config = replace(config, out=config.out / f"replica-{replica}")\n' in script(tmp_path, "")


CHECKPOINT = "trainer: {callbacks: [{class_path: ModelCheckpoint, init_args: {%s}}]}"


@pytest.mark.parametrize(
    ("spec", "refused"),
    [
        (CHECKPOINT % "dirpath: kept", "`dirpath`"),
        (CHECKPOINT % "monitor: val_loss", ""),
        ("trainer: {logger: {class_path: CSVLogger, init_args: {save_dir: logs}}}", "`logger`"),
        ("logger: [jsonl, tensorboard]", ""),
    ],
)
def test_what_all_groups_would_write_to_is_refused(spec: str, refused: str, tmp_path: Path) -> None:
    if not refused:
        assert script(tmp_path, spec)
        return
    with pytest.raises(CompileError) as raised:
        script(tmp_path, spec)
    (problem,) = raised.value.diagnostics
    assert refused in problem.message
