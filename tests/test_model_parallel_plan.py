"""Models of which ranks have parts by a plan of the spec: as torch's API does by hand (20.4)."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from ddpgen.strategies.checkpoints.sharded_checkpoint import SHARED_PARTS, load_whole
from parity.differences import first_difference
from worlds import Runs, nameless

SPEC = """
strategy: model_parallel
seed_everything: 1
model_parallel:
  tensor_parallel_size: 2
  plan: %s
trainer: {accumulate_grad_batches: 2, gradient_clip_val: %s, gradient_clip_algorithm: %s}
"""
LAYERS = '{"layers.[12].up": colwise, "layers.*.down": rowwise}'
SEQUENCES = """
    layers.0: {style: output, output_layouts: replicate, desired_output_layouts: shard(1)}
    layers.*.norm: sequence
    layers.*.up: {style: colwise, input_layouts: shard(1)}
    layers.*.down: {style: rowwise, output_layouts: shard(1)}
    layers.3: {style: input, input_layouts: [shard(1)], desired_input_layouts: [replicate], use_local_output: true}
"""
SPECS = {
    "norm": SPEC % (LAYERS, 0.1, "norm"),
    "value": SPEC % (LAYERS, 0.01, "value"),
    "sequence": SPEC % (SEQUENCES, 0.1, "norm"),
}
WORLDS = {"norm": (1, 2, 4), "value": (2,), "sequence": (2, 4), "shares": (2, 4)}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What each world has trained, by hand, and by scripts in halves."""
    runs = Runs(Path(__file__).with_name("model_parallel_plan"), tmp_path_factory.mktemp("plan"))
    for name, spec in SPECS.items():
        runs.build(name, spec)
    runs.build("shares", SPECS["norm"] + "checkpoint: {state: sharded}")
    for world in (1, 2, 4):
        for name in (name for name, worlds in WORLDS.items() if world in worlds):
            if name in SPECS:
                runs.add("by_hand.py", name, runs / f"{name}-{world}.pt")
            runs.train(name, f"{name}-{world}", 2)
            if world == 4:  # from where others go on
                runs.train(name, f"{name}-half-way", 2)
            runs.train(name, f"{name}-{world}", 4)
        runs.run(world)
    for name in ("norm", "shares"):
        runs.train(name, f"{name}-half-way", 4)
    runs.run(2)
    return runs


@pytest.mark.processes
@pytest.mark.parametrize(
    ("name", "world"), [("norm", 2), ("norm", 4), ("value", 2), ("sequence", 2), ("sequence", 4)]
)
def test_trains_and_goes_on_as_by_hand(name: str, world: int, runs: Runs) -> None:
    found = runs.checkpoint(f"{name}-{world}")
    assert found["epoch"] == 3
    expected = torch.load(runs / f"{name}-{world}.pt", weights_only=True)
    assert not (difference := first_difference(expected, dict(found["state_dict"]), name)), difference


@pytest.mark.processes
@pytest.mark.parametrize("run", ["2", "4", "half-way"])
def test_folders_have_what_files_have(run: str, runs: Runs) -> None:
    """Also where two ranks go on from what four have written."""
    folder = runs / f"shares-{run}" / "last.ckpt"
    assert folder.is_dir()
    expected, found = map(
        nameless, (load_whole(runs / f"norm-{run}/last.ckpt"), load_whole(folder, *SHARED_PARTS))
    )
    assert not (difference := first_difference(expected, found, run)), difference


@pytest.mark.processes
@pytest.mark.parametrize("run", ["norm-2", "sequence-2"])
def test_two_ranks_end_near_one(run: str, runs: Runs) -> None:
    """Sums over parts of a layer are rounded otherwise: weights are one unit of their last place apart."""
    alone = torch.load(runs / "norm-1.pt", weights_only=True)
    two = runs.checkpoint(run)["state_dict"]
    for name, weight in alone.items():
        torch.testing.assert_close(two[name], weight, rtol=0, atol=1e-6)
    assert runs.checkpoint("norm-1")["epoch"] == 3  # one process trains, too


@pytest.mark.processes
def test_a_path_without_layers_stops_the_script(tmp_path: Path) -> None:
    """And one at which something else is."""
    runs = Runs(Path(__file__).with_name("model_parallel_plan"), tmp_path)
    for name, path, why in (
        ("lost", "layers.*.gate", "the model has nothing at layers.*.gate to shard by"),
        ("norms", "layers.*.norm", "layers.*.norm is a LayerNorm: columns and rows are of Linear, Embedding"),
    ):
        runs.build(name, f"strategy: model_parallel\nmodel_parallel: {{plan: {{{path}: colwise}}}}")
        runs.add(f"train_{name}.py")
        with pytest.raises(AssertionError):
            runs.run(1)
        runs.jobs.clear()
        assert why in "".join(log.read_text() for log in tmp_path.glob("*.log"))


def test_what_counts_on_whole_parameters_is_refused(tmp_path: Path) -> None:
    source = (Path(__file__).with_name("model_parallel_plan") / "model.py").read_text()
    lbfgs = "torch.optim.LBFGS(self.parameters())"
    changed = source.replace("torch.optim.AdamW(self.parameters(), lr=0.02)", lbfgs)
    (tmp_path / "model.py").write_text(changed)
    (tmp_path / "plan.yaml").write_text(SPECS["norm"])
    arguments = ["build", str(tmp_path / "model.py"), "--strategy", str(tmp_path / "plan.yaml")]
    result = CliRunner().invoke(main, arguments)
    assert "a rank has its share of each parameter, and LBFGS may need the whole of it" in result.output
