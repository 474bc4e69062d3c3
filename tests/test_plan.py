"""`ddpgen plan`: what it counts without data is what ranks have, and what theory says that they send."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from ddpgen.capacity import Candidate, Estimate, Need, first_that_fits, sentences
from ddpgen.capacity.candidates import shared_models, spec_of, whole_models, written
from ddpgen.capacity.report import fits
from ddpgen.cli import main
from ddpgen.commands.plan import Memory
from ddpgen.diagnostics import CompileError
from ddpgen.spec.load import parse_spec
from ddpgen.verify import processes
from ddpgen.verify.processes import environment
from ddpgen.watch.memory import repeated_block
from torch import nn
from worlds import Runs, exit_codes, program

HERE = Path(__file__).parent
KINDS = ("parameters", "gradients", "states")
SHARDED = ("fsdp (no resharding)", "fsdp", "fsdp (activation checkpointing)")
GIVEN = "trainer: {accumulate_grad_batches: 2, precision: 16-mixed}\nfsdp: {wrap: [Block], %s}\n"

MEASURED = {
    "ddp": "strategy: ddp",
    "ddp-zero": "optimizer: {zero: true}",
    SHARDED[0]: "strategy: fsdp\nfsdp: {wrap: [Block], reshard_after_forward: false}",
    SHARDED[1]: "strategy: fsdp\nfsdp: {wrap: [Block]}",
}
"""By a strategy's name in the plan: the spec with which it is trained."""


def forked(command: Sequence[str], folder: Path, log: Path) -> int:
    """How a program ends, without starting Python, which takes longer than what it is to do."""
    return exit_codes([program(command[1:], environment(folder), folder, log)])[0]


def planned(model: Path, *options: str, how: Any = forked) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "exit_code", how)
        result = CliRunner().invoke(main, ["plan", str(model), *options, "--json"], catch_exceptions=False)
    assert not result.exit_code, result.output
    plan: dict[str, Any] = json.loads(result.stdout)
    return plan


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Of the model that tests of fsdp train, whose blocks are told."""
    spec = tmp_path_factory.mktemp("spec") / "given.yaml"
    spec.write_text(f"strategy: fsdp\n{GIVEN % 'activation_checkpointing: [Tanh]'}")
    options = ("--model", "Net", "--devices", "2", "--memory", "90kB", "--strategy", str(spec))
    return planned(HERE / "fsdp" / "model.py", *options)


@pytest.fixture(scope="module")
def rows(plan: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in plan["strategies"]}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What two ranks have when they train it."""
    runs = Runs(HERE / "fsdp", tmp_path_factory.mktemp("measured"))
    for number, spec in enumerate(MEASURED.values()):
        runs.build(str(number), spec, "--model", "Net")
        runs.train(str(number), f"of-{number}", 1)
    runs.run()
    return runs


@pytest.mark.processes
@pytest.mark.parametrize("name", MEASURED)
def test_ranks_have_as_many_bytes(name: str, rows: dict[str, dict[str, Any]], measured: Runs) -> None:
    folder = measured / f"in-of-{[*MEASURED].index(name)}"
    ranks = [json.loads((folder / f"told-{rank}.json").read_text())["bytes"] for rank in (0, 1)]
    for kind in KINDS:
        largest = max(each[kind] for each in ranks)
        assert rows[name][kind] == pytest.approx(largest, rel=0.02), kind


@pytest.mark.processes
def test_what_is_sent_is_what_theory_says(rows: dict[str, dict[str, Any]]) -> None:
    """By each of two ranks in a ring, in a step of two batches."""
    whole = rows["ddp"]
    averaged = 2 * whole["gradients"] / 2
    # buffers are told before the batch whose gradients are averaged
    assert whole["sent"] == averaged + whole["buffers"] / 2
    assert rows["ddp-zero"]["sent"] == whole["sent"] + whole["parameters"] / 2
    # gathered for each batch, and for its backward where they are not kept, as torch has it with the outermost ones of
    # a step that calls `forward`; of 31 rows, two ranks have 16 and 15, and send 16
    kept, freed = (rows[name]["sent"] for name in SHARDED[:2])
    shared, gradients = (rows["fsdp"][kind] for kind in ("parameters", "gradients"))
    blocks = 3 * (16 * 31 + 3 * 16) * 4
    assert kept == 2 * (shared + shared - blocks) + gradients
    assert freed - kept == 2 * blocks
    assert rows[SHARDED[2]]["sent"] == freed
    assert rows["single"]["sent"] == 0


@pytest.mark.processes
def test_what_is_in_memory_at_once(rows: dict[str, dict[str, Any]]) -> None:
    peaks = {name: row["peak"] for name, row in rows.items()}
    for row in rows.values():
        assert row["peak"] > sum(row[kind] for kind in KINDS)
    assert peaks["ddp"] - peaks["ddp-zero"] == rows["ddp"]["states"] - rows["ddp-zero"]["states"]
    assert peaks["fsdp"] < peaks[SHARDED[0]] < peaks["ddp-zero"] < peaks["ddp"]


@pytest.mark.processes
def test_the_first_that_fits_has_a_spec(plan: dict[str, Any], rows: dict[str, dict[str, Any]]) -> None:
    assert plan["first"] == next(name for name in rows if name != "single" and rows[name]["fits"])
    assert not rows["ddp"]["fits"]
    for name, row in rows.items():
        spec = yaml.safe_load(row["spec"])
        assert spec["trainer"] == {"accumulate_grad_batches": 2, "precision": "16-mixed"}
        assert spec["strategy"] == name.partition("-")[0].partition(" ")[0]


@pytest.mark.processes
def test_what_is_known_where_a_step_asks_for_values() -> None:
    """The model is made with values then; what cannot be built is said, too."""
    rows = {each["name"]: each for each in planned(HERE / "plan" / "asks.py", "--devices", "2")["strategies"]}
    for name in ("single", "ddp", "ddp-zero"):
        assert "`if loss.item() < 3:` depends on values" in rows[name]["problem"]
        assert [rows[name]["parameters"], rows[name]["gradients"]] == [4 * 601] * 2
        assert rows[name]["peak"] is rows[name]["fits"] is None
    assert rows["single"]["states"] == 4 * 601 > rows["ddp-zero"]["states"] >= 4 * 400
    assert "depends on values" in rows["fsdp"]["problem"]
    assert "`reshard_after_forward`" in rows["fsdp (no resharding)"]["problem"]


@pytest.mark.processes
def test_metrics_may_look_at_values() -> None:
    (row,) = planned(HERE / "plan" / "measured.py", "--devices", "1", how=processes.exit_code)["strategies"]
    assert not row["problem"]
    assert row["peak"] > row["parameters"] + row["gradients"] + row["states"] == 4 * (15 + 15 + 30 + 2)


# ---- what needs no process ---------------------------------------------------------------------------------


def estimate(name: str, peak: int | None, kept: int = 0) -> Estimate:
    return Estimate(Candidate(name, name), kept, 0, 0, 0, peak)


def test_a_tenth_is_left_free() -> None:
    need = Need(8, 1000)
    assert [fits(estimate("ddp", peak), need) for peak in (900, 901)] == [True, False]
    assert [fits(estimate("ddp", None, kept), need) for kept in (900, 901)] == [None, False]
    found = [estimate("single", 1), estimate("ddp", None, 2), estimate("fsdp", 3)]
    first = [first_that_fits(found, Need(devices, 1000)) for devices in (1, 8)]
    assert [each and each.candidate.name for each in first] == ["single", "fsdp"]
    assert first_that_fits(found[:2], need) is None


@pytest.mark.parametrize(
    ("text", "size"), [("80GB", 80 * 10**9), ("1.5gib", 3 * 2**29), ("24 G", 24 * 10**9), ("100", 100)]
)
def test_sizes_of_memory(text: str, size: int) -> None:
    assert Memory().convert(text, None, None) == size


def test_what_is_no_size() -> None:
    result = CliRunner().invoke(main, ["plan", "model.py", "--memory", "much"])
    assert result.exit_code == 2
    assert "'much' is no size of memory, such as 80GB" in result.output


def test_candidates_keep_what_the_spec_says() -> None:
    text = """
ddp: {comm_hook: fp16, static_graph: true}
data_parallel_group: 2
optimizer: {class_path: Adam, init_args: {lr: 0.1}, zero: true}
compile: true
"""
    loaded = parse_spec("given", None, "given.yaml", text.encode())
    candidates = [Candidate("ddp", "ddp"), *shared_models({}, "Block")]
    assert written(loaded, candidates[0]).splitlines() == [
        "strategy: ddp",
        "optimizer: {class_path: Adam, init_args: {lr: 0.1}}",
        "ddp: {comm_hook: fp16, static_graph: true}",
        "data_parallel_group: 2",
        "compile: true",
    ]
    assert [written(loaded, each).splitlines()[2] for each in candidates[1:]] == [
        "fsdp: {wrap: [Block], reshard_after_forward: false}",
        "fsdp: {wrap: [Block]}",
        "fsdp: {wrap: [Block], activation_checkpointing: [Block]}",
    ]
    tried = spec_of(loaded, candidates[0]).spec
    assert (tried.compile, tried.ddp.comm_hook, tried.ddp.static_graph) == (None, None, True)
    assert tried.data_parallel_group is None
    assert tried.optimizer.class_path == "Adam"
    assert [*sentences([], loaded)] == [
        "Counted without `compile` and `ddp.comm_hook` and `data_parallel_group`."
    ]


def test_candidates_leave_out_what_does_not_go_with_them() -> None:
    text = "strategy: fsdp\ncheckpoint: {dir: runs, state: sharded}"
    loaded = parse_spec("given", None, "given.yaml", text.encode())
    assert written(loaded, Candidate("ddp", "ddp")) == "strategy: ddp\ncheckpoint: {dir: runs}\n"
    assert written(loaded, shared_models({}, None)[0]) == f"{text}\n"


@pytest.mark.parametrize("other", ["join: true", "local_sgd: {period: 2}"])
def test_what_the_spec_does_not_go_with_is_not_offered(other: str) -> None:
    """Though bytes are counted without it."""
    loaded = parse_spec("given", None, "given.yaml", f"ddp: {{{other}}}".encode())
    *others, zero = whole_models(2)
    assert not any(spec_of(loaded, each).problems for each in others)
    with pytest.raises(CompileError, match="Remove"):
        spec_of(loaded, zero)


def test_layers_of_layers_are_wrapped() -> None:
    class Layer(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.parts = nn.Sequential(nn.Linear(8, width), nn.Tanh(), nn.Linear(width, 8))

    small, large = (nn.Sequential(nn.Linear(8, 64), Layer(width), Layer(width)) for width in (2, 64))
    assert [repeated_block(model) for model in (small, large)] == ["Linear", "Layer"]
    assert repeated_block(nn.Linear(8, 8)) is None
