"""What the spec describes by `class_path`: callbacks, loggers and optimizers, found, made and told of."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from worlds import ran

MODEL = """
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, inner: nn.Module | None = None):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
"""

WATCH = """
from lightning.pytorch.callbacks import Callback, ModelCheckpoint

LIMIT = {limit}


class Watch(Callback):
    def __init__(self, every: int = LIMIT):
        self.every = every


class Best(ModelCheckpoint):
    pass
"""

FILES = {
    "main.py": "from lightning.pytorch.cli import LightningCLI\n\nLightningCLI()\n",
    "model.py": MODEL,
    "a/callbacks.py": WATCH.format(limit=1),
    "b/callbacks.py": WATCH.format(limit=2),
    "layers.py": "from torch import nn\n\n\nclass Inner(nn.Module):\n    pass\n",
}
HEAD = "seed_everything: 1\nmodel: model.Net\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.lstrip())
    return tmp_path


def build(project: Path, spec: str, entry: str = "main.py", output: str = "train.py") -> tuple[str, str]:
    """The script, and what was said."""
    (project / "spec.yaml").write_text(spec)
    command = [
        "build",
        str(project / entry),
        "--strategy",
        str(project / "spec.yaml"),
        "-o",
        str(project / output),
    ]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return (project / output).read_text(), result.stderr


def trainer_of(script: str) -> str:
    """`Trainer(...)`, on one line."""
    made = script.partition("\ndef main")[2].partition("    trainer = ")[2].partition("\n    model = ")[0]
    return " ".join(made.split()).replace("( ", "(").replace(" )", ")").replace("[ ", "[").replace(" ]", "]")


# ---- what is found ---------------------------------------------------------------------------------------


def test_classes_of_one_name_in_modules_that_nothing_imports(project: Path) -> None:
    script, _ = build(project, HEAD + "trainer: {callbacks: [a.callbacks.Watch, b.callbacks.Watch]}\n")
    assert trainer_of(script) == "Trainer(callbacks=[Watch(), CallbacksWatch()])"
    assert "def __init__(self, every: int = CALLBACKS_LIMIT):" in script
    assert "# from a/callbacks.py" in script
    assert "# from b/callbacks.py" in script


def test_what_does_not_know_of_lightning_stays_an_import(project: Path) -> None:
    (project / "out").mkdir()
    spec = (
        "seed_everything: 1\nmodel: {class_path: model.Net, init_args: {inner: {class_path: layers.Inner}}}\n"
    )
    script, _ = build(project, spec, output="out/train.py")
    assert "from layers import Inner\n" in script
    assert "class Inner" not in script
    assert script.index("sys.path") < script.index("from layers import Inner")
    assert "model = Net(inner=Inner())" in script


def test_a_file_of_one_line_and_one_with_aliases(project: Path) -> None:
    one, _ = build(project, "{model: model.Net, trainer: {logger: {class_path: CSVLogger, init_args: {save_dir: x}}, "
                   "callbacks: {class_path: a.callbacks.Watch, init_args: {every: 5}}}}")  # fmt: skip
    assert trainer_of(one) == 'Trainer(loggers=[CSVLogger(save_dir="x")], callbacks=[Watch(every=5)])'
    spec = (
        HEAD
        + "trainer:\n  callbacks:\n    - class_path: a.callbacks.Watch\n      init_args: &args {every: 7}\n"
    )
    other, _ = build(project, spec + "    - {class_path: b.callbacks.Watch, init_args: *args}\n")
    assert trainer_of(other) == "Trainer(callbacks=[Watch(every=7), CallbacksWatch(every=7)])"


# ---- what is made ----------------------------------------------------------------------------------------


def test_what_is_the_default_anyway_is_left_out(project: Path) -> None:
    arguments = "{monitor: loss, mode: min, save_top_k: 1, filename: null, verbose: false, save_last: true}"
    described = f"{{class_path: a.callbacks.Best, init_args: {arguments}}}"
    script, _ = build(project, HEAD + f"trainer: {{callbacks: [{described}, a.callbacks.Watch]}}\n")
    assert trainer_of(script) == 'Trainer(callbacks=[Watch(), Best(monitor="loss", save_last=True)])'


@pytest.mark.parametrize(
    "strategy",
    [
        "ddp_find_unused_parameters_true",
        "{class_path: lightning.pytorch.strategies.DDPStrategy, init_args: {find_unused_parameters: true}}",
    ],
)
def test_unused_parameters_are_looked_for_where_the_strategy_does(project: Path, strategy: str) -> None:
    script, _ = build(project, HEAD + f"trainer: {{strategy: {strategy}}}\n")
    assert "find_unused_parameters=True" in script


def test_unused_parameters_are_looked_for_where_a_strategy_that_is_made_does(project: Path) -> None:
    made = "L.Trainer(strategy=DDPStrategy(find_unused_parameters=True), max_epochs=3).fit(Net())\n"
    entry = MODEL + f'\n\nif __name__ == "__main__":\n    {made}'
    (project / "train_net.py").write_text("from lightning.pytorch.strategies import DDPStrategy\n" + entry)
    script, said = build(project, "strategy: ddp\n", "train_net.py")
    assert "find_unused_parameters=True" in script
    assert "note[strategy-taken-over]" in said


def test_with_a_trainer_in_the_code(project: Path) -> None:
    entry = MODEL + '\n\nif __name__ == "__main__":\n    L.Trainer(max_epochs=3, logger=False).fit(Net())\n'
    (project / "train_net.py").write_text(entry)
    spec = "trainer: {logger: {class_path: CSVLogger, init_args: {save_dir: x}}, callbacks: [a.callbacks.Watch]}\n"
    script, said = build(project, spec, "train_net.py")
    assert "    max_epochs: int = 3\n" in script
    assert trainer_of(script) == 'Trainer(loggers=[CSVLogger(save_dir="x")], callbacks=[Watch()])'
    assert said == ""


def test_no_loggers_in_the_place_of_the_codes(project: Path) -> None:
    """An empty list, as Lightning's Trainer takes it, is `logger: false`."""
    entry = MODEL + '\n\nif __name__ == "__main__":\n    trainer = L.Trainer(logger=CSVLogger("x"))\n'
    entry += "    trainer.fit(Net())\n    print(trainer.global_step)\n"
    (project / "train_net.py").write_text("from lightning.pytorch.loggers import CSVLogger\n" + entry)
    without, _ = build(project, "trainer: {logger: []}\n", "train_net.py")
    assert "CSVLogger" not in without
    assert without == build(project, "trainer: {logger: false}\n", "train_net.py")[0]
    assert 'CSVLogger("x")' in build(project, "trainer: {callbacks: []}\n", "train_net.py")[0]


def test_an_optimizer_in_the_place_of_the_models_own(project: Path) -> None:
    spec = """
optimizer: {class_path: AdamW, init_args: {lr: 0.5}, fused: true}
lr_scheduler: {class_path: StepLR, init_args: {step_size: 2}}
"""
    script, _ = build(project, HEAD + spec)
    model = script.partition("class Net(")[2].partition("\n\n\n")[0]
    assert model.count("def configure_optimizers") == 1
    assert model.endswith(
        "    # from spec.yaml\n    def configure_optimizers(self):\n"
        "        optimizer = AdamW(self.parameters(), lr=0.5)\n"
        "        return [optimizer], [StepLR(optimizer, step_size=2)]"
    )
    assert "use_fused(optimizer)" in script


def test_what_is_described_is_explained_by_the_lines_that_describe_it(project: Path) -> None:
    trainer = "trainer:\n  callbacks:\n    - a.callbacks.Watch\n"
    build(project, HEAD + trainer + "optimizer:\n  class_path: Adam\n  init_args:\n    lr: 0.1\n")
    result = CliRunner().invoke(
        main, ["explain", "--json", str(project / "train.py")], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    described = [
        part for part in json.loads(result.stdout)["parts"] if "describes" in part["reason"]["sentence"]
    ]
    optimizer, made = sorted(described, key=lambda part: part["first"])
    assert optimizer["name"] == "Net.configure_optimizers"
    assert optimizer["origin"] == {"path": "spec.yaml", "first": 6, "last": 9}
    assert made["reason"]["places"] == [{"path": "spec.yaml", "first": 4, "last": 5}]


# ---- values ----------------------------------------------------------------------------------------------

TYPES = """
import typing as t
from collections.abc import Callable, Iterable
from datetime import timedelta
from enum import Enum
from pathlib import Path as P

import torch
from lightning.pytorch.callbacks import Callback, EarlyStopping
from torch import nn

Size = tuple[int, int]
T = t.TypeVar("T")


class Path:
    pass


class Speed(Enum):
    SLOW = 1
    FAST = 2


class Taking(Callback):
    def __init__(self, a{annotation}):
        pass


class Handing(EarlyStopping):
    def __init__(self, root: P, **kwargs):
        super().__init__(**kwargs)
"""

# An annotation, a value in YAML, and the code that comes of it; none: it is refused.
VALUES = [
    ("", "torch.nn.ReLU", "'torch.nn.ReLU'"),
    (": t.Any", "logs.Train", "'logs.Train'"),
    (": T", "runs.CSV", "'runs.CSV'"),
    (": t.Hashable", "data.Parquet", "'data.Parquet'"),
    (": float", "3", "3.0"),
    (": int", "2.5", "2.5"),
    (": int", "many", None),
    (": t.Optional[int]", "[3]", None),
    (": str", "3", None),
    (": int | None", "null", "None"),
    (": P", "some/where", 'Path("some/where")'),
    (": Path", "some/where", None),
    (": 'P | None'", "some/where", 'Path("some/where")'),
    (": Size", "[3, 4]", "(3, 4)"),
    (": Size", "[3, 4, 5]", None),
    (": tuple[float, ...]", "[3, 4, 5]", "(3.0, 4.0, 5.0)"),
    (": set[str]", "[a]", '{"a"}'),
    (": dict[str, float]", "{a: 1}", '{"a": 1.0}'),
    (": list[Speed]", "[SLOW, FAST]", "[Speed.SLOW, Speed.FAST]"),
    (": Speed", "NONE", None),
    (": Speed", "class", None),
    (": t.Literal['a', 'b']", "b", '"b"'),
    (": t.Literal['a', 'b']", "c", None),
    (": timedelta", "'1 day, 0:00:30'", "timedelta(days=1, seconds=30)"),
    (": timedelta", "{minutes: 3}", None),
    (": nn.Module", "torch.nn.ReLU", "ReLU()"),
    (": nn.Module | str", "plot.Png", '"plot.Png"'),
    (": nn.Module", "3", None),
    (": type[nn.Module]", "torch.nn.ReLU", "ReLU"),
    (": Callable", "torch.tanh", "tanh"),
    (": Callable", "{class_path: torch.nn.ReLU}", "ReLU()"),
    (": Callable[[Iterable], torch.optim.Optimizer]", "{class_path: torch.optim.SGD}", "partial(SGD)"),
    (": Callable[[torch.Tensor], torch.Tensor]", "{class_path: torch.nn.ReLU}", "ReLU()"),
]  # fmt: skip


@pytest.mark.parametrize(("annotation", "value", "code"), VALUES, ids=[f"{a} {v}" for a, v, _ in VALUES])
def test_values_are_what_annotations_ask_for(
    annotation: str, value: str, code: str | None, project: Path
) -> None:
    (project / "types_.py").write_text(TYPES.replace("{annotation}", annotation))
    spec = f"trainer:\n  callbacks:\n    class_path: types_.Taking\n    init_args:\n      a: {value}\n"
    if code is None:
        assert "error[wrong-type]: `a` takes" in refused(project, HEAD + spec)
    else:
        script, _ = build(project, HEAD + spec)
        assert trainer_of(script) == f"Trainer(callbacks=[Taking(a={code})])".replace("'", '"')


def refused(project: Path, spec: str) -> str:
    (project / "spec.yaml").write_text(spec)
    command = ["build", str(project / "main.py"), "--strategy", str(project / "spec.yaml")]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert result.exit_code == 1, result.output
    return result.stderr


def test_what_is_handed_on_to_a_base_is_known(project: Path) -> None:
    (project / "types_.py").write_text(TYPES.replace("{annotation}", ""))
    arguments = "{root: here, monitor: loss, min_delta: 1, patience: 3}"
    spec = HEAD + f"trainer: {{callbacks: {{class_path: types_.Handing, init_args: {arguments}}}}}\n"
    script, _ = build(project, spec)
    assert (
        trainer_of(script) == 'Trainer(callbacks=[Handing(root=Path("here"), monitor="loss", min_delta=1.0)])'
    )
    assert "`Handing` takes no argument `patienc`" in refused(project, spec.replace("patience", "patienc"))


def test_a_model_of_one_line_is_given_its_optimizer(project: Path) -> None:
    (project / "one.py").write_text("from model import Net\n\n\nclass One(Net): pass\n")
    script, _ = build(project, "model: one.One\noptimizer: Adam\n")
    assert "    def configure_optimizers(self):\n        return Adam(self.parameters())\n" in script


# ---- what it does ----------------------------------------------------------------------------------------


def run(script: Path, *options: str) -> None:
    code, said = ran(script, *options, folder=script.parent)
    assert code == 0, said[-3000:]


@pytest.mark.processes
def test_learning_rates_are_noted_where_no_logger_is_given(project: Path) -> None:
    build(project, HEAD + "trainer: {max_epochs: 2, callbacks: [LearningRateMonitor]}\n")
    run(project / "train.py", "--out", "out")
    rows = [json.loads(line) for line in (project / "out/metrics.jsonl").read_text().splitlines()]
    assert [row["lr-SGD"] for row in rows if "lr-SGD" in row] == [0.1, 0.1]


@pytest.mark.processes
def test_a_run_that_goes_on_equals_one_that_never_stopped(tmp_path: Path) -> None:
    source = Path(__file__).parent.parent / "generated_examples" / "cli_moons"
    shutil.copytree(source, tmp_path / "moons")
    script = tmp_path / "moons" / "train_ddp.py"
    run(script, "--out", "whole", "--max-epochs", "4")
    run(script, "--out", "parts", "--max-epochs", "2")
    run(script, "--out", "parts", "--max-epochs", "4", "--resume")
    whole, parts = (
        torch.load(script.parent / out / "last.ckpt", weights_only=True) for out in ("whole", "parts")
    )
    for name, weight in whole["state_dict"].items():
        assert torch.equal(parts["state_dict"][name], weight), name
    whole_states, part_states = (
        {key: state for key, state in each["callbacks"].items() if key.startswith("EarlyStopping")}
        for each in (whole, parts)
    )
    assert whole_states
    assert part_states == whole_states
