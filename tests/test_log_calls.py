"""Ways to call `log` other than `self.log(...)` log the same (semantics 9.1): their options count as well."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

SOURCE = """
import copy
import functools

import lightning as L
import torch

class Holder:
    def __init__(self, *kept):
        self.kept = kept

def method_of(module):
    return module.log

class Counter(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(()))
        {init}

    def tell(self, name, value):
        {tell}

    def training_step(self, batch, batch_idx):
        value = float(batch_idx)
        {step}
        return self.weight * 0

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=1, logger=False, enable_checkpointing=False, enable_progress_bar=False)
    trainer.fit(Counter(), torch.utils.data.DataLoader(torch.ones(4), batch_size=1))
    print(sorted((name, value.item()) for name, value in trainer.callback_metrics.items()))
"""
OF_STEP = "[('index', 3.0)]"
OF_BOTH = "[('index', 1.5), ('index_epoch', 1.5), ('index_step', 3.0)]"
WAYS = {
    "directly": ({"step": 'self.log("index", value)'}, OF_STEP),
    "by another name": ({"step": 'log = self.log; log("index", value)'}, OF_STEP),
    "by a name that is asked for": ({"step": 'getattr(self, "log")("index", value)'}, OF_STEP),
    "of a dict, by a name that is asked for": (
        {"step": 'getattr(self, "log_dict")({"index": value})'},
        OF_STEP,
    ),
    "a partial": (
        {"init": "self.say = functools.partial(self.log, on_epoch=True)", "step": 'self.say("index", value)'},
        OF_BOTH,
    ),
    "kept in a list": ({"init": "self.jobs = [self.log]", "step": 'self.jobs[0]("index", value)'}, OF_STEP),
    "kept by an object": (
        {"init": "self.holder = Holder(self.log)", "step": 'self.holder.kept[0]("index", value)'},
        OF_STEP,
    ),
    "returned": ({"step": 'method_of(self)("index", value, on_epoch=True)'}, OF_BOTH),
    "in a loop": ({"step": 'for log in (self.log,): log("index", value)'}, OF_STEP),
    "of the base": (
        {"tell": "super().log(name, value, on_epoch=True)", "step": 'self.tell("index", value)'},
        OF_BOTH,
    ),
    "of what is not known": (
        {"step": 'made = type("Made", (), {})(); made.by = self; made.by.log("index", value, on_epoch=True)'},
        OF_BOTH,
    ),
    "of a dict": ({"step": 'self.log_dict({"index": value}, on_epoch=True)'}, OF_BOTH),
    "of a dict, by another name": ({"step": 'log = self.log_dict; log({"index": value})'}, OF_STEP),
}


@pytest.mark.parametrize(("parts", "expected"), WAYS.values(), ids=WAYS)
def test_a_way_to_log(
    parts: dict[str, str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = SOURCE
    for name in ("init", "tell", "step"):
        source = source.replace("{" + name + "}", parts.get(name, "pass"))
    model = tmp_path / "model.py"
    model.write_text(source)
    result = CliRunner().invoke(main, ["build", str(model), "--strategy", "ddp"], catch_exceptions=False)
    assert not result.exit_code, result.output
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["train_ddp.py"])
    capsys.readouterr()
    runpy.run_path("train_ddp.py", run_name="__main__")
    assert capsys.readouterr().out.splitlines()[-1] == expected
