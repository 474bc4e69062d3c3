"""At which line of a script the user's first class begins; how short a script is with its machinery beside it.

`pytest -s` prints lengths too, and what is aimed at.
"""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest
from ddpgen import build
from ddpgen.ir.files import separate

EXAMPLES = Path(__file__).parent.parent / "generated_examples"
SCRIPTS = {path.relative_to(EXAMPLES).parts[0]: path for path in EXAMPLES.glob("**/train_ddp.py")}
FIRST_CLASS = 150
LATER = {
    "hydra_digits": (160, 75)
}  # decorators of Lightning's stand above the functions that they are put on
BASES = 45  # some 40, with the title

TOY = """
    import lightning as L
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset


    class Autoencoder(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Linear(64, 3)
            self.decoder = nn.Linear(3, 64)

        def training_step(self, batch, batch_idx):
            (x,) = batch
            loss = nn.functional.mse_loss(self.decoder(self.encoder(x)), x)
            self.log("train_loss", loss)
            return loss

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=1e-3)


    def main():
        dataset = TensorDataset(torch.rand(128, 64))
        trainer = L.Trainer(max_epochs=2)
        trainer.fit(Autoencoder(), DataLoader(dataset))


    if __name__ == "__main__":
        main()
    """
TOY_AIM = 380
BESIDE = {"tumours": ("train.py", 650)}


def first_class(text: str) -> int:
    """The line of the first class below the title of the user's code."""
    tree = ast.parse(text)
    title = next(n for n, line in enumerate(text.split("\n"), 1) if line.startswith("# ---- model and data"))
    return next(n.lineno for n in tree.body if isinstance(n, ast.ClassDef) and n.lineno > title)


def lines_of_bases(text: str) -> int:
    """What the user's classes are made from, which stands before them."""
    titles = [(n, line) for n, line in enumerate(text.split("\n")) if line.startswith("# ---- ")]
    (first, title), (second, _) = titles[1:3]
    return second - first if "made from" in title else 0


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_an_example_reads_from_the_top(name: str) -> None:
    text = SCRIPTS[name].read_text("utf-8")
    print(f"{name}: {lines_of_bases(text)} lines of bases, first class in line {first_class(text)}")
    first, bases = LATER.get(name, (FIRST_CLASS, BASES))
    assert first_class(text) < first
    assert lines_of_bases(text) <= bases


@pytest.mark.parametrize("name", sorted(BESIDE))
def test_with_its_machinery_beside_it_a_script_is_short(name: str, tmp_path: Path) -> None:
    entry, aim = BESIDE[name]
    folder = EXAMPLES / name
    spec = tmp_path / "ddp.yaml"
    spec.write_text((folder / "ddp.yaml").read_text("utf-8") + "\nruntime: beside\n", "utf-8")
    script, module = separate(build(folder / entry, str(spec)))
    print(f"{name}: {script.count(chr(10))} lines (aim {aim}), and {module.count(chr(10))} beside it")
    assert script.count("\n") <= aim


def test_a_toy_reads_from_the_top(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(dedent(TOY), "utf-8")
    text = build(model)
    print(f"toy: {text.count(chr(10))} lines (aim {TOY_AIM}), first class in line {first_class(text)}")
    assert first_class(text) < FIRST_CLASS
