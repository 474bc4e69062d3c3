"""What torch compiles: the spec's `compile`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from ddpgen.diagnostics import CompileError
from ddpgen.spec.load import parse_spec
from parity.differences import first_difference
from worlds import Runs, ran

SOURCES = Path(__file__).with_name("compiled")
SEED = "seed_everything: 1"
MODELS = {
    "net": "Net",
    "measured": "Measured",
    "by_hand": "ByHand",
    "sharded": "Net\nstrategy: fsdp\nfsdp: {wrap: [Block]}",
}
"""By name: the class of a script that is not compiled, with its strategy."""
SPECS = {
    "step": ("net", "{what: step, backend: eager, fullgraph: true}"),
    "layers": ("net", "{what: [Block, Linear], backend: eager}"),
    "metric": ("measured", "{backend: eager}"),
    "model": ("by_hand", "{what: model, backend: eager, dynamic: true}"),
    "sharded_step": ("sharded", "{backend: eager}"),
    "sharded_layers": ("sharded", "{what: [Block], backend: eager}"),
}
"""By name: the script that is not compiled, and what is compiled of it. `eager` computes as torch does without."""

RESUMED = ("net", "step", "layers")
"""Trained for another epoch, after they have been stopped."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The checkpoints of scripts that were stopped and have gone on, compiled and not."""
    runs = Runs(SOURCES, tmp_path_factory.mktemp("trained"))
    plain = {name: f"model: {model}" for name, model in MODELS.items()}
    compiled = {name: f"{plain[which]}\ncompile: {how}" for name, (which, how) in SPECS.items()}
    for name, spec in {**plain, **compiled}.items():
        runs.build(name, spec)
        for epochs in (1, 2) if name in RESUMED else (1,):
            runs.train(name, name, epochs)
    runs.run()
    return runs


@pytest.mark.processes
@pytest.mark.parametrize("name", SPECS)
def test_trains_and_goes_on_as_without(name: str, trained: Runs) -> None:
    """To the same bits, with two ranks; checkpoints have the same names, and metrics the same values."""
    which = SPECS[name][0]
    difference = first_difference(trained.checkpoint(which), trained.checkpoint(name), name)
    assert not difference, difference
    logged = [(trained / out / "metrics.jsonl").read_text() for out in (which, name)]
    assert logged[0] == logged[1]


def counted(folder: Path, script: Path) -> dict[str, int]:
    """What torch has compiled of one epoch, whose last batch is a smaller one."""
    options = ("--max-epochs", "1", "--out", folder / "out")
    code, said = ran(SOURCES / "count_graphs.py", script, *options, folder=folder)
    assert not code, said
    found: dict[str, int] = json.loads(said.splitlines()[-1])
    return found


@pytest.mark.processes
def test_what_is_logged_breaks_no_graph(tmp_path: Path) -> None:
    """Nor has a log to be compiled anew as it grows: one graph for the batches, one for the last, smaller one."""
    runs = Runs(SOURCES, tmp_path)
    runs.build("graphs", f"model: Net\ncompile: {{backend: eager}}\n{SEED}")
    script = tmp_path / "train_graphs.py"
    script.write_text(script.read_text().replace("batch_size=4", "batch_size=5"))
    assert counted(tmp_path, script) == {"graphs": 2, "breaks": 0}


@pytest.mark.parametrize(
    ("strategy", "wrapping"), [("ddp", "DistributedDataParallel(step"), ("fsdp", "shard_model(model")]
)
def test_it_is_compiled_before_it_is_wrapped(strategy: str, wrapping: str, tmp_path: Path) -> None:
    runs = Runs(SOURCES, tmp_path)
    runs.build("ordered", f"model: Net\nstrategy: {strategy}\ncompile: model")
    text = (runs / "train_ordered.py").read_text()
    assert 0 < text.index("model.compile()") < text.index(wrapping)


@pytest.mark.processes
def test_gradients_are_still_sent_bucket_by_bucket(tmp_path: Path) -> None:
    """For torch cuts a graph, that runs within DistributedDataParallel's forward, by its buckets."""
    code, said = ran(SOURCES / "count_buckets.py", folder=tmp_path)
    assert not code, said
    assert int(said.splitlines()[-1]) > 2


@pytest.mark.processes
@pytest.mark.skipif(not shutil.which("g++"), reason="torch's own compiler needs one for C++")
def test_torchs_own_compiler(tmp_path: Path) -> None:
    """It joins operations, and so rounds in other places: hence the tolerance, of a few units in the last place."""
    runs = Runs(SOURCES, tmp_path)
    (tmp_path / "runs").mkdir()
    for name, spec in {"plain": "", "compiled": "compile: true\n"}.items():
        runs.build(name, f"model: Net\n{spec}{SEED}")
        code, said = ran(
            runs / f"train_{name}.py", "--max-epochs", "1", "--out", runs / name, folder=tmp_path
        )
        assert not code, said
    states = [runs.checkpoint(name)["state_dict"] for name in ("plain", "compiled")]
    torch.testing.assert_close(states[1], states[0], rtol=1e-5, atol=1e-6)


@pytest.mark.processes
def test_layers_that_the_model_lacks(tmp_path: Path) -> None:
    runs = Runs(SOURCES, tmp_path)
    runs.build("lacking", "model: Net\ncompile: [Block, Blok]")
    code, said = ran(runs / "train_lacking.py", folder=tmp_path)
    assert code
    assert said.splitlines()[-1] == "the model has no layer to compile of Blok"


@pytest.mark.parametrize(
    ("setting", "call"),
    [
        ("true", 'compile_logging_step(model, "log")'),
        ("model", "model.compile()"),
        ("{what: model, mode: max-autotune}", 'model.compile(mode="max-autotune")'),
        ("[Block]", 'compile_layers(model, {"Block"})'),
        ("{what: [Block], dynamic: false}", 'compile_layers(model, {"Block"}, dynamic=False)'),
    ],
)
def test_what_is_written(setting: str, call: str, tmp_path: Path) -> None:
    runs = Runs(SOURCES, tmp_path)
    runs.build("written", f"model: Net\ncompile: {setting}")
    assert f"    {call}\n" in (runs / "train_written.py").read_text()


def test_a_step_that_logs_nothing(tmp_path: Path) -> None:
    runs = Runs(SOURCES, tmp_path)
    model = tmp_path / "model.py"
    lines = [line for line in model.read_text().splitlines() if "self.log" not in line]
    without = "\n".join(lines).replace("    def validation_step(self, batch, batch_idx):\n", "")
    model.write_text(without.replace("def val_dataloader", "def rows"))
    runs.build("silent", "model: Net\ncompile: {fullgraph: true}")
    assert "    compile_step(model, fullgraph=True)\n" in (runs / "train_silent.py").read_text()


@pytest.mark.parametrize("setting", ["compile: false", "compile: null", "strategy: single"])
def test_nothing_is_compiled(setting: str, tmp_path: Path) -> None:
    runs = Runs(SOURCES, tmp_path)
    runs.build("plain", f"model: Net\n{setting}")
    assert "compile" not in (runs / "train_plain.py").read_text()


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        (
            "steps",
            "`what` must be `step`, `model`, or a list of the names of classes of layers, as in `[Block]`.",
        ),
        ("[]", "must be `step`, `model`, or a list"),
        ("{what: [a.Block]}", "must be `step`, `model`, or a list"),
        ("{mode: fast}", "`mode` must be `default`, `reduce-overhead`, "),
        ("{full: true}", "There is no setting `full` here. Did you mean `fullgraph`?"),
    ],
)
def test_mistakes(setting: str, sentence: str) -> None:
    with pytest.raises(CompileError) as raised:
        parse_spec("spec", None, "spec.yaml", f"compile: {setting}".encode())
    assert sentence in raised.value.diagnostics[0].message
