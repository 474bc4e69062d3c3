"""A setting has one place: which files speak of some, and what it takes to add one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NEW = Path(__file__).with_name("new_setting")

# Each at most four: the table, the feature, its template, and what the runtime does with it.
OWN: dict[str, set[str]] = {
    "gradient_clip_algorithm": {
        "codegen/spec/trainer_settings.py",
        "codegen/features/optimization/clipping.py",
        "strategies/loop/module.py",
    },
    "accumulate_grad_batches": {
        "codegen/spec/trainer_settings.py",
        "codegen/features/optimization/accumulation.py",
        "templates/optimization/accumulation.jinja",
        "strategies/loop/module.py",
    },
    "val_check_interval": {
        "codegen/spec/trainer_settings.py",
        "codegen/features/validation/validation_timing.py",
        "templates/validation/val_interval.jinja",
        "strategies/loop/module.py",
    },
    "check_val_every_n_epoch": {
        "codegen/spec/trainer_settings.py",
        "codegen/features/validation/validation_timing.py",
        "templates/validation/validation_timing.jinja",
        "strategies/loop/module.py",
    },
    "fused": {
        "codegen/spec/sections/strategy_spec.py",
        "codegen/features/optimization/fused.py",
        "templates/optimization/fused.jinja",
        "strategies/loop/optimizers.py",
    },
}

# They have all that Lightning's Trainer takes, translated or not, and are held against it by tests of their own.
LIGHTNINGS = {
    "codegen/lightning/trainer_names.py",
    "strategies/command_line/parsers.py",
    "strategies/command_line/trainer_settings.py",
}

# What else speaks of a setting, with the reason.
OTHERS: dict[str, dict[str, str]] = {
    "accumulate_grad_batches": {
        "codegen/features/optimization/training_step.py": "`explain` says why the loss is divided",
        "codegen/facts/strategy/join.py": "`join` does not go together with it for a stream",
        "codegen/facts/strategy/static_graph.py": "nor does `static_graph` of the Trainer's, and it says so there",
        "codegen/messages/spec.py": "why it does not, and the advice to accumulate in the place of larger batches",
        "codegen/watch/lightning_side.py": "`verify` asks Lightning's own Trainer how many steps an epoch has",
        "strategies/callbacks/callbacks.py": "GradientAccumulationScheduler sets it",
        "strategies/callbacks/stochastic_weight_averaging.py": "StochasticWeightAveraging sets it",
    },
    "val_check_interval": {
        "codegen/facts/strategy/join.py": "`join` does not go together with validation within epochs",
        "codegen/messages/spec.py": "why it does not",
        "codegen/facts/trainer/main_settings.py": "a share, a number or a time, which are loops of their own",
        "codegen/facts/loop_facts.py": "what is counted over epochs is a number",
        "codegen/messages/main.py": "where one run may take a time and another a number",
        "codegen/facts/validation/counted.py": "code in the place of Lightning's count may not know a time",
        "codegen/facts/validation/due.py": "what such code asks the trainer for",
        "codegen/messages/members.py": "what it counts",
        "strategies/callbacks/early_stopping.py": "when it looks depends on it, as in Lightning",
        "strategies/callbacks/model_checkpoint.py": "when it saves depends on it, as in Lightning",
    },
    "check_val_every_n_epoch": {
        "codegen/facts/validation/epochs_between.py": "which of its values the script is built for",
        "codegen/facts/loop_facts.py": "whether a run alone knows if it is None",
        "codegen/facts/validation/counted.py": "code in the place of Lightning's count may not know that",
        "codegen/facts/validation/due.py": "what code in the place of Lightning's count asks the trainer for",
        "codegen/messages/members.py": "how validation is counted with it and without",
        "strategies/callbacks/early_stopping.py": "when it looks depends on it, as in Lightning",
        "strategies/callbacks/model_checkpoint.py": "when it saves depends on it, as in Lightning",
    },
    # torch's argument of the same name, which the user's own code may give
    "fused": {
        "codegen/facts/optimizers/form.py": "may an optimizer be made with it?",
        "codegen/facts/optimizers/objects.py": "the same",
        "codegen/facts/optimizers/renewed.py": "an optimizer that hooks have made anew",
        "codegen/facts/optimizers/scaled.py": "losses that are scaled, and clipped",
        "codegen/messages/training.py": "the same",
        "strategies/loop/gradients.py": "a step that is left out on the device",
        "strategies/loop/precision.py": "an optimizer that unscales gradients itself",
        "strategies/sharding/meshes.py": "parameters on several meshes, which no kernel takes",
    },
}


@pytest.mark.parametrize("setting", OWN)
def test_a_setting_stands_in_its_own_files(setting: str) -> None:
    """And in those of others that have to ask for it, each for a reason that is written here."""
    assert len(OWN[setting]) <= 4
    others = OTHERS.get(setting, {}).keys()
    assert files_that_name(setting) - LIGHTNINGS == OWN[setting] | others


def files_that_name(setting: str) -> set[str]:
    """But for the line that imports a feature of the same name into the order of all of them."""
    found = set()
    for path in (
        each for folder in ("codegen", "templates", "strategies") for each in (ROOT / folder).rglob("*")
    ):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in (".py", ".jinja") and name != "codegen/features/__init__.py":
            found |= {name} if re.search(rf"\b{setting}\b", path.read_text("utf-8")) else set()
    return found


# ---- a new one -------------------------------------------------------------------------------------------


def test_a_new_setting_is_four_files_and_a_line(tmp_path: Path) -> None:
    """The table, the feature, its template, a function; and its place in the order of all features."""
    package = tmp_path / "package" / "ddpgen"
    shutil.copytree(ROOT / "codegen", package)
    for folder in ("strategies", "templates"):
        shutil.copytree(ROOT / folder, package / folder)
    shutil.copy(NEW / "gradient_noise.py", package / "features" / "optimization")
    shutil.copy(NEW / "gradient_noise.jinja", package / "templates" / "optimization")
    insert(
        package / "spec" / "trainer_settings.py",
        "    log_every_n_steps: ",
        '    gradient_noise: float = 0.0\n    """More than 0 to add noise to gradients."""\n',
    )
    insert(
        package / "strategies" / "loop" / "optimizers.py",
        "def use_fused",
        "def add_noise(parameters: Any, scale: float) -> None:\n"
        '    """Add noise to the gradients."""\n'
        "    for each in parameters:\n"
        "        if each.grad is not None:\n"
        "            each.grad.add_(torch.randn_like(each.grad), alpha=scale)\n"
        '    print("noise")\n\n\n',
    )
    order = package / "features" / "__init__.py"
    insert(order, "from .optimization.manual", "from .optimization.gradient_noise import GRADIENT_NOISE\n")
    insert(order, "    CLIPPING,", "    GRADIENT_NOISE,\n")

    shutil.copy(NEW / "model.py", tmp_path)
    ran = run(tmp_path, "-m", "ddpgen", "build", "model.py", "--strategy", "ddp")
    assert "gradient_noise" not in ran.stderr, ran.stderr
    run(tmp_path, "-m", "ddpgen", "init", "model.py", "new.yaml")
    assert "gradient_noise: 0.0" in (tmp_path / "new.yaml").read_text("utf-8")
    assert "Gradients have noise added." in run(tmp_path, "-m", "ddpgen", "explain", "train_ddp.py").stdout
    assert run(tmp_path, "train_ddp.py").stdout.count("noise\n") == 4


def insert(path: Path, before: str, text: str) -> None:
    """Put a text before the line that begins so."""
    old = path.read_text("utf-8")
    assert old.count(f"\n{before}") == 1
    path.write_text(old.replace(f"\n{before}", f"\n{text}{before}"), "utf-8")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder / "package"), "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert not ran.returncode, ran.stdout + ran.stderr
    return ran
