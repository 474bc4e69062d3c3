"""What is read of the hooks that return loaders: whether they are several, read together."""

from __future__ import annotations

from textwrap import indent

import pytest
from ddpgen.analyze.data import are_together
from ddpgen.link.project import read_project
from ddpgen.source.source import Source

FILE = """\
import lightning as L
from torch.utils.data import DataLoader

from elsewhere import make_loaders

LOADERS = [DataLoader(range(4)), DataLoader(range(6))]


class M(L.LightningModule):
    pair = (DataLoader(range(4)), DataLoader(range(6)))

    def train_dataloader(self):
"""

TOGETHER = {
    "a list": "return [DataLoader(range(4)), DataLoader(range(6))]",
    "a variable's": "loaders = {'a': DataLoader(range(4))}\nreturn loaders",
    "an annotated variable's": "loaders: list = [DataLoader(range(4))]\nreturn loaders",
    "an attribute's": "self.loaders = [DataLoader(range(4))]\nreturn self.loaders",
    "an annotated attribute's": "self.loaders: list = [DataLoader(range(4))]\nreturn self.loaders",
    "the class's": "return self.pair",
    "the file's": "return LOADERS",
}

ALONE = {
    "one": "return DataLoader(range(4))",
    "a variable's": "loader = DataLoader(range(4))\nreturn loader",
    "a variable's of the file's name": "LOADERS = DataLoader(range(4))\nreturn LOADERS",
    "another file's": "return make_loaders()",
}


def reads_together(body: str) -> bool:
    """Semantics 4.7: several loaders are combined into one."""
    project = read_project(Source.parse("model.py", FILE + indent(body, " " * 8)))
    return are_together(project, project.classes["M"], "train_dataloader")


@pytest.mark.parametrize("body", TOGETHER.values(), ids=TOGETHER)
def test_what_is_read_together(body: str) -> None:
    assert reads_together(body)


@pytest.mark.parametrize("body", ALONE.values(), ids=ALONE)
def test_what_is_not(body: str) -> None:
    assert not reads_together(body)
