"""Mains of hydra's: the configuration is composed when building, and the script takes other values where it runs."""

from __future__ import annotations

import os
import re
import runpy
import shutil
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from ddpgen.cli import main
from ddpgen.link.configuration.composed import Primary, composed
from ddpgen.link.configuration.held import NotHeld, Setting, not_held
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins

PROJECT = Path(__file__).with_name("projects") / "main_configured"


def ddpgen(*arguments: str) -> str:
    return CliRunner().invoke(main, arguments, catch_exceptions=False).output


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of its own, with the script's spec."""
    folder = tmp_path / "project"
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "single.yaml").write_text("strategy: single\n")
    return folder


def build(project: Path, *overrides: str) -> str:
    """The script."""
    spec = str(project / "single.yaml")
    said = ddpgen("build", str(project / "main.py"), "--strategy", spec, "--", *overrides)
    assert "wrote" in said or "up to date" in said, said
    return (project / "train_single.py").read_text()


def run(project: Path, monkeypatch: pytest.MonkeyPatch, *overrides: str) -> None:
    monkeypatch.chdir(project)
    monkeypatch.syspath_prepend(project)
    monkeypatch.setattr("sys.argv", ["train_single.py", *overrides])
    runpy.run_path("train_single.py", run_name="__main__")


def test_the_script_has_its_own_classes_for_the_targets(project: Path) -> None:
    script = build(project)
    assert "'regressor.Regressor': Regressor" in script
    assert "'parts.Dense': Dense" in script
    assert "from parts import Dense" in script
    assert "'summaries.Short': make_short" in script
    assert "class Short" not in script
    assert "model = instantiate(cfg.model)" in script
    assert "regressor import" not in script


def test_other_values_are_taken(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    build(project)
    run(project, monkeypatch, "trainer.max_epochs=1", "model.net.width=3", "+model.scale=2.0")
    assert "epoch 0" in (said := capsys.readouterr().out)
    assert "epoch 1" not in said


@pytest.mark.parametrize(
    ("override", "what"),
    [
        ("+trainer.gradient_clip_algorithm=value", "gradient_clip_algorithm='value'"),
        ("model.optimizer._target_=torch.optim.SGD", "torch.optim.SGD"),
        ("trainer.strategy.find_unused_parameters=false", "find_unused_parameters=False"),
        ("+trainer.strategy.static_graph=true", "static_graph=True"),
        ("+callbacks.timer._target_=lightning.pytorch.callbacks.Timer", "lightning.pytorch.callbacks.Timer"),
    ],
)
def test_what_the_script_was_not_built_for_stops_it(
    project: Path, monkeypatch: pytest.MonkeyPatch, override: str, what: str
) -> None:
    build(project)
    with pytest.raises(SystemExit) as stopped:
        run(project, monkeypatch, override)
    assert f"not built for {what}: build it again" in str(stopped.value)
    assert f"-- {override}`" in str(stopped.value)
    build(project, override)
    run(project, monkeypatch, override)


def test_validation_over_all_epochs_is_built_for(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number of epochs has another loop, and so has None where the script is built for a number."""
    over_all = ("+trainer.check_val_every_n_epoch=null", "+trainer.val_check_interval=2")
    assert "% config.val_check_interval == 0" in build(project, *over_all)
    run(project, monkeypatch, *over_all, "trainer.max_epochs=1")
    with pytest.raises(SystemExit, match="not built for check_val_every_n_epoch=2"):
        run(project, monkeypatch, "+trainer.check_val_every_n_epoch=2", over_all[1])
    build(project, "+trainer.check_val_every_n_epoch=2", over_all[1])
    with pytest.raises(SystemExit, match="check_val_every_n_epoch is to be a number"):
        run(project, monkeypatch, *over_all)


SAVING = """
saving:
  _target_: lightning.pytorch.callbacks.ModelCheckpoint
  dirpath: kept
  save_top_k: -1
  every_n_train_steps: null
"""


OTHER_TRAINERS = """    for stage in ("validate", "test"):
        if stage == "validate":
            other = instantiate(cfg.trainer, callbacks=[], logger=False, devices=1, strategy="auto")
        else:
            other = instantiate(cfg.trainer, callbacks=[], logger=False, devices=1, strategy="auto")
        other.validate(model, data)
"""


def test_trainers_that_are_given_the_same_in_several_places(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry, settings = project / "main.py", project / "conf" / "trainer" / "default.yaml"
    entry.write_text(entry.read_text().replace("\n\nif __name__", f"{OTHER_TRAINERS}\n\nif __name__"))
    settings.write_text(settings.read_text().partition("strategy:")[0] + "strategy: ddp\n")
    build(project)
    run(project, monkeypatch)
    assert capsys.readouterr().out.count("validate: {") == 2


PARTS = "  - /model: regressor\n  - /data: points\n  - /trainer: default\n"


@pytest.mark.parametrize(
    ("defaults", "overrides", "named"),
    [
        (f"{PARTS}  - experiment: null\n  - optional debug: null\n", "~model", ["debug", "experiment"]),
        ("  - /trainer: default\n  - experiment: null\n", "", ["experiment"]),
        (PARTS.partition("\n")[2], "", ["+model"]),
        (PARTS, "model=none", ["model"]),
    ],
)
def test_overrides_that_may_name_a_model(
    defaults: str, overrides: str, named: list[str], project: Path
) -> None:
    """Those of groups without an option, or of one for models, which is added where there is none."""
    (project / "conf" / "train.yaml").write_text(f"defaults:\n  - _self_\n{defaults}seed: 1\n")
    (project / "conf" / "model" / "none.yaml").write_text("width: 3\n")
    (project / "conf" / "experiment").mkdir()
    experiment = project / "conf" / "experiment" / "small.yaml"
    experiment.write_text("# @package _global_\ndefaults:\n  - /model: regressor\n  - /data: points\n")
    given = ["ddpgen", "build", str(project / "main.py"), "--strategy", str(project / "single.yaml")]
    said = ddpgen(*given[1:], "--", *overrides.split())
    commands = ", ".join(f"`ddpgen build ... -- {each}=NAME`" for each in sorted(named))
    assert "error[no-model]" in said
    assert f"that the file is started with: {commands}." in said
    if "- experiment" in defaults and not overrides:
        assert "wrote" in ddpgen(*given[1:], "--", "experiment=small")


ON_ONE = """    {}
    other.validate(model, data)
"""


@pytest.mark.parametrize(
    ("made", "is_on_one"),
    [
        ("other = instantiate(cfg.trainer, devices=1, logger=False)", True),
        ("other = instantiate(cfg.trainer, num_nodes=1, devices=[0], logger=False)", True),
        ("other = instantiate(cfg.other, logger=False)", True),
        ("cfg.other.devices = 2\n    other = instantiate(cfg.other, logger=False)", False),
        ("other = instantiate(cfg.other, devices=2, logger=False)", False),
        ("other = instantiate(cfg.other, num_nodes=2, logger=False)", False),
        ("other = instantiate(cfg.trainer, logger=False)", False),
        ("other = trainer", False),
    ],
)
def test_evaluations_of_trainers_that_run_on_one_device(made: str, is_on_one: bool, project: Path) -> None:
    entry, folder = project / "main.py", project / "conf"
    entry.write_text(entry.read_text().replace("\n\nif __name__", f"{ON_ONE.format(made)}\n\nif __name__"))
    (folder / "other").mkdir()
    (folder / "other" / "one.yaml").write_text(
        (folder / "trainer" / "default.yaml").read_text().partition("strategy:")[0] + "devices: 1\n"
    )
    said = ddpgen("build", str(entry), "--strategy", "ddp", "--", "+other=one", "++trainer.devices=2")
    assert ("warning[evaluation-on-one-device]" in said) is is_on_one, said
    assert "wrote" in said


def test_checkpoints_by_steps_are_what_the_configuration_says(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They need code in the loop, which a script without them is not written with."""
    file = project / "conf" / "callbacks" / "default.yaml"
    file.write_text(file.read_text() + SAVING.lstrip())
    by_steps = "callbacks.saving.every_n_train_steps=12"
    assert "callback.on_train_batch_end(" not in build(project)
    for override in (by_steps, "+callbacks.saving.save_on_exception=true"):
        with pytest.raises(SystemExit, match=f"not built for {override.split('.')[-1].split('=')[0]}="):
            run(project, monkeypatch, override)
    build(project, by_steps)
    run(project, monkeypatch, by_steps, "trainer.max_epochs=1")
    assert [each.name for each in (project / "kept").iterdir()] == ["epoch=0-step=12.ckpt"]


@pytest.mark.parametrize(
    ("overrides", "folder"),
    [
        ((), "kept"),
        (("~callbacks.saving",), "default/checkpoints"),
        (("callbacks=none",), "default/checkpoints"),
        (("callbacks=none", "+trainer.enable_checkpointing=false"), ""),
    ],
)
def test_a_run_whose_configuration_saves_nothing_saves_what_lightning_does(
    overrides: tuple[str, ...], folder: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    callbacks = project / "conf" / "callbacks"
    (callbacks / "default.yaml").write_text((callbacks / "default.yaml").read_text() + SAVING.lstrip())
    (callbacks / "none.yaml").write_text("")
    build(project)
    run(project, monkeypatch, *overrides, "trainer.max_epochs=1", "+trainer.default_root_dir=default")
    found = [str(each.parent.relative_to(project)) for each in project.rglob("*.ckpt")]
    assert found == ([folder] if folder else [])


def test_what_fit_is_given_may_be_another(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a mapping holds nothing for it when building."""
    entry = project / "main.py"
    text, given = entry.read_text(), 'ckpt_path=cfg.get("ckpt_path")'
    assert given in text
    entry.write_text(text.replace(given, "**dict(cfg.fit)"))
    settings = project / "conf" / "train.yaml"
    settings.write_text(settings.read_text() + "fit: {ckpt_path: null}\n")
    build(project)
    run(project, monkeypatch)
    with pytest.raises(SystemExit, match=r"nowhere\.ckpt"):
        run(project, monkeypatch, "fit.ckpt_path=nowhere.ckpt")


def test_a_share_of_a_stream_that_the_command_line_asks_for_stops_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    shutil.copytree(PROJECT.with_name("main_streamed"), project)
    (project / "single.yaml").write_text("strategy: single\n")
    build(project)
    run(project, monkeypatch, "trainer.val_check_interval=9")
    with pytest.raises(SystemExit, match="a stream has no length"):
        run(project, monkeypatch, "trainer.val_check_interval=0.5")
    build(project, "+trainer.limit_train_batches=9")
    run(project, monkeypatch, "+trainer.limit_train_batches=9")
    with pytest.raises(SystemExit, match="an epoch has 5 batches, too few to validate every 6"):
        run(project, monkeypatch, "+trainer.limit_train_batches=5")
    spec = str(project / "single.yaml")
    said = ddpgen(
        "build", str(project / "main.py"), "--strategy", spec, "--", "trainer.val_check_interval=0.5"
    )
    assert "error[share-of-a-given-stream]" in said


def test_a_logger_that_the_script_does_not_make_stops_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (project / "main.py").read_text()
    (project / "main.py").write_text(code.replace(", logger=False)", ")"))
    settings = project / "conf" / "trainer" / "default.yaml"
    settings.write_text(f"{settings.read_text()}logger: false\n")
    build(project)
    with pytest.raises(SystemExit) as stopped:
        run(project, monkeypatch, "trainer.logger=true")
    assert "not built for logger=True: build it again" in str(stopped.value)
    build(project, "trainer.logger=true")
    run(project, monkeypatch, "trainer.logger=true")


def test_the_script_has_what_a_strategy_is_given(project: Path) -> None:
    (project / "single.yaml").write_text("strategy: ddp\n")
    said = ddpgen("build", str(project / "main.py"), "--strategy", str(project / "single.yaml"))
    assert "strategy-taken-over" in said
    assert "find_unused_parameters=True, gradient_as_bucket_view" in (project / "train_single.py").read_text()


@pytest.mark.parametrize(
    ("name", "is_taken_over"), [("ddp", False), ("auto", False), ("ddp_find_unused_parameters_true", True)]
)
def test_a_strategy_that_the_configuration_names(
    name: str, is_taken_over: bool, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = project / "conf" / "trainer" / "default.yaml"
    kept = settings.read_text().partition("strategy:")[0]
    settings.write_text(f"{kept}strategy: {name}\n")
    (project / "single.yaml").write_text("strategy: ddp\n")
    said = ddpgen("build", str(project / "main.py"), "--strategy", str(project / "single.yaml"))
    assert "strategy-unknown" not in said
    assert ("strategy-taken-over" in said) is is_taken_over
    assert ("find_unused_parameters=True" in (project / "train_single.py").read_text()) is is_taken_over
    run(project, monkeypatch)
    with pytest.raises(SystemExit, match="not built for strategy='ddp_find_unused_parameters_false'"):
        run(project, monkeypatch, "trainer.strategy=ddp_find_unused_parameters_false")


def test_how_long_a_strategy_waits(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A length of time in a configuration is as well known as a number."""
    settings = project / "conf" / "trainer" / "default.yaml"
    waiting = "  timeout: {_target_: datetime.timedelta, minutes: 80}\n"
    kept, strategy, rest = settings.read_text().partition("strategy:\n")
    settings.write_text(kept + strategy + waiting + rest)
    (project / "single.yaml").write_text("strategy: ddp\n")
    assert "timedelta(minutes=80)" in build(project)
    run(project, monkeypatch, "trainer.max_epochs=1")
    with pytest.raises(SystemExit, match="not built for timeout="):
        run(project, monkeypatch, "trainer.strategy.timeout.minutes=81")
    settings.write_text(kept + strategy + waiting.replace("80", "'${oc.env:WAITING}'") + rest)
    said = ddpgen("build", str(project / "main.py"), "--strategy", str(project / "single.yaml"))
    assert "`timeout` of this strategy: What it will be is known only when the code runs" in said


SHARDING = """strategy:
  _target_: lightning.pytorch.strategies.FSDPStrategy
  sharding_strategy: FULL_SHARD
  auto_wrap_policy: [{_target_: hydra.utils.get_class, path: torch.nn.Linear}]
"""


def test_a_strategy_of_the_configurations_that_shards(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The spec says by which strategy is trained, and what cannot be read of the configuration's."""
    settings, spec = project / "conf" / "trainer" / "default.yaml", project / "single.yaml"
    settings.write_text(settings.read_text().partition("strategy:")[0] + SHARDING)
    said = ddpgen("build", str(project / "main.py"), "--strategy", str(spec))
    assert "error[strategy-shards]: `FSDPStrategy` shards the model: write `strategy: fsdp`" in said
    spec.write_text("strategy: fsdp\n")
    said = ddpgen("build", str(project / "main.py"), "--strategy", str(spec))
    assert "error[sharding-argument]: `auto_wrap_policy` of this strategy: `fsdp.wrap`" in said
    spec.write_text("strategy: fsdp\nfsdp: {wrap: {classes: [Linear]}}\n")
    assert "as_built(settings, sharding_strategy='FULL_SHARD')" in build(project)
    spec.write_text("strategy: single\ntrainer: {strategy: ddp}\n")
    assert "as_built" not in build(project)
    run(project, monkeypatch, "trainer.max_epochs=1", "trainer.strategy.sharding_strategy=NO_SHARD")


WRITTEN_OUT = """lightning.Trainer(
        max_epochs=cfg.trainer.max_epochs,
        strategy=cfg.trainer.strategy,
        enable_progress_bar=False,
        logger=False,
    )"""


def test_a_strategy_of_the_configurations_in_a_trainer_that_is_written_out(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, entry = project / "conf" / "trainer" / "default.yaml", project / "main.py"
    settings.write_text("max_epochs: 1\nstrategy: auto\n")
    made = 'instantiate(cfg.trainer, callbacks=make_callbacks(cfg.get("callbacks")), logger=False)'
    code = entry.read_text()
    assert made in code
    entry.write_text(
        code.replace(made, WRITTEN_OUT)
        .replace("import lightning as L", "import lightning")
        .replace("L.seed", "lightning.seed")
    )
    said = ddpgen("build", str(entry), "--strategy", str(project / "single.yaml"))
    assert "wrote" in said
    assert "strategy-unknown" not in said
    run(project, monkeypatch)
    run(project, monkeypatch, "trainer.strategy=ddp")
    with pytest.raises(SystemExit, match="not built for strategy='deepspeed_stage_2': build it again"):
        run(project, monkeypatch, "trainer.strategy=deepspeed_stage_2")
    (project / "single.yaml").write_text("strategy: single\ntrainer: {strategy: auto}\n")  # which wins
    assert "configured_settings" not in build(project)


def test_overrides_are_kept_with_the_script(project: Path) -> None:
    script = build(project, "+trainer.accumulate_grad_batches=2")
    assert "python train_single.py +trainer.accumulate_grad_batches=2  # one process" in script
    assert "accumulate_grad_batches" in script
    record = (project / ".ddpgen" / "train_single.py.txt").read_text()
    assert "overrides:\n- +trainer.accumulate_grad_batches=2\n" in record
    assert "up to date: 1 of 1" in ddpgen("check", str(project), "--rebuild")
    (project / "conf" / "trainer" / "default.yaml").write_text("_target_: lightning.pytorch.Trainer\n")
    said = ddpgen("check", str(project))
    assert "conf/trainer/default.yaml has changed" in said
    assert "-- +trainer.accumulate_grad_batches=2" in said


def test_a_configuration_that_cannot_be_composed_is_told(project: Path) -> None:
    said = ddpgen("build", str(project / "main.py"), "--", "model=large")
    assert "error[configuration-unknown]" in said
    assert "Could not find 'model/large'" in said
    said = ddpgen("build", str(project / "main.py"), "--", "trainer.num_nodes=1")
    assert (
        "'trainer.num_nodes'. To append to your config use +trainer.num_nodes=1. Key 'num_nodes' is not"
        in said
    )
    (project / "conf" / "train.yaml").write_text("defaults: [model: large]\n")
    said = ddpgen("build", str(project / "main.py"))
    assert "If another is meant, name it: `ddpgen build train.py -- model=OPTION`." in said
    (project / "conf" / "train.yaml").write_text("defaults: [private: log]\n")
    said = ddpgen("build", str(project / "main.py"))
    assert (
        "there is no folder `private` with options. Add `private/log.yaml` to the configuration's folder."
        in said
    )
    assert "-- private=" not in said
    (project / "conf" / "train.yaml").write_text("defaults: [../elsewhere/model: large]\n")
    assert "-- model=" not in ddpgen("build", str(project / "main.py"))
    (project / "conf" / "train.yaml").write_text("defaults:\n  - model: small\n  trainer\n")
    said = ddpgen("build", str(project / "main.py"))
    assert "conf/train.yaml`, line 4, is no YAML: " in said
    assert "-- model=" not in said
    (project / "conf" / "train.yaml").unlink()
    said = ddpgen("build", str(project / "main.py"))
    assert "error[configuration-unknown]" in said  # which makes the model
    assert "instantiate" not in said.partition("error")[2].partition("\n")[0]


@pytest.mark.parametrize("form", ["hydra:job.name"])
def test_the_name_of_the_file_that_is_started_is_another(project: Path, form: str) -> None:
    """Folders and loggers that are named by it have others under Lightning."""
    train = next((project / "conf").glob("*.yaml"))
    train.write_text(f"{train.read_text()}\nfolder: runs/${{{form}}}\n")
    said = ddpgen("build", str(project / "main.py"), "--strategy", str(project / "single.yaml"))
    assert "warning[job-named]: This is the name of the file that is started: `main` under" in said
    assert f"folder: runs/${{{form}}}" in said


def test_choices_that_a_configuration_leaves_open_are_asked_for_at_once(project: Path) -> None:
    file = project / "conf" / "train.yaml"
    text = file.read_text()
    file.write_text(re.sub(r"- (model|trainer): \w+", r"- \1: ???", text))
    said = ddpgen("build", str(project / "main.py"))
    assert "error[choices-open]" in said
    command = re.search(r"-- ([^`]*)`", said)
    assert command is not None
    chosen = command[1].split()
    assert {each.partition("=")[0] for each in chosen} == {"model", "trainer"}
    assert f"-- {chosen[0]} {chosen[1]}`" in ddpgen("build", str(project / "main.py"), "--", chosen[0])
    build(project, *chosen)


LOSSES = {
    "losses.py": """\
import torch
from lightning.pytorch.callbacks import Callback


class Square(torch.nn.Module):
    def forward(self, x):
        return x.square().mean()


class Stop(Callback):
    pass
""",
    "conf/train.yaml": "defaults:\n  - loss: ???\n",
    "conf/loss/square.yaml": "_target_: losses.Square\n",
    "conf/loss/mean.yaml": "_target_: torch.nn.Identity\n",
    "main.py": """\
import hydra
import torch
from lightning import LightningModule, Trainer
from torch.utils.data import DataLoader


class Net(LightningModule):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(4, 1), loss

    def training_step(self, batch, batch_idx):
        return self.loss(self.layer(batch)).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


@hydra.main(version_base="1.3", config_path="conf", config_name="train")
def main(cfg):
    Trainer(max_epochs=1).fit(Net(hydra.utils.instantiate(cfg.loss)), DataLoader(torch.ones(8, 4)))


if __name__ == "__main__":
    main()
""",
}


def written(folder: Path, files: dict[str, str]) -> str:
    """The entry of a project of these files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return str(folder / "main.py")


def test_choices_by_which_hydra_would_import_lightning(tmp_path: Path) -> None:
    """They are asked for; a script that is built for one has its own class for it."""
    entry = written(tmp_path, LOSSES)
    said = ddpgen("build", entry)
    assert "error[choices-open]" in said
    assert "A run may name `losses.Square`: hydra would import that as it is, and Lightning with it." in said
    assert "wrote" in ddpgen("build", entry, "--", "loss=square")
    assert "class Square" in (tmp_path / "train_ddp.py").read_text()
    (tmp_path / "losses.py").write_text(LOSSES["losses.py"].replace("lightning.pytorch.", "abc_of_"))
    for file in (tmp_path / "conf").rglob("*.yaml"):
        file.write_text(f"# https://lightning.ai/docs\n{file.read_text()}")
    said = ddpgen("build", entry, "--force")
    assert "note[choices-open]" in said
    assert "wrote" in said


def test_a_configuration_of_which_no_folder_is_known_is_asked_for(tmp_path: Path) -> None:
    """Where hydra makes something of it: of which classes cannot be known."""
    main = LOSSES["main.py"].replace('"conf"', "input()")
    entry = written(tmp_path, {**LOSSES, "main.py": main})
    assert "error[configuration-unknown]" in ddpgen("build", entry)
    entry = written(tmp_path, {"main.py": main.replace("hydra.utils.instantiate(cfg.loss)", "abs")})
    said = ddpgen("build", entry)
    assert "note[configuration-unknown]" in said
    assert "wrote" in said


def test_the_command_line_names_the_configuration(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main_file = project / "main.py"
    main_file.write_text(main_file.read_text().replace(', config_name="train.yaml"', ""))
    assert "nothing says in which file it is" in ddpgen("build", str(main_file))
    build(project, "--config-name", "train", "trainer.max_epochs=1")
    run(project, monkeypatch, "-cn", "train", "trainer.max_epochs=1")


def test_the_command_line_adds_a_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in none of the decorator's is looked for there, too: seen from where the program starts."""
    (project / "more" / "model").mkdir(parents=True)
    (project / "more" / "short.yaml").write_text("defaults: [train, _self_]\ntrainer: {max_epochs: 1}\n")
    (project / "conf" / "model" / "regressor.yaml").rename(project / "more" / "model" / "regressor.yaml")
    monkeypatch.chdir(project)
    told = ("--config-dir=more", "-cn", "short")
    assert "'regressor.Regressor': Regressor" in build(project, *told)
    run(project, monkeypatch, *told)
    assert "there is no folder `other`" in ddpgen("build", "main.py", "--", "-cd", "other")


def test_a_script_is_for_one_run(project: Path) -> None:
    said = ddpgen("build", str(project / "main.py"), "--", "--multirun", "trainer.max_epochs=1,2")
    assert "`--multirun` is no override." in said
    build(project, "--run")


def test_a_class_of_the_program_itself(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python calls the module of the program `__main__`, whatever its file is called."""
    main_file, settings = project / "main.py", project / "conf" / "model" / "regressor.yaml"
    main_file.write_text(f"from regressor import Regressor\n{main_file.read_text()}")
    settings.write_text(settings.read_text().replace("regressor.Regressor", "__main__.Regressor"))
    assert "'__main__.Regressor': Regressor" in build(project)
    run(project, monkeypatch)


@pytest.mark.parametrize(
    "given",
    [
        'config_path="conf", config_name="runs/short"',
        'config_path=str(Path(__file__).parent / "conf"), config_name="runs/short.yaml"',
    ],
)
def test_a_configuration_in_a_folder_of_those(
    given: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hydra looks for what it is composed of where it looks for it, and not beside it."""
    (project / "conf" / "runs").mkdir()
    parts = "defaults: [/train, /parts/slow, _self_]"
    (project / "conf" / "runs" / "short.yaml").write_text(
        f"# @package _global_\n{parts}\ntrainer: {{max_epochs: 1}}\n"
    )
    (project / "conf" / "parts").mkdir()
    (project / "conf" / "parts" / "slow.yaml").write_text(
        "# @package _global_\nmodel: {optimizer: {lr: 1e-3}}\n"
    )
    main_file, plain = project / "main.py", 'config_path="conf", config_name="train.yaml"'
    code = main_file.read_text()
    assert plain in code
    main_file.write_text("from pathlib import Path\n" + code.replace(plain, given))
    assert "'regressor.Regressor': Regressor" in build(project)
    record = (project / ".ddpgen" / "train_single.py.txt").read_text()
    assert "conf/runs/short.yaml" in record
    assert "conf/parts/slow.yaml" in record
    run(project, monkeypatch)


def test_a_decorator_that_is_given_a_mapping(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main_file = project / "main.py"
    decorator = '@hydra.main(version_base="1.3", config_path="conf", config_name="train.yaml")\n'
    code = main_file.read_text()
    assert decorator in code
    plain = '{"version_base": "1.3", "config_path": "conf", "config_name": "train"}'
    found = plain.replace('"conf"', 'str(HERE / "conf")')
    (project / "conf" / "short.yaml").write_text("defaults: [train, _self_]\ntrainer: {max_epochs: 1}\n")
    for mapping in (plain, found):
        given = f"HERE = Path(__file__).parent\nGIVEN = {mapping}\n\n\n@hydra.main(**GIVEN)\n"
        main_file.write_text("from pathlib import Path\n" + code.replace(decorator, given))
        assert "'regressor.Regressor': Regressor" in build(project)
        run(project, monkeypatch)
        build(project, "-cn", "short")
        assert "conf/short.yaml" in (project / ".ddpgen" / "train_single.py.txt").read_text()
    main_file.write_text(
        "from pathlib import Path\n" + code.replace(decorator, given.replace("GIVEN = ", "GIVEN = dict() | "))
    )
    assert "what its decorator is given is no plain text" in ddpgen("build", str(main_file))


def test_a_decorator_whose_folder_is_found_by_rootutils(project: Path) -> None:
    main_file = project / "main.py"
    (project / ".here").touch()
    code = main_file.read_text().replace('config_path="conf"', 'config_path=str(ROOT / "conf")')
    found = (
        'import rootutils\n\nROOT = rootutils.setup_root(search_from=__file__, indicator=".here")\n\n\n@hydra'
    )
    main_file.write_text(code.replace("@hydra", found, 1))
    assert "'regressor.Regressor': Regressor" in build(project)


@pytest.mark.parametrize("folder", ["built", "built/far", ".."])
def test_a_script_in_another_folder_looks_where_its_code_does(
    folder: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a decorator is given is as seen from the code, which is not where the script stands."""
    script = (project / folder).resolve() / "script.py"
    script.parent.mkdir(parents=True, exist_ok=True)
    main_file, given = project / "main.py", 'config_path="conf"'
    code = main_file.read_text()
    assert given in code
    head = (
        "import os\nfrom pathlib import Path\n\nHERE = Path(__file__).resolve().parent\n"
        'RELATIVE = os.path.join(os.curdir, "conf")\n'
    )
    for folder_code in ('"conf"', 'str(HERE / "other" / os.pardir / "conf")', "RELATIVE"):
        main_file.write_text(head + code.replace(given, f"config_path={folder_code}"))
        spec = str(project / "single.yaml")
        said = ddpgen("build", str(main_file), "--strategy", spec, "-o", str(script))
        assert "wrote" in said, said
        assert "'regressor.Regressor': Regressor" in script.read_text()
        monkeypatch.chdir(script.parent)
        monkeypatch.syspath_prepend(project)
        monkeypatch.setattr("sys.argv", [str(script), "trainer.max_epochs=1"])
        runpy.run_path(str(script), run_name="__main__")


def test_a_main_of_another_module_looks_beside_that(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before hydra 1.2 it looked there even where it was given no folder."""
    (project / "program").mkdir()
    (project / "conf").rename(project / "program" / "conf")
    (project / "program" / "__init__.py").touch()
    code = (project / "main.py").read_text()
    (project / "program" / "program.py").write_text(code)
    (project / "main.py").write_text(
        'from program.program import main\n\nif __name__ == "__main__":\n    main()\n'
    )
    assert 'config_path="program/conf"' in build(project)
    run(project, monkeypatch, "trainer.max_epochs=1")
    old = code.replace(
        'version_base="1.3", config_path="conf", config_name="train.yaml"', 'config_name="train"'
    )
    assert old != code
    (project / "program" / "program.py").write_text(old)
    for each in [*(project / "program" / "conf").iterdir()]:
        each.rename(project / "program" / each.name)
    assert 'config_path="program", config_name="train"' in ddpgen_script(project)


def ddpgen_script(project: Path) -> str:
    """The script of a configuration that need not be known."""
    ddpgen("build", str(project / "main.py"), "--strategy", str(project / "single.yaml"))
    return (project / "train_single.py").read_text()


@pytest.mark.parametrize(
    "folder",
    [
        'str(Path(__file__).resolve().parents[0].joinpath("conf"))',
        'os.path.join(os.path.dirname(os.path.abspath(__file__)), "other", os.pardir, "conf")',
        'os.path.realpath(os.path.join(__file__, "..", "conf"))',
        'str(Path(__file__).with_name("conf").absolute())',
        'str((Path(__file__) / ".." / "other").resolve().parent / "conf")',
        'os.path.dirname(__file__) + os.sep + "conf"',
    ],
)
def test_folders_that_are_computed(folder: str, project: Path) -> None:
    main_file = project / "main.py"
    code = main_file.read_text().replace('config_path="conf"', f"config_path={folder}")
    main_file.write_text("import os\nfrom pathlib import Path\n" + code)
    assert "'regressor.Regressor': Regressor" in build(project)


def test_a_folder_in_the_current_one_is_looked_for_there(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the script stands: that is where a run is started."""
    main_file = project / "main.py"
    code = main_file.read_text().replace('config_path="conf"', 'config_path=str(Path.cwd() / "conf")')
    main_file.write_text(f"from pathlib import Path\n{code}")
    (project / "built").mkdir()
    monkeypatch.chdir(project)
    said = ddpgen("build", "main.py", "--strategy", "single.yaml", "-o", "built/script.py")
    assert "wrote" in said, said
    assert "'regressor.Regressor': Regressor" in (project / "built" / "script.py").read_text()


PLACES = """
import os
from pathlib import Path


def project():
    if Path.cwd().stem == "scripts":
        folder = Path.cwd().parent
        os.chdir("..")
    else:
        folder = Path.cwd()
    return folder
"""


def test_a_folder_that_depends_on_the_current_one(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that may be meant it is the one that has the configuration, unless several have."""
    (project / "places.py").write_text(PLACES)
    main_file = project / "main.py"
    code = main_file.read_text().replace('config_path="conf"', 'config_path=str(FOLDER / "conf")')
    code = code.replace("import hydra\n", "import hydra\nfrom places import project\n", 1)
    main_file.write_text(code.replace("\n\n@hydra.main", "\n\nFOLDER = project()\n\n\n@hydra.main", 1))
    monkeypatch.chdir(project)
    assert "'regressor.Regressor': Regressor" in build(project, "seed=2")
    run(project, monkeypatch)
    shutil.copytree(project / "conf", project.parent / "conf")
    said = ddpgen("build", "main.py", "--strategy", "single.yaml", "--", "seed=2")
    assert "is given is no plain text" in said, said


def test_a_folder_that_is_not_there_is_named(project: Path) -> None:
    (project / "conf").rename(project / "other")
    said = ddpgen("build", str(project / "main.py"))
    assert re.search(r"is not known when building: there is no folder `[^`]*project/conf`", said), said


def test_a_decorator_that_is_given_constants_of_another_module(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "places.py").write_text('VERSION = "1.3"\nFOLDER = "conf"\nFILE: str = "train.yaml"\n')
    main_file = project / "main.py"
    code = main_file.read_text().replace("import hydra\n", "import hydra\nfrom places import *\n", 1)
    given = 'version_base="1.3", config_path="conf", config_name="train.yaml"'
    assert given in code
    code = code.replace(given, "version_base=VERSION, config_path=FOLDER, config_name=FILE")
    main_file.write_text(code.replace("import *", "import FILE, FOLDER, VERSION"))
    assert "'regressor.Regressor': Regressor" in build(project)
    run(project, monkeypatch)


def test_a_decorator_whose_folder_is_a_constant(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "places.py").write_text(
        "import os\nfrom pathlib import Path\n\nHERE = Path(__file__).resolve().parent\n"
        'CONF = os.getenv("FOLDER_OF_CONF", HERE / "conf")\n'
    )
    main_file = project / "main.py"
    changed = main_file.read_text().replace('config_path="conf"', "config_path=str(CONF)")
    main_file.write_text(changed.replace("import hydra\n", "import hydra\nfrom places import CONF\n", 1))
    assert "'regressor.Regressor': Regressor" in build(project)
    run(project, monkeypatch)


def test_a_decorator_whose_folder_is_beside_a_package(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `importlib.resources` has it; a package within another is called otherwise."""
    places = "places_of_conf"
    (project / places / places).mkdir(parents=True)
    (project / places / places / "__init__.py").touch()
    (project / places / "__init__.py").write_text(
        "from importlib.resources import files\nfrom pathlib import Path\n\n"
        f'CONF = Path(str(files("{places}"))).resolve().parent / "conf"\n'
    )
    main_file = project / "main.py"
    changed = main_file.read_text().replace('config_path="conf"', "config_path=str(CONF)")
    imports = f"import hydra\nfrom {places} import CONF\nfrom {places}.{places} import *\n"
    main_file.write_text(changed.replace("import hydra\n", imports, 1))
    assert "'regressor.Regressor': Regressor" in build(project)
    run(project, monkeypatch)


@pytest.mark.parametrize(
    ("condition", "value", "is_so"),
    [
        ('os.environ.get("CONF_DEBUG")', None, False),
        ('os.environ.get("CONF_DEBUG")', "1", True),
        ('os.getenv("CONF_DEBUG", "0").lower() in ("1", "true")', "True", True),
        ('not os.getenv("CONF_DEBUG") or "CONF_DEBUG" in os.environ', None, True),
        ('"CONF_DEBUG" in os.environ and os.environ.get("CONF_DEBUG") != "no"', "no", False),
    ],
)
def test_a_decorator_that_asks_the_environment(
    condition: str, value: str | None, is_so: bool, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The condition is as Python decides it, in the environment of the build."""
    if value is None:
        monkeypatch.delenv("CONF_DEBUG", raising=False)
    else:
        monkeypatch.setenv("CONF_DEBUG", value)
    assert bool(eval(condition, {"os": os})) is is_so
    main_file, given = project / "main.py", 'config_path="conf", config_name="train.yaml"'
    folder = "this" if is_so else "other"
    (project / "conf").rename(project / folder)
    path = f'config_path="this" if {condition} else "other", config_name="train.yaml"'
    code = main_file.read_text()
    main_file.write_text(
        code.replace("import hydra\n", "import os\n\nimport hydra\n", 1).replace(given, path)
    )
    said = ddpgen("build", str(main_file), "--strategy", str(project / "single.yaml"))
    assert "note[configuration-by-environment]: Built for `" in said
    assert f"{folder}/train.yaml`: which file it is, `CONF_DEBUG` says" in said
    assert "'regressor.Regressor': Regressor" in (project / "train_single.py").read_text()
    main_file.write_text(main_file.read_text().replace(condition, "os.path.exists(os.environ['HOME'])"))
    shutil.copytree(project / folder, project / ("other" if is_so else "this"))
    assert "what its decorator is given is no plain text" in ddpgen("build", str(main_file))


FOUND = """
from pathlib import Path


class Found:
    def __init__(self):
        self.folder = str(next(each for each in [Path.cwd()] if (each / "conf").exists()) / "conf")


def found():
    return Found()
"""


def test_the_command_line_says_what_a_decorator_does_not(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main_file = project / "main.py"
    given = 'config_path="conf", config_name="train.yaml"'
    code = main_file.read_text()
    assert given in code
    unknown = 'config_path=os.environ["CONF"], config_name=input()'
    main_file.write_text(
        code.replace("import hydra\n", "import os\nimport hydra\n", 1).replace(given, unknown)
    )
    said = ddpgen("build", str(main_file), "--", "-cn", "train")
    asked = "is no plain text. Say it as hydra's command line does: `-- --config-path FOLDER`"
    assert f"{asked}, as it is named from the folder of this file." in said
    assert "'regressor.Regressor': Regressor" in build(project, "-cn", "train", "-cp", "conf")


def test_a_script_for_a_named_folder_runs_with_what_its_decorator_computes(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = project / "programs" / "main.py"
    entry.parent.mkdir()
    shutil.move(project / "main.py", entry)
    (project / "found.py").write_text(FOUND)
    code, given = entry.read_text(), 'config_path="conf"'
    importing = "import hydra\nfrom found import found\n"
    entry.write_text(
        code.replace("import hydra\n", importing, 1).replace(given, "config_path=found().folder")
    )
    script = str(project / "train_single.py")
    told = ["--root", str(project), "--strategy", str(project / "single.yaml"), "-o", script]
    said = ddpgen("build", str(entry), *told, "--", "--config-path", "../conf")
    assert "wrote" in said
    monkeypatch.chdir(project)
    run(project, monkeypatch)


COMPOSING = """
import lightning as L
from hydra import {function}, compose
from hydra.utils import instantiate
from omegaconf import OmegaConf

OmegaConf.register_new_resolver("py", lambda code: eval(code), replace=True)


def configuration():
    with {function}({folder}, version_base=None):
        cfg = compose("train", overrides=["trainer.max_epochs=1", "~callbacks.interval"])
    return cfg


cfg = configuration()
L.seed_everything(cfg.seed)
trainer = instantiate(cfg.trainer, callbacks=[instantiate(each) for each in cfg.callbacks.values()], logger=False)
trainer.fit(instantiate(cfg.model), datamodule=instantiate(cfg.data))
"""


IN_GUARD, IN_FUNCTION = 'if __name__ == "__main__":\n', "def start():\n"
PARSING = """
    parser = argparse.ArgumentParser()
    parser.add_argument("-cp")
    parser.add_argument("-cn", default="train")
    args, _ = parser.parse_known_args()
"""
BY_DEFAULT = PARSING.replace('"-cp"', '"-cp", default="conf"')


@pytest.mark.parametrize(
    ("around", "above", "given", "overrides"),
    [
        (IN_GUARD, "", 'config_path="conf", config_name="train.yaml"', []),
        (IN_FUNCTION, "", 'config_path="conf", config_name="train.yaml"', []),
        (IN_GUARD, PARSING, "config_path=args.cp, config_name=args.cn", ["-cp", "conf", "-cn", "train"]),
        (IN_GUARD, BY_DEFAULT, "config_path=args.cp, config_name=args.cn", []),
        (IN_FUNCTION, PARSING, "config_path=args.cp, config_name=args.cn", ["-cp", "conf", "-cn", "train"]),
    ],
)
def test_a_main_in_a_function_or_below_the_guard(
    around: str,
    above: str,
    given: str,
    overrides: list[str],
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    staged(project, around, above, given)
    script = build(project, *overrides)
    assert "'regressor.Regressor': Regressor" in script
    run(project, monkeypatch, *overrides, "trainer.max_epochs=1")
    with pytest.raises(SystemExit, match="not built for sync_batchnorm=True"):
        run(project, monkeypatch, *overrides, "+trainer.sync_batchnorm=true")


def test_a_main_that_a_call_hands_to_hydra(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`hydra.main(...)(main)()` is what the decorator stands for."""
    entry = project / "main.py"
    decorator = 'hydra.main(version_base="1.3", config_path="conf", config_name="train.yaml")'
    text = entry.read_text().replace(f"@{decorator}\n", "")
    entry.write_text(text.replace("    main()", f"    {decorator}(main)()"))
    overrides = "trainer.max_epochs=1", "model.net.width=3"
    assert "'regressor.Regressor': Regressor" in build(project, *overrides)
    run(project, monkeypatch, *overrides)
    with pytest.raises(SystemExit, match="not built for sync_batchnorm=True"):
        run(project, monkeypatch, *overrides, "+trainer.sync_batchnorm=true")


PRINTING = """
import functools
import traceback


class Printing:
    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **kwargs):
        try:
            return self.function(*args, **kwargs)
        except Exception as error:
            traceback.print_exception(error)
            raise

    def __getattr__(self, name):
        if "function" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.function, name)


def print_errors(function):
    return functools.wraps(function)(Printing(function))


"""


def test_a_main_that_stands_in_an_object(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A decorator of the project's gives an object that calls it, with what hydra gives."""
    entry = project / "main.py"
    text = entry.read_text()
    head, _, rest = text.partition("@hydra.main(")
    entry.write_text(f"{head}{PRINTING}@hydra.main({rest}".replace("def main(", "@print_errors\ndef main("))
    overrides = "trainer.max_epochs=1", "model.net.width=3"
    assert "'regressor.Regressor': Regressor" in build(project, *overrides)
    run(project, monkeypatch, *overrides)
    with pytest.raises(SystemExit, match="not built for sync_batchnorm=True"):
        run(project, monkeypatch, *overrides, "+trainer.sync_batchnorm=true")


def test_a_main_that_is_called_without_a_guard(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the configuration names is there when it runs: of other modules, and of packages."""
    entry = project / "main.py"
    entry.write_text(entry.read_text().replace('if __name__ == "__main__":\n    main()', "main()"))
    script = build(project)
    assert "from parts import Dense" in script
    assert script.index("class Regressor") < script.rindex("\nmain()")
    run(project, monkeypatch, "trainer.max_epochs=1")


def test_a_main_that_an_imported_module_calls(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, where the entry only imports it."""
    entry = project / "main.py"
    text = entry.read_text().replace('if __name__ == "__main__":\n    main()', "main()")
    (project / "starting.py").write_text(text)
    entry.write_text("import starting\n")
    assert "from parts import Dense" in build(project)
    run(project, monkeypatch, "trainer.max_epochs=1")


def staged(project: Path, around: str, above: str, given: str) -> None:
    """The project's main within other code, with code above it, and its decorator given something else."""
    entry = project / "main.py"
    before, decorator, rest = entry.read_text().partition("@hydra.main")
    body, guard, _ = rest.replace('config_path="conf", config_name="train.yaml"', given).partition(IN_GUARD)
    inner = "".join(
        f"    {line}" if line.strip() else line for line in f"{decorator}{body}main()\n".splitlines(True)
    )
    calls = f"\n\n{guard}    start()\n" if around == IN_FUNCTION else ""
    entry.write_text(f"import argparse\n{before}{around}{above}{inner}{calls}")


def test_a_main_that_its_command_line_puts_together(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a file to start from, hydra composes what it is told to add."""
    entry = project / "main.py"
    entry.write_text(entry.read_text().replace(', config_name="train.yaml"', ""))
    said = ddpgen("build", str(entry), "--strategy", str(project / "single.yaml"))
    assert "nothing says in which file it is" in said
    groups = {"model": "regressor", "data": "points", "trainer": "default", "callbacks": "default"}
    overrides = [f"+{group}={name}" for group, name in groups.items()] + ["+seed=1", "+ckpt_path=null"]
    assert "'regressor.Regressor': Regressor" in build(project, *overrides)
    run(project, monkeypatch, *overrides, "trainer.max_epochs=1")


def test_a_main_whose_folder_its_command_line_names(project: Path) -> None:
    """Or a variable of the function round it, whatever the module has under its name."""
    staged(project, IN_GUARD, PARSING, "config_path=args.cp, config_name=args.cn")
    said = ddpgen("build", str(project / "main.py"), "--strategy", str(project / "single.yaml"))
    assert "Say it as hydra's command line does: `-- --config-path FOLDER --config-name NAME`" in said
    shutil.copy(PROJECT / "main.py", project)
    staged(project, IN_FUNCTION, "    NAME = input()\n", 'config_path="conf", config_name=NAME')
    entry = project / "main.py"
    entry.write_text(f'NAME = "train.yaml"\n{entry.read_text()}')
    said = ddpgen("build", str(entry), "--strategy", str(project / "single.yaml"))
    assert "Say it as hydra's command line does: `-- --config-name NAME`" in said


@pytest.mark.parametrize(
    ("function", "folder"),
    [
        ("initialize", 'config_path="conf"'),
        ("initialize_config_dir", 'config_dir=__import__("os").path.abspath("conf")'),
    ],
)
def test_what_the_code_composes(
    project: Path, monkeypatch: pytest.MonkeyPatch, function: str, folder: str
) -> None:
    code = COMPOSING.format(function=function, folder=folder)
    (project / "main.py").write_text(
        code.replace('__import__("os")', "os").replace("import l", "import os\nimport l", 1)
    )
    assert "'regressor.Regressor': Regressor" in build(project)
    run(project, monkeypatch)


def test_code_that_is_not_read_may_be_handed_a_configuration(project: Path) -> None:
    (project / "shown.py").write_text("def show(cfg):\n    print(cfg)\n")
    main_file = project / "main.py"
    changed = main_file.read_text().replace("import hydra\n", "import hydra\nfrom shown import show\n", 1)
    main_file.write_text(changed.replace("    L.seed_everything", "    show(cfg)\n    L.seed_everything"))
    assert "'regressor.Regressor': Regressor" in build(project)


def test_a_plugin_of_hydras_need_not_be_installed(project: Path) -> None:
    main_file = project / "conf" / "train.yaml"
    main_file.write_text(
        main_file.read_text().replace("\nseed", "  - override hydra/job_logging: of_a_plugin\n\nseed", 1)
    )
    assert "'regressor.Regressor': Regressor" in build(project)


LAUNCHED = """
defaults:
  - _self_
  - override hydra/launcher: of_a_plugin
  - override hydra/sweeper: of_a_plugin
  - override hydra/sweeper/sampler: of_a_plugin
  - override hydra/hydra_logging: of_a_plugin
hydra:
  launcher: {n_jobs: 3}
  sweeper: {n_trials: 2, sampler: {seed: 1}}
jobs: ${hydra.launcher.n_jobs}
epochs: 2
twice: ${epochs}
"""


@pytest.fixture
def plugin() -> Iterator[dict[str, Any]]:
    """What hydra finds once it has a plugin that starts jobs, and one that searches."""
    Plugins.instance()
    store = ConfigStore.instance()
    kept = deepcopy(store.repo)
    store.store("of_a_plugin", {"_target_": "jobs.Launcher", "n_jobs": 1}, "hydra/launcher")
    searching = {"defaults": [{"sampler": "other"}], "_target_": "jobs.Sweeper", "n_trials": 1}
    store.store("of_a_plugin", searching, "hydra/sweeper")
    store.store("of_a_plugin", {"seed": 0}, "hydra/sweeper/sampler")
    store.store("of_a_plugin", {"version": 1}, "hydra/hydra_logging")
    with_plugin, store.repo = store.repo, deepcopy(kept)
    yield with_plugin
    store.repo = kept


def test_a_plugin_changes_nothing_but_how_hydra_starts_jobs(tmp_path: Path, plugin: dict[str, Any]) -> None:
    """All else is what hydra composes where it is installed."""
    (tmp_path / "conf.yaml").write_text(LAUNCHED)
    overrides = ("epochs=5", "hydra.launcher.n_jobs=4")
    store = ConfigStore.instance()
    before = deepcopy(store.repo)
    found = composed(Primary(tmp_path, "conf"), "1.3", overrides).settings
    assert store.repo == before
    store.repo = plugin
    with initialize_config_dir(str(tmp_path), version_base="1.3"):
        theirs = compose("conf", list(overrides))
    assert found == {
        "jobs": Setting("cfg.jobs", is_known=False),
        "epochs": Setting("cfg.epochs", theirs.epochs),
        "twice": Setting("cfg.twice", theirs.twice),
    }
    assert [*theirs] == [*found]


def test_what_the_machine_says_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER_FOLDER", "here")
    (tmp_path / "conf.yaml").write_text(
        "a: ${oc.env:USER_FOLDER}\nb: ${a}\nc: ${hydra:runtime.cwd}\nd: ${e}\ne: 3\nf: ${mine:1}\ng: ???\nh: [1, x]\n"
    )
    found = composed(Primary(tmp_path, "conf"), "1.3", ("+i.j=${e}",)).settings
    unknown = {name for name, each in found.items() if isinstance(each, Setting) and not each.is_known}
    assert unknown == {"a", "b", "c", "f", "g"}
    assert found["d"] == Setting("cfg.d", 3)
    assert found["h"] == [Setting("cfg.h[0]", 1), Setting("cfg.h[1]", "x")]
    assert found["i"] == {"j": Setting("cfg.i.j", 3)}
    with pytest.raises(NotHeld):
        composed(Primary(tmp_path, "other"), "1.3", ())


def test_packages_that_hydra_would_import_are_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search path may name one, whose code would run in the build."""
    package = tmp_path / "searched_package"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "conf.yaml").write_text("hydra: {searchpath: ['pkg://searched_package']}\na: 1\n")
    with pytest.raises(NotHeld, match="hydra would import `pkg://searched_package`"):
        composed(Primary(tmp_path, "conf"), "1.3", ())
    (tmp_path / "other.yaml").write_text("a: 1\n")
    with pytest.raises(NotHeld, match="hydra would import `pkg://searched_package`"):
        composed(Primary(tmp_path, "other"), "1.3", ("hydra.searchpath=[pkg://searched_package]",))
    here = composed(Primary(tmp_path, "other"), "1.3", (f"hydra.searchpath=[file://{tmp_path}]",))
    assert here.settings["a"] == Setting("cfg.a", 1)


def test_a_package_of_the_projects_is_searched_as_a_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is imported where the script runs, and not in the build."""
    settings = project / "settings" / "more"
    settings.mkdir(parents=True)
    (settings / "__init__.py").write_text("with open('imported', 'a') as file:\n    file.write('x')\n")
    (project / "conf" / "model" / "regressor.yaml").rename(settings / "regressor.yaml")
    (project / "conf" / "data" / "points.yaml").replace(settings / "points.yaml")
    for group, name in (("model", "regressor"), ("data", "points")):
        (settings / group).mkdir()
        (settings / f"{name}.yaml").rename(settings / group / f"{name}.yaml")
    train = project / "conf" / "train.yaml"
    plain = train.read_text()
    train.write_text(f"hydra:\n  searchpath: [pkg://settings.more, 'file://{project}']\n{plain}")
    monkeypatch.chdir(project)
    assert "'regressor.Regressor': Regressor" in build(project)
    assert not (project / "imported").exists()
    assert "settings/more/model/regressor.yaml" in (project / ".ddpgen" / "train_single.py.txt").read_text()
    run(project, monkeypatch)
    assert (project / "imported").exists()
    train.write_text(f"hydra:\n  searchpath: [pkg://settings.more, 'file://${{oc.env:HOME}}']\n{plain}")
    assert "hydra would import `file://${oc.env:HOME}`" in ddpgen("build", str(project / "main.py"))
    train.write_text(f"hydra:\n  searchpath: [pkg://settings.more]\n{plain}".replace("regressor", "???"))
    said = ddpgen("build", str(project / "main.py"))
    assert "leaves open `model` (regressor)" in said


def test_an_option_that_is_that_of_a_group_without_one(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hydra asserts that there is one, and says nothing."""
    train = project / "conf" / "train.yaml"
    (project / "conf" / "kind").mkdir()
    (project / "conf" / "kind" / "regressor.yaml").write_text("{}\n")
    plain = train.read_text()
    assert "model: regressor" in plain
    train.write_text(plain.replace("  - model: regressor", "  - kind: null\n  - model: ${kind}"))
    said = ddpgen("build", str(project / "main.py"))
    assert "[choices-open]: The configuration leaves open `kind` (regressor)." in said
    assert "-- kind=regressor`." in said
    build(project, "kind=regressor")
    run(project, monkeypatch, "kind=regressor")


def test_a_reason_of_hydras_is_told_as_far_as_it_says_something() -> None:
    assert str(not_held(AssertionError())) == "what reads it ends with `AssertionError`"
    assert str(not_held(ValueError("it is none\n  full_key: a"))) == "it is none"
    error = ValueError("Could not override 'a.b'.\nTo append to your config use +a.b=1")
    error.__cause__ = ValueError("Key 'b' is not in struct\n    full_key: a.b")
    expected = "Could not override 'a.b'. To append to your config use +a.b=1. Key 'b' is not in struct."
    assert str(not_held(error)) == expected
    within = "In 'hydra/default': ConfigKeyError raised while composing config:"
    assert (
        str(not_held(ValueError(f"{within}\nKey 'a' not in 'b'\n  full_key: a")))
        == f"{within} Key 'a' not in 'b'"
    )


def test_long_lists_are_data(tmp_path: Path) -> None:
    numbers = list(range(300))
    (tmp_path / "conf.yaml").write_text(f"a: {numbers}\nb: {numbers[:9]}\nc: {[[1], *numbers]}\n")
    found = composed(Primary(tmp_path, "conf"), "1.3", ()).settings
    assert found["a"] == Setting("cfg.a", is_known=False)
    assert found["b"] == [Setting(f"cfg.b[{number}]", number) for number in range(9)]
    assert isinstance(found["c"], list)


def test_overrides_that_nothing_takes(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("x = 1\n")
    said = ddpgen("build", str(tmp_path / "model.py"), "other.py")
    assert "error[overrides-unused]: Nothing in this file takes `other.py`." in said
    said = ddpgen("build", str(tmp_path / "model.py"), "--", "--epochs", "3")
    assert "error[overrides-unused]: Nothing in this file takes `--epochs`, `3`." in said


READING_OPTIONS = """
import {imported}
import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

def main(root):
    print(root)
    L.Trainer(max_epochs=1).fit(Net(), DataLoader(TensorDataset(torch.ones(4, 2))))

if __name__ == "__main__":
    {start}
"""

OPTIONS = """
def read():
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--root")
    return parser.parse_args()
"""

ARGPARSE = (
    "parser = argparse.ArgumentParser()\n    parser.add_argument('{}')\n    main(parser.parse_args().root)"
)

READ = {
    "argparse": ("argparse", ARGPARSE.format("--root"), ("--root", "x")),
    "argparse, by its place": ("argparse", ARGPARSE.format("root"), ("conf/x.yaml",)),
    "argparse, imported where it is used": (
        "os",
        f"from argparse import ArgumentParser\n    {ARGPARSE.format('--root').replace('argparse.', '')}",
        ("--root", "x"),
    ),
    "argparse, a command of its own": (
        "argparse",
        "parser = argparse.ArgumentParser()\n"
        "    parser.add_subparsers(dest='does').add_parser('train').add_argument('--root')\n"
        "    main(parser.parse_args().root)",
        ("train", "--root", "x"),
    ),
    "argparse, by a name that is not known": (
        "argparse",
        "parser = argparse.ArgumentParser()\n"
        "    for name in open('names.txt').read().split():\n"
        "        parser.add_argument(name)\n"
        "    main(parser.parse_args().root)",
        ("x",),
    ),
    "a module that stays": ("options", "main(options.read().root)", ("--root", "x")),
    "click": ("click", "click.command()(click.argument('root')(main))()", ("x",)),
    "sys": ("sys", "main(sys.argv[1])", ("x",)),
}


@pytest.mark.parametrize(("imported", "start", "arguments"), READ.values(), ids=READ)
def test_what_the_code_reads_of_its_command_line(
    tmp_path: Path, imported: str, start: str, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "options.py").write_text(OPTIONS)
    (tmp_path / "main.py").write_text(READING_OPTIONS.format(imported=imported, start=start))
    said = ddpgen("build", str(tmp_path / "main.py"), "-o", str(tmp_path / "train.py"), "--", *arguments)
    shown = ", ".join(f"`{each}`" for each in arguments)
    assert (
        f"note[overrides-left]: But for the classes that it picks, nothing is built otherwise for {shown}"
        in said
    )
    assert (tmp_path / "train.py").is_file()


@pytest.mark.parametrize("start", [ARGPARSE.format("--root"), ARGPARSE.format("--root").replace("('", "(f'")])
def test_what_argparse_does_not_read(tmp_path: Path, start: str) -> None:
    (tmp_path / "main.py").write_text(READING_OPTIONS.format(imported="argparse", start=start))
    said = ddpgen("build", str(tmp_path / "main.py"), "--", "conf/x.yaml")
    assert "error[overrides-unused]: Nothing in this file takes `conf/x.yaml`." in said


def test_a_main_that_another_module_has_for_itself(project: Path) -> None:
    """Its configuration is another one, and nobody asks for it here."""
    (project / "evaluate.py").write_text(
        "import hydra\n\n\n"
        '@hydra.main(config_path="conf", config_name="evaluation", version_base=None)\n'
        "def main(cfg):\n    print(cfg)\n\n\ndef summary():\n    return 1\n\n\n"
        'if __name__ == "__main__":\n    main()\n'
    )
    entry = project / "main.py"
    entry.write_text(f"from evaluate import summary\n{entry.read_text()}\nprint(summary())\n")
    assert "model = instantiate(cfg.model)" in build(project)


NAMED = {
    "conf/train.yaml": "defaults:\n  - games: chess-2023\n  - _self_\ntrainer:\n"
    "  _target_: lightning.pytorch.trainer.trainer.Trainer\n  max_epochs: 2\n"
    "  callbacks:\n    - _target_: noting.Noting\n"
    "  logger:\n    - _target_: lightning.pytorch.loggers.CSVLogger\n      save_dir: logs\n",
    "conf/games/chess-2023.yaml": "size: 4\n",
    "noting.py": "from lightning import Callback\nfrom lightning.pytorch.loggers.csv_logs import CSVLogger\n\n\n"
    "class Noting(Callback):\n    def on_train_start(self, trainer, pl_module):\n"
    "        print(isinstance(trainer.loggers[0], CSVLogger))\n",
    "main.py": """\
import hydra
import torch
from hydra.utils import instantiate
from lightning import LightningModule
from torch.utils.data import DataLoader


class Net(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


@hydra.main(version_base="1.3", config_path="conf", config_name="train.yaml")
def main(cfg):
    instantiate(cfg.trainer).fit(Net(), DataLoader(torch.ones(8, 4)))


if __name__ == "__main__":
    main()
""",
}


def test_a_file_whose_name_is_no_identifier(tmp_path: Path) -> None:
    """A class that the code and the configuration import by two paths, of which one has the file's name before it."""
    assert "wrote" in ddpgen("build", written(tmp_path, NAMED))


def test_what_a_configuration_says_of_the_optimizers_decides(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script is made for that, and refuses another."""
    source = project / "regressor.py"
    text = source.read_text().replace(
        "super().__init__()", "super().__init__()\n        self.steps = steps", 1
    )
    text = text.replace(
        "self.steps = steps", "self.steps = steps\n        self.automatic_optimization = self.steps"
    )
    source.write_text(re.sub(r"def __init__\(self, ", "def __init__(self, steps, ", text, count=1))
    model = project / "conf" / "model" / "regressor.yaml"
    model.write_text(model.read_text() + "steps: true\n")
    assert "if not model.automatic_optimization:" in build(project)
    with pytest.raises(SystemExit, match="steps the optimizer itself: build another"):
        run(project, monkeypatch, "model.steps=false")


def test_a_static_method_may_be_hydras_main(tmp_path: Path) -> None:
    shutil.copytree(PROJECT.with_name("main_static"), tmp_path / "project")
    entry = str(tmp_path / "project" / "main.py")
    assert "wrote" in ddpgen("build", entry, "--", "epochs=3")
    assert "error[configuration-unknown]" in ddpgen("build", entry, "--", "epoch=3")


@pytest.mark.parametrize(
    ("code", "instead"),
    [
        ("(cfg.trainer)", "(cfg.trainer, shown=cfg.get('shown'))"),
        ("{**trainer, **evaluator}", "{**evaluator, **trainer}"),
        ("    merged", "    evaluator.pop('_target_')\n    merged"),
    ],
)
def test_a_trainer_is_told_what_it_has_no_argument_for(tmp_path: Path, code: str, instead: str) -> None:
    """Which the code computes, so that it stands in no place of its own."""
    shutil.copytree(PROJECT.with_name("main_merged_targets"), tmp_path / "project")
    entry = tmp_path / "project" / "main.py"
    entry.write_text(entry.read_text().replace(code, instead, 1))
    said = ddpgen("build", str(entry))
    assert "conf/train.yaml:2:13: error[entry-trainer-argument]: Lightning's Trainer has no" in said


HUNDREDTH = """'len("s") / 100'"""


def evaluating(project: Path, text: str, more: str = "") -> None:
    """With what the resolver of the main's is given, and with more code above the main."""
    entry, model = project / "main.py", project / "conf" / "model" / "regressor.yaml"
    entry.write_text(entry.read_text().replace("\n@hydra.main", f"{more}\n\n\n@hydra.main", 1))
    model.write_text(model.read_text().replace(HUNDREDTH, text))


def test_a_resolver_evaluates_what_the_configuration_says(project: Path) -> None:
    """Code without a name of the main's calls nothing of the main's."""
    assert "return eval(code)" in build(project)
    entry = project / "main.py"
    code = entry.read_text().replace("def evaluated(code):\n    return eval(code)\n", "")
    entry.write_text(code.replace("evaluated, replace", "lambda code: eval(code), replace"))
    assert "lambda code: eval(code)" in build(project)


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("'len(make_callbacks({})) + 1'", ""),
        ("${seed}", ""),
        ("'[*globals().values()][0]'", ""),
        (HUNDREDTH, 'print(evaluated("1"))'),
        (HUNDREDTH, 'print(OmegaConf.load("more.yaml"))'),
        (HUNDREDTH, "print(\"${py:'make_callbacks({})'}\")"),
    ],
)
def test_it_may_call_what_the_main_has(text: str, more: str, project: Path) -> None:
    evaluating(project, text, more)
    said = ddpgen("build", str(project / "main.py"), "--strategy", str(project / "single.yaml"))
    assert "`eval` hands it over" in said


def test_a_table_of_modules_where_the_configuration_alone_leads(project: Path) -> None:
    (project / "heads.py").write_text("import lightning\n\n\ndef head():\n    return 1\n")
    source = project / "regressor.py"
    text = source.read_text().replace(
        "super().__init__()", 'super().__init__()\n        self.head = HEADS["one"].head()', 1
    )
    source.write_text(f'import heads\n{text}\n\nHEADS = {{"one": heads}}\n')
    assert 'HEADS = {"one": SimpleNamespace(head=head)}' in build(project)


ASKING_FOR_A_FUNCTION = """
import importlib


def item(path, name):
    return getattr(importlib.import_module(path), name)


def create_dataset(path, **options):
    return item(path, "create_dataset")(**options)


@hydra.main"""


def test_a_function_that_asks_modules_for_one_of_their_own(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No class of Lightning's that the configuration names has it."""
    entry = project / "main.py"
    entry.write_text(entry.read_text().replace("@hydra.main", ASKING_FOR_A_FUNCTION, 1))
    assert '"lightning.Trainer.create_dataset"' not in build(project)
    run(project, monkeypatch, "trainer.max_epochs=1")


MAKES_PARTS = """
def make(config):
    parts = config if isinstance(config, dict) else OmegaConf.to_container(config, resolve=True)
    for key in parts:
        if isinstance(parts[key], dict):
            parts[key] = make(parts[key])
    return hydra.utils.instantiate(parts) if "_target_" in parts else parts


@hydra.main"""


def test_a_function_that_makes_a_configurations_parts_by_calling_itself(project: Path) -> None:
    """Lists are among what it makes anew."""
    model, entry = project / "conf" / "model" / "regressor.yaml", project / "main.py"
    model.write_text(f"{model.read_text()}places: [1, 2]\n")
    code = entry.read_text().replace("\n@hydra.main", MAKES_PARTS, 1)
    entry.write_text(code.replace("hydra.utils.instantiate(cfg.model)", "make(cfg.model)", 1))
    assert "make(cfg.model)" in entry.read_text()
    said = ddpgen("build", str(entry), "--strategy", str(project / "single.yaml"))
    assert "too-deep" not in said


LISTED = """
from omegaconf import ListConfig


def make_callbacks(config):
    callbacks = instantiate(config)
    if {is_mapping}:
        callbacks = list(callbacks.values())
    return callbacks
"""


@pytest.mark.parametrize(
    ("is_mapping", "is_told"),
    [
        ("OmegaConf.is_dict(callbacks)", True),
        ("not isinstance(callbacks, list)", True),
        ("not OmegaConf.is_list(callbacks)", True),
        ("isinstance(callbacks, DictConfig)", True),
        ("isinstance(callbacks, (dict, DictConfig))", True),
        ("not isinstance(callbacks, (list, ListConfig))", True),
        ("isinstance(callbacks, (list, ListConfig))", False),
        ("isinstance(callbacks, dict)", False),  # which a DictConfig is not
        ("OmegaConf.is_list(callbacks)", False),
    ],
)
def test_what_is_made_of_a_mapping_is_a_list_then(project: Path, is_mapping: str, is_told: bool) -> None:
    entry, callbacks = project / "main.py", project / "conf" / "callbacks" / "default.yaml"
    callbacks.write_text(callbacks.read_text().replace("interval: epoch\n", ""))  # no callback
    code = entry.read_text().replace("from making import make_callbacks\n", "")
    function = LISTED.format(is_mapping=is_mapping)
    entry.write_text(code.replace("\n@hydra.main", f"{function}\n\n@hydra.main", 1))
    said = ddpgen("build", str(entry), "--strategy", str(project / "single.yaml"))
    assert ("error[callback-unread]" not in said) == is_told
    assert ("wrote" in said) == is_told


TRIED = """
try:  # it is asked for elsewhere, too
    import hydra
except ModuleNotFoundError:
    hydra = None
from lightning.pytorch import Callback
from omegaconf import DictConfig


def make_callbacks(found) -> list[Callback]:
    if hydra is None:
        raise ModuleNotFoundError("hydra")
    return [hydra.utils.instantiate(each) for each in found.values() if isinstance(each, DictConfig)]
"""


def test_a_module_that_tries_to_import_hydra(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the entry imports is there."""
    (project / "making.py").write_text(TRIED)
    script = build(project)
    assert "make_callbacks(cfg.get(" in script
    assert "hydra = None" not in script
    run(project, monkeypatch, "trainer.max_epochs=1")


def test_what_is_called_has_the_name_that_it_has_in_its_file(tmp_path: Path) -> None:
    (tmp_path / "making.py").write_text(TRIED)
    given = "callbacks=making.make_callbacks({1: DictConfig({})})"
    code = READING_OPTIONS.format(imported="making", start="main(1)").replace("max_epochs=1", given)
    (tmp_path / "main.py").write_text(f"from omegaconf import DictConfig\n{code}")
    said = ddpgen("build", str(tmp_path / "main.py"))
    assert "`hydra.utils.instantiate` is none of Lightning's callbacks" in said, said


ZEN = {
    "from hydra_zen import instantiate": "instantiate(",
    "import hydra_zen": "hydra_zen.instantiate(",
    "import hydra_zen as zen": "zen.instantiate(",
}


@pytest.mark.parametrize("imported", ZEN)
def test_hydra_zens_instantiate_is_hydras(
    project: Path, monkeypatch: pytest.MonkeyPatch, imported: str
) -> None:
    entry = project / "main.py"
    code = entry.read_text().replace("from hydra.utils import instantiate", imported)
    code = code.replace("hydra.utils.instantiate(", "instantiate(").replace("instantiate(", ZEN[imported])
    entry.write_text(code)
    script = build(project, "trainer.max_epochs=1")
    assert "zen" not in script
    run(project, monkeypatch, "trainer.max_epochs=1", "model.net.width=3")


def test_what_hydra_zen_alone_is_told(project: Path) -> None:
    entry = project / "main.py"
    code = entry.read_text().replace(
        "from hydra.utils import instantiate", "from hydra_zen import instantiate"
    )
    entry.write_text(code.replace("logger=False", "logger=False, _target_wrapper_=print"))
    said = ddpgen("build", str(entry), "--strategy", str(project / "single.yaml"))
    assert "error[instantiate-told-more]: The script's `instantiate` takes no `_target_wrapper_`." in said


REWRITTEN = """
def rewritten(config, stage):
    for key in list(config):
        if isinstance(config[key], DictConfig):
            config[key] = rewritten(config[key], stage)
        elif key in stage:
            config[key] = stage[key]
    return config


def with_stage(cfg):
    if not cfg.get("stage"):
        return cfg
    return rewritten(cfg, {"max_epochs": cfg.stage})


def set_anew(cfg):
    name, _, value = str(cfg.stage).partition(":")
    cfg[name] = value


@hydra.main"""

AS_STAGED = 'cfg = rewritten(cfg, {"max_epochs": cfg.stage})'


def staging(project: Path, branch: str) -> Path:
    """With a branch of the main's before anything is made."""
    entry = project / "main.py"
    code = entry.read_text().replace("\n@hydra.main", REWRITTEN, 1)
    entry.write_text(code.replace("    L.seed", f"    {branch}\n    L.seed", 1))
    return entry


@pytest.mark.parametrize(
    ("branch", "said"),
    [
        (f'if hasattr(cfg, "stage") and cfg.stage is not None:\n        {AS_STAGED}', "with `hasattr"),
        (f'if "stage" in cfg:\n        {AS_STAGED}', "with `'stage' in cfg`"),
        (f'if cfg.get("stage"): {AS_STAGED}', "with `cfg.get"),
        (f'if getattr(cfg, "stage", None):\n        {AS_STAGED}', "with `getattr"),
        ('if cfg.get("stage"):\n        set_anew(cfg)', "with `cfg.get"),
        (f'if not cfg.get("stage"):\n        pass\n    else:\n        {AS_STAGED}', "without `not cfg.get"),
        (
            f"if cfg.seed == 2:\n        pass\n    elif cfg.seed == 3:\n        {AS_STAGED}",
            "with `cfg.seed == 3",
        ),
        ("with_stage(cfg)", "without `not cfg.get"),
    ],
)
def test_a_branch_that_the_configuration_rules_out_is_not_followed(
    branch: str, said: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script stops where its command line leads there."""
    staging(project, branch)
    script = build(project)
    assert "def rewritten" not in script
    run(project, monkeypatch)
    with pytest.raises(SystemExit, match=f"not built for a configuration {re.escape(said)}"):
        run(project, monkeypatch, *(["seed=3"] if "seed" in said else ["+stage=1"]))


@pytest.mark.parametrize("overrides", [[], ["+stage=1"]])
def test_a_branch_that_the_configuration_takes_is_followed(overrides: list[str], project: Path) -> None:
    """As is one of which nothing is known."""
    test = "if cfg.stage" if overrides else 'if os.environ.get("STAGE")'
    entry = staging(project, f"import os\n    {test}:\n        {AS_STAGED}")
    said = ddpgen("build", str(entry), "--strategy", str(project / "single.yaml"), "--", *overrides)
    assert "branch-ruled-out" not in said
    assert "error[" in said


@pytest.mark.parametrize(
    "made", ["instantiate(cfg.trainer, auto_lr_find=True)", "L.Trainer(auto_lr_find=True, max_epochs=1)"]
)
def test_a_trainer_of_lightning_1_that_the_configuration_rules_out(
    made: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = staging(
        project, f'if cfg.get("tune"):\n        trainer = {made}\n        trainer.tune(model=None)'
    )
    said = ddpgen("build", str(entry), "--strategy", str(project / "single.yaml"))
    assert "warning[old-trainer-ruled-out]: What is done with `cfg.get('tune')` gives a Trainer" in said
    run(project, monkeypatch, "trainer.max_epochs=1")
    with pytest.raises(SystemExit, match=re.escape("not built for a configuration with `cfg.get")):
        run(project, monkeypatch, "+tune=true")
    said = ddpgen("build", str(entry), "--strategy", str(project / "single.yaml"), "--", "+tune=true")
    assert "error[entry-trainer-argument]: Lightning 2 has no `auto_lr_find`" in said


def test_a_branch_that_can_be_followed_may_be_asked_for(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    staging(project, 'if cfg.get("debug"):\n        cfg.trainer.max_epochs = 1')
    assert "cfg.trainer.max_epochs = 1" in build(project)
    run(project, monkeypatch, "+debug=true")
    assert "epoch 0" in (said := capsys.readouterr().out)
    assert "epoch 1" not in said
