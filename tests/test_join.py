"""Epochs in which ranks have different numbers of batches: scripts train as a loop with torch's Join, and go on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from ddpgen.compile import compile_script
from ddpgen.diagnostics import CompileError
from ddpgen.spec.load import load_spec
from parity.differences import first_difference
from worlds import Runs

SOURCES = Path(__file__).with_name("join")
CLIPPED = "gradient_clip_val: 0.5, log_every_n_steps: 1, num_sanity_val_steps: 1"
ITSELF = f"{CLIPPED}, use_distributed_sampler: false"
WINDOW = f"trainer: {{{ITSELF}, accumulate_grad_batches: 3}}"
SPECS = {
    "stream": f"model: Net\nddp: {{join: true}}\ntrainer: {{{CLIPPED}}}",
    "remaining": f"model: Net\nddp: {{join: {{divide_by_initial_world_size: false}}}}\ntrainer: {{{CLIPPED}}}",
    "accumulated": f"model: Sized\nddp: {{join: true}}\n{WINDOW}",
    "every": f"model: Sized\nddp: {{join: true}}\nsync: multi_auto_sync\n{WINDOW}",
    "even": f"model: Even\nddp: {{join: true}}\ntrainer: {{{ITSELF}}}",
}
EPOCHS = 4
WORLDS = (1, 3)
"""Other numbers of ranks, that go on from where two have left off."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Each case by hand, and by a script that was stopped and has gone on."""
    runs = Runs(SOURCES, tmp_path_factory.mktemp("trained"))
    for name, spec in SPECS.items():
        runs.build(name, spec)
        runs.add("by_hand.py", name, runs / f"{name}.pt")
        for epochs in (1, EPOCHS):
            runs.train(name, name, epochs)
    runs.train("stream", "half", 1)
    runs.run()
    for world in WORLDS:
        shutil.copytree(runs / "half", runs / f"stream-by-{world}")
        runs.train("stream", f"stream-by-{world}", EPOCHS)
        runs.add("by_hand.py", "stream", runs / f"stream-by-{world}.pt", runs / "half/last.ckpt")
        runs.run(world)
    return runs


def by_hand(trained: Runs, name: str) -> Any:
    return torch.load(trained / f"{name}.pt", weights_only=True)


@pytest.mark.processes
@pytest.mark.parametrize("name", [*SPECS, *(f"stream-by-{world}" for world in WORLDS)])
def test_trains_and_goes_on_as_a_loop_by_hand(name: str, trained: Runs) -> None:
    """Optimizer and scheduler have what the last rank had, and count its steps."""
    weights, states, steps, _ = by_hand(trained, name)
    found = trained.checkpoint(name)
    own = {key.removeprefix("layers."): value for key, value in found["state_dict"].items()}
    assert not (difference := first_difference(weights, own, name)), difference
    kept = [*found["optimizer_states"], *found["lr_schedulers"]]
    assert not (difference := first_difference(states, kept, name)), difference
    assert found["global_step"] == steps


@pytest.mark.processes
@pytest.mark.parametrize("name", SPECS)
def test_an_epochs_values_are_of_all_batches_of_all_ranks(name: str, trained: Runs) -> None:
    *_, losses = by_hand(trained, name)
    rows = [json.loads(line) for line in (trained / name / "metrics.jsonl").read_text().splitlines()]
    assert [row["loss"] for row in rows if "loss" in row] == pytest.approx(losses, rel=1e-5)
    assert sum("val_loss" in row for row in rows) == EPOCHS


@pytest.mark.processes
def test_a_callbacks_counts_are_those_of_the_last_rank(trained: Runs) -> None:
    (state,) = [
        each for each in trained.checkpoint("stream")["callbacks"].values() if each.keys() == {"batches"}
    ]
    assert state["batches"] == 7 + 7 + 6 + 7


@pytest.mark.processes
def test_a_rank_without_batches_stops_all(trained: Runs) -> None:
    """Each has to have logged what all reduce together."""
    runs = Runs(SOURCES, trained / "lacking")
    runs.build("lacking", f"model: Lacking\nddp: {{join: true}}\ntrainer: {{{ITSELF}}}")
    runs.train("lacking", "lacking", 1)
    with pytest.raises(AssertionError, match="SystemExit: rank 0 has no batch in this epoch"):
        runs.run()


# ---- what is built ---------------------------------------------------------------------------------------


def script(folder: Path, spec: str, **changes: str) -> str:
    """A script for the model of streams, in whose file some words are others."""
    text = (SOURCES / "model.py").read_text()
    for word, other in changes.items():
        assert word in text
        text = text.replace(word, other)
    (folder / "model.py").write_text(text)
    shutil.copy(SOURCES / "layers.py", folder)
    (folder / "spec.yaml").write_text(f"{spec}\n")
    return compile_script(folder / "model.py", load_spec(str(folder / "spec.yaml"))).text


@pytest.mark.parametrize(
    ("settings", "context"),
    [
        ("true", "joined(step)"),
        ("{throw_on_early_termination: true}", "joined(step, throw_on_early_termination=True)"),
        ("{divide_by_initial_world_size: true}", "joined(step)"),
        ("{divide_by_initial_world_size: false}", "joined(step, divide_by_initial_world_size=False)"),
        ("false", ""),
    ],
)
def test_how_ranks_join(settings: str, context: str, tmp_path: Path) -> None:
    text = script(tmp_path, f"model: Net\nddp: {{join: {settings}}}")
    assert (f"\n        with {context}:\n            for batch_idx, " in text) == bool(context)
    assert ("joined" in text) == bool(context)
    # a validation has no collectives, of which ranks may have different numbers
    assert ("TrainingStep" in text) == ("model.validation_step(" in text) == bool(context)


READ = {
    "import lightning as L": "import lightning as L\nimport torch",
    "adam(self)": "torch.optim.Adam(self.parameters())",
    "falling(optimizer)": "torch.optim.lr_scheduler.StepLR(optimizer, 2)",
}


@pytest.mark.parametrize(
    ("model", "spec", "changes", "shared"),
    [
        ("Net", "", READ, "optimizer, scheduler, *trainer.callbacks"),
        ("Net", "", {}, "optimizer, *(schedule.scheduler for schedule in schedules), *trainer.callbacks"),
        ("Sized", "{precision: 16-mixed}", {}, "scaler, *trainer.callbacks"),
        (
            "Sized",
            "",
            {"configure_callbacks": "unused"},
            "optimizer, *(schedule.scheduler for schedule in schedules)",
        ),
    ],
)
def test_what_all_ranks_go_on_with(
    model: str, spec: str, changes: dict[str, str], shared: str, tmp_path: Path
) -> None:
    text = script(tmp_path, f"model: {model}\nddp: {{join: true}}\ntrainer: {spec}", **changes)
    call = text[
        text.index("share_last(batch_idx + 1, ") if "share_last(b" in text else text.index("share_last(\n") :
    ]
    assert " ".join(f"{shared}]".split()) in " ".join(call.replace(",\n            ]", "]").split())


ON_STEP = {"on_step=False, on_epoch=True, sync_dist=True": "sync_dist=True"}
SKIPPING = {
    "    def training_step": "    def on_train_batch_start(self, x, idx):\n        return -1\n\n    def training_step"
}
GATHERING = {"        return loss\n": "        self.all_gather(loss)\n        return loss\n"}
BY_HAND = {"self.layers = layers()": "self.layers = layers()\n        self.automatic_optimization = False"}
STOPPING = {"self.batches += 1": "trainer.should_stop = True"}
AVERAGING = "trainer: {callbacks: [{class_path: StochasticWeightAveraging, init_args: {swa_lrs: 0.1}}]}"


@pytest.mark.parametrize(
    ("spec", "changes", "refused"),
    [
        ("", ON_STEP, "`join` and `sync_dist`"),
        ("", SKIPPING, "`join` and `stopping`"),
        ("", STOPPING, "`join` and `stopping`"),
        ("", GATHERING, "this `all_gather`"),
        ("", BY_HAND, "`join` and `automatic_optimization`"),
        ("trainer: {max_steps: 5}", {}, "`join` and `max_steps`"),
        ("trainer: {accumulate_grad_batches: 2, limit_train_batches: 3}", {}, "`accumulate_grad_batches`"),
        ("trainer: {val_check_interval: 2}", {}, "`join` and `val_check_interval`"),
        ("trainer: {accumulate_grad_batches: 2}", {}, "`join` and `accumulate_grad_batches`"),
        ("trainer: {sync_batchnorm: true}", {}, "`join` and `sync_batchnorm`"),
        (AVERAGING, {}, "`join` and StochasticWeightAveraging"),
        ("trainer: {max_time: {hours: 1}}", {}, "`join` and"),
    ],
)
def test_what_ranks_would_have_to_meet_for_is_refused(
    spec: str, changes: dict[str, str], refused: str, tmp_path: Path
) -> None:
    with pytest.raises(CompileError) as raised:
        script(tmp_path, f"model: Net\nddp: {{join: true}}\n{spec}", **changes)
    assert any(refused in problem.message for problem in raised.value.diagnostics)
