"""What is read of `configure_optimizers`: who gets a closure, which schedulers may watch a metric."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from ddpgen import build

MODEL = """
import lightning as L
import torch
from elsewhere import Lion, make_config, make_scheduler
from torch.optim import SGD, Adam
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR
from torch.utils.data import DataLoader


class Own(torch.optim.Optimizer):
    pass


def sgd(parameters):
    return SGD(parameters, lr=0.1)


class Net(L.LightningModule):
    def __init__(self, kind: str = ""):
        super().__init__()
        self.kind = kind
        self.layer = torch.nn.Linear(1, 1)

    def adam(self):
        optimizer = Adam(self.parameters())
        return optimizer

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def train_dataloader(self):
        return DataLoader(torch.ones(4, 1))

    def configure_optimizers(self):
"""

OPTIMIZER = "optimizer = SGD(self.parameters(), lr=0.1)\n"

# bodies, whether the optimizer is stepped with a closure, and whether a scheduler may watch a metric
BODIES = {
    "torch's": ("return SGD(self.parameters())", False, False),
    "a method's": ("return self.adam()", False, False),
    "a function's": ("return sgd(self.parameters())", False, False),
    "one of two": (
        "if self.kind:\n    optimizer = Adam(self.parameters())\n"
        "else:\n    optimizer = sgd(self.parameters())\nreturn optimizer",
        False,
        False,
    ),
    "either": ("return self.adam() if self.kind else Own(self.parameters(), {})", True, False),
    "an attribute's": (
        "self.optimizer = SGD(self.parameters())\nreturn [self.optimizer], [StepLR(self.optimizer, 1)]",
        False,
        False,
    ),
    "an attribute's, unpacked": (
        "self.optimizer = SGD(self.parameters())\nif self.kind:\n    self.optimizer, _ = Lion(self.parameters()), 1\n"
        "return self.optimizer",
        True,
        False,
    ),
    "an attribute's, of a pair": ("self.optimizer, _ = make_config()\nreturn self.optimizer", True, True),
    "a variable's of a function's name": ("sgd = Lion\nreturn sgd(self.parameters())", True, False),
    "of its own": ("return Own(self.parameters(), {})", True, False),
    "a library's": ("return [Lion(self.parameters())]", True, False),
    "LBFGS": ("return torch.optim.LBFGS(self.parameters())", True, False),
    "by name": ("return getattr(torch.optim, self.kind)(self.parameters())", True, True),
    "wrapped": (OPTIMIZER + "optimizer = Lion(optimizer)\nreturn optimizer", True, False),
    "hooked": (OPTIMIZER + "optimizer.register_step_pre_hook(print)\nreturn optimizer", True, False),
    "patched": (OPTIMIZER + "optimizer.step = print\nreturn optimizer", True, False),
    "a library's config": ("return make_config(self.parameters())", True, True),
    "a library's scheduler": (OPTIMIZER + "return [optimizer], [make_scheduler(optimizer)]", False, True),
    "a config of its own": (
        OPTIMIZER + "config = {'optimizer': optimizer}\nif self.kind:\n"
        "    config['lr_scheduler'] = StepLR(optimizer, 1)\nreturn config",
        False,
        False,
    ),
    "a config that is changed": (
        OPTIMIZER + "config = {'optimizer': optimizer}\nconfig['optimizer'] = Lion(optimizer)\nreturn config",
        True,
        False,
    ),
    "a config that is updated": (
        OPTIMIZER + "config = {'optimizer': optimizer}\nconfig.update(make_config())\nreturn config",
        True,
        True,
    ),
    "a plateau by the way": (
        OPTIMIZER + "if not self.kind:\n    return optimizer\nscheduler = ReduceLROnPlateau(optimizer)\n"
        "return {'optimizer': optimizer, 'lr_scheduler': scheduler, 'monitor': 'loss'}",
        False,
        True,
    ),
    "a scheduler that becomes a dict": (
        OPTIMIZER + "scheduler = StepLR(optimizer, 1)\nscheduler = {'scheduler': scheduler}\n"
        "return [optimizer], [scheduler]",
        False,
        False,
    ),
}


@pytest.mark.parametrize(("body", "takes_closure", "may_watch"), BODIES.values(), ids=BODIES)
def test_closures_and_plateaus(body: str, takes_closure: bool, may_watch: bool, tmp_path: Path) -> None:
    """Semantics 6.2, 7.4: where it is not sure that neither is needed, both are there."""
    source = tmp_path / "model.py"
    source.write_text(MODEL + indent(body, " " * 8) + "\n")
    script = build(source, "ddp")
    assert ("optimizer.step(closure)" in script) is takes_closure
    assert ("step_on_plateau(schedules" in script) is may_watch


# bodies, and how what they return is read; None: by a function of the script's, when it runs
READ = {
    "a method's": ("return self.adam()", "optimizer = model.configure_optimizers()"),
    "a function's": ("return sgd(self.parameters())", "optimizer = model.configure_optimizers()"),
    "a table's": (
        "return {'sgd': SGD, 'adam': Adam}[self.kind](self.parameters())",
        "optimizer = model.configure_optimizers()",
    ),
    "one of two": (
        "if self.kind:\n    return Adam(self.parameters())\nreturn SGD(self.parameters())",
        "optimizer = model.configure_optimizers()",
    ),
    "a partial's": (
        "make = functools.partial(SGD, lr=0.1)\nreturn [make(self.parameters())]",
        "(optimizer,) = model.configure_optimizers()",
    ),
    "of its own": ("return Own(self.parameters(), {})", "optimizer = model.configure_optimizers()"),
    "a scheduler by a function": (
        OPTIMIZER + "def steps(o): return StepLR(o, 1)\nreturn [optimizer], [steps(optimizer)]",
        "(optimizer,), (scheduler,) = model.configure_optimizers()",
    ),
    "options by variables": (
        OPTIMIZER + "interval, config = 'step', dict(scheduler=StepLR(optimizer, 1), frequency=2)\n"
        "return {'optimizer': optimizer, 'lr_scheduler': config, 'monitor': interval}",
        'configured["lr_scheduler"]["scheduler"]',
    ),
    "nothing, with an effect": ("print(self.kind)", None),
    "nothing at times": ("if self.kind:\n    return SGD(self.parameters())", None),
    "a scheduler at times": (
        OPTIMIZER
        + "schedulers = [StepLR(optimizer, 1)] if self.kind else []\nreturn [optimizer], schedulers",
        None,
    ),
    "a list that grows": (OPTIMIZER + "found = []\nfound.append(optimizer)\nreturn found", None),
    "an entry that is taken out": (
        OPTIMIZER + "config = {'optimizer': optimizer, 'lr_scheduler': StepLR(optimizer, 1)}\n"
        "if self.kind:\n    config.pop('lr_scheduler')\nreturn config",
        None,
    ),
    "an entry that may be there": (
        OPTIMIZER + "config = {'optimizer': optimizer}\nif self.kind:\n    config['monitor'] = 'loss'\n"
        "return config",
        None,
    ),
}


@pytest.mark.parametrize(("body", "read"), READ.values(), ids=READ)
def test_forms_are_known_wherever_they_are_made(body: str, read: str | None, tmp_path: Path) -> None:
    source = tmp_path / "model.py"
    source.write_text(f"import functools\n{MODEL}{indent(body, ' ' * 8)}\n")
    script = build(source, "ddp")
    assert (read or "read_optimizers(model.configure_optimizers())") in script


@pytest.mark.parametrize(
    ("returned", "takes_closure"), [("self.adam()", False), ("Own(self.parameters(), {})", True)]
)
def test_a_base_is_asked(returned: str, takes_closure: bool, tmp_path: Path) -> None:
    source = tmp_path / "model.py"
    leaf = (
        "class Leaf(Net):\n    def configure_optimizers(self):\n"
        "        optimizer = super().configure_optimizers()\n        return [optimizer], [StepLR(optimizer, 1)]\n"
    )
    source.write_text(f"{MODEL}        return {returned}\n\n\n{leaf}")
    script = build(source, "ddp")
    assert ("optimizer.step(closure)" in script) is takes_closure
    assert "step_on_plateau" not in script


STEPS = {
    "optimizer.step(closure=closure)": False,
    "super().optimizer_step(epoch, batch_idx, optimizer, closure)": False,
    "if batch_idx:\n    optimizer.step(closure)\nelse:\n    optimizer.step(closure=closure)": False,
    "loss = closure()\noptimizer.step()": True,
    "optimizer.step(lambda: closure())": True,
    "closure()\noptimizer.step(closure)": True,
    "step = closure\noptimizer.step(step)": True,
}


@pytest.mark.parametrize(("body", "in_step"), STEPS.items(), ids=STEPS)
def test_where_gradients_are_clipped(body: str, in_step: bool, tmp_path: Path) -> None:
    """Semantics 6.5: within the step, which a plain closure does where it is handed to every step."""
    spec = tmp_path / "spec.yaml"
    spec.write_text("strategy: ddp\ntrainer: {gradient_clip_val: 1.0}\n")
    source = tmp_path / "model.py"
    hook = "    def optimizer_step(self, epoch, batch_idx, optimizer, closure):\n" + indent(body, " " * 8)
    source.write_text(f"{MODEL}        return sgd(self.parameters())\n\n{hook}\n")
    script = build(source, str(spec))
    assert ("PreparedOptimizer(optimizer, prepare_gradients)" in script) is in_step


def test_the_learning_rate_of_an_optimizer_that_may_hold_another_has_the_name_of_that(tmp_path: Path) -> None:
    """As Lightning's monitor names it: the kind of the one that the model returns does not say it."""
    model = tmp_path / "model.py"
    monitored = MONITORED.replace("{body}", "pass").replace("Monitor()", 'Monitor("step")')
    for kind, is_told in {"SGD": True, "Own": False}.items():
        model.write_text(f"{MODEL}        return {kind}(self.parameters(), 0.1)\n{monitored}")
        assert ('name = f"lr-{type(optimizer).__name__}"' in build(model, "single")) is is_told


MONITORED = """
class Warm(L.Callback):
    def on_train_epoch_start(self, trainer, pl_module):
        {body}


if __name__ == "__main__":
    callbacks = [L.pytorch.callbacks.LearningRateMonitor(), Warm()]
    trainer = L.Trainer(max_epochs=1, logger=False, callbacks=callbacks)
    trainer.fit(Net())
"""


@pytest.mark.parametrize(
    ("options", "body", "said"),
    [
        ("", "pass", "[Schedule(scheduler)]"),
        ('"interval": "step", "name": "rate"', "pass", '[Schedule(scheduler, interval="step", name="rate")]'),
        ('"name": str(self.kind)', "pass", "schedules"),
        ("", "trainer.lr_scheduler_configs[0].frequency = 2", "schedules"),
    ],
)
def test_schedules_are_read_when_the_script_runs_where_code_may_change_them(
    options: str, body: str, said: str, tmp_path: Path
) -> None:
    model = tmp_path / "model.py"
    schedule = f'{{"scheduler": StepLR(optimizer, 2), {options}}}'
    returned = f'{OPTIMIZER}return {{"optimizer": optimizer, "lr_scheduler": {schedule}}}\n'
    model.write_text(MODEL + indent(returned, " " * 8) + MONITORED.replace("{body}", body))
    script = build(model, "single")
    assert f"trainer.lr_scheduler_configs = {said}\n" in script
    assert ("def read_optimizers(" in script) == (said == "schedules")


GIVEN = """
from collections.abc import Callable

import lightning as L
import torch
from torch.optim import SGD, Optimizer
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self, optimizer: Callable[..., Optimizer]{default}, scheduler: Callable = None):
        super().__init__()
        {body}
        self.layer = torch.nn.Linear(1, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def train_dataloader(self):
        return DataLoader(torch.ones(4, 1))

    def configure_optimizers(self):
        optimizer = self.made(self.parameters())
        return [optimizer], [self.steps(optimizer)]
"""
PLAIN = "self.made, self.steps = optimizer, scheduler"
STEPS = "scheduler: {class_path: torch.optim.lr_scheduler.StepLR, init_args: {step_size: 1}}"
ADAM = "optimizer: {class_path: torch.optim.Adam, init_args: {lr: 0.1}}"


@pytest.mark.parametrize(
    ("default", "body", "given", "is_sure"),
    [
        ("", PLAIN, f"{ADAM}\n    {STEPS}", True),
        (" = SGD", PLAIN, STEPS, True),
        (" = lambda p: SGD(p, lr=0.1)", "self.made = optimizer\n        self.steps = scheduler", STEPS, True),
        (" = SGD", PLAIN, f"optimizer: torch.optim.Adam\n    {STEPS}", True),
        ("", PLAIN, f"optimizer: {{class_path: lion.Lion}}\n    {STEPS}", False),
        ("", f"optimizer = max(optimizer)\n        {PLAIN}", f"{ADAM}\n    {STEPS}", False),
        ("", f"{PLAIN}\n        self.made = max(self.made)", f"{ADAM}\n    {STEPS}", False),
    ],
)
def test_what_the_spec_says_of_the_optimizer_is_known(
    default: str, body: str, given: str, is_sure: bool, tmp_path: Path
) -> None:
    model, spec = tmp_path / "model.py", tmp_path / "spec.yaml"
    model.write_text(GIVEN.replace("{default}", default).replace("{body}", body))
    spec.write_text(f"strategy: single\nmodel:\n  init_args:\n    {given}\n")
    script = build(model, str(spec))
    assert ("(optimizer,), (scheduler,) = model.configure_optimizers()" in script) is is_sure
    assert ("def read_optimizers(" in script) is not is_sure


def test_methods_that_take_nothing_hold_nothing(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(f"{MODEL}        return SGD(self.parameters())\n\n    def own():\n        pass\n")
    assert "optimizer = model.configure_optimizers()" in build(model, "single")
