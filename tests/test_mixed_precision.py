"""What scripts compute in: `precision`, in each place where it is written, and what cannot be (19)."""

from __future__ import annotations

import importlib
import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from click.testing import CliRunner
from ddpgen import build
from ddpgen.cli import main as cli
from ddpgen.diagnostics import CompileError
from ddpgen.explain import explain
from lightning.pytorch.plugins import MixedPrecision
from lightning.pytorch.trainer import Trainer
from worlds import ran

MODEL = """
import lightning as L
import torch
from lightning.pytorch.plugins import DoublePrecision, HalfPrecision, MixedPrecision, MixedPrecisionPlugin

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        {step}
        loss = self.layer(batch).square().mean()
        return loss

    def test_step(self, batch, batch_idx):
        self.log("test", self.layer(batch).mean())

    def configure_optimizers(self):
        return torch.optim.{optimizer}

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(8, 2), batch_size=2)

    def test_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 2), batch_size=2)
{more}
"""
SGD = "SGD(self.parameters(), lr=0.1)"

SCALED = "plugins: {class_path: MixedPrecision, init_args: {precision: 16-mixed, device: cpu}}"

AUTOCAST = "torch.autocast(device.type, torch.bfloat16, cache_enabled=False)"


def script(
    folder: Path,
    trainer: str = "",
    main: str = "",
    *,
    step: str = "",
    optimizer: str = SGD,
    more: str = "",
    spec: str = "",
) -> str:
    """A script for settings of the spec, or for a main of the user's own."""
    text = MODEL.format(step=step, optimizer=optimizer, more=more)
    (folder / "model.py").write_text(text + main)
    (folder / "ddp.yaml").write_text(
        f"strategy: ddp\n{spec or 'checkpoint: false'}\ntrainer: {{max_epochs: 1, {trainer}}}\n"
    )
    made = build(folder / "model.py", folder / "ddp.yaml")
    (folder / "train_ddp.py").write_text(made)
    return made


def of_main(arguments: str, before: str = "") -> str:
    """A main of the user's own, whose model it leaves in a variable."""
    return f"""
import sys

def main():
    {before or "pass"}
    model = Net()
    trainer = L.Trainer(max_epochs=1, logger=False, accelerator="cpu", enable_progress_bar=False, {arguments})
    trainer.fit(model)
    trainer.test(model)
    return model, trainer

if __name__ == "__main__":
    model, trainer = main()
"""


def run(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch, *options: str) -> dict[str, Any]:
    """The names of a program that has run."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", [name, *options])
    torch.manual_seed(0)
    return runpy.run_path(str(folder / name), run_name="__main__")


# ---- what is compiled in ---------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["32", "'32'", "32-true", "null"])
def test_full_precision_leaves_no_trace(value: str, tmp_path: Path) -> None:
    assert script(tmp_path, f"precision: {value}") == script(tmp_path)
    assert "dtype" not in script(tmp_path).partition("class Logs")[0]


@pytest.mark.parametrize("value", ["bf16", "bf16-mixed"])
def test_bfloat16_mixed(value: str, tmp_path: Path) -> None:
    made = script(tmp_path, f"precision: {value}")
    assert f"with {AUTOCAST}:\n                loss = step(batch, batch_idx)" in made
    assert "scaler" not in made


@pytest.mark.parametrize("value", ["16", "'16'", "16-mixed"])
def test_half_mixed(value: str, tmp_path: Path) -> None:
    made = script(tmp_path, f"precision: {value}, gradient_clip_val: 1.0")
    assert 'scaler = torch.amp.GradScaler(device.type, enabled=device.type != "cpu")' in made
    order = [
        "scaler.scale(loss).backward()",
        "unscale_(optimizer)",
        "clip_grad_norm_",
        "scaler.step(",
        "update()",
    ]
    assert sorted(order, key=made.index) == order


@pytest.mark.parametrize(
    ("value", "dtype"),
    [("64", "float64"), ("64-true", "float64"), ("bf16-true", "bfloat16"), ("16-true", "float16")],
)
def test_true_precisions(value: str, dtype: str, tmp_path: Path) -> None:
    made = script(tmp_path, f"precision: {value}")
    assert ("model.double()" if dtype == "float64" else f"model.to(torch.{dtype})") in made
    assert f"with default_dtype(torch.{dtype}):\n                loss = step(batch, batch_idx)" in made
    assert "scaler" not in made


@pytest.mark.parametrize(
    ("plugin", "expected"),
    [
        (
            "{class_path: MixedPrecision, init_args: {precision: bf16-mixed, device: cuda}}",
            'torch.autocast("cuda", ',
        ),
        ("{class_path: lightning.pytorch.plugins.HalfPrecision}", "default_dtype(torch.float16)"),
        ("[{class_path: HalfPrecision, init_args: {precision: bf16-true}}]", "default_dtype(torch.bfloat16)"),
        ("[{class_path: SLURMEnvironment}, {class_path: DoublePrecision}]", "default_dtype(torch.float64)"),
    ],
)
def test_plugins_that_a_spec_describes(plugin: str, expected: str, tmp_path: Path) -> None:
    assert expected in script(tmp_path, f"plugins: {plugin}")


@pytest.mark.parametrize(
    "plugins", ["null", "[]", "{class_path: SLURMEnvironment}", "{class_path: Precision}"]
)
def test_plugins_that_change_nothing(plugins: str, tmp_path: Path) -> None:
    assert script(tmp_path, f"plugins: {plugins}") == script(tmp_path)


def test_a_list_that_holds_none(tmp_path: Path) -> None:
    assert script(tmp_path, main=of_main("plugins=list()")) == script(tmp_path, main=of_main(""))


def test_the_spec_wins(tmp_path: Path) -> None:
    main = of_main('plugins=[HalfPrecision("bf16-true")]')
    assert AUTOCAST in script(tmp_path, "precision: bf16-mixed", main)
    described = "plugins: {class_path: DoublePrecision}"
    assert "default_dtype(torch.float64)" in script(tmp_path, described, of_main("precision=sys.argv[1]"))


# ---- what cannot be --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ("precision: 16-mixed, plugins: {class_path: DoublePrecision}", "Give one of them"),
        ("plugins: [{class_path: XLACheckpointIO}]", "nothing of what `XLACheckpointIO` does"),
        (
            "plugins: [{class_path: AsyncCheckpointIO, init_args: {checkpoint_io: {class_path: own.IO}}}]",
            "nothing of what `AsyncCheckpointIO` does with what it is given",
        ),
        ("plugins: [{class_path: BitsandbytesPrecision}]", "`BitsandbytesPrecision`"),
        (
            "plugins: [{class_path: DoublePrecision}, {class_path: HalfPrecision}]",
            "one precision plugin at most",
        ),
        ("plugins: {class_path: MixedPrecision, init_args: {precision: 16-mixed}}", "and a device"),
        (
            "plugins: {class_path: HalfPrecision, init_args: {precision: 16-mixed}}",
            "`16-true` or `bf16-true`",
        ),
    ],
)
def test_what_a_spec_cannot_ask_for(settings: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=sentence):
        script(tmp_path, settings)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            'plugins=MixedPrecision("16-mixed", "cuda", scaler=torch.amp.GradScaler(init_scale=2.0))',
            "no scaler of its own",
        ),
        (
            'plugins=MixedPrecision("16-mixed", "cuda", scaler=torch.amp.GradScaler("cpu"))',
            "no scaler of its own",
        ),
        ('plugins=[MixedPrecision(sys.argv[1], "cuda")]', "as literals"),
        ("plugins=[DoublePrecision() if sys.argv else HalfPrecision()]", "known when the script is built"),
        ('plugins=[DoublePrecision()], precision="16-true"', "Give one of them"),
        ("plugins=[DoublePrecision()], precision=sys.argv[1]", "Give one of them"),
        ("plugins=[object()]", "known when the script is built"),
        ('precision="8"', "must be one of"),
    ],
)
def test_what_code_cannot_ask_for(arguments: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=sentence):
        script(tmp_path, main=of_main(arguments))


@pytest.mark.parametrize(
    ("optimizer", "settings", "sentence"),
    [
        ("LBFGS(self.parameters())", "", "Lightning refuses LBFGS"),
        ("SGD(self.parameters(), lr=0.1, fused=True)", "gradient_clip_val: 1.0", "Lightning refuses this"),
    ],
)
def test_optimizers_that_lightning_refuses(
    optimizer: str, settings: str, sentence: str, tmp_path: Path
) -> None:
    """19.3: where losses are scaled, alone."""
    with pytest.raises(CompileError, match=sentence):
        script(tmp_path, f"precision: 16-mixed, {settings}", optimizer=optimizer)
    script(tmp_path, f"precision: bf16-mixed, {settings}", optimizer=optimizer)


def test_the_type_of_a_module_that_converts_itself(tmp_path: Path) -> None:
    """Lightning's goes with some conversions alone."""
    assert "def _apply" in script(tmp_path, step="self.half(); self.dtype")
    with pytest.raises(CompileError, match=r"no `self\.dtype`"):
        script(tmp_path, step="self.bfloat16(); self.dtype")


# ---- what runs -------------------------------------------------------------------------------------------

SEEN = "seen.append((str(self.dtype), self.trainer.precision, str(torch.ones(1).dtype)))"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", ["16", "bf16", "32", "64", "16-true", "bf16-true", "32-true", "64-true"])
def test_an_expression(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model and its Trainer are as under Lightning, whatever the command line says."""
    main = of_main("precision=sys.argv[1], gradient_clip_val=0.5")
    script(tmp_path, main=main, step=SEEN, more="seen = []")
    expected = run(tmp_path, "model.py", monkeypatch, value)
    found = run(tmp_path, "train_ddp.py", monkeypatch, value)
    assert found["seen"] == expected["seen"]
    for name, parameter in expected["model"].state_dict().items():
        assert torch.equal(found["model"].state_dict()[name], parameter)


def test_an_expression_of_known_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without those that it cannot be, the script is shorter."""
    made = script(tmp_path, main=of_main('precision="bf16-mixed" if len(sys.argv) > 1 else 32'))
    assert not any(
        name in made for name in ("GradScaler", "to_dtype", "def default_dtype", "creation", "convert(")
    )
    assert run(tmp_path, "train_ddp.py", monkeypatch)["model"].layer.weight.dtype == torch.float32


def test_an_expression_that_is_no_precision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, main=of_main("precision=sys.argv[1]"))
    with pytest.raises(SystemExit, match="not 8"):
        run(tmp_path, "train_ddp.py", monkeypatch, "8")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "optimizer", [SGD, "Adam(self.parameters(), lr=0.1, fused=True)", "SGD(self.parameters(), **{'lr': 0.1})"]
)
def test_a_plugin_in_code(optimizer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main = of_main("plugins=[plugin]", 'plugin = MixedPrecision("16-mixed", device="cpu")')
    made = script(tmp_path, main=main, step=SEEN, more="seen = []", optimizer=optimizer)
    assert ("scaler.unscale_(optimizer)" in made.partition("def main")[0]) is (optimizer is SGD)
    expected, found = run(tmp_path, "model.py", monkeypatch), run(tmp_path, "train_ddp.py", monkeypatch)
    assert found["seen"] == expected["seen"]
    assert torch.equal(found["model"].layer.weight, expected["model"].layer.weight)


@pytest.mark.filterwarnings("ignore")
def test_a_fused_optimizer_that_is_found_when_the_script_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = of_main('plugins=[MixedPrecision("16-mixed", "cpu")], gradient_clip_val=1.0')
    script(tmp_path, main=main, optimizer="SGD(self.parameters(), lr=0.1, fused=len('fused') > 0)")
    for name in ("model.py", "train_ddp.py"):
        with pytest.raises(RuntimeError, match="fused"):
            run(tmp_path, name, monkeypatch)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "arguments",
    [
        'precision="16-mixed"',
        'plugins=[MixedPrecision("16-mixed", "cpu")]',
        'plugins=MixedPrecisionPlugin("16-mixed", "cpu", torch.amp.GradScaler("cpu"))',
    ],
)
def test_code_may_ask_for_the_scaler(arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is none on the CPU, unless a plugin says that there is."""
    step = "seen.append(self.trainer.scaler and self.trainer.scaler.get_scale())"
    script(tmp_path, main=of_main(arguments), step=step, more="seen = []")
    expected, found = run(tmp_path, "model.py", monkeypatch), run(tmp_path, "train_ddp.py", monkeypatch)
    assert found["seen"] == expected["seen"]


@pytest.mark.filterwarnings("ignore")
def test_lightning_goes_on_from_the_scaler_s_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """12.1, 19.5: a checkpoint has it under the name of Lightning's class."""
    script(
        tmp_path,
        SCALED,
        spec="checkpoint: true",
        step="batch = batch * 1e5",
        optimizer="SGD(self.parameters(), 0.0)",
    )
    run(tmp_path, "train_ddp.py", monkeypatch, "--out", "out")
    model = run(tmp_path, "model.py", monkeypatch)["Net"]()
    made = MixedPrecision("16-mixed", "cpu")
    trainer = Trainer(max_epochs=1, plugins=[made], accelerator="cpu", logger=False, limit_train_batches=0)
    trainer.fit(model, ckpt_path=tmp_path / "out" / "last.ckpt")
    assert made.scaler is not None
    assert made.scaler.get_scale() < 2.0**16


# ---- what is said of it ----------------------------------------------------------------------------------


def reason_of(folder: Path, text: str) -> str:
    """What `ddpgen explain` says of the line with the text."""
    explanation = explain(folder / "train_ddp.py")
    line = explanation.text[: explanation.text.index(text)].count("\n") + 1
    return next(part.reason.sentence for part in explanation.parts if part.first <= line <= part.last)


def test_explained(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL.format(step="", optimizer=SGD, more=""))
    (tmp_path / "ddp.yaml").write_text("strategy: ddp\ntrainer: {max_epochs: 1, precision: 16}\n")
    command = ["build", str(tmp_path / "model.py"), "--strategy", str(tmp_path / "ddp.yaml")]
    assert not CliRunner().invoke(cli, command, catch_exceptions=False).exit_code
    assert "computes in" in reason_of(tmp_path, "with half_autocast(device)")
    assert "Losses are scaled" in reason_of(tmp_path, "scaler = torch.amp")


@pytest.mark.processes
@pytest.mark.parametrize(
    "settings",
    [
        "precision: bf16",
        "plugins: {class_path: MixedPrecision, init_args: {precision: 16-mixed, device: cpu}}",
    ],
)
def test_verified(settings: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lightning's side is told of plugins that a spec describes."""

    def run_side(job: Mapping[str, Any], folder: Path) -> str:
        folder.mkdir()
        (folder / "job.yaml").write_text(yaml.safe_dump(job))
        code, said = ran("-m", "ddpgen.watch", folder / "job.yaml", folder=folder)
        return said if code else ""

    monkeypatch.setattr(importlib.import_module("ddpgen.verify.verify"), "run_side", run_side)
    (tmp_path / "model.py").write_text(MODEL.format(step="", optimizer=SGD, more=""))
    (tmp_path / "ddp.yaml").write_text(f"strategy: single\ntrainer: {{max_epochs: 1, {settings}}}\n")
    command = ["verify", str(tmp_path / "model.py"), "--strategy", str(tmp_path / "ddp.yaml"), "--nproc", "1"]
    done = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert "All equal" in done.output, done.output
