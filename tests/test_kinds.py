"""Models of several kinds in one main: which functions each has for itself, and what is said where one cannot be."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from ddpgen.compile import compile_script
from ddpgen.diagnostics import CompileError
from ddpgen.runtime.folding.known import Known
from ddpgen.spec.load import load_spec

TESTS = Path(__file__).parent

PARTS = {
    "Plain": """
    pass
""",
    "Moves": """
    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch
""",
    "ByHand": """
    automatic_optimization = False

    def training_step(self, batch, batch_idx):
        self.optimizers().step()
""",
    "Wrong": """
    def validation_epoch_end(self, outputs):
        pass
""",
}


def main_of(*kinds: str) -> str:
    """A main that trains a model of each, and validates those that it says."""
    classes = "\n\n".join(f"class {each}(Net):{PARTS[each]}" for each in kinds)
    fits = "\n".join(f"L.Trainer(max_epochs=1).fit({each}(), loader)" for each in kinds)
    return f"""\
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val", self.layer(batch[0]).mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


{classes}

loader = DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
{fits}
L.Trainer().validate({kinds[0]}(), loader)
"""


def functions_of(folder: Path, text: str) -> list[str]:
    (folder / "main.py").write_text(text)
    script = compile_script(folder / "main.py", load_spec("ddp")).text
    found = [each.name for each in ast.parse(script).body if isinstance(each, ast.FunctionDef)]
    return sorted(each for each in found if each.startswith(("fit", "validate", "test")))


@pytest.mark.parametrize(
    ("kinds", "functions"),
    [
        (("Plain",), ["fit", "validate_model"]),
        (("Plain", "Moves"), ["fit", "fit_moves", "fit_plain", "validate_model"]),
        (("ByHand", "Plain"), ["fit", "fit_by_hand", "fit_plain", "validate_model"]),
    ],
)
def test_only_what_differs_is_written_for_each_kind(
    tmp_path: Path, kinds: tuple[str, ...], functions: list[str]
) -> None:
    assert functions_of(tmp_path, main_of(*kinds)) == functions


def test_names_give_way_to_the_users(tmp_path: Path) -> None:
    text = (
        main_of("Moves", "Plain").replace("class Net(", "def fit_plain(): ...\n\n\nclass Net(")
        + "fit_plain()\n"
    )
    assert "fit_plain_" in functions_of(tmp_path, text)


def test_what_is_wrong_with_one_kind_is_said_alone(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        functions_of(tmp_path, main_of("Plain", "Moves", "Wrong"))
    assert {each.code for each in caught.value.diagnostics} == {"removed-hook"}


DATA = """
class Data(L.LightningDataModule):
    def train_dataloader(self):
        return loader


class Moving(Data):
    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch


class Other(Net):
    pass


L.Trainer().fit(Net(), datamodule=Data())
L.Trainer().fit(Other(), datamodule=Moving())
"""


def test_a_kind_is_for_all_data_that_its_models_are_given(tmp_path: Path) -> None:
    text = main_of("Plain").partition("L.Trainer")[0] + DATA
    assert functions_of(tmp_path, text) == ["fit", "fit_net", "fit_other"]
    with pytest.raises(CompileError) as caught:
        functions_of(tmp_path, f"{text}L.Trainer().fit(Net(), datamodule=Moving())\n")
    assert {each.code for each in caught.value.diagnostics} == {"several-classes-fit"}


def test_a_class_that_a_run_is_told_is_built_for_alone(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(main_of("Plain", "ByHand"))
    script = compile_script(tmp_path / "main.py", load_spec("ddp"), "ByHand").text
    assert "def fit_" not in script


EVALUATED = """
class Tested(Net):
    def test_step(self, batch, batch_idx):
        self.log("test", self.layer(batch[0]).mean(), sync_dist=True)


class Constant(L.LightningModule):
    def test_step(self, batch, batch_idx):
        self.log("test", batch[0].mean(), sync_dist=True)

"""
"""Classes that lack what training needs, or have steps that the trained one has not."""


def main_evaluating(evaluation: str, fit: str = "trainer.fit(Net(), loader)") -> str:
    """A main that trains a model, and then evaluates others."""
    classes, loader, rest = main_of("Plain", "ByHand").partition("loader = ")
    made = f"{loader}{rest.partition('L.Trainer')[0]}trainer = L.Trainer()"
    return f"{classes}{EVALUATED}{made}\n{fit}\n{evaluation}\n"


@pytest.mark.parametrize(
    ("evaluation", "functions"),
    [
        ("trainer.test(Tested(), loader)", ["fit", "test"]),
        ("trainer.test(Constant(), loader)", ["fit", "test"]),
        ("for each in (Tested(), Constant()):\n    L.Trainer().test(each, loader)", ["fit", "test"]),
        (
            "trainer.validate(Net(), loader)\ntrainer.test(Tested(), loader)",
            ["fit", "test", "validate_model"],
        ),
    ],
)
def test_a_class_that_is_but_evaluated_needs_nothing_of_training(
    tmp_path: Path, evaluation: str, functions: list[str]
) -> None:
    assert functions_of(tmp_path, main_evaluating(evaluation)) == functions
    assert not notes_of(tmp_path)


def notes_of(folder: Path, model: str | None = None) -> dict[str, str]:
    found = compile_script(folder / "main.py", load_spec("ddp"), model).notes
    return {each.code: each.message for each in found if each.severity != "note"}


def test_a_main_may_evaluate_what_cannot_be_trained(tmp_path: Path) -> None:
    text = main_evaluating("trainer.test(Constant(), loader)", fit="")
    assert functions_of(tmp_path, text) == ["test"]


def test_what_is_evaluated_has_its_part_whichever_class_is_trained(tmp_path: Path) -> None:
    fit = "import sys\ntrainer.fit(Plain() if sys.argv[1:] else ByHand(), loader)"
    (tmp_path / "main.py").write_text(main_evaluating("trainer.test(Tested(), loader)", fit))
    said = notes_of(tmp_path)
    assert said.keys() == {"one-of-several-classes"}
    assert "This one is for `ByHand`, `Tested`" in said["one-of-several-classes"]
    assert notes_of(tmp_path, "Plain") == {}
    script = compile_script(tmp_path / "main.py", load_spec("ddp"), "Plain").text
    assert 'require_class(model, "Plain")' in script
    assert 'require_class(model, "Tested")' in script


def test_what_is_wrong_with_a_class_that_is_but_evaluated(tmp_path: Path) -> None:
    text = main_evaluating("trainer.test(Tested(), loader)").replace(
        "def test_step", f"{PARTS['Wrong'].strip()}\n\n    def test_step", 1
    )
    with pytest.raises(CompileError) as caught:
        functions_of(tmp_path, text)
    assert {each.code for each in caught.value.diagnostics} == {"removed-hook"}


def test_an_evaluation_stops_for_those_alone_that_lack_its_step(tmp_path: Path) -> None:
    evaluation = "import sys\ntrainer.test(Net() if sys.argv[1:] else Tested(), loader)"
    (tmp_path / "main.py").write_text(main_evaluating(evaluation))
    said = notes_of(tmp_path)
    assert said.keys() == {"evaluation-stops"}
    assert "where it is given a `Net`, and so does the script" in said["evaluation-stops"]
    assert "stop(" not in compile_script(tmp_path / "main.py", load_spec("ddp")).text


def test_an_evaluation_of_what_the_script_is_not_for(tmp_path: Path) -> None:
    test = "    def test_dataloader(self):\n        return loader\n"
    modules = DATA.partition("class Other")[0].replace("\n\n\nclass Moving", f"\n\n{test}\n\nclass Moving")
    evaluations = "".join(f"trainer.test(Tested(), datamodule={each}())\n" for each in ("Data", "Moving"))
    text = main_evaluating(evaluations, f"{modules}trainer.fit(Net(), datamodule=Data())")
    (tmp_path / "main.py").write_text(text)
    said = notes_of(tmp_path)
    assert said.keys() == {"one-of-several-classes", "evaluation-of-another"}
    assert "given objects of `Tested`, and this script is for `Net`" in said["evaluation-of-another"]


def test_steps_that_lightning_counts_apart(tmp_path: Path) -> None:
    asks = "trainer.test(Tested(), loader)\nprint(trainer.global_step)"
    (tmp_path / "main.py").write_text(main_evaluating(asks, "trainer.fit(ByHand(), loader)"))
    assert notes_of(tmp_path).keys() == {"steps-of-another"}
    (tmp_path / "main.py").write_text(main_evaluating(asks))
    assert not notes_of(tmp_path)


def test_what_is_known_of_two_kinds() -> None:
    one = Known({"a": "1", "b": "2"}, {"keeps": "False", "kind": "'x'"}, results={"waits": "False"})
    other = Known({"a": "1", "b": "3"}, {"keeps": "True", "kind": "'y'"}, results={"waits": "True"})
    both = one.common(other, {"keeps": "True"})
    assert (both.parameters, both.attributes) == ({"a": "1"}, {"keeps": "True"})
    assert both.results == {"waits": "True"}


def test_an_old_hook_for_the_end_of_tests_stops_where_something_tests(tmp_path: Path) -> None:
    text = main_evaluating("trainer.test(Tested(), loader)")
    hook = "def test_epoch_end(self, outputs): ...\n\n    def test_step"
    with pytest.raises(CompileError) as caught:
        functions_of(tmp_path, text.replace("def test_step", hook, 1))
    assert {each.code for each in caught.value.diagnostics} == {"removed-hook"}
