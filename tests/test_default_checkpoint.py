"""The ModelCheckpoint that Lightning makes for a Trainer that is given none: scripts have it where it is asked for."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner
from ddpgen.cli import main

MODEL = """
import sys

import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from lightning.pytorch.loggers import WandbLogger
from torch.utils.data import DataLoader, TensorDataset

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))

    def training_step(self, batch, batch_idx):
        return (self.weight * batch[0]).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(2, 1)))
"""
HOOK = """
    def on_train_end(self):
        print("kept", self.trainer.checkpoint_callback.best_model_path)
"""
MAIN = """
def main():
    trainer = L.Trainer(max_epochs=1, {arguments})
    trainer.fit(Net())
    {then}

if __name__ == "__main__":
    main()
"""


def built(
    folder: Path, code: str, trainer: str = "max_epochs: 1", checkpoint: str = "checkpoint: {dir: out}\n"
) -> Path:
    built_with(folder, code, f"{checkpoint}trainer: {{{trainer}}}")
    return folder / "train_ddp.py"


def built_with(folder: Path, code: str, spec: str) -> tuple[str, str]:
    """The script, and what the build says."""
    (folder / "model.py").write_text(MODEL + code)
    (folder / "ddp.yaml").write_text(f"strategy: ddp\n{spec}\n")
    command = ["build", str(folder / "model.py"), "--strategy", str(folder / "ddp.yaml")]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert not result.exit_code, result.output
    return (folder / "train_ddp.py").read_text(), " ".join(result.output.split())


ASKS = "print(trainer.checkpoint_callback)"


@pytest.mark.parametrize(
    ("arguments", "then", "passed"),
    [
        ("", ASKS, "callbacks=[ModelCheckpoint()]"),
        ("callbacks=None", ASKS, "callbacks=[ModelCheckpoint()]"),
        ('callbacks=EarlyStopping("loss")', ASKS, 'callbacks=[EarlyStopping("loss"), ModelCheckpoint()]'),
        ('callbacks=[EarlyStopping("loss")]', ASKS, 'callbacks=[EarlyStopping("loss"), ModelCheckpoint()]'),
        ("", 'import glob; print(glob.glob("runs/checkpoints/*.ckpt"))', "callbacks=[ModelCheckpoint()]"),
        ("logger=WandbLogger(log_model=True)", "", "callbacks=[ModelCheckpoint()]"),
        ('callbacks=[ModelCheckpoint("kept")]', ASKS, 'callbacks=[ModelCheckpoint("kept")]'),
        (
            "callbacks=[ModelCheckpoint()] if sys.argv else None",
            ASKS,
            "callbacks=with_checkpoint([ModelCheckpoint()] if sys.argv else None)",
        ),
    ],
)
def test_a_main_is_given_it(tmp_path: Path, arguments: str, then: str, passed: str) -> None:
    code = MAIN.format(arguments=arguments, then=then)
    script = built(tmp_path, code).read_text()
    assert passed in " ".join(script.split()).replace("( ", "(")


def test_code_that_looks_into_the_folder_of_lightnings_logger_finds_it(tmp_path: Path) -> None:
    """In which checkpoints are, too."""
    looks = 'import glob; print(glob.glob("kept/lightning_logs/version_*"))'
    arguments = 'default_root_dir="kept", callbacks=[ModelCheckpoint()]'
    script = built(tmp_path, MAIN.format(arguments=arguments, then=looks)).read_text()
    assert "loggers=default_loggers(" in script
    plain = built(tmp_path, MAIN.format(arguments=arguments, then="")).read_text()
    assert "default_loggers" not in plain


@pytest.mark.parametrize("arguments", ["enable_checkpointing=False", "enable_checkpointing=True"])
def test_it_is_made_where_it_is_asked_for(tmp_path: Path, arguments: str) -> None:
    asks = "True" in arguments
    script = built(tmp_path, MAIN.format(arguments=arguments, then=ASKS)).read_text()
    assert ("ModelCheckpoint()" in script) is asks
    assert "ModelCheckpoint" not in built(tmp_path, MAIN.format(arguments=arguments, then="")).read_text()


@pytest.mark.parametrize(
    "trainer",
    [
        "max_epochs: 1",
        "max_epochs: 1, callbacks: {class_path: EarlyStopping, init_args: {monitor: loss, strict: false}}",
    ],
)
def test_a_model_finds_it(
    trainer: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = built(tmp_path, HOOK, trainer)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
    kept = Path(capsys.readouterr().out.partition("kept ")[2].splitlines()[0])
    assert kept == Path("out", "checkpoints", "epoch=0-step=2.ckpt")
    assert kept.exists()


def test_a_variable_may_have_the_name_of_what_is_called(tmp_path: Path) -> None:
    """`test = ...` beside `trainer.test(...)`."""
    step = "\n    def test_step(self, batch, batch_idx): ...\n"
    script = built(tmp_path, step + MAIN.format(arguments="", then="test = [0]; trainer.test(Net(), test)"))
    assert "test_(Net(), " in script.read_text()


# ---- those that may be given one or not ------------------------------------------------------------------

MAY_SAVE = """
def listed():
    callbacks = [EarlyStopping("loss")]
    callbacks.append(ModelCheckpoint("kept"))
    return callbacks

def main():
    saving = ModelCheckpoint("kept")
    callbacks = [EarlyStopping("loss", strict=False)]
    settings = dict(callbacks=callbacks)
    {before}
    trainer = L.Trainer(max_epochs=1, logger=False, {arguments})
    trainer.fit(Net())

if __name__ == "__main__":
    main()
"""
IF_TOLD = 'if "--save" in sys.argv: '


@pytest.mark.parametrize(
    ("before", "arguments", "passed"),
    [
        ("", 'callbacks=[saving] if "--save" in sys.argv else None', "with_checkpoint("),
        (IF_TOLD + "callbacks.append(saving)", "callbacks=callbacks", "with_checkpoint(callbacks)"),
        (IF_TOLD + "callbacks += [saving]", "callbacks=callbacks + []", "with_checkpoint(callbacks + [])"),
        (
            "for each in sys.argv[1:]: callbacks.append(saving)",
            "callbacks=callbacks",
            "with_checkpoint(callbacks)",
        ),
        ("callbacks.append(saving)", "callbacks=callbacks", "checkpoints_last(callbacks)"),
        ("callbacks.extend([saving])", "callbacks=callbacks", "checkpoints_last(callbacks)"),
        ("callbacks += [saving]", "callbacks=callbacks", "checkpoints_last(callbacks)"),
        ("callbacks.append(saving); callbacks.pop()", "callbacks=callbacks", "with_checkpoint(callbacks)"),
        ("callbacks = [saving] + callbacks", "callbacks=callbacks", "checkpoints_last(callbacks)"),
        ("", "callbacks=[*callbacks, saving]", "checkpoints_last([*callbacks, saving])"),
        ("", "callbacks=listed()", "checkpoints_last(listed())"),
        ("", "callbacks=[saving], enable_checkpointing=bool(sys.argv)", "[saving]"),
        (
            IF_TOLD + "callbacks.append(saving)",
            "callbacks=callbacks, enable_checkpointing=False",
            "checkpoints_last(",
        ),
        (
            IF_TOLD + "callbacks.append(saving)",
            'callbacks=callbacks, enable_checkpointing="--no" not in sys.argv',
            'with_checkpoint_if(callbacks, "--no" not in sys.argv)',
        ),
        (
            IF_TOLD + 'callbacks.append(saving); settings["enable_checkpointing"] = True',
            "**settings",
            'with_checkpoint_if(settings["callbacks"], settings.get("enable_checkpointing"))',
        ),
        (
            IF_TOLD + 'callbacks.append(saving)\n    settings = vars(sys); settings["callbacks"] = callbacks',
            "**settings",
            'with_checkpoint_if(settings.get("callbacks"), settings.get("enable_checkpointing"))',
        ),
    ],
)
def test_it_is_made_where_a_trainer_may_not_be_given_another(
    before: str, arguments: str, passed: str, tmp_path: Path
) -> None:
    code = MAY_SAVE.format(before=before, arguments=arguments)
    script = built(tmp_path, code, "max_epochs: 1", "").read_text()
    made = "".join(script.partition("trainer = Trainer(")[2].partition("\n    fit(")[0].split())
    assert f"callbacks={''.join(passed.split())}" in made


TOLD = """
def main():
    callbacks = []
    if "--save" in sys.argv:
        callbacks.append(ModelCheckpoint("kept"))
    settings = {"callbacks": callbacks}
    settings["enable_checkpointing"] = None if "--some" in sys.argv else "--no" not in sys.argv
    trainer = L.Trainer(max_epochs=1, logger=False, default_root_dir="default", **settings)
    trainer.fit(Net())

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("told", ["", "--save", "--no", "--some"])
def test_what_a_run_is_told_decides(told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = built(tmp_path, TOLD, "max_epochs: 1", "")
    found = []
    for program in (tmp_path / "model.py", script):
        (tmp_path / program.stem).mkdir()
        monkeypatch.chdir(tmp_path / program.stem)
        monkeypatch.setattr("sys.argv", [str(program), told])
        runpy.run_path(str(program), run_name="__main__")
        found.append([str(each.relative_to(Path.cwd())) for each in Path.cwd().rglob("*.ckpt")])
    folder = {"--save": "kept", "--no": ""}.get(told, "default/checkpoints")
    assert found[0] == found[1] == ([f"{folder}/epoch=0-step=2.ckpt"] if folder else [])


def test_what_is_asked_for_is_made_where_a_run_says_so(tmp_path: Path) -> None:
    arguments = "enable_checkpointing=len(sys.argv) > 1"
    script = built(tmp_path, MAIN.format(arguments=arguments, then=ASKS)).read_text()
    assert "callbacks=with_checkpoint_if(None, len(sys.argv) > 1)" in " ".join(script.split())


def test_what_a_model_brings_takes_its_place(tmp_path: Path) -> None:
    """As it does under Lightning, which is why none is made where that is sure."""
    hook = "\n    def configure_callbacks(self):\n        return {brought}\n"
    main_ = MAIN.format(arguments="", then="print(sys.argv)")
    brings = hook.format(brought='[ModelCheckpoint("kept")]')
    assert "callbacks=[ModelCheckpoint()]" not in built(tmp_path, brings + main_).read_text()
    may_bring = hook.format(brought='[ModelCheckpoint("kept")] if sys.argv[1:] else []')
    assert "callbacks=[ModelCheckpoint()]" in built(tmp_path, may_bring + main_).read_text()


# ---- those that are made, and given to no Trainer --------------------------------------------------------

KEPT = """
class Stop(EarlyStopping):
    pass

class Run:
    def __init__(self, callbacks):
        self.saving = ModelCheckpoint("kept")
        self.trainer = L.Trainer(max_epochs=1, callbacks={callbacks})
        {then}

    def __call__(self):
        self.trainer.fit(Net())

if __name__ == "__main__":
    Run([Stop("loss")])()
"""


@pytest.mark.parametrize(
    ("callbacks", "then", "is_left_to_callbacks"),
    [
        ('[Stop("loss")]', "", False),
        ("callbacks", "print(self.trainer.callbacks[0])", False),
        ("callbacks", "callbacks.append(self.saving)", True),
        ("[self.saving, *callbacks]", "", True),
        ("callbacks", "self.trainer.callbacks.append(self.saving)", True),
        ("callbacks, **vars(sys)", "", True),
    ],
)
def test_what_a_trainer_is_given_decides_who_saves(
    callbacks: str, then: str, is_left_to_callbacks: bool, tmp_path: Path
) -> None:
    code = KEPT.format(callbacks=callbacks, then=then)
    script = built(tmp_path, code, "max_epochs: 1", "").read_text()
    assert ('"last.ckpt"' not in script) is is_left_to_callbacks


SEVERAL = """
if __name__ == "__main__":
    net = Net()
    first = L.Trainer(max_epochs=1, default_root_dir="first", logger=False, {first})
    first.fit(net)
    second = L.Trainer(max_epochs=1, default_root_dir="second", logger=False, callbacks=[ModelCheckpoint()])
    second.fit(net)
    third = L.Trainer(logger=False)
"""


@pytest.mark.parametrize(
    ("first", "passed"),
    [
        ("", "callbacks=[ModelCheckpoint()]"),
        ('callbacks=[EarlyStopping("loss")]', 'callbacks=[EarlyStopping("loss"), ModelCheckpoint()]'),
        ("enable_checkpointing=False", ""),
    ],
)
def test_each_trainer_that_fits_saves_where_one_does(first: str, passed: str, tmp_path: Path) -> None:
    script = built(tmp_path, SEVERAL.format(first=first), "max_epochs: 1", "").read_text()
    made = "".join(script.partition("first = ")[2].partition("\n    fit(")[0].split())
    assert "".join(passed.split()) in made
    assert script.count("ModelCheckpoint()]") == 1 + bool(passed)


def test_each_saves_what_lightning_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = built(tmp_path, SEVERAL.format(first=""), "max_epochs: 1", "")
    found = []
    for program in (tmp_path / "model.py", script):
        (tmp_path / program.stem).mkdir()
        monkeypatch.chdir(tmp_path / program.stem)
        monkeypatch.setattr("sys.argv", [str(program)])
        runpy.run_path(str(program), run_name="__main__")
        found.append(sorted(str(each.relative_to(Path.cwd())) for each in Path.cwd().rglob("*.ckpt")))
    assert found[0] == found[1] == [f"{each}/checkpoints/epoch=0-step=2.ckpt" for each in ("first", "second")]


# ---- those that make none --------------------------------------------------------------------------------

OFF = "enable_checkpointing=False"
SAYS = "The script keeps no checkpoint, as `enable_checkpointing` says."


@pytest.mark.parametrize(
    ("arguments", "spec", "is_told"),
    [
        (OFF, "", True),
        (f"callbacks=[EarlyStopping('loss')], **dict({OFF})", "", True),
        ("barebones=True", "", False),
        ("", "trainer: {enable_checkpointing: false}", True),
        ("", "trainer: {barebones: true}", False),
    ],
)
def test_then_the_script_keeps_none(arguments: str, spec: str, is_told: bool, tmp_path: Path) -> None:
    """Nor has it an option to go on from one."""
    script, said = built_with(tmp_path, MAIN.format(arguments=arguments, then=""), spec)
    assert ".ckpt" not in script
    assert "--resume" not in script
    assert (SAYS in said) is is_told
    assert "without `enable_checkpointing`" not in said


@pytest.mark.parametrize(
    ("arguments", "then", "spec"),
    [
        ("", "", ""),
        ("enable_checkpointing=len(sys.argv) > 1", "", ""),
        (OFF, "L.Trainer(max_epochs=1).fit(Net())", ""),
        (OFF, "", "checkpoint: true"),
        (OFF, "", "checkpoint: {every_n_epochs: 2}"),
        (OFF, "", "preemption: true"),
    ],
)
def test_else_it_keeps_its_own(arguments: str, then: str, spec: str, tmp_path: Path) -> None:
    script, said = built_with(tmp_path, MAIN.format(arguments=arguments, then=then), spec)
    assert "last.ckpt" in script
    assert SAYS not in said
    assert ("the spec's `checkpoint` decides that" in said) is bool(arguments)
