"""What is read of models that step their optimizers themselves."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from ddpgen import build
from ddpgen.diagnostics import CompileError
from worlds import ran

MODEL = """
import lightning as L
import torch
from elsewhere import Lion
from torch.optim import SGD
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    {attribute}

    def __init__(self, by_hand: bool = True):
        super().__init__()
        self.a, self.b = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
        {decision}

    def training_step(self, batch, batch_idx):
        for optimizer in self.optimizers():
            optimizer.zero_grad()
        self.manual_backward(self.b(self.a(batch)).sum())
        for optimizer in self.optimizers():
            optimizer.step()

    def train_dataloader(self):
        return DataLoader(torch.ones(4, 1))

    def configure_optimizers(self):
        a = SGD(self.a.parameters(), lr=0.1)
        b = SGD(self.b.parameters(), lr=0.1)
{configure}
{more}
"""

OFF = "self.automatic_optimization = False"


def script(
    folder: Path,
    configure: str = "return [a, b]",
    decision: str = OFF,
    attribute: str = "",
    more: str = "",
    spec: str = "ddp",
) -> str:
    (folder / "model.py").write_text(
        MODEL.format(
            configure=indent(configure, " " * 8),
            decision=decision,
            attribute=attribute,
            more=indent(more, " " * 4),
        )
    )
    return build(folder / "model.py", spec)


# ---- whether it is manual --------------------------------------------------------------------------------

DECISIONS = {
    "in the constructor": {},
    "in the class": {"decision": "pass", "attribute": "automatic_optimization = False"},
    "annotated": {"decision": "pass", "attribute": "automatic_optimization: bool = False"},
    "declared": {"attribute": "automatic_optimization: bool"},
    "by an argument": {"decision": "self.automatic_optimization = not by_hand"},
    "by an attribute": {
        "decision": "self.by_hand = by_hand\n        self.automatic_optimization = not self.by_hand"
    },
    "under a condition of an argument": {"decision": f"if by_hand:\n            {OFF}"},
    "behind what may raise": {
        "decision": f"if not bool(self.a):\n            raise ValueError(self.a)\n        {OFF}"
    },
    "in setup": {"decision": "pass", "more": f"def setup(self, stage):\n    {OFF}"},
    "by a property": {
        "decision": "pass",
        "more": "@property\ndef automatic_optimization(self):\n    return False",
    },
}


@pytest.mark.parametrize("form", DECISIONS.values(), ids=DECISIONS.keys())
def test_where_automatic_optimization_is_turned_off(tmp_path: Path, form: dict[str, str]) -> None:
    assert "model.training_step(batch, batch_idx)" in script(tmp_path, **form)


UNSURE = {
    "by more than an argument": {"decision": "self.automatic_optimization = not by_hand and bool(self.a)"},
    "under a condition": {"decision": f"if bool(self.a):\n            {OFF}"},
    "by an attribute that changes": {
        "decision": "self.by_hand = by_hand\n        self.automatic_optimization = not self.by_hand",
        "more": "def setup(self, stage):\n    self.by_hand = stage",
    },
    "behind a return": {"decision": f"if bool(self.a):\n            return\n        {OFF}"},
    "by an argument that is bound anew": {
        "decision": "by_hand = bool(self.a)\n        self.automatic_optimization = not by_hand"
    },
    "by another's argument of the name": {
        "decision": "pass",
        "more": "def setup(self, by_hand):\n    self.automatic_optimization = not by_hand",
    },
    "on and off": {"attribute": "automatic_optimization = True"},
    "while training": {"decision": "pass", "more": f"def on_train_start(self):\n    {OFF}"},
    "by a property that asks": {
        "decision": "pass",
        "more": "@property\ndef automatic_optimization(self):\n    return self.by_hand",
    },
}


@pytest.mark.parametrize("form", UNSURE.values(), ids=UNSURE.keys())
def test_what_depends_on_values_is_refused(tmp_path: Path, form: dict[str, str]) -> None:
    with pytest.raises(CompileError) as refused:
        script(tmp_path, **form)
    assert [each.code for each in refused.value.diagnostics][:1] == ["manual-optimization-unsure"]


def test_a_script_looks_where_an_attribute_has_decided(tmp_path: Path) -> None:
    """Code may change it in ways that are not read."""
    by_attribute = "self.by_hand = by_hand\n        self.automatic_optimization = not self.by_hand"
    assert "    if model.automatic_optimization:\n        raise SystemExit(" in script(
        tmp_path, decision=by_attribute
    )


def test_a_script_refuses_arguments_that_it_was_not_made_for(tmp_path: Path) -> None:
    """The option is still there; what it would change is not."""
    by_hand = script(tmp_path, decision="self.automatic_optimization = not by_hand")
    assert "    if model.automatic_optimization:\n        raise SystemExit(" in by_hand
    steps = "configure = torch.optim.SGD(self.parameters(), 0.1)\nreturn configure"
    automatic = script(tmp_path, steps, decision="self.automatic_optimization = by_hand")
    assert "    if not model.automatic_optimization:\n        raise SystemExit(" in automatic
    assert "optimizer.step()" in automatic
    of_fit = script(tmp_path).partition("def fit")[2].partition("\n# ----")[0]
    assert of_fit
    assert "build another for these arguments" not in of_fit


IN_A_RUN = {"decision": f"if bool(self.a):\n            {OFF}"}


def declared(folder: Path, value: str, **form: str) -> str:
    """The script of a spec that says who steps the optimizers."""
    lines = f"strategy: single\nautomatic_optimization: {value}\ntrainer: {{max_epochs: 1}}\n"
    (folder / "spec.yaml").write_text(lines)
    return script(folder, spec=str(folder / "spec.yaml"), **form)


def test_the_spec_says_what_only_a_run_can_tell(tmp_path: Path) -> None:
    by_model = declared(tmp_path, "false", **IN_A_RUN)
    assert "    if model.automatic_optimization:\n        raise SystemExit(" in by_model
    (tmp_path / "made.py").write_text(by_model)
    (tmp_path / "elsewhere.py").write_text("Lion = None\n")
    assert ran("made.py", folder=tmp_path)[0] == 0
    one = "configure = torch.optim.SGD(self.parameters(), 0.1)\nreturn configure"
    by_script = declared(tmp_path, "true", configure=one, **IN_A_RUN)
    (tmp_path / "made.py").write_text(by_script)
    code, said = ran("made.py", folder=tmp_path)
    assert code != 0
    assert "this script steps the optimizer itself: build another for these arguments" in said


@pytest.mark.parametrize("form", [UNSURE["while training"], UNSURE["by a property that asks"]])
def test_the_spec_does_not_say_what_changes_while_training(tmp_path: Path, form: dict[str, str]) -> None:
    with pytest.raises(CompileError) as refused:
        declared(tmp_path, "false", **form)
    assert [each.code for each in refused.value.diagnostics][:1] == ["manual-optimization-unsure"]


# ---- what configure_optimizers returns -------------------------------------------------------------------

AT_RUN_TIME = "optimizers, schedulers = read_several(model.configure_optimizers())"
FORMS = {
    "return a, b": "optimizers = list(model.configure_optimizers())",
    "return [a, b]": "optimizers = model.configure_optimizers()",
    "return a": "optimizers = [model.configure_optimizers()]",
    "return [a, b], []": "optimizers, _ = model.configure_optimizers()",
    "return [a, b], [StepLR(a, 1)]": "optimizers, schedulers = model.configure_optimizers()",
    "return [a, b], [ReduceLROnPlateau(a)]": "optimizers, schedulers = model.configure_optimizers()",
    "return [SGD(part.parameters()) for part in (self.a, self.b)]": "optimizers = model.configure_optimizers()",
    "return [a, b], [{'scheduler': StepLR(a, 1)}]": AT_RUN_TIME,
    "return {'optimizer': a, 'lr_scheduler': StepLR(a, 1)}": AT_RUN_TIME,
    "return [{'optimizer': a}, {'optimizer': b}]": AT_RUN_TIME,
    "return (a, b) if self.training else None": AT_RUN_TIME,
}


@pytest.mark.parametrize(("configure", "read"), FORMS.items())
def test_each_form_is_read_as_plainly_as_can_be(tmp_path: Path, configure: str, read: str) -> None:
    text = script(tmp_path, configure)
    assert read in text
    assert ("def read_several" in text) == (read == AT_RUN_TIME)


LISTED = {
    "return a, b": "trainer.lr_scheduler_configs = []",
    "return [a, b], [StepLR(a, 1)]": "lr_scheduler_configs = [NamedSchedule(each) for each in schedulers]",
    "return [a, b], [{'scheduler': StepLR(a, 1), 'name': 'rate'}]": "lr_scheduler_configs = schedules",
}


@pytest.mark.parametrize(("configure", "listed"), LISTED.items())
def test_a_monitor_of_learning_rates_is_told_of_optimizers_and_schedulers(
    tmp_path: Path, configure: str, listed: str
) -> None:
    spec = tmp_path / "ddp.yaml"
    spec.write_text("strategy: ddp\ntrainer: {callbacks: [LearningRateMonitor], logger: true}\n")
    text = script(tmp_path, configure, spec=str(spec))
    assert listed in text
    assert "trainer.batches_done = batches_done" in text


# ---- how steps are counted -------------------------------------------------------------------------------

COUNTED = {
    "torch's": ("", "return [a, b]", "plain"),
    "of another's": ("", "return [Lion(self.parameters())]", "wrapped"),
    "seen before they step": (
        "def on_before_optimizer_step(self, optimizer): print()",
        "return [a, b]",
        "wrapped",
    ),
    "toggled": (
        "def on_train_start(self):\n    with self.optimizers()[0].toggle_model(): pass",
        "return [a, b]",
        "wrapped",
    ),
    "unwrapped": ("def forward(self, x): self.optimizers()[0].optimizer.step()", "return [a, b]", "wrapped"),
    "asked for as torch's": (
        "def forward(self, x): self.optimizers(use_pl_optimizer=False)[0].step()",
        "return [a, b]",
        "wrapped",
    ),
    "asked of the trainer": (
        "def forward(self, x): self.trainer.optimizers[0].step()",
        "return [a, b]",
        "wrapped",
    ),
    "kept": ("def forward(self, x): self.kept.step()", "self.kept = a\nreturn [a, b]", "wrapped"),
    "kept with its type": (
        "def forward(self, x): self.kept.step()",
        "self.kept: torch.optim.Optimizer = a\nreturn [a, b]",
        "wrapped",
    ),
    "stepped after a batch": (
        "def on_train_batch_end(self, outputs, batch, batch_idx): self.optimizers()[0].step()",
        "return [a, b]",
        "plain, outside",
    ),
    "schedulers after an epoch": (
        "def on_train_epoch_end(self):\n    s = self.lr_schedulers()\n    s.step()\n    self.lr_schedulers().step()",
        "return [a, b], [StepLR(a, 1)]",
        "plain",
    ),
}


@pytest.mark.parametrize(("more", "configure", "expected"), COUNTED.values(), ids=COUNTED.keys())
def test_steps_are_counted_as_lightning_counts_them(
    tmp_path: Path, more: str, configure: str, expected: str
) -> None:
    """14.2"""
    text = script(tmp_path, configure, more=more)
    assert ("class ManualOptimizer" in text) == ("wrapped" in expected)
    assert ("register_step_post_hook" in text) == ("plain" in expected)
    assert ("in_step" in text) == ("outside" in expected)


def test_what_is_not_used_is_not_there(tmp_path: Path) -> None:
    text = script(tmp_path)
    for name in (
        "def lr_schedulers",
        "toggle",
        "on_before_backward",
        "wraps_optimizers",
        "PreparedOptimizer",
    ):
        assert name not in text


@pytest.mark.parametrize(
    "asked",
    [
        "print(self.trainer.lr_scheduler_configs)",
        "print([each.interval for each in self.trainer.lr_scheduler_configs])",
        "print(self.trainer.lr_scheduler_configs[0].frequency)",
    ],
)
def test_when_schedulers_step_is_not_told(tmp_path: Path, asked: str) -> None:
    with pytest.raises(CompileError) as refused:
        script(tmp_path, more=f"def on_train_start(self): {asked}")
    assert [each.code for each in refused.value.diagnostics] == ["unsupported-trainer-member"]


@pytest.mark.parametrize(
    ("setting", "value", "says"),
    [
        ("accumulate_grad_batches", "2", "leave out accumulate_grad_batches"),
        ("gradient_clip_val", "1.5", "leave out gradient_clip_val"),
    ],
)
def test_settings_that_are_known_when_it_runs(tmp_path: Path, setting: str, value: str, says: str) -> None:
    """As under Lightning, the run stops where they are not those that leave the gradients alone."""
    main = f"""
if __name__ == "__main__":
    import sys

    given = float(sys.argv[1]) if "." in sys.argv[1] else int(sys.argv[1])
    L.Trainer(max_epochs=1, {setting}=given).fit(Net())
"""
    model = MODEL.replace("from elsewhere import Lion\n", "").format(
        configure="        return [a, b]", decision=OFF, attribute="", more=""
    )
    (tmp_path / "model.py").write_text(model + main)
    (tmp_path / "train.py").write_text(build(tmp_path / "model.py", "single"))

    code, said = ran("train.py", value, folder=tmp_path)
    assert code == 1
    assert says in said
    plain = "1" if setting == "accumulate_grad_batches" else "0"
    assert ran("train.py", plain, folder=tmp_path)[0] == 0


# ---- constructors one after the other --------------------------------------------------------------------

BASE = """
class Base(L.LightningModule):
    def __init__(self):
        {first}
        {second}


class Net(Base):
"""


def derived(folder: Path, first: str, second: str, decision: str = OFF) -> str:
    """A script for a model whose base says something of it, too."""
    text = MODEL.format(configure=" " * 8 + "return [a, b]", decision=decision, attribute="", more="")
    base = BASE.format(first=first, second=second)
    (folder / "model.py").write_text(text.replace("\nclass Net(L.LightningModule):\n", base))
    return build(folder / "model.py", "ddp")


def test_the_last_of_several_constructors_decides(tmp_path: Path) -> None:
    assert "model.training_step(batch, batch_idx)" in derived(
        tmp_path, "super().__init__()", "self.automatic_optimization = True"
    )


def test_a_base_that_only_may_say_something_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as refused:
        derived(
            tmp_path,
            "super().__init__()",
            "if self.extra_repr():\n            self.automatic_optimization = True",
        )
    assert [each.code for each in refused.value.diagnostics][:1] == ["manual-optimization-unsure"]


def test_a_base_may_turn_it_on_again(tmp_path: Path) -> None:
    """What the base's constructor sets stands behind what its class has set before."""
    early = "self.b = torch.nn.Linear(1, 1)\n        super().__init__()"
    with pytest.raises(CompileError) as refused:
        derived(
            tmp_path, "super().__init__()", "self.automatic_optimization = True", f"{OFF}\n        {early}"
        )
    assert "needs-manual-optimization" in [each.code for each in refused.value.diagnostics]
