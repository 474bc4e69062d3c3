"""The same code in other words gives the same script."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import libcst as cst
import libcst.matchers as m
import pytest
from click.testing import CliRunner
from ddpgen.cli import main
from ddpgen.lightning.sure_imports import sure_choices

HERE = Path(__file__).parent


class OnOneLine(cst.CSTTransformer):
    """Puts a statement on the line of what holds it alone."""

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.BaseSuite:
        line, *others = updated_node.body
        is_plain = isinstance(line, cst.SimpleStatementLine) and not (
            line.leading_lines or updated_node.footer
        )
        if others or not is_plain or m.matches(line, m.SimpleStatementLine([m.Expr(m.SimpleString())])):
            return updated_node
        return cst.SimpleStatementSuite(line.body, trailing_whitespace=line.trailing_whitespace)


def built(project: Path, folder: Path, *transformers: cst.CSTTransformer) -> str:
    shutil.copytree(project, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in folder.rglob("*.py"):
        module = cst.parse_module(path.read_text())
        for each in transformers:
            module = module.visit(each)
        path.write_text(module.code)
    script = folder / "train_ddp.py"
    outcome = CliRunner().invoke(main, ["build", str(folder / "main.py"), "-o", str(script)])
    assert outcome.exit_code == 0, outcome.output
    return script.read_text()


class WithTypes(cst.CSTTransformer):
    """Says the type of each variable that a function, or the module, assigns alone."""

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        own = {line.body[0] for line in original_node.body.body if isinstance(line, cst.SimpleStatementLine)}
        return updated_node if not any(isinstance(each, cst.Assign) for each in own) else original_node

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.BaseSmallStatement:
        if not m.matches(updated_node, m.Assign([m.AssignTarget(m.Name())])):
            return updated_node
        return cst.AnnAssign(
            updated_node.targets[0].target, cst.Annotation(cst.Name("object")), updated_node.value
        )


class Untyped(ast.NodeTransformer):
    """Takes the types of variables away."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        if node.value is None or not isinstance(node.target, ast.Name):
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def untyped(text: str) -> str:
    return ast.unparse(ast.fix_missing_locations(Untyped().visit(ast.parse(text))))


PROJECTS = ["absolute", "main_dqn", "main_vae", "main_metric_sets", "main_mean_teacher"]


@pytest.mark.parametrize("name", PROJECTS)
def test_in_other_words(name: str, tmp_path: Path) -> None:
    project = HERE / "projects" / name
    own = built(project, tmp_path / "own" / name)
    assert built(project, tmp_path / "one" / name, OnOneLine()) == own
    assert untyped(built(project, tmp_path / "typed" / name, WithTypes())) == untyped(own)


@pytest.mark.parametrize(
    ("tried", "test", "chosen"),
    [
        ("import pytorch_lightning as pl", "pl is not None", "A"),
        ("import pytorch_lightning as pl", "not pl", "B"),
        ("from lightning import LightningModule as pl\n    HAS = True", "HAS", "A"),
        ("import lightning\n    HAS = None", "HAS is None", None),
        ("import lightning", "HAS", "A"),
        ("import lightning, wandb\n    HAS = True", "HAS", None),
        ("import wandb", "wandb", None),
        ("import lightning as L\n    HAS = True", "HAS and OTHER", None),
    ],
)
def test_whether_lightning_could_be_imported(tried: str, test: str, chosen: str | None) -> None:
    otherwise = "except ImportError:\n    pl = HAS = None\nelse:\n    LAST = 1\n"
    otherwise += "    HAS = 1\n" if "HAS" not in tried and test == "HAS" else ""
    code = f"try:\n    {tried}\n{otherwise}found = A if {test} else B\n"
    found = [ast.unparse(each) for _, each in sure_choices(ast.parse(code))]
    assert found == ([chosen] if chosen else [])
    assert not list(sure_choices(ast.parse(f"{code}pl = HAS = wandb = None\n")))


OF_FABRIC = """
import pytorch_lightning as pl
import torch
from {package}.utilities import move_data_to_device, rank_zero

class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    @rank_zero.rank_zero_only
    def tell(self):
        print("a step")

    def training_step(self, batch, batch_idx):
        self.tell()
        return self.layer(move_data_to_device(batch, "cpu")).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

def seed(value):
    import {package}
    {package}.utilities.seed.seed_everything(value, workers=True)

if __name__ == "__main__":
    seed(1)
    pl.Trainer(max_epochs=2).fit(Net(), torch.utils.data.DataLoader(torch.ones(4, 2)))
"""


def test_fabric_by_its_own_name_is_that_of_lightning(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(OF_FABRIC.format(package="lightning.fabric"))
    of_lightning = built(tmp_path, tmp_path / "lightning")
    (tmp_path / "main.py").write_text(OF_FABRIC.format(package="lightning_fabric"))
    own = built(tmp_path, tmp_path / "own")
    assert own == of_lightning
    assert "fabric" not in own
