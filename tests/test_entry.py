"""What stands round an entry that is so simple that the script's own `main` takes its place."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from ddpgen import CompileError, build
from ddpgen.lightning.bases_by_name import INHERITED
from lightning.pytorch.cli import LightningCLI

MODEL = """
import lightning as L
import torch
from lightning.pytorch.cli import LightningCLI


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(4, 2)))


"""
SIMPLE = {
    "a CLI whose file names the class": "LightningCLI(Net, subclass_mode_model=True)",
    "a CLI that leaves it to the code to fit": """
        def main():
            cli = LightningCLI(Net, run=False)
            cli.trainer.fit(cli.model, datamodule=cli.datamodule)
        if __name__ == "__main__":
            main()
        """,
    "text behind it": """
        if __name__ == "__main__":
            LightningCLI(Net)
        '''
        python model.py fit
        '''
        """,
    "a function that nothing calls": """
        def once(config):
            LightningCLI(Net, args=config)
        if __name__ == "__main__":
            L.Trainer(max_epochs=2).fit(Net())
        """,
}


@pytest.mark.parametrize("name", SIMPLE)
def test_what_is_never_run_leaves_it_simple(name: str, tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(MODEL + dedent(SIMPLE[name]))
    assert "parse_config(Config, __doc__)" in build(model, "ddp")


def test_a_cli_without_its_file_asks_for_it(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(
        MODEL.replace("(self):", "(self, widths: list[int], loss: torch.nn.Module):", 1)
        + "LightningCLI(Net)\n"
    )
    with pytest.raises(
        CompileError, match=r"needs a value for `widths`, `loss`\. Build with the file that Lightning"
    ):
        build(model, "ddp")


MORE = {
    "nothing is run": ("LightningCLI(Net, run=False)", "CommandLine()"),
    "another model": (
        "cli = LightningCLI(Net, run=False)\ncli.trainer.fit(Net())",
        "fit(Net(), cli.trainer)",
    ),
}


def test_what_a_cli_has_run_goes_on(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(MODEL + "cli = LightningCLI(Net)\ncli.trainer.fit(cli.model)\n")
    text = build(model, "ddp")
    assert text.endswith("cli = CommandLine()\nfit(cli.model, cli.trainer)\n")
    assert "first_epoch, global_step = trainer.current_epoch, trainer.global_step" in text


@pytest.mark.parametrize("name", MORE)
def test_what_the_code_has_a_cli_do_beside(name: str, tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    main, expected = MORE[name]
    model.write_text(MODEL + main)
    assert build(model, "ddp").endswith(f"{expected}\n")


TABLES = """
MODELS, DATA = {"net": Net}, {}


def register(name):
    def wrap(cls):
        DATA[name] = cls
        return cls

    return wrap


@register("noise")
class Noise(L.LightningDataModule):
    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(4, 2)))


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=1)
    trainer.fit(MODELS["net"](), datamodule=DATA["noise"]())
"""


def test_what_is_made_of_a_table_is_made_as_it_is_written(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(MODEL.partition("    def train_dataloader")[0] + TABLES)
    assert 'fit(MODELS["net"](), DATA["noise"](), trainer)' in build(model, "ddp")


BY_NAME = """
OWN = {"Counts": Counts}


def build(names):
    made = []
    for name in names:
        made.append(getattr(L.pytorch.callbacks, name)() if hasattr(L.pytorch.callbacks, name) else OWN[name]())
    return made


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=1, callbacks=build(["Counts"]))
    trainer.fit(Net())
"""

COUNTS = """
class Counts(L.Callback):
    pass
"""


def test_callbacks_of_which_the_code_names_none_of_lightnings(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(MODEL + COUNTS + BY_NAME)
    text = build(model, "ddp")
    assert "{}[name]()" in text
    assert '"EarlyStopping",' in text


FOUND_OUT = """
try:
    from lightning.pytorch.strategies import DDPStrategy
except ImportError:
    DDPStrategy = None


def normal(strategy):
    if {condition}:
        return DDPStrategy(find_unused_parameters=True)
    return strategy


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=1, strategy=normal("auto"))
    trainer.fit(Net())
    print(trainer.current_epoch)
"""


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ('strategy == "unused" and DDPStrategy is not None', 'strategy == "unused"'),
        (
            "DDPStrategy is not None and strategy and strategy != 'auto'",
            'strategy and strategy != "auto"',
        ),
        ('strategy == "unused" or DDPStrategy is None', 'strategy == "unused"'),
    ],
)
def test_that_a_strategy_could_be_imported_decides_nothing(condition: str, left: str, tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(MODEL + FOUND_OUT.format(condition=condition))
    assert f"    if {left}:\n" in build(model, "ddp")


BY_NAME_ALONE = """
class Own(LightningCLI):
    def __init__(self, epochs):
        self.trainer = L.Trainer(max_epochs=epochs)
        self.run({before})

    def run(self, before):
        self.trainer.fit(Net())


if __name__ == "__main__":
    Own(2)
"""


def test_a_class_that_has_nothing_of_the_cli_that_it_derives_from(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(MODEL + BY_NAME_ALONE.format(before="None"))
    text = build(model, "ddp")
    assert "class Own:\n" in text
    assert "fit(Net(), self.trainer)" in text
    for before in ("super().subcommands()", "self.subcommands()", "vars(self)"):
        model.write_text(MODEL + BY_NAME_ALONE.format(before=before))
        with pytest.raises(CompileError):
            build(model, "ddp")


def test_what_a_class_has_of_lightnings_cli() -> None:
    assert {name for name in dir(LightningCLI) if not name.startswith("__")} == INHERITED
