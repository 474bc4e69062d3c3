"""Every construct of Lightning's, what becomes of it, and the test that shows it: the rows in `constructs`.

    construct  what it is, as the README's table says it
    becomes    translated | left out | refused
    code       the diagnostic's, where something is said
    test       where it is shown, beside Lightning if it trains; without one, the row's own build is the test
    whole      the file that is built; or instead, what is put into the file below, each at its place:
    imports, top, init, step, model, data, below, before, trainer, main, instead, spec

A test is a node id of pytest's below `tests`, or one of the short forms in SHORT. `--update` writes the README's table.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Literal

import yaml

TESTS = Path(__file__).parent
README = TESTS.parent / "README.md"
MARKS = "<!-- constructs: python tests/construct_table.py --update -->\n", "<!-- end of constructs -->\n"

SECTIONS = {
    "classes": "Classes",
    "steps": "Steps and hooks",
    "optimizers": "Optimizers and schedules",
    "logging": "Logging and loggers",
    "members": "What the model asks for",
    "data": "Data",
    "trainer": "The Trainer's settings",
    "callbacks": "Callbacks",
    "main": "Mains",
    "old": "Lightning 1",
}
"""The files of rows, in the table's order."""

SHORT = {
    "parity": "parity/test_parity.py::test_script_trains_as_lightning_does",
    "project": "test_projects.py::test_a_project_trains_as_under_lightning",
    "callbacks": "test_callback_projects.py::test_files_are_those_of_lightning",
    "case": "test_cases.py::test_case",
}
"""Tests that are named often."""

METHODS = {
    "configure_optimizers": "return torch.optim.SGD(self.parameters(), lr=0.1)",
    "train_dataloader": "return DataLoader(TensorDataset(torch.ones(16, 4), torch.ones(16, 1)), batch_size=4)",
    "val_dataloader": "return DataLoader(TensorDataset(torch.ones(8, 4), torch.ones(8, 1)), batch_size=4)",
}

FILE = """\
import lightning as L
import torch
from lightning.pytorch import Trainer, callbacks, loggers
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset
{imports}
{top}

class Net(L.LightningModule):
    def __init__(self, width: int = 4):
        super().__init__()
        self.layer = nn.Linear(width, 1)
{init}
    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.mse_loss(self.layer(x), y)
{step}
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.mse_loss(self.layer(x), y))
{model}

class Data(L.LightningDataModule):
{data}
{below}

def main():
{run}

if __name__ == "__main__":
    main()
"""

RUN = """\
model = Net()
{before}
trainer = L.Trainer(max_epochs=2, {trainer})
{main}
"""

PLACES = {"imports": 0, "top": 0, "below": 0, "init": 8, "step": 8, "model": 4, "data": 4, "run": 4}
"""How far the text at each place of the file is indented."""


@dataclass(frozen=True)
class Row:
    """A construct."""

    construct: str
    becomes: Literal["translated", "left out", "refused"]
    code: str = ""
    test: str = ""
    whole: str = ""
    spec: str = ""
    imports: str = ""
    top: str = ""
    below: str = ""
    init: str = ""
    step: str = ""
    model: str = ""
    data: str = ""
    before: str = ""
    trainer: str = ""
    main: str = "trainer.fit(model, datamodule=Data())"
    instead: str = ""  # of all that the main does

    @property
    def name(self) -> str:
        """The construct in plain words."""
        return "-".join(re.findall(r"\w+", self.construct))

    @property
    def text(self) -> str:
        """The file that is built."""
        if self.whole:
            return self.whole
        model = self.model + _others(self.model, "configure_optimizers")
        data = self.data + _others(self.data, "train_dataloader", "val_dataloader")
        run = self.instead or RUN.format(before=self.before, trainer=self.trainer, main=self.main)
        texts = {**vars(self), "model": model, "data": data, "run": run}
        return FILE.format(**{place: indent(texts[place], " " * by) for place, by in PLACES.items()})


def _others(methods: str, *names: str) -> str:
    """Those of the file's own methods that a row does not have in their place."""
    own = (name for name in names if f"def {name}(" not in methods)
    return "".join(f"\ndef {name}(self):\n    {METHODS[name]}\n" for name in own)


def rows(section: str) -> list[Row]:
    """The rows of a file."""
    return [
        Row(**row) for row in yaml.safe_load((TESTS / "constructs" / f"{section}.yaml").read_text("utf-8"))
    ]


def node_id(test: str) -> str:
    """A test as pytest names it, seen from `tests`."""
    name, bracket, rest = test.partition("[")
    return f"{SHORT.get(name, name)}{bracket}{rest}"


# ---- the README ------------------------------------------------------------------------------------------


def table() -> str:
    """The README's table, with what its short names stand for."""
    names = (f"- `{name}[...]`: `tests/{test}`" for name, test in SHORT.items())
    lines = (line for section in SECTIONS for line in _lines(section))
    return "\n".join(["", *names, "", *lines, ""])


def _lines(section: str) -> Iterator[str]:
    yield f"| **{SECTIONS[section]}** | becomes | test |"
    yield "|---|---|---|"
    for row in rows(section):
        said = f": `{row.code}`" if row.code else ""
        test = f"`{row.test}`" if row.test else ""
        yield f"| {row.construct} | {row.becomes}{said} | {test} |"
    yield ""


def with_table(readme: str) -> str:
    """The README with today's table."""
    start, end = MARKS
    before, _, rest = readme.partition(start)
    _, _, after = rest.partition(end)
    return f"{before}{start}{table()}{end}{after}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--update", action="store_true", help="write the README's table anew")
    readme = README.read_text("utf-8")
    if parser.parse_args().update:
        README.write_text(with_table(readme), "utf-8")
        return 0
    return int(with_table(readme) != readme)


if __name__ == "__main__":
    sys.exit(main())
