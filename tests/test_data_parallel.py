"""What ranks do together beyond averaging gradients: scripts train as loops of one's own do, and go on exactly."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import torch
from ddpgen.compile import compile_script
from ddpgen.spec.load import load_spec
from parity.differences import first_difference
from worlds import Runs

SOURCES = Path(__file__).with_name("data_parallel")

CLIPPED = "gradient_clip_val: 5.0"
ACCUMULATED = f"trainer: {{accumulate_grad_batches: 3, {CLIPPED}}}"
PARTS = f"model: InParts\nmicrobatch: 3\n{ACCUMULATED}"
SCALED = "ddp: {wrapper: {class_path: wrappers.Scaled, init_args: {share: 0.5}}}"
SPECS = {
    "plain": ("plain", f"model: Net\ntrainer: {{{CLIPPED}, log_every_n_steps: 1}}"),
    "parts": ("parts", f"model: InParts\nmicrobatch: 3\ntrainer: {{{CLIPPED}, log_every_n_steps: 1}}"),
    "parts_accumulated": ("parts_accumulated", PARTS),
    "parts_every": ("parts_every", f"{PARTS}\nsync: multi_auto_sync"),
    "parts_forced": ("parts_accumulated", f"{PARTS}\nsync: forced_sync"),
    "parts_found": ("parts_found", f"model: Limited\nmicrobatch: auto\n{ACCUMULATED}"),
    "parts_found_forced": (
        "parts_found",
        f"model: Limited\nmicrobatch: auto\nsync: forced_sync\n{ACCUMULATED}",
    ),
    "parts_by_rank": (
        "parts_by_rank",
        f"model: Net\nmicrobatch: {{size: 4, split: by_rank}}\ntrainer: {{{CLIPPED}}}",
    ),
    "wrapped": ("wrapped", f"model: Net\n{SCALED}\ntrainer: {{{CLIPPED}}}"),
    "wrapped_accumulated": ("wrapped_accumulated", f"model: Net\n{SCALED}\n{ACCUMULATED}"),
    "wrapped_parts": ("wrapped_parts", f"{PARTS}\n{SCALED}"),
    "wrapped_as_torch": ("plain", f"model: Net\nddp: {{wrapper: wrappers.Counting}}\ntrainer: {{{CLIPPED}}}"),
    "sum": ("sum", f"model: Sums\nloss: sum\ntrainer: {{{CLIPPED}}}"),
    "sum_accumulated": (
        "sum_accumulated",
        f"model: Sums\nloss: sum\n{ACCUMULATED}",
    ),
    "sum_forced": (
        "sum_accumulated",
        f"model: Sums\nloss: sum\nsync: forced_sync\n{ACCUMULATED}",
    ),
}
"""By name: the loop by hand that a script equals, and its spec."""

JOINED = ("sum", "sum_accumulated")
"""Loops that one process with all ranks' samples in one batch comes near to."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The weights of each case: by hand, and by a script that was stopped and has gone on."""
    runs = Runs(SOURCES, tmp_path_factory.mktemp("trained"))
    cases = dict.fromkeys(case for case, _ in SPECS.values())
    for case in (*cases, *(f"{case}_joined" for case in JOINED)):
        runs.add("by_hand.py", case, runs / f"{case}.pt")
    for name, (_, spec) in SPECS.items():
        runs.build(name, spec)
        for epochs in (1, 2):
            runs.train(name, name, epochs)
    for name, size in ("found", "auto"), ("given", "2"):
        runs.build(
            name, f"model: Noisy\nmicrobatch: {size}\nseed_everything: 5\ntrainer: {{log_every_n_steps: 1}}"
        )
        runs.train(name, name, 1)
    for number, setting in enumerate(LAYERS):
        runs.build(f"layers{number}", f"model: Normed\nlayer_sync: {setting}")
        runs.train(f"layers{number}", f"layers{number}", 0)
    for sync in ("single_auto_sync", "forced_sync"):
        said = runs.build(f"thawed_{sync}", f"sync: {sync}", source="thawed.py")
        assert ("note[thawed-after-wrapping]" in said) == (sync != "forced_sync")
        runs.train(f"thawed_{sync}", f"thawed_{sync}", 2)
    runs.run()
    return runs


def weights(trained: Runs, name: str) -> Mapping[str, torch.Tensor]:
    return {
        key.removeprefix("layers."): value for key, value in trained.checkpoint(name)["state_dict"].items()
    }


@pytest.mark.processes
@pytest.mark.parametrize("name", SPECS)
def test_trains_and_goes_on_as_a_loop_by_hand(name: str, trained: Runs) -> None:
    expected = torch.load(trained / f"{SPECS[name][0]}.pt", weights_only=True)
    assert not (difference := first_difference(expected, weights(trained, name), name)), difference


@pytest.mark.processes
@pytest.mark.parametrize(("sync", "is_one"), [("single_auto_sync", False), ("forced_sync", True)])
def test_whether_ranks_train_one_model_once_layers_are_thawed(sync: str, is_one: bool, trained: Runs) -> None:
    """DistributedDataParallel knows of those that train when it wraps the model."""
    first, second = ((trained / f"in-thawed_{sync}/weights-{rank}.json").read_text() for rank in (0, 1))
    assert (first == second) == is_one


# ---- parts of batches ------------------------------------------------------------------------------------


@pytest.mark.processes
def test_what_an_attempt_has_changed_is_taken_back(trained: Runs) -> None:
    """Buffers, random numbers and what was logged."""
    found, given = (trained.checkpoint(name) for name in ("found", "given"))
    assert not (difference := first_difference(given, found, "found")), difference
    written = [(trained / name / "metrics.jsonl").read_text() for name in ("found", "given")]
    assert written[0] == written[1]


@pytest.mark.processes
def test_parts_of_batches_train_and_log_as_whole_ones(trained: Runs) -> None:
    """Whose rows torch adds in another order: hence the tolerance."""
    whole = weights(trained, "plain")
    for key, value in weights(trained, "parts").items():
        torch.testing.assert_close(value, whole[key], rtol=1e-4, atol=1e-6)
    rows = [
        [json.loads(line) for line in (trained / name / "metrics.jsonl").read_text().splitlines()]
        for name in ("plain", "parts")
    ]
    assert rows[0][-1].keys() >= {"loss_epoch", "largest"}
    assert sum("loss_step" in row for row in rows[0]) == 24
    for expected, found in zip(*rows, strict=True):
        assert found == pytest.approx(expected, rel=1e-4)


HOOK = """def on_train_batch_end(self, outputs, batch, batch_idx):
        print(outputs)

    def configure_optimizers"""
LBFGS = {"torch.optim.SGD(self.parameters(), lr=0.01, momentum=0.9)": "torch.optim.LBFGS(self.parameters())"}


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        (LBFGS, ["return batch_loss", "optimizer.step(closure)"]),
        (
            {"def configure_optimizers": HOOK},
            ['model.on_train_batch_end({"loss": batch_loss}, batch, batch_idx)'],
        ),
        (LBFGS | {"def configure_optimizers": HOOK}, ["nonlocal outputs", 'outputs = {"loss": batch_loss}']),
    ],
    ids=["LBFGS", "hook", "both"],
)
def test_the_loss_of_a_batch_is_that_of_its_parts(
    changes: dict[str, str], lines: list[str], tmp_path: Path
) -> None:
    text = script(tmp_path, "microbatch: 2", **changes)
    assert "batch_loss = batch_loss + loss.detach()\n" in text
    for line in lines:
        assert f" {line}\n" in text


# ---- layers that work over ranks -------------------------------------------------------------------------

LAYERS = {
    "batchnorm": ["SyncBatchNorm", [0, 1]],
    "{group_size: 2}": ["SyncBatchNorm", [0, 1]],
    "{group_size: 1}": ["SyncBatchNorm", [0]],
    "{class_path: converted}": ["LayerNorm", [0, 1]],
    "null": ["BatchNorm1d", [0, 1]],
}
"""By setting: what batch norm becomes, and the first rank's group. Torch computes it on GPUs alone."""


@pytest.mark.processes
@pytest.mark.parametrize("setting", LAYERS)
def test_layers_are_converted_with_their_groups(setting: str, trained: Runs) -> None:
    place = trained / f"in-layers{list(LAYERS).index(setting)}"
    kind, group = LAYERS[setting]
    for rank in 0, 1:
        expected = [kind, [rank] if group == [0] else group]
        assert json.loads((place / f"told-{rank}.json").read_text()) == expected


def test_groups_are_made_for_several_ranks_alone(tmp_path: Path) -> None:
    text = script(tmp_path, "layer_sync: {group_size: 4}\ntrainer: {sync_batchnorm: true}", "Normed")
    conversion = "nn.SyncBatchNorm.convert_sync_batchnorm(model, neighbours(4))\n"
    assert text.count("convert_sync_batchnorm") == 1
    assert f"    if ranks.world_size > 1:\n        {conversion}" in text


# ---- what stands in DistributedDataParallel's place ------------------------------------------------------

OWN = """def validation_step(self, batch, batch_idx):
        self.log("val", self.layers(batch[0]).mean())

    def val_dataloader(self):
        return DataLoader(samples(), batch_size=4)

    def configure_optimizers"""


@pytest.mark.parametrize(
    ("spec", "lines"),
    [
        (
            "ddp: {wrapper: Own}",
            ["step = as_wrapper(Own(step), step, waits=False)", "loss = step(batch, batch_idx)"],
        ),
        (
            "ddp: {wrapper: Own}\ntrainer: {accumulate_grad_batches: 2}",
            ["step = as_wrapper(Own(step), step, waits=True)", "with own_auto_sync(step, is_last):"],
        ),
        (
            "ddp: {wrapper: Own}\nsync: multi_auto_sync\ntrainer: {accumulate_grad_batches: 2}",
            ["step = as_wrapper(Own(step), step, waits=False)", "with multi_auto_sync(step, is_last):"],
        ),
        (
            "ddp: {wrapper: torch.nn.DataParallel}",
            ["from torch.nn import DataParallel", "step = as_wrapper(DataParallel(step), step, waits=False)"],
        ),
        ("strategy: single", ["loss = model.training_step(batch, batch_idx)"]),
    ],
)
def test_wrappers_are_made_and_asked_for_what_is_used(spec: str, lines: list[str], tmp_path: Path) -> None:
    own = "class Own(nn.Module):\n    def __init__(self, module):\n        pass\n\n\nclass Base"
    text = script(tmp_path, spec, **{"class Base": own, "def configure_optimizers": OWN})
    assert "DistributedDataParallel" not in text
    for line in lines:
        assert re.search(rf"^ *{re.escape(line)}$", text, re.MULTILINE)


def test_a_module_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text((SOURCES / "wrappers.py").read_text())
    text = script(tmp_path, "ddp: {wrapper: {class_path: own.Scaled, init_args: {share: 0.5}}}")
    assert "\nfrom own import Scaled\n" in text


# ---- sums ------------------------------------------------------------------------------------------------


@pytest.mark.processes
@pytest.mark.parametrize("case", JOINED)
def test_trains_as_one_process_that_has_all_in_one_batch(case: str, trained: Runs) -> None:
    """Which adds in another order: hence the tolerance."""
    joined = torch.load(trained / f"{case}_joined.pt", weights_only=True)
    for key, value in torch.load(trained / f"{case}.pt", weights_only=True).items():
        torch.testing.assert_close(value, joined[key], rtol=1e-5, atol=1e-6)


def script(folder: Path, spec: str, model: str = "Net", **changes: str) -> str:
    """A script for one of the models, in whose file some words are others."""
    text = (SOURCES / "model.py").read_text()
    for word, other in changes.items():
        text = text.replace(word, other)
    (folder / "model.py").write_text(text)
    (folder / "layers.py").write_text((SOURCES / "layers.py").read_text())
    (folder / "spec.yaml").write_text(f"model: {model}\n{spec}\n")
    return compile_script(folder / "model.py", load_spec(str(folder / "spec.yaml"))).text


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ("loss: sum", "(loss * ranks.world_size).backward()"),
        ("loss: sum\nstrategy: single", "loss.backward()"),
        ("loss: mean", "loss.backward()"),
        (
            "loss: sum\ntrainer: {precision: 16-mixed}",
            "(scaler.scale(loss) * ranks.world_size).backward()",
        ),
    ],
)
def test_what_the_backward_of_a_sum_is_of(spec: str, line: str, tmp_path: Path) -> None:
    assert f"    {line}\n" in script(tmp_path, spec)


def test_a_hook_for_the_backward_is_given_the_same(tmp_path: Path) -> None:
    hook = "def backward(self, loss):\n        loss.backward()\n\n    def configure_optimizers"
    text = script(tmp_path, "loss: sum", **{"def configure_optimizers": hook})
    assert "model.backward(loss * ranks.world_size)\n" in text


ADDS_UP = "gradients are those of the sum over all samples of all ranks"
NOTED = "of losses with reduction="


@pytest.mark.parametrize(
    ("loss", "spec", "noted"),
    [
        ('"sum")', "", NOTED),
        ('"sum")', "loss: sum", ADDS_UP),
        ('"sum")', "strategy: single", ""),
        ('"mean")', "", ""),
        ('"sum") / len(x)', "", ""),
    ],
)
def test_the_docstring_says_what_becomes_of_sums(loss: str, spec: str, noted: str, tmp_path: Path) -> None:
    said = script(tmp_path, spec, "Sums", **{'"sum")': loss}).split('"""')[1]
    assert [each for each in (NOTED, ADDS_UP) if each in said] == [noted] * bool(noted)
