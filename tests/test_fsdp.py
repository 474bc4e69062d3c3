"""Models whose parameters are shared out: scripts train, stop and go on as torch's own API has them do (20.4)."""

from __future__ import annotations

import itertools
import json
import runpy
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from ddpgen.strategies.checkpoints.sharded_checkpoint import SHARED_PARTS, load_whole
from parity.differences import first_difference
from worlds import run

SOURCES = Path(__file__).with_name("fsdp")

ACCUMULATED = "trainer: {accumulate_grad_batches: 2, gradient_clip_val: 0.5%s}"
BY_VALUE = "trainer: {accumulate_grad_batches: 2, gradient_clip_val: 0.01, gradient_clip_algorithm: value}"
SCALED = """
trainer:
  accumulate_grad_batches: 2
  plugins: {class_path: MixedPrecision, init_args: {precision: 16-mixed, device: cpu}}
"""
VARIANTS = {
    "whole": ("Net", "", ""),
    "blocks": ("Net", "fsdp: {wrap: [Block]}", ACCUMULATED % ""),
    "every_backward": (
        "Net",
        "fsdp: {wrap: {modules: [layers.blocks.*]}, reshard_after_forward: false, activation_checkpointing: [Tanh]}",
        f"sync: multi_auto_sync\nlayer_sync: {{class_path: layers.synced}}\n{BY_VALUE}",
    ),
    "half": ("Net", "fsdp: {wrap: {min_params: 900}}", ACCUMULATED % ", precision: bf16-mixed"),
    "bf16": ("Net", "fsdp: {wrap: [Block]}", ACCUMULATED % ", precision: bf16-true"),
    "policies": (
        "Net",
        "fsdp: {wrap: [Block], mixed_precision: {reduce_dtype: float32}, cpu_offload: true}",
        ACCUMULATED % ", precision: bf16-mixed",
    ),
    "parts": (
        "Watched",
        "fsdp: {wrap: [Block]}\nmicrobatch: 2",
        ACCUMULATED % ", log_every_n_steps: 1",
    ),
    "empty": ("Net", "fsdp: {wrap: [Block], empty_init: true}", ACCUMULATED % ""),
    "encoding": ("Encoding", "fsdp: {wrap: [Block], forward_methods: [encode]}", ACCUMULATED % ""),
    "configured": ("Configured", "fsdp: {wrap: [Block], empty_init: true}", ACCUMULATED % ""),
    "scaled": ("Momentum", "fsdp: {wrap: [Block, Linear]}", SCALED),
    "pair": ("Pair", "fsdp: {wrap: [Block]}", ""),
    "pair_shares": ("Pair", "fsdp: {wrap: [Block]}", "checkpoint: {state: sharded}"),
    "hybrid": ("Net", "fsdp: {wrap: [Block], replicate: 2}", ACCUMULATED % ""),
}
"""By name: a model, how it is shared out, and more of the spec."""

MAINS = {"main": ("", "", ""), "made": ("", "fsdp: {wrap: [Block], empty_init: true}", "")}
"""The same, in which code trains and evaluates."""

AT_ONCE = ("blocks", "scaled")
"""Those that are trained without a stop too."""

BY_HAND = ("whole", "blocks", "every_backward", "half", "bf16", "policies", "parts")
"""Those that a loop by hand trains too."""

AS_DDP = {"whole": 0.0, "blocks": 5e-5, "scaled": 0.0, "pair": 0.0}
"""Those that are trained with whole models too, and how far they may be: a norm is added up in another order.

AdamW's steps are as large for tiny gradients, whose last places so show; how much depends on the processor.
"""

UNUSED = {"pair": "ddp: {find_unused_parameters: true}"}
"""What whole models need beside it, of which a backward does not reach all parameters."""


def build(folder: Path, name: str, is_shared: bool, source: str = "model.py") -> str:
    """Build a variant whose model is shared out, or isn't; the script's name."""
    model, sharding, more = (VARIANTS | MAINS)[name]
    file = folder / f"{name}{'' if is_shared else '_not'}.yaml"
    of_strategy = f"strategy: fsdp\n{sharding}" if is_shared else f"strategy: ddp\n{UNUSED.get(name, '')}"
    file.write_text(f"{of_strategy}\n{more}\n")
    chosen = ["--model", model] if model else []
    arguments = ["build", str(folder / source), *chosen, "--strategy", str(file)]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert not result.exit_code, result.output
    return f"train_{file.stem}.py"


def job(folder: Path, script: str, out: str, arguments: list[str], world: int = 2) -> dict[str, object]:
    return {
        "program": str(folder / script),
        "path": [str(folder)],
        "arguments": arguments,
        "cwd": str(folder / f"in-{out}"),
        "weights": None,
        "log": str(folder / f"{out}-{world}.log"),
        "world": world,
    }


def training(folder: Path, script: str, out: str, epochs: int, world: int = 2) -> dict[str, object]:
    """A run until so many epochs are done, from where the one before has left off."""
    options = ["--max-epochs", str(epochs), "--out", str(folder / out), "--resume"]
    return job(folder, script, out, options, world)


def jobs_of(folder: Path, name: str) -> Iterator[dict[str, object]]:
    script = build(folder, name, True)
    yield training(folder, script, name, 2)
    yield training(folder, script, name, 4)
    if name in BY_HAND:
        yield job(folder, "by_hand.py", f"{name}-by-hand", [name, str(folder / f"{name}.pt")])
    if name in AT_ONCE:
        yield training(folder, script, f"{name}-at-once", 4)
    if name in AS_DDP:
        yield training(folder, build(folder, name, False), f"{name}-not", 4)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what each variant has left."""
    folder = tmp_path_factory.mktemp("trained")
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    jobs = [each for name in VARIANTS if name != "hybrid" for each in jobs_of(folder, name)]
    for end in ("", "_not"):
        jobs.append(training(folder, f"train_blocks{end}.py", f"half-way{end}", 2))
        jobs += (
            job(folder, build(folder, name, not end, f"{name}.py"), f"{name}{end}", []) for name in MAINS
        )
    run(folder, jobs, 2)
    alone = [
        job(
            folder, "by_hand.py", "policies-alone-by-hand", ["policies", str(folder / "policies-alone.pt")], 1
        )
    ]
    run(folder, [training(folder, "train_policies.py", "policies-alone", 4, 1), *alone], 1)
    jobs = []
    for begun, end in itertools.product(("", "_not"), repeat=2):
        shutil.copytree(folder / f"half-way{begun}", folder / f"three{begun}-by{end}")
        jobs.append(training(folder, f"train_blocks{end}.py", f"three{begun}-by{end}", 4, 3))
    run(folder, jobs, 3)
    jobs = [training(folder, build(folder, "hybrid", True), "hybrid", epochs, 4) for epochs in (2, 4)]
    run(folder, [*jobs, training(folder, "train_blocks_not.py", "hybrid-not", 4, 4)], 4)
    for log in folder.glob("*.log"):
        raise AssertionError(log.read_text())
    return folder


def checkpoint(folder: Path, name: str) -> Mapping[str, Any]:
    loaded = load_whole(folder / name / "last.ckpt", *SHARED_PARTS)
    return {key: loaded[key] for key in loaded.keys() - {"run", "rng_states", "own_buffers"}}


def told(folder: Path, name: str, rank: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / f"in-{name}" / f"told-{rank}.json").read_text())
    return found


def assert_near(expected: Any, actual: Any, distance: float) -> None:
    """Equal, but for numbers of states and weights that are so far from each other."""
    for name in ("state_dict", "optimizer_states"):
        torch.testing.assert_close(actual[name], expected[name], rtol=0, atol=distance)
    for name in ("epoch", "global_step", "lr_schedulers"):
        assert actual[name] == expected[name]


@pytest.mark.processes
@pytest.mark.parametrize("name", [*BY_HAND, "policies-alone"])
def test_trains_and_goes_on_as_a_loop_by_hand(name: str, trained: Path) -> None:
    """Which leaves nothing to the CPU; with types of its own, one process by itself computes in them too."""
    weights, states, _ = torch.load(trained / f"{name}.pt", weights_only=True)
    found = checkpoint(trained, name)
    assert not (difference := first_difference(weights, found["state_dict"], name)), difference
    of_optimizer = found["optimizer_states"][0]["state"]
    assert not (difference := first_difference(states, of_optimizer, name)), difference


@pytest.mark.processes
def test_norms_of_gradients_are_of_the_whole(trained: Path) -> None:
    """But for sums that are of shares first."""
    *_, norms = torch.load(trained / "parts.pt", weights_only=True)
    rows = [json.loads(row) for row in (trained / "parts/metrics.jsonl").read_text().splitlines()]
    logged = [row for row in rows if "grad_2.0_norm_total" in row]
    torch.testing.assert_close([row["grad_2.0_norm_total"] for row in logged], norms, rtol=1e-5, atol=0)
    assert all(0 < row["largest"] < norm for row, norm in zip(logged, norms, strict=True))


@pytest.mark.processes
@pytest.mark.parametrize("name", AT_ONCE)
def test_goes_on_as_it_would_have(name: str, trained: Path) -> None:
    """Also with what each rank knows by itself, on which its part of the validation depends."""
    at_once, gone_on = (checkpoint(trained, out) for out in (f"{name}-at-once", name))
    assert not (difference := first_difference(at_once, gone_on, name)), difference
    written = [(trained / out / "metrics.jsonl").read_text() for out in (f"{name}-at-once", name)]
    assert written[0] == written[1]


@pytest.mark.processes
@pytest.mark.parametrize("name", ["empty", "configured", "encoding"])
def test_other_ways_to_the_same_training(name: str, trained: Path) -> None:
    """Layers that begin as they are shared out, those that `configure_model` makes, and called by other methods."""
    made, begun = (checkpoint(trained, each) for each in ("blocks", name))
    assert not (difference := first_difference(made, begun, name)), difference


@pytest.mark.processes
@pytest.mark.parametrize("name", AS_DDP)
def test_trains_as_with_whole_models(name: str, trained: Path) -> None:
    """As Lightning's DDP, whose bits those scripts have; checkpoints are laid out alike."""
    whole, shared = checkpoint(trained, f"{name}-not"), checkpoint(trained, name)
    assert [*whole["state_dict"]] == [*shared["state_dict"]]
    assert_near(whole, shared, AS_DDP[name])


@pytest.mark.processes
def test_folders_have_the_states_of_several_optimizers(trained: Path) -> None:
    assert (trained / "pair_shares/last.ckpt").is_dir()
    file, folder = checkpoint(trained, "pair"), checkpoint(trained, "pair_shares")
    assert len(file["optimizer_states"]) == 2
    assert not (difference := first_difference(file, folder, "pair")), difference


@pytest.mark.processes
@pytest.mark.parametrize("begun", ["", "_not"])
def test_three_ranks_go_on(begun: str, trained: Path) -> None:
    """From either kind of checkpoint, to the same weights but for sums of three in another order."""
    whole, shared = (checkpoint(trained, f"three{begun}-by{end}") for end in ("_not", ""))
    assert shared["epoch"] == 3
    assert_near(whole, shared, 2e-5)


@pytest.mark.processes
def test_two_groups_of_ranks_share_out_a_model_each(trained: Path) -> None:
    """And average their gradients, in another order than four ranks that have all of it."""
    whole, shared = checkpoint(trained, "hybrid-not"), checkpoint(trained, "hybrid")
    # AdamW's steps are as large for tiny gradients, so sums in another order show
    assert_near(whole, shared, 1e-4)
    sizes, everything = (
        [told(trained, name, rank)["bytes"] for rank in range(4)] for name in ("hybrid", "hybrid-not")
    )
    assert sizes[0] == sizes[2] != sizes[1] == sizes[3]
    assert sum(each["states"] for each in sizes) == 2 * everything[0]["states"]


@pytest.mark.processes
def test_what_is_computed_anew(trained: Path) -> None:
    """The validation is not: so it is less than twice as much."""
    plain, twice = (told(trained, name, 0)["calls"] for name in ("blocks", "every_backward"))
    assert 1.4 * plain < twice < 2 * plain


@pytest.mark.processes
def test_one_process_goes_on(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the whole model."""
    monkeypatch.syspath_prepend(trained)
    monkeypatch.chdir(trained)
    torch.set_num_threads(1)
    for end in ("", "_not"):
        shutil.copytree(trained / "half-way", trained / f"alone{end}")
        options = ["--max-epochs", "4", "--out", f"alone{end}", "--resume"]
        monkeypatch.setattr("sys.argv", [f"train_blocks{end}.py", *options])
        runpy.run_path(str(trained / f"train_blocks{end}.py"), run_name="__main__")
    whole, shared = checkpoint(trained, "alone_not"), checkpoint(trained, "alone")
    assert not (difference := first_difference(whole, shared, "alone")), difference


@pytest.mark.processes
def test_lightning_loads_its_checkpoints(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(trained)
    module = runpy.run_path(str(trained / "model.py"))
    loaded = module["Net"].load_from_checkpoint(trained / "blocks/last.ckpt")
    expected = checkpoint(trained, "blocks")["state_dict"]
    assert not (difference := first_difference(expected, loaded.state_dict(), "loaded")), difference


@pytest.mark.processes
@pytest.mark.parametrize("name", ["whole", "blocks", "every_backward"])
def test_each_rank_has_its_share(name: str, trained: Path) -> None:
    """Of parameters, of gradients and of states; 31 rows are 16 and 15."""
    ranks = [told(trained, name, rank)["bytes"] for rank in (0, 1)]
    for kind, size in told(trained, "whole-not", 0)["bytes"].items():
        shares = [each[kind] for each in ranks]
        assert sum(shares) == size
        assert max(shares) < 1.06 * size / 2, kind


@pytest.mark.processes
def test_evaluations_see_the_whole_model(trained: Path) -> None:
    """After training, from the best checkpoint, and of a model that is loaded from it."""
    shared, whole = (json.loads((trained / f"in-main{end}/found.json").read_text()) for end in ("", "_not"))
    assert shared["best"] == shared["anew"] != shared["tested"]
    assert shared["epochs"] < 6
    assert shared == whole


@pytest.mark.processes
def test_models_that_begin_empty_are_evaluated(trained: Path) -> None:
    """Before they are trained too, and with weights that are read into a new one."""
    begun, whole = (json.loads((trained / f"in-made{end}/found.json").read_text()) for end in ("", "_not"))
    assert begun["tested"] == begun["loaded"] == begun["read"]
    assert begun["before"] != begun["validated"]
    assert begun == whole
