"""Time of `ddpgen build`, in a new process: against black alone on the same output, and over sizes of input.

And of `ddpgen check`, of a hundred scripts.

python tests/benchmarks/bench_build.py
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

DIGITS = Path(__file__).parents[2] / "generated_examples" / "digits"
TUMOURS = DIGITS.with_name("tumours")
LINES = [250, 500, 1000, 2000, 4000, 8000]
MODULES = [5, 10, 20, 40]
SCRIPTS = 100

MODEL = """\
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Model(L.LightningModule):
    def __init__(self, width: int = 4):
        super().__init__()
        self.layer = nn.Linear(width, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss)
        return {calls}

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
"""

FUNCTION = '''


class Scale{i}(nn.Module):
    """Scales by a number that is learned."""

    def __init__(self, start: float = {i}.0):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(start))  # one for all elements

    def forward(self, x):
        if x.ndim > {i}:
            x = x.flatten({i})
        return x * self.scale + {i}
'''


def model_of(lines: int) -> str:
    """A model of about that many lines, all of which are needed."""
    count = max(1, (lines - MODEL.count("\n")) // FUNCTION.count("\n"))
    head, line, rest = MODEL.partition("\n\n\nclass Model")
    classes = "".join(FUNCTION.format(i=i) for i in range(count)).rstrip()
    calls = "sum([" + ", ".join(f"Scale{i}()(loss)" for i in range(count)) + "])"
    return head + "\n\n\n" + classes.strip() + (line + rest).format(calls=calls)


BLOCKS = '''\
"""Blocks, and the callback that comes with them."""

import lightning as L
import torch
from torch import nn
{before}

class Block{i}(nn.Module):
    """A residual block of two layers."""

    def __init__(self, width: int = 4, depth: int = {i}):
        super().__init__()
        self.first = nn.Linear(width, 2 * width)
        self.second = nn.Linear(2 * width, width)
        self.depth = depth

    def forward(self, x):
        hidden = torch.relu(self.first(x))
        for _ in range(self.depth):
            hidden = torch.tanh(hidden)
        return {inner}x + self.second(hidden)


class Count{i}(L.Callback):
    def __init__(self, every: int = {i}):
        self.every, self.seen = every, 0

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.seen += 1
        if trainer.global_step % self.every == 0:
            pl_module.log("seen_{i}", float(self.seen))
'''

TRAIN = """\
import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

{imports}


class Model(L.LightningModule):
    def __init__(self, width: int = 4):
        super().__init__()
        self.save_hyperparameters()
        self.block = Block{last}(width)

    def training_step(self, batch, batch_idx):
        loss = self.block(batch[0]).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main(epochs: int):
    loader = DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
    trainer = L.Trainer(max_epochs=epochs, callbacks=[{callbacks}])
    trainer.fit(Model(), loader)


if __name__ == "__main__":
    main(2)
"""


def package_of(count: int, folder: Path) -> Path:
    """A project of so many modules, all of which are reached, each by the next."""
    package = folder / "blocks"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    for i in range(1, count - 1):
        before = f"\nfrom .blocks{i - 1} import Block{i - 1}\n" if i > 1 else ""
        inner = f"Block{i - 1}().to(x.device)(x) + " if i > 1 else ""
        (package / f"blocks{i}.py").write_text(BLOCKS.format(i=i, before=before, inner=inner))
    last = count - 2
    imports = [f"from blocks.blocks{i} import Count{i}" for i in range(1, last)]
    imports.append(f"from blocks.blocks{last} import Block{last}, Count{last}")
    callbacks = ", ".join(f"Count{i}()" for i in range(1, last + 1))
    train = folder / "train.py"
    train.write_text(TRAIN.format(imports="\n".join(imports), last=last, callbacks=callbacks))
    return train


Seconds = tuple[float, float]  # of the clock, and of the processor


def seconds(action: Callable[[], object]) -> Seconds:
    start, before = time.perf_counter(), os.times()
    action()
    wall, after = time.perf_counter() - start, os.times()
    user = after.children_user - before.children_user
    return wall, user + after.children_system - before.children_system


def python(*arguments: object, given: str | None = None) -> None:
    command = [sys.executable, *map(str, arguments)]
    subprocess.run(
        command, input=given, text=True, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def build(model: Path, script: Path, *options: object) -> None:
    script.unlink(missing_ok=True)
    python("-m", "ddpgen", "build", model, "-o", script, *options)


def interleaved(rounds: int, actions: dict[str, Callable[[], object]]) -> dict[str, Seconds]:
    """The median seconds of each of `actions`, run in turn."""
    times: dict[str, list[Seconds]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            times[name].append(seconds(action))
    return {
        name: (median(wall for wall, _ in values), median(cpu for _, cpu in values))
        for name, values in times.items()
    }


def against_black(rounds: int, folder: Path) -> None:
    script = folder / "train_ddp.py"
    options = ("--strategy", DIGITS / "ddp.yaml")
    build(DIGITS / "model.py", script, *options)
    text = script.read_text()
    # black reads from stdin, where it has no cache
    times = interleaved(
        rounds,
        {
            "`ddpgen build`": lambda: build(DIGITS / "model.py", script, *options),
            "`black` on its output": lambda: python("-m", "black", "-q", "-", given=text),
            "`import black, libcst, pydantic, jinja2, click`": lambda: python(
                "-c", "import black, libcst, pydantic, jinja2, click"
            ),
            "`python -c pass`": lambda: python("-c", "pass"),
        },
    )
    print("| digits, in a new process | seconds | of the processor |\n|---|--:|--:|")
    for name, (wall, cpu) in times.items():
        print(f"| {name} | {wall:.2f} | {cpu:.2f} |")


def over_sizes(rounds: int, folder: Path) -> None:
    model, script = folder / "large.py", folder / "train_large.py"
    print("\n| lines of the model | seconds | of the processor | its milliseconds per further line |")
    print("|--:|--:|--:|--:|")
    first: tuple[int, float] | None = None
    for lines in LINES:
        model.write_text(model_of(lines))
        exact = model.read_text().count("\n")
        wall, taken = interleaved(rounds, {"build": lambda: build(model, script)})["build"]
        first = first or (exact, taken)
        slope = f"{(taken - first[1]) / (exact - first[0]) * 1000:.2f}" if exact > first[0] else ""
        print(f"| {exact:,} | {wall:.2f} | {taken:.2f} | {slope} |", flush=True)


def over_modules(rounds: int, folder: Path) -> None:
    shutil.copytree(TUMOURS, folder / "tumours")
    tumours = (folder / "tumours" / "train.py", "--strategy", folder / "tumours" / "ddp.yaml", "--force")
    wall, cpu = interleaved(rounds, {"": lambda: build(tumours[0], folder / "tumours.py", *tumours[1:])})[""]
    print("\n| a project | seconds | of the processor |\n|---|--:|--:|")
    print(f"| tumours | {wall:.2f} | {cpu:.2f} |", flush=True)
    for count in MODULES:
        train = package_of(count, folder / f"package{count}")
        wall, cpu = interleaved(rounds, {"": partial(build, train, train.with_name("out.py"))})[""]
        print(f"| {count} modules | {wall:.2f} | {cpu:.2f} |", flush=True)


def over_scripts(rounds: int, folder: Path) -> None:
    projects = [folder / "many" / f"project{i}" for i in range(SCRIPTS)]
    for project in projects:
        shutil.copytree(DIGITS, project)

    def check(*options: str) -> Seconds:
        command = [sys.executable, "-m", "ddpgen", "check", str(folder / "many"), *options]
        return interleaved(rounds, {"": lambda: subprocess.run(command, check=True, capture_output=True)})[""]

    print(f"\n| `ddpgen check` of {SCRIPTS} scripts | seconds | of the processor |\n|---|--:|--:|")
    for what, options in (("unchanged", ()), ("built anew", ("--rebuild",))):
        wall, cpu = check(*options)
        print(f"| {what} | {wall:.2f} | {cpu:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    with tempfile.TemporaryDirectory() as folder:
        against_black(arguments.rounds, Path(folder))
        over_sizes(max(1, arguments.rounds // 2), Path(folder))
        over_modules(max(1, arguments.rounds // 2), Path(folder))
        over_scripts(1, Path(folder))


if __name__ == "__main__":
    main()
