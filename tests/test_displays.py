"""Callbacks that only show something: a script does without them, Lightning's and classes that derive from these."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest
from ddpgen import build
from ddpgen.compile import compile_script
from ddpgen.diagnostics import CompileError
from ddpgen.spec.load import load_spec

NET = """\
class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def train_dataloader(self):
        return DataLoader(torch.ones(4, 4))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
"""

MAIN = """
import logging
import sys
from pathlib import Path

import lightning as L
import requests
import torch
from lightning.pytorch.callbacks import {base}
from lightning.pytorch.callbacks.progress.rich_progress import CustomProgress, RichProgressBarTheme
from lightning.pytorch.callbacks.progress.tqdm_progress import Tqdm
from rich.console import Console
from torch.utils.data import DataLoader
from tqdm import tqdm


logger = logging.getLogger(__name__)


def helper(trainer):
    trainer.should_stop = True


def helped(trainer):
    helper(trainer)


def total_of(bar, batches):
    return None if bar is None else batches_of(batches)


def batches_of(batches):
    return int(batches)


def shown_at(bar, place):
    if not bar.disable:
        bar.n = place
        bar.refresh()


def shown_of(bar):
    bar.should_stop = True


class Bar({base}):
{methods}


{net}

if __name__ == "__main__":
    callbacks = []
    callbacks.append({made})
    trainer = L.Trainer(max_epochs=2, logger=False, callbacks=[*callbacks, Bar()])
    trainer.fit(Net())
"""

SHOWING = {
    "functions that show": """
        def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
            self.train_progress_bar.reset(total=total_of(None, self.total_train_batches))
            shown_at(self.train_progress_bar, batch_idx)
        """,
    "a description": """
        def init_validation_tqdm(self):
            bar = super().init_validation_tqdm()
            bar.set_description("running validation ...")
            return bar
        """,
    "a bar of its own": """
        def init_train_tqdm(self):
            return Tqdm(desc="train", position=2 * self.process_position, disable=self.is_disabled, file=sys.stdout)
        """,
    "a bar of Lightning's parts": """
        def _init_progress(self, trainer):
            if self.is_enabled and self.progress is None:
                self._console = Console(**self._console_kwargs)
                self._console.clear_live()
                columns = self.configure_columns(trainer)
                self.progress = CustomProgress(*columns, disable=self.is_disabled, console=self._console)
                self.progress.start()
        """,
    "without the version": """
        def get_metrics(self, trainer, model):
            items = super().get_metrics(trainer, model)
            items.pop("v_num", None)
            items["epoch"] = f"{trainer.current_epoch:03d}"
            return items
        """,
    "lines of text": """
        def on_train_epoch_start(self, trainer, pl_module):
            super().on_train_epoch_start(trainer, pl_module)
            logger.info(f"epoch {trainer.current_epoch}")
            logging.getLogger("bar").warning("on")
            logging.debug("begins")
        """,
    "hooks": """
        def __init__(self, rate=3):
            super().__init__(refresh_rate=rate)
            self.seen = {}

        def on_train_epoch_start(self, trainer, *_):
            super().on_train_epoch_start(trainer, *_)
            self.train_progress_bar.set_description(f"{trainer.current_epoch}/{trainer.max_epochs - 1}")
            print()

        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
            for name, value in trainer.callback_metrics.items():
                self.seen[name] = value.item()
            tqdm.write(str([round(float(value), 3) for value in self.seen.values()]))
        """,
}

BEYOND = {
    "it logs": "def on_train_epoch_end(self, trainer, pl_module): pl_module.log('x', 1.0)",
    "it logs by itself": "def on_train_epoch_end(self, trainer, pl_module): self.log('x', 1.0)",
    "it stops": "def on_train_epoch_end(self, trainer, pl_module): trainer.should_stop = True",
    "it stops in a helper": "def on_train_epoch_end(self, trainer, pl_module): helper(trainer)",
    "it stops by another name": """
        def on_train_epoch_end(self, trainer, pl_module):
            t = trainer
            t.should_stop = True
        """,
    "it stops by a name with a type": """
        def on_train_epoch_end(self, trainer, pl_module):
            t: L.Trainer = trainer
            t.should_stop = True
        """,
    "it stops through itself": "def disable(self): self.trainer.should_stop = True",
    "it saves": "def on_train_end(self, trainer, pl_module): trainer.save_checkpoint('x.ckpt')",
    "it changes what is logged": "def get_metrics(self, trainer, model): return trainer.callback_metrics.pop('x')",
    "it changes the model": """
        def on_train_epoch_end(self, trainer, pl_module):
            for parameter in pl_module.parameters():
                parameter.requires_grad_(False)
        """,
    "it stops in a helper that seems to have a bar": (
        "def on_train_epoch_end(self, trainer, pl_module): shown_of(trainer)"
    ),
    "it stops behind two helpers": "def on_train_epoch_end(self, trainer, pl_module): helped(trainer)",
    "it has unknown arguments": "def on_train_epoch_end(self, trainer, pl_module): shown_of(*[trainer])",
    "it changes an optimizer": """
        def on_train_epoch_end(self, trainer, pl_module):
            for optimizer in trainer.optimizers:
                for group in optimizer.param_groups:
                    group["lr"] = 0.0
        """,
    "it writes a file": "def on_train_end(self, trainer, pl_module): Path('x').write_text('done')",
    "it has what it logs written elsewhere": """
        def on_train_end(self, trainer, pl_module):
            logger.addHandler(logging.FileHandler("x"))
        """,
    "it sends something": "def on_train_end(self, trainer, pl_module): requests.post('there')",
    "it draws random numbers": "def on_train_end(self, trainer, pl_module): torch.rand(3)",
    "it fails": "def on_train_end(self, trainer, pl_module): raise RuntimeError",
}


def program(folder: Path, methods: str, base: str = "TQDMProgressBar", made: str = "Bar()") -> Path:
    file = folder / "main.py"
    file.write_text(MAIN.format(base=base, net=NET, methods=indent(dedent(methods), "    "), made=made))
    return file


@pytest.mark.parametrize("methods", SHOWING.values(), ids=SHOWING.keys())
def test_a_class_that_only_changes_what_is_shown_is_left_out(tmp_path: Path, methods: str) -> None:
    text = build(program(tmp_path, methods), "ddp")
    for left in ("class Bar", "Tqdm", "CustomProgress", "helper"):
        assert left not in text
    assert "callbacks=checkpoints_last([*callbacks])" in text


@pytest.mark.parametrize("methods", BEYOND.values(), ids=BEYOND.keys())
def test_a_class_that_does_more_is_refused(tmp_path: Path, methods: str) -> None:
    with pytest.raises(CompileError) as refused:
        build(program(tmp_path, methods), "ddp")
    assert {each.code for each in refused.value.diagnostics} == {"display-does-more"}


THEME = """
@dataclass
class Theme(RichProgressBarTheme):
    time: str = "green"

    def shade(self, name):
        {does}
        return {{}}.get(name, "green")


class Bar("""

THEMED = """
    def __init__(self, *args, **options):
        super().__init__(*args, theme=Theme(), **options)

    def get_metrics(self, trainer, pl_module):
        items = super().get_metrics(trainer, pl_module)
        items.pop("v_num", None)
        return items
    """


def themed(folder: Path, does: str) -> Path:
    file = program(folder, THEMED, "RichProgressBar")
    code = file.read_text().replace("class Bar(", THEME.format(does=does))
    file.write_text(code.replace("import sys\n", "import sys\nfrom dataclasses import dataclass\n"))
    return file


def test_a_bar_with_a_theme_of_the_projects_is_left_out(tmp_path: Path) -> None:
    text = build(themed(tmp_path, "print(name)"), "ddp")
    assert "Theme" not in text
    assert "class Bar" not in text


def test_one_with_a_theme_that_does_more_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as refused:
        build(themed(tmp_path, "torch.rand(3)"), "ddp")
    assert {each.code for each in refused.value.diagnostics} == {"display-does-more"}


WITHIN = """
import lightning as L
import torch
from lightning.pytorch.callbacks import RichProgressBar
from torch.utils.data import DataLoader


def train():
    from lightning.pytorch.callbacks.progress.rich_progress import RichProgressBarTheme
    from rich.progress import TextColumn

    class Bar(RichProgressBar):
        def configure_columns(self, trainer):
            {does}
            return [TextColumn("{{task.description}}"), *super().configure_columns(trainer)]

    bar = Bar(theme=RichProgressBarTheme())
    L.Trainer(max_epochs=2, logger=False, callbacks=[bar]).fit(Net())


{net}

{more}

if __name__ == "__main__":
    train()
"""


def within(folder: Path, does: str = "", more: str = "") -> Path:
    (folder / "main.py").write_text(WITHIN.format(net=NET, does=does, more=more))
    return folder / "main.py"


def test_a_bar_that_a_function_defines_is_left_out(tmp_path: Path) -> None:
    compiled = compile_script(within(tmp_path), load_spec("ddp"))
    assert "class Bar" not in compiled.text
    assert "RichProgressBar" not in compiled.text
    assert "display-left-out" in {each.code for each in compiled.notes}


@pytest.mark.parametrize(
    ("does", "more", "code"),
    [
        ("torch.rand(3)", "", "display-does-more"),
        ("", "def other():\n    Bar = dict\n    return Bar()", "unsupported-lightning-name"),
    ],
)
def test_one_that_does_more_or_has_a_namesake_is_refused(
    tmp_path: Path, does: str, more: str, code: str
) -> None:
    with pytest.raises(CompileError) as refused:
        build(within(tmp_path, does, more), "ddp")
    assert code in {each.code for each in refused.value.diagnostics}


SUMMARY = """
    def on_fit_start(self, trainer, pl_module):
        if trainer.is_global_zero:
            summary = model_summary.ModelSummary(pl_module, max_depth=2)
            print(summary.total_parameters, model_summary.summarize(pl_module).trainable_parameters)
    """


def with_summary(folder: Path, more: str = "") -> Path:
    file = program(folder, SUMMARY, "ModelSummary")
    imported = "import lightning as L\nfrom lightning.pytorch.utilities import model_summary\n"
    code = file.read_text().replace("import lightning as L\n", imported)
    file.write_text(code.replace("super().__init__()\n", f"super().__init__()\n        {more}\n"))
    return file


def test_a_class_that_makes_a_summary_of_its_own_is_left_out(tmp_path: Path) -> None:
    compiled = compile_script(with_summary(tmp_path), load_spec("ddp"))
    assert "summar" not in compiled.text
    assert any("Without `Bar` the script shows less" in each.message for each in compiled.notes)


def test_one_that_would_run_the_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as refused:
        build(with_summary(tmp_path, "self.example_input_array = torch.ones(1, 4)"), "ddp")
    assert {each.code for each in refused.value.diagnostics} == {"display-does-more"}


@pytest.mark.parametrize(
    ("base", "made", "said"),
    [
        ("ModelSummary", "ModelSummary(max_depth=2)", "Without `ModelSummary` the script shows less"),
        (
            "RichProgressBar",
            'RichProgressBar(theme=RichProgressBarTheme("green"))',
            "in the place of `RichProgressBar`",
        ),
    ],
)
def test_what_is_left_out_is_told(tmp_path: Path, base: str, made: str, said: str) -> None:
    notes = compile_script(program(tmp_path, "pass", base, made), load_spec("ddp")).notes
    told = [each.message for each in notes if each.code == "display-left-out"]
    assert len(told) == 2
    assert said in told[0]
    assert "`Bar`" in told[1]


COMMAND_LINE = """
import lightning as L
import torch
from lightning.pytorch.callbacks import ModelSummary
from lightning.pytorch.cli import LightningCLI
from torch.utils.data import DataLoader


{net}

class Short(ModelSummary):
    def on_fit_start(self, trainer, pl_module):
        print(sum(each.numel() for each in pl_module.parameters()))


LightningCLI(Net, save_config_callback=None, trainer_defaults={"callbacks": [Short()]})
"""


def test_among_the_defaults_of_a_command_line(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(COMMAND_LINE.replace("{net}", NET))
    compiled = compile_script(tmp_path / "main.py", load_spec("ddp"))
    assert "Short" not in compiled.text
    assert "display-left-out" in {each.code for each in compiled.notes}


WRITING = """
import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, TQDMProgressBar
from torch.utils.data import DataLoader


{net}

class Bar(TQDMProgressBar):
    pass


callbacks = [Bar(), EarlyStopping("loss")]
for each in callbacks:
    print({written})
L.Trainer(max_epochs=1, callbacks=callbacks).fit(Net())
"""


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ('f"made: {type(each).__name__}"', "display-name-written"),
        ('type(each).__name__.startswith("B")', "display-named"),
    ],
)
def test_the_name_of_its_class_may_be_written_and_not_asked(tmp_path: Path, written: str, code: str) -> None:
    (tmp_path / "main.py").write_text(WRITING.replace("{net}", NET).replace("{written}", written))
    try:
        told = compile_script(tmp_path / "main.py", load_spec("ddp")).notes
    except CompileError as error:
        told = tuple(error.diagnostics)
    assert (code, "note" if code == "display-name-written" else "error") in {
        (each.code, each.severity) for each in told
    }


ENTERED = """
import lightning as L
import torch
from lightning.pytorch.callbacks import RichModelSummary, TQDMProgressBar
from lightning.pytorch.profilers import SimpleProfiler
from torch.utils.data import DataLoader

ENTRIES = {}


def enter(name):
    def keep(entry):
        ENTRIES[name] = entry
        return entry

    return keep


class Bar(TQDMProgressBar):
    pass


PROFILERS = {"simple": SimpleProfiler}
enter("bar")(Bar)
enter("summary")(RichModelSummary)
NET

if __name__ == "__main__":
    made = [ENTRIES[name]() for name in ("bar", "summary")]
    ASKED
    trainer = L.Trainer(max_epochs=2, logger=False, callbacks=made, profiler=PROFILERS["simple"]())
    trainer.fit(Net())
"""


def entered(folder: Path, asked: str = "pass") -> Path:
    path = folder / "model.py"
    path.write_text(ENTERED.replace("NET", NET).replace("ASKED", asked).lstrip())
    return path


def test_classes_in_tables_make_what_does_nothing(tmp_path: Path) -> None:
    text = build(entered(tmp_path), "ddp")
    for line in ('enter("bar")(Callback)', 'enter("summary")(Callback)', '"simple": type(None)'):
        assert line in text
    for left in ("class Bar", "RichModelSummary", "SimpleProfiler"):
        assert left not in text


@pytest.mark.parametrize(
    "asked",
    [
        'print(isinstance(made[1], ENTRIES["summary"]))',
        'print(type(made[1]) in (ENTRIES["summary"], int))',
        "print([entry.__name__ for entry in ENTRIES.values()])",
        'print(hasattr(ENTRIES["bar"], "on_train_end"))',
        'PROFILERS["simple"]().describe(); print(PROFILERS["simple"].__name__)',
    ],
)
def test_classes_in_tables_of_which_more_is_asked(tmp_path: Path, asked: str) -> None:
    with pytest.raises(CompileError) as refused:
        build(entered(tmp_path, asked), "ddp")
    assert {each.code for each in refused.value.diagnostics} == {"unsupported-lightning-name"}
