"""`ddpgen inspect`: what a file holds and what is not supported, for people and, with --json, for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from ddpgen.cli import main
from ddpgen.inspection import inspect as report_of

MODEL = """\
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset


class Stream(IterableDataset):
    def __iter__(self):
        yield torch.ones(4)


class Counted(Stream):
    def __len__(self):
        return 1


class Base(L.LightningModule):
    def __init__(self, width: int, lr: float = 1e-2):
        super().__init__()
        self.layer = nn.Linear(width, 1)

    def on_train_start(self):
        self.seen = 0


class Net(Base):
    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss)
        self.log_dict({"twice": 2 * loss, f"by_{batch_idx}": loss})
        return loss

    def test_step(self, batch, batch_idx):
        pass

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        return [optimizer], [{"scheduler": scheduler, "interval": "step", "frequency": 5}]


class Data(L.LightningDataModule):
    def __init__(self, batch_size: int = 2):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage):
        self.data = TensorDataset(torch.ones(8, 4))

    def train_dataloader(self):
        return DataLoader(self.data, batch_size=self.batch_size)

    def val_dataloader(self):
        return DataLoader(Counted())
"""


def inspect(path: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["inspect", str(path), *options], catch_exceptions=False)


def report_on(folder: Path, text: str) -> dict[str, Any]:
    path = folder / "model.py"
    path.write_text(text)
    result = inspect(path, "--json")
    assert result.exit_code == 0, result.output
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def only(report: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (cls for cls in report["classes"] if cls["name"] == name)
    return dict(found)


def test_the_keys_are_an_interface(tmp_path: Path) -> None:
    report = report_on(tmp_path, MODEL)
    assert set(report) == {"path", "classes", "problems"}
    keys = "name kind path line bases hyperparameters steps hooks optimizer logged loaders"
    assert all(set(cls) == set(keys.split()) for cls in report["classes"])
    assert report["problems"]
    diagnostic = {"code", "message", "span", "source_line", "severity", "subject"}
    assert all(set(problem) == diagnostic for problem in report["problems"])


def test_classes(tmp_path: Path) -> None:
    report = report_on(tmp_path, MODEL)
    path = (tmp_path / "model.py").as_posix()
    assert report["path"] == path
    assert [cls["name"] for cls in report["classes"]] == ["Base", "Net", "Data"], "of Lightning's kinds alone"
    net, data = only(report, "Net"), only(report, "Data")
    assert (net["kind"], data["kind"]) == ("LightningModule", "LightningDataModule")
    assert (net["path"], net["line"]) == (path, MODEL.split("\n").index("class Net(Base):") + 1)
    assert (net["bases"], data["bases"]) == (["Base"], [])


def test_what_a_class_has_of_its_own_and_from_its_bases(tmp_path: Path) -> None:
    report = report_on(tmp_path, MODEL)
    net, data = only(report, "Net"), only(report, "Data")
    assert net["hyperparameters"] == ["width", "lr = 1e-2"]
    assert net["steps"] == ["configure_optimizers", "test_step", "training_step"]
    assert net["hooks"] == ["on_train_start"]
    assert net["logged"] == ['f"by_{batch_idx}"', "loss", "twice"]
    assert net["loaders"] == []
    assert data["hyperparameters"] == ["batch_size = 2"]
    assert data["hooks"] == ["setup"]
    assert (data["optimizer"], data["logged"]) == ("", [])
    assert data["loaders"] == ["train_dataloader: map-style", "val_dataloader: iterable, of known length"]


OPTIMIZERS = {
    "return None": "none",
    "return torch.optim.SGD(self.parameters(), lr=0.1)": "one optimizer",
    "return make(self)": "known when the script runs",
    "optimizer = torch.optim.SGD(self.parameters(), lr=0.1)\n"
    "        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]": "one optimizer, a scheduler that "
    "steps every epoch",
    "optimizer = torch.optim.SGD(self.parameters(), lr=0.1)\n"
    "        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)\n"
    '        return {"optimizer": optimizer, "lr_scheduler": scheduler, "monitor": "loss"}': "one optimizer, a "
    "scheduler that steps every epoch, watching loss",
}


@pytest.mark.parametrize("code", OPTIMIZERS, ids=OPTIMIZERS.values())
def test_optimizers(tmp_path: Path, code: str) -> None:
    head, _, rest = MODEL.partition("        optimizer = ")
    text = head + "        " + code + "\n\n\nclass Data" + rest.partition("class Data")[2]
    text = text.replace("class Stream", "def make(model):\n    return model.optimizer\n\n\nclass Stream")
    assert only(report_on(tmp_path, text), "Net")["optimizer"] == OPTIMIZERS[code]


def test_a_schedulers_steps(tmp_path: Path) -> None:
    found = only(report_on(tmp_path, MODEL), "Net")["optimizer"]
    assert found == "one optimizer, a scheduler that steps every 5 steps"


def test_what_stands_in_the_way(tmp_path: Path) -> None:
    """All that a build would say: of each model that nothing else derives from."""
    text = MODEL.replace("width: int", "width").replace(
        "class Data(", "class Other(L.LightningModule):\n    pass\n\n\nclass Data("
    )
    text = text.replace("        return loss", "        self.fabric\n        return undefined")
    problems = report_on(tmp_path, text)["problems"]
    assert {(problem["code"], problem["severity"]) for problem in problems} == {
        ("missing-argument", "error"),
        ("no-configure-optimizers", "error"),
        ("no-training-step", "error"),
        ("uncalled-hook", "note"),
        ("unsupported-member", "error"),
    }
    assert len({json.dumps(problem) for problem in problems}) == len(problems), "each is said once"


def test_a_name_that_is_defined_nowhere(tmp_path: Path) -> None:
    text = MODEL.replace("width: int", "width: int = 4").replace("return loss", "return undefined")
    problems = report_on(tmp_path, text)["problems"]
    assert "undefined-name" in {problem["code"] for problem in problems}


def test_a_file_without_a_model(tmp_path: Path) -> None:
    report = report_on(tmp_path, "x = 1\n")
    assert report["classes"] == []
    assert [problem["code"] for problem in report["problems"]] == ["no-model"]


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(
    "content", ["class M(:\n", "x = " + "-" * 15_000 + "1\n"], ids=["no Python", "too deep"]
)
def test_a_file_that_cannot_be_read(tmp_path: Path, content: str, options: list[str]) -> None:
    path = tmp_path / "model.py"
    path.write_text(content)
    result = inspect(path, *options)
    assert result.exit_code == 1
    if options:
        assert [problem["severity"] for problem in json.loads(result.stdout)] == ["error"]
    else:
        assert "error[" in result.stderr


TEXT = """\
Base: LightningModule, line 17
  arguments  width, lr = 1e-2
  hooks      on_train_start

Net (Base): LightningModule, line 26
  arguments  width, lr = 1e-2
  steps      configure_optimizers, test_step, training_step
  hooks      on_train_start
  optimizer  one optimizer, a scheduler that steps every 5 steps
  logged     f"by_{batch_idx}", loss, twice

Data: LightningDataModule, line 42
  arguments  batch_size = 2
  steps      train_dataloader, val_dataloader
  hooks      setup
  data       train_dataloader: map-style, val_dataloader: iterable, of known length

"""


def test_the_report_for_people(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    said = inspect(path).stdout
    assert said.startswith(TEXT)
    path.write_text(MODEL.replace("width: int", "width"))
    said = inspect(path).stdout
    assert "error[missing-argument]" in said
    assert "Nothing stands in the way" not in said
    path.write_text(MODEL.replace("width: int", "width: int = 4"))
    said = inspect(path).stdout
    assert "note[uncalled-hook]" in said
    assert said.endswith("\n\nNothing stands in the way of a script.\n")


def test_classes_of_other_files(tmp_path: Path) -> None:
    """A project of several files is read as it is for a build, from the same folders."""
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "nets.py").write_text(MODEL.replace("width: int", "width: int = 4"))
    entry = tmp_path / "main.py"
    entry.write_text(
        "from nets import Data, Net\n\n\nclass Mine(Net):\n    pass\n\n\nclass MyData(Data):\n    pass\n"
    )
    result = inspect(entry, "--root", str(tmp_path / "library"), "--json")
    report = json.loads(result.stdout)
    assert only(report, "Mine")["bases"] == ["Net", "Base"]
    assert Path(only(report, "Net")["path"]).name == "nets.py"
    assert only(report, "Net")["line"] == 26
    assert "nets.py:26" in inspect(entry, "--root", str(tmp_path / "library")).stdout


# ---- values and calls ------------------------------------------------------------------------------------

MAIN = """\
import argparse
import lightning as L

class Net(L.LightningModule):
    def __init__(self, width):
        self.width = width

args = argparse.ArgumentParser().parse_args()
net = Net(args.width)
L.Trainer(**unseen()).fit(net)
"""


def inspected(folder: Path, *options: str) -> Result:
    path = folder / "main.py"
    path.write_text("from nowhere import unseen\n" + MAIN)
    return CliRunner().invoke(main, ["inspect", str(path), *options], catch_exceptions=False)


def test_what_an_expression_may_be(tmp_path: Path) -> None:
    found = json.loads(inspected(tmp_path, "--values", "11:27", "--json").output)
    assert [each["code"] for each in found] == ["net"]
    (value,) = found[0]["values"]
    assert (value["kind"], value["line"]) == ("instance", 10)
    assert value["text"] == "an object of `Net`, made by `Net(args.width)`"


def test_all_expressions_of_a_line_for_people(tmp_path: Path) -> None:
    output = inspected(tmp_path, "--values", "10").output
    assert "main.py:10:11: `args.width` may be\n  the option `args.width`" in output
    assert "the class `Net` (line 5)" in output


def test_why_something_is_unknown(tmp_path: Path) -> None:
    output = inspected(tmp_path, "--values", "11:13").output
    assert "`unseen` may be\n  `nowhere.unseen`" in output


def test_a_place_that_is_none(tmp_path: Path) -> None:
    result = inspected(tmp_path, "--values", "ten")
    assert result.exit_code == 2
    assert "'ten' is no line" in result.output


def test_calls_with_what_they_may_call(tmp_path: Path) -> None:
    found = {each["code"]: each for each in json.loads(inspected(tmp_path, "--calls", "--json").output)}
    made = found["Net(args.width)"]
    assert (made["calls"], made["makes"], made["within"]) == (["main.Net.__init__"], ["main.Net"], "main")
    assert found["L.Trainer(**unseen())"]["calls"] == ["lightning.Trainer"]
    assert "main.py:10:7: Net(args.width) calls main.Net.__init__" in inspected(tmp_path, "--calls").output


# ---- LightningCLI ----------------------------------------------------------------------------------------

NET = """
import lightning as L
import torch
from lightning.pytorch.cli import LightningCLI


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 4))
"""

WRITTEN = """


class NetCLI(LightningCLI):
    def add_arguments_to_parser(self, parser):
        parser.set_defaults({"trainer.max_epochs": 3})

    def before_fit(self):
        print(self.model)


cli = NetCLI(Net)
print(cli.trainer.current_epoch)
"""


def test_a_command_line_is_read_as_a_build_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(NET + WRITTEN)
    report = report_of(path)
    assert [found.name for found in report.classes] == ["Net"]
    assert not report.problems


def test_classes_are_told_where_a_command_line_wants_its_file(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(NET.replace("def __init__(self)", "def __init__(self, sizes: list)") + WRITTEN)
    report = report_of(path)
    assert [found.name for found in report.classes] == ["Net"]
    assert [problem.code for problem in report.problems] == ["missing-cli-argument"]
