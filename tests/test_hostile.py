"""Whatever `ddpgen build` and `ddpgen inspect` are handed, they end in a script or in a diagnostic.

Never in a traceback, never by running the user's code, and never by writing over what is not theirs. Where a
script comes out, it is run as well: that it compiles says little about names that clash.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import random
import re
import runpy
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from click.testing import CliRunner, Result
from ddpgen.cli import main
from ddpgen.compile import Compiled, compile_script
from ddpgen.link.project import read_project
from ddpgen.source.source import Source

EXAMPLES = Path(__file__).parents[1] / "generated_examples"

SPEC = "strategy: ddp\nseed_everything: 1\ntrainer: {max_epochs: 1, enable_progress_bar: false}\n"

T = TypeVar("T")

# The capitals are replaced by what a test is about.
MODEL = """\
MODULE_DOCSTRING
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
TOP


class Tiny(L.LightningModule):
    CLASS_DOCSTRING
    def __init__(self ARGUMENTS):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        INIT

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = self.layer(x).square().mean()
        STEP
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
"""


def model(**parts: str) -> str:
    """A model that builds and trains, with `parts` where their names stand in MODEL."""

    def part(found: re.Match[str]) -> str:
        indent = found["indent"] or ""
        return indent + parts.get(found["name"], "pass" if indent else "").replace("\n", "\n" + indent)

    names = "MODULE_DOCSTRING|TOP|CLASS_DOCSTRING|ARGUMENTS|INIT|STEP"
    return re.sub(rf"(?m)(?P<indent>^ *)?\b(?P<name>{names})\b", part, MODEL)


# ---- running the commands --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Build:
    """How a build ended."""

    exit_code: int
    script: Path
    errors: list[dict[str, Any]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.script.read_text("utf-8")

    @property
    def codes(self) -> set[str]:
        return {error["code"] for error in self.errors}


def run(*arguments: object) -> Result:
    """The command, in this process; an exception that it lets through fails the test, and so does a broken script."""
    result = CliRunner().invoke(main, list(map(str, arguments)), catch_exceptions=False)
    assert "broken-script" not in result.output
    return result


def build(source: Path, spec: Path | None = None, *options: object) -> Build:
    """Build and inspect `source`, and check all that is true however they end."""
    script = source.parent / "train_built.py"
    strategy = ["--strategy", spec] if spec else []
    result = run("build", source, "-o", script, "--format", "json", *strategy, *options)
    assert result.exit_code in (0, 1), result.output
    diagnostics = json.loads(
        result.stdout if result.stdout.lstrip().startswith("[") else result.stderr or "[]"
    )
    for diagnostic in diagnostics:
        check_diagnostic(diagnostic)
    errors = [diagnostic for diagnostic in diagnostics if diagnostic["severity"] == "error"]
    assert bool(errors) == (result.exit_code == 1), result.output
    assert script.exists() == (result.exit_code == 0)
    if script.exists():
        check_script(script)
    else:  # what a build takes, inspect has seen in the same way
        check_inspect(source)
    return Build(result.exit_code, script, errors)


def check_diagnostic(diagnostic: dict[str, Any]) -> None:
    assert set(diagnostic) == {"code", "message", "span", "source_line", "severity", "subject"}
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", diagnostic["code"])
    assert diagnostic["severity"] in ("error", "warning", "note")
    assert diagnostic["message"].strip()
    assert "Traceback" not in diagnostic["message"]
    span = diagnostic["span"]
    assert span, f"no place: {diagnostic}"
    assert span["path"]
    assert span["line"] >= 1
    assert span["column"] >= 1
    assert (span["end_line"], span["end_column"]) >= (span["line"], span["column"])


def check_script(script: Path) -> None:
    """It compiles, and imports neither Lightning nor ddpgen."""
    tree = ast.parse(script.read_bytes())
    compile(tree, str(script), "exec")
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        )
    }
    assert not imported & {"lightning", "lightning_fabric", "pytorch_lightning", "ddpgen"}


_inspected: set[tuple[str, bytes]] = set()


def check_inspect(source: Path) -> None:
    """Once for all tests that build the same file."""
    file = (source.name, source.read_bytes() if source.is_file() else b"")
    if file in _inspected:
        return
    _inspected.add(file)
    result = run("inspect", source, "--json")
    assert result.exit_code in (0, 1), result.output
    report = json.loads(result.stdout)
    for diagnostic in report if result.exit_code else report["problems"]:
        check_diagnostic(diagnostic)


_trained: set[str] = set()


@dataclass(frozen=True)
class Workplace:
    """A folder of the test's own, with a spec in it."""

    folder: Path

    def build(self, source: str | bytes, spec: str | bytes = SPEC, name: str = "model.py") -> Build:
        path = self.folder / name
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        spec_path = self.folder / "spec.yaml"
        spec_path.write_bytes(spec.encode() if isinstance(spec, str) else spec)
        return build(path, spec_path)

    def train(self, built: Build) -> dict[str, Any]:
        """Run the script as it is run without torchrun, and return its globals."""
        pytest.importorskip("torch")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", [str(built.script), "--out", str(self.folder / "run")])
            patch.chdir(self.folder)
            return runpy.run_path(str(built.script), run_name="__main__")

    def must_train(self, source: str | bytes, **options: Any) -> tuple[str, dict[str, Any]]:
        """The script's text, and its globals after training."""
        built = self.build(source, **options)
        assert built.exit_code == 0, built.errors
        return built.text, self.train(built)

    def train_once(self, built: Build) -> None:
        """Train, unless some test has trained the same script."""
        if built.text not in _trained:
            self.train(built)
            _trained.add(built.text)

    def trains_or_refuses(self, source: str | bytes, **options: Any) -> None:
        built = self.build(source, **options)
        if built.exit_code == 0:
            self.train_once(built)

    def must_train_all(self, items: Sequence[T], source_of: Callable[[Sequence[T]], str]) -> None:
        """One model with all of `items`; where it fails, the halves, so that the failure is that of one item."""
        try:
            self.must_train(source_of(items))
        except Exception:
            if len(items) == 1:
                print(f"the one that fails: {items[0]}")
                raise
            for name, part in ("a", items[: len(items) // 2]), ("b", items[len(items) // 2 :]):
                inner = Workplace(self.folder / name)
                inner.folder.mkdir()
                inner.must_train_all(part, source_of)
            raise


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def test_the_model_that_all_others_are_made_from(workplace: Workplace) -> None:
    workplace.must_train(model())


# ---- files that are no models ----------------------------------------------------------------------------

LIGHTNING = "import lightning as L\n\n\nclass M(L.LightningModule):\n"

NOT_MODELS: dict[str, str | bytes] = {
    "empty": "",
    "blank lines": "\n\n   \n\t\n",
    "comments alone": "# nothing here\n",
    "docstring alone": '"""Nothing here."""\n',
    "plain functions": "def f(x):\n    return x\n",
    "a plain class": "class M:\n    def training_step(self, batch):\n        return 0\n",
    "a torch module": "from torch import nn\n\n\nclass M(nn.Module):\n    pass\n",
    "a data module alone": "import lightning as L\n\n\nclass D(L.LightningDataModule):\n    pass\n",
    "a foreign LightningModule": "from other import LightningModule as B\n\n\nclass M(B):\n    pass\n",
    "an empty model": LIGHTNING + "    pass\n",
    "a step that is no function": LIGHTNING + "    training_step = None\n",
    "a step that is a lambda": LIGHTNING + "    training_step = lambda self, batch: 0\n",
    "a step without arguments": LIGHTNING + "    def training_step():\n        pass\n",
    "a base of itself": "import lightning as L\n\n\nclass M(M):\n    pass\n",
    "bases in a circle": "import lightning as L\n\n\nclass A(B):\n    pass\n\n\nclass B(A):\n    pass\n",
    "a star import": "from lightning import *\nfrom nowhere import *\nx = LightningModule\n",
    "a class deleted": LIGHTNING + "    pass\n\n\ndel M\n",
    "a syntax error": "class M(:\n",
    "a syntax error at the end": model() + "\n)\n",
    "a syntax error in an f-string": 'x = f"{"\n',
    "Python 2": "print 'hello'\n",
    "a keyword as a name": "class class(object): pass\n",
    "a return at the top": model() + "\nreturn 1\n",
    "an await at the top": model() + "\nawait x\n",
    "a break at the top": model() + "\nbreak\n",
    "assignment to a keyword": model() + "\nNone = 1\n",
    "two arguments of one name": "def f(a, a): pass\n",
    "mixed tabs and spaces": "if 1:\n\tx = 1\n        \ty = 2\n",
    "a lone backslash": "x = 1\\",
    "an unclosed string": "x = '''",
    "control-Z": model() + "\x1a",
    "a no-break space": "x\u00a0= 1\n",
    "HTML": "<!doctype html><title>404</title>\n",
    "JSON": '{"nbformat": 4, "cells": []}',
    "a merge conflict": "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> b\n",
    "null bytes": b"x = 1\0\n",
    "an object file": b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 8,
    "a pickle": b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00",
    "bytes at random": random.Random(0).randbytes(4096),
    "Latin-1 without a cookie": model(TOP='NOTE = "\u00e9"').encode("latin-1"),
    "UTF-16": model().encode("utf-16"),
    "UTF-16 without a mark": model().encode("utf-16-le"),
    "UTF-32": model().encode("utf-32"),
    "a surrogate": model(TOP='NOTE = "\ud800"').encode("utf-8", "surrogatepass"),
    "a cookie of no encoding": b"# -*- coding: no-such-encoding -*-\n" + model().encode(),
    "a cookie that is not text": b"# -*- coding: rot13 -*-\n" + model().encode(),
    "a cookie of bytes": b"# -*- coding: hex -*-\n" + model().encode(),
    "a cookie of the undefined": b"# -*- coding: undefined -*-\n" + model().encode(),
    "a cookie of UTF-16": b"# -*- coding: utf-16 -*-\n" + model().encode(),
    "a mark and another cookie": b"\xef\xbb\xbf# -*- coding: latin-1 -*-\n" + model().encode(),
}


@pytest.mark.parametrize("name", NOT_MODELS)
def test_what_is_no_model_is_refused(workplace: Workplace, name: str) -> None:
    built = workplace.build(NOT_MODELS[name])
    assert built.exit_code == 1


# ---- ways to write the same file -------------------------------------------------------------------------

SAME_MODEL: dict[str, bytes] = {
    "a byte-order mark": b"\xef\xbb\xbf" + model().encode(),
    "a mark and a cookie": b"\xef\xbb\xbf# coding: utf-8\n" + model().encode(),
    "Latin-1 with a cookie": b"# -*- coding: latin-1 -*-\n" + model(TOP='NOTE = "\u00e9"').encode("latin-1"),
    "a cookie in the second line": b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n"
    + model().encode(),
    "a shebang": b"#!/usr/bin/env python3\n" + model().encode(),
    "CRLF": model().replace("\n", "\r\n").encode(),
    "CR": model().replace("\n", "\r").encode(),
    "line ends of all kinds": model().replace("\n", "\r\n", 5).replace("\n\n", "\r\n\n").encode(),
    "no last newline": model().rstrip().encode(),
    "many last newlines": model().encode() + b"\n" * 50,
    "blanks at the end": model().encode() + b"    \n\t\n  ",
    "tabs": model().replace("    ", "\t").encode(),
    "eight spaces": model().replace("    ", " " * 8).encode(),
    "one space": model().replace("    ", " ").encode(),
    "a form feed between classes": model(TOP="\f").encode(),
    "a form feed in front": b"\f" + model().encode(),
    "form feeds before indentation": model().replace("\n\n    def", "\n\f\n    def").encode(),
    "blanks at the ends of lines": model().replace("\n", "  \n").encode(),
    "backslashes": model().replace("(x,) = batch", "(x,) \\\n            = \\\n  batch").encode(),
    "semicolons": model(TOP="A = 1; B = 2;").encode(),
    "a long line": model(TOP="A = " + " + ".join(["1"] * 80) + "  # " + "x" * 5000).encode(),
    "many blank lines": model().replace("\n\n", "\n" * 40).encode(),
}


@pytest.mark.parametrize("name", SAME_MODEL)
def test_the_same_file_written_otherwise(workplace: Workplace, name: str) -> None:
    built = workplace.build(SAME_MODEL[name])
    assert built.exit_code == 0, built.errors
    workplace.train_once(built)


# ---- literals, docstrings and comments -------------------------------------------------------------------

LITERALS: dict[str, str] = {
    "Jinja expression": '"{{ script.model }}"',
    "Jinja statement": '"{% for x in y %}{{ x }}{% endfor %}"',
    "Jinja comment": '"{# gone? #}"',
    "Jinja unclosed": '"{{ {% {#"',
    "Jinja raw": '"{% endraw %}{{ 7 * 7 }}{% raw %}"',
    "percent signs": '"100 % %(prog)s %s %d"',
    "dollars": '"$name ${name} $$"',
    "format fields": '"{0} {name!r:>{width}} {{}}"',
    "double quotes": "'say \"hi\"'",
    "single quotes": '"it\'s"',
    "triple quotes": "'''a \"\"\" b'''",
    "ends in a quote": '"""quote: \\""""',
    "ends in a backslash": r'"\\"',
    "backslashes": r'"\\d+\\n\\N{x}\\"',
    "raw": r'r"\d+\{[\"]"',
    "escapes": r'"\N{SNOWMAN}\u2028\x00\x1b[31m\r\n"',
    "continued": '"a\\\nb"',
    "several lines": '"""a  \n\n   b\t\n"""',
    "line separators": '"a\u2028b\u2029c\x85d"',
    "form feed": '"a\fb"',
    "tab": '"a\tb"',
    "emoji": '"\U0001f525\U0001f1e9\U0001f1ea\u00e9 e\u0301"',
    "right to left": '"\u202eabc\u202c"',
    "half a surrogate": r'"\ud800"',
    "concatenated": '"a" "b" \'c\'',
    "looks like a comment": '"# not a comment"',
    "looks like the guard": "'if __name__ == \"__main__\":'",
    "looks like a section": "'# ---- config ----'",
    "looks like code": '"import lightning as L; self.log(1)"',
    "long": '"' + "x" * 3000 + '"',
    "empty": '""',
}

MORE_LITERALS: dict[str, str] = {
    "bytes": r'b"\x00\xff{{ }}"',
    "f-string": 'f"{1 + 1}"',
    "f-string, nested": "f\"{'a' + f'{1 + 1}'}\"",
    "f-string, braces": 'f"{{{1}}} {{ }} {{% %}}"',
    "f-string, format": 'f"{3.14159:{5}.{2}}"',
    "f-string, debug": 'f"{1 + 1 = }"',
    "f-string, three quotes": "f'''{\"a\" + 'b'}'''",
    "nested braces": "{'a': {'b': {}}, 'c': [{}, {1}]}",
    "big number": "10 ** 50",
    "odd numbers": "(0xFF, 0b1, 1_000, 1e-3, 1E5, 5j, .5, 5.)",
    "infinity": "1e999",
    "lambda": "(lambda x={'{{': '}}'}: x)()",
}


def _with_strings(names: Sequence[str]) -> str:
    """Each as a constant, as an argument's default and so in the script's Config, and as a docstring."""
    top, arguments, seen = "SEEN = {}\n", "", ""
    for i, name in enumerate(names):
        # Python takes no half of a character as a docstring
        docstring = '""' if "half" in name else LITERALS[name]
        top += f"NOTE{i} = {LITERALS[name]}\n\n\ndef documented{i}():\n    {docstring}\n\n\n"
        arguments += f", note{i}: str = {LITERALS[name]}"
        seen += f"SEEN[{name!r}] = (NOTE{i}, note{i}, documented{i}.__doc__)\n"
    return model(MODULE_DOCSTRING=LITERALS[names[0]], TOP=top, ARGUMENTS=arguments, INIT=seen)


def test_strings_are_kept_wherever_they_stand(workplace: Workplace) -> None:
    _, script = workplace.must_train(_with_strings(list(LITERALS)))
    for name, (constant, default, doc) in script["SEEN"].items():
        value = ast.literal_eval(LITERALS[name])
        assert constant == default == value
        # black may move a docstring's blanks
        assert (doc or "").split() == ("" if "half" in name else value).split()
    assert len(script["SEEN"]) == len(LITERALS)


@pytest.mark.parametrize("name", [name for name in LITERALS if "half" not in name])
def test_the_files_docstring_is_not_in_the_way(name: str) -> None:
    docstrings = model(MODULE_DOCSTRING=LITERALS[name], CLASS_DOCSTRING=LITERALS[name])
    assert read_project(Source.parse("model.py", docstrings)).classes["Tiny"].kind == "module"


def test_literals_keep_their_values(workplace: Workplace) -> None:
    names = list(MORE_LITERALS)
    top = "SEEN = {}\n" + "\n".join(f"NOTE{i} = {MORE_LITERALS[name]}" for i, name in enumerate(names))
    init = "\n".join(f"SEEN[{name!r}] = (NOTE{i}, {MORE_LITERALS[name]})" for i, name in enumerate(names))
    _, script = workplace.must_train(model(TOP=top, INIT=init))
    expected = {name: eval(literal) for name, literal in MORE_LITERALS.items()}
    assert script["SEEN"] == {name: (value, value) for name, value in expected.items()}


def test_the_script_still_prints_its_help(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["percent signs", "Jinja unclosed", "format fields", "ends in a backslash"]
    built = workplace.build(_with_strings(names))
    assert built.exit_code == 0, built.errors
    monkeypatch.setattr(sys, "argv", [str(built.script), "--help"])
    with pytest.raises(SystemExit) as exit_:
        runpy.run_path(str(built.script), run_name="__main__")
    assert not exit_.value.code
    assert "--note3" in capsys.readouterr().out


COMMENTS: dict[str, str] = {
    "Jinja": "# {{ x }} {% raw %} {# y #}",
    "quotes": "# \"\"\" ''' \" '",
    "backslash": "# ends in \\",
    "emoji": "# \U0001f525 \u202e",
    "fmt off": "# fmt: off",
    "fmt on": "# fmt: on",
    "fmt skip": "X = [1,2]  # fmt: skip",
    "noqa": "# flake8: noqa",
    "type ignore": "# type: ignore",
    "type comment": "# type: (int) -> str",
    "isort": "# isort: skip_file",
    "cell": "# %%",
    "no space": "#:x",
    "section": "# ---- config " + "-" * 80,
}


# Those that do nothing to the lines below them stand together.
COMMENT_GROUPS = [["fmt off"], ["fmt on"], ["fmt skip"], ["type comment"]]
COMMENT_GROUPS.append([name for name in COMMENTS if [name] not in COMMENT_GROUPS])


@pytest.mark.parametrize("names", COMMENT_GROUPS, ids=lambda names: names[0])
def test_comments_do_no_harm_and_stay(workplace: Workplace, names: list[str]) -> None:
    lines = "\n".join(COMMENTS[name] for name in names)
    text, _ = workplace.must_train(model(TOP=lines, CLASS_DOCSTRING=lines + "\n", INIT=lines, STEP=lines))
    for name in names:
        assert text.count(COMMENTS[name].partition("#")[2].strip()) >= 3, name


# ---- names -----------------------------------------------------------------------------------------------

# Names that a script binds, or may bind, itself.
SCRIPT_NAMES = [
    *["main", "fit", "validate", "run_validation", "to_device", "shard", "parse_config", "seed_everything"],
    *["ranks_from_env", "setup_distributed", "single_auto_sync", "write_checkpoint", "read_checkpoint"],
    *[
        "Config",
        "Ranks",
        "TrainModule",
        "DataModule",
        "HParams",
        "TrainingStep",
        "ModelStep",
        "PreparedOptimizer",
        "Trainer",
        "Logs",
    ],
    *[
        "config",
        "ranks",
        "data",
        "device",
        "step",
        "epoch",
        "optimizer",
        "scheduler",
        "logs",
        "trainer",
    ],
    *[
        "json",
        "os",
        "math",
        "random",
        "argparse",
        "dist",
        "np",
        "tqdm",
        "F",
        "Path",
        "Any",
        "Tensor",
        "Iterator",
    ],
    *[
        "dataclass",
        "field",
        "fields",
        "timedelta",
        "contextmanager",
        "DistributedDataParallel",
        "annotations",
    ],
    *["type", "match", "case", "print", "len", "open", "list", "dict", "int", "float", "isinstance", "range"],
]

USES: dict[str, tuple[str, str]] = {
    "function": ("def {name}(x):\n    return x * 2", "loss = {name}(loss)"),
    "constant": ("{name} = 2.0", "loss = loss * {name}"),
    "class": ("class {name}:\n    scale = 2.0", "loss = loss * {name}.scale"),
    "import": ("import cmath as {name}", "loss = loss * {name}.pi"),
}


def _using(names: Iterable[str], kind: str) -> str:
    top, step = ("\n".join(part.format(name=name) for name in names) for part in USES[kind])
    return model(TOP=top, STEP=step)


@pytest.mark.parametrize("kind", USES)
def test_things_of_names_that_the_script_may_want(workplace: Workplace, kind: str) -> None:
    workplace.must_train_all(SCRIPT_NAMES, lambda names: _using(names, kind))


@pytest.mark.parametrize(
    "name", ["Config", "Trainer", "TrainModule", "main", "fit", "Tensor", "Path", "type"]
)
def test_a_model_of_a_name_that_the_script_may_want(workplace: Workplace, name: str) -> None:
    workplace.trains_or_refuses(model().replace("Tiny", name))


ARGUMENT_NAMES = [
    *[
        "seed",
        "out",
        "resume",
        "config",
        "model",
        "data",
        "ranks",
        "device",
        "rank",
        "max_epochs",
        "help",
        "h",
    ],
    *["accumulate_grad_batches", "gradient_clip_val", "log_every_n_steps", "batch_size", "trainer", "args"],
    *[
        "type",
        "match",
        "class_",
        "_private",
        "__dunder__",
        "camelCase",
        "gr\u00f6\u00dfe",
        "torch",
        "Tiny",
    ],
    *["field", "dataclass", "str", "int", "float", "bool", "print", "prog", "default", "action", "no_resume"],
]


def test_arguments_of_names_that_the_script_may_want(workplace: Workplace) -> None:
    def source_of(names: Sequence[str]) -> str:
        arguments = "".join(f", {name}: float = {i}.0" for i, name in enumerate(names))
        values = ", ".join(names)
        return model(ARGUMENTS=arguments, INIT=f"assert [{values}] == [*range({len(names)})]")

    workplace.must_train_all(ARGUMENT_NAMES, source_of)


def test_an_argument_named_like_lightning(workplace: Workplace) -> None:
    workplace.trains_or_refuses(model(ARGUMENTS=", L: float = 2.0", INIT="assert L == 2.0"))


def test_flags_and_their_negations(workplace: Workplace) -> None:
    """argparse gives a flag `--cache` the option `--no-cache`, which may be an argument's name too."""
    arguments = ", cache: bool = True, no_cache: bool = False, no_flag: int = 1, flag: bool = True"
    workplace.must_train(
        model(ARGUMENTS=arguments, INIT="assert (cache, no_cache, no_flag, flag) == (True, False, 1, True)")
    )


SIGNATURES: dict[str, str] = {
    "no default": ", width",
    "no default, typed": ", width: int",
    "keyword only": ", *, width: int = 2",
    "positional only": ", width: int = 2, /",
    "star": ", *args",
    "star star": ", **kwargs",
    "all kinds": ", a=1, /, b=2, *args, c=3, **kwargs",
    "an unknown annotation": ", width: Undefined = 2",
    "many": "".join(f", a{i}: int = {i}" for i in range(300)),
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_of_every_form(workplace: Workplace, name: str) -> None:
    built = workplace.build(model(ARGUMENTS=SIGNATURES[name]))
    assert built.codes == ({"missing-argument"} if name == "no default" else set())
    lacks = ("no default, typed", "an unknown annotation")  # what the command line gives, or nothing
    if built.exit_code == 0 and name not in lacks:
        workplace.train(built)


DEFAULTS: dict[str, str] = {
    "None": ": int | None = None",
    "Optional": ': "int | None" = None',
    "a list": ": list[int] = [1, 2]",
    "a dictionary": ": dict = {'a': 1}",
    "a tuple": "=(1, 2)",
    "a set": "={1, 2}",
    "a class": "=nn.ReLU",
    "an object": "=nn.MSELoss()",
    "a constant": "=torch.pi",
    "arithmetic": ": int = 2 * 3",
    "negative": ": int = -1",
    "a lambda": "=lambda x: x",
    "a walrus": "=(w := 1)",
    "a comprehension": "=[i for i in range(3)]",
    "a conditional": "=1 if torch else 2",
    "Ellipsis": "=...",
    "complex": "=1j",
    "bytes": "=b'x'",
    "infinity": ": float = float('inf')",
    "true": ": bool = True",
    "int for float": ": float = 1",
    "wrong type": ": int = 'x'",
    "an annotation in quotes": ": 'int' = 2",
    "an annotation of rubbish": ": 'not a type (' = 2",
    "an annotation that calls": ": print('ran') = 2",
}


def test_defaults_of_every_form(workplace: Workplace) -> None:
    def source_of(names: Sequence[str]) -> str:
        return model(ARGUMENTS="".join(f", a{i}{DEFAULTS[name]}" for i, name in enumerate(names)))

    workplace.must_train_all(list(DEFAULTS), source_of)


ATTRIBUTES = [
    *[
        "batch_size",
        "config",
        "ranks",
        "metrics",
        "results",
        "step",
        "model",
        "data",
        "loader",
        "bar",
    ],
    *[
        "optimizer",
        "scheduler",
        "epoch",
        "state",
        "means",
        "values",
        "step_values",
        "epoch_means",
        "hook",
        "log_",
        "current_logs",
    ],
]


@pytest.mark.parametrize("names", [["logs"], ATTRIBUTES], ids=["logs", "others"])
def test_an_attribute_that_the_script_may_want(workplace: Workplace, names: list[str]) -> None:
    def source_of(names: Sequence[str]) -> str:
        init = "".join(f'self.{name} = "my {name}"\n' for name in names)
        step = "".join(f'assert self.{name} == "my {name}"\n' for name in names)
        return model(INIT=init, STEP=step)

    workplace.must_train_all(names, source_of)


def test_methods_that_the_script_may_want(workplace: Workplace) -> None:
    def source_of(names: Sequence[str]) -> str:
        methods = "".join(f"\n\n    def {name}(self, x):\n        return x * 2\n" for name in names)
        return model(STEP="".join(f"loss = self.{name}(loss)\n" for name in names)) + methods

    names = ["fit", "validate", "main", "record", "end_epoch", "run", "sync", "step"]
    workplace.must_train_all(names, source_of)


OTHER_NAMES: dict[str, str] = {
    "not ASCII": model(TOP="gr\u00f6\u00dfe = 2.0", STEP="\u03bb = gr\u00f6\u00dfe\nloss = loss * \u03bb"),
    "of full width": model(TOP="\uff58\uff59 = 2.0", STEP="loss = loss * xy"),
    "of full width in a text": model(
        TOP="names = {1: 2.0}", STEP="\uff58 = 1\nloss = loss * names[int(f'\u4e2d {\uff58}'[2:])]"
    ),
    "a ligature": model(TOP="\ufb01t = 2.0", STEP="loss = loss * fit"),
    "private": model(INIT="self.__secret = 2.0", STEP="loss = loss * self.__secret"),
    "dunder": model(TOP="__version__ = '1'\n__all__ = ['Tiny']\n__author__ = 'me'"),
    "underscore": model(TOP="_ = 2.0", STEP="loss = loss * _"),
    "a class twice": model() + "\n\n" + model().partition("\n\n\n")[2],
    "a method twice": model() + "\n\n    def training_step(self, batch, batch_idx):\n        return None\n",
    "torch by another name": model(TOP="T = torch", STEP="loss = T.abs(loss)"),
    "the batch named loss": model().replace("batch, batch_idx", "loss, i").replace("= batch", "= loss"),
    "a global": model(TOP="N = 0", STEP="global N\nN += 1"),
    "star-imported": model(TOP="from math import *", STEP="loss = loss * pi"),
    "a guarded import": model(TOP="try:\n    import nothing_of_the_kind\nexcept ImportError:\n    pass"),
    "a conditional function": model(
        TOP="if True:\n    def f(x): return x\nelse:\n    f = None", STEP="loss = f(loss)"
    ),
    "in an inner class": model(
        CLASS_DOCSTRING="class Config:\n    scale = 2.0\n", STEP="loss *= self.Config.scale"
    ),
}


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_names_of_other_kinds(workplace: Workplace, name: str) -> None:
    workplace.trains_or_refuses(OTHER_NAMES[name])


FILE_NAMES = [
    *["my model.py", "\U0001f525.py", 'quo"te.py', "apo's.py", '""".py', "back\\Nslash.py", "{{ x }}.py"],
    *[
        "{% raw %}.py",
        "%s.py",
        "line\nbreak.py",
        "model",
        "model.txt",
        ".py",
        "-x.py",
        "#.py",
        "a" * 200 + ".py",
    ],
    *["os.py", "__init__.py", "train_ddp.py"],
]


@pytest.fixture(scope="module")
def usual_script(tmp_path_factory: pytest.TempPathFactory) -> str:
    return Workplace(tmp_path_factory.mktemp("usual")).build(model()).text


def _without_docstring(script: str) -> str:
    return ast.dump(ast.Module(ast.parse(script).body[1:], []))


@pytest.mark.parametrize("name", FILE_NAMES)
def test_a_file_of_any_name(workplace: Workplace, usual_script: str, name: str) -> None:
    """The script names it in a comment and in its docstring, and nowhere else."""
    built = workplace.build(model(), name=name)
    assert built.exit_code == 0, built.errors
    assert _without_docstring(built.text) == _without_docstring(usual_script)


@pytest.mark.parametrize("name", ['quo"te', '"""', "back\\Nslash", "line\nbreak", "{{ x }}", "%s"])
def test_a_spec_of_any_name(workplace: Workplace, usual_script: str, name: str) -> None:
    source = workplace.folder / "model.py"
    source.write_text(model())
    spec = workplace.folder / f"{name}.yaml"
    spec.write_text(SPEC)
    built = build(source, spec)
    assert built.exit_code == 0, built.errors
    assert _without_docstring(built.text) == _without_docstring(usual_script)


@pytest.mark.processes
@pytest.mark.parametrize("form", ["text", "json", "github"])
@pytest.mark.parametrize("content", [model(), "class M(:\n"], ids=["good", "bad"])
def test_a_name_that_is_no_text(tmp_path: Path, form: str, content: str) -> None:
    """Of a file and of its folder; output that takes text only prints it all the same."""
    folder = tmp_path / os.fsdecode(b"f\xff")
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("the file system takes no such name")
    source = folder / os.fsdecode(b"m\xff.py")
    source.write_text(content)
    done = subprocess.run(
        [sys.executable, "-m", "ddpgen", "build", source, "--format", form],
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == (0 if content == model() else 1), done.stderr
    assert "Traceback" not in done.stderr
    if content == model():
        check_script(folder / "train_ddp.py")


# ---- code that must not be run ---------------------------------------------------------------------------

DAMAGE: dict[str, str] = {
    "a statement": "open({marker!r}, 'w')",
    "an exit": "raise SystemExit(open({marker!r}, 'w'))",
    "an endless loop": "while True:\n    open({marker!r}, 'w')",
    "a class body": "class C:\n    open({marker!r}, 'w')",
    "a decorator": "@open({marker!r}, 'w').write\ndef f(): pass",
    "a default": "def f(x=open({marker!r}, 'w')): pass",
    "an annotation": "def f(x: open({marker!r}, 'w')): pass",
    "an f-string": "X = f\"{{open({marker!r}, 'w')}}\"",
    "a walrus": "[x := open({marker!r}, 'w')]",
    "exec": "exec(\"open({marker!r}, 'w')\")",
    "an import of a neighbour": "import neighbour",
    "an import of a missing module": "import no_such_module_anywhere",
    "a conditional": "if open({marker!r}, 'w'):\n    pass",
    "entry code": "if __name__ == '__main__':\n    open({marker!r}, 'w')",
}


def test_nothing_of_the_users_is_run(workplace: Workplace) -> None:
    marker = workplace.folder / "marker"
    (workplace.folder / "neighbour.py").write_text(f"open({str(marker)!r}, 'w')\n")
    before = set(sys.modules)
    built = workplace.build(model(TOP="\n".join(DAMAGE.values()).format(marker=str(marker))))
    assert not marker.exists()
    assert not {"model", "neighbour", "train_built"} & (set(sys.modules) - before)
    assert built.exit_code == 0, built.errors


def _installed_command() -> list[str] | None:
    command = Path(sys.executable).with_name("ddpgen")
    return [str(command)] if command.exists() else None


@pytest.mark.processes
@pytest.mark.parametrize(
    "start", [None, [sys.executable, "-m", "ddpgen"]], ids=["ddpgen", "python -m ddpgen"]
)
def test_modules_beside_the_model_are_not_imported(tmp_path: Path, start: list[str] | None) -> None:
    start = start or _installed_command()
    if start is None:
        pytest.skip("ddpgen is not installed")
    for name in (
        "json",
        "torch",
        "lightning",
        "click",
        "libcst",
        "yaml",
        "random",
        "strategies",
        "templates",
    ):
        (tmp_path / f"{name}.py").write_text("open('marker', 'w').close()\nraise SystemExit(3)\n")
    (tmp_path / "model.py").write_text(model())
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*start, "build", "model.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert not (tmp_path / "marker").exists()
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "train_ddp.py").exists()


# ---- size and depth --------------------------------------------------------------------------------------


def _functions(count: int) -> str:
    body = "    y = x + {i}\n    # a comment\n    if y > {i}:\n        y = y - 1\n    return x\n\n"
    top = "".join(f"\ndef f{i}(x):\n" + body.format(i=i) for i in range(count // 8))
    return model(TOP=top, STEP="".join(f"loss = f{i}(loss)\n" for i in range(count // 8)))


LARGE: dict[str, str] = {
    "functions, all used": _functions(3000),
    "functions, none used": _functions(2000).replace("        loss = f", "        loss # "),
    "one long method": model(STEP="loss = loss + 1\n" * 2000),
    "logged names": model(STEP="".join(f'self.log("v{i}", loss)\n' for i in range(350))),
    "much of little": model(
        TOP="# a comment\n" * 2000
        + "\n" * 2000
        + "".join(f"\n\nclass C{i}:\n    a = {i}\n    b = 2\n" for i in range(500))
        + "X = [\n"
        + "    1,\n" * 2000
        + ']\nY = """'
        + "a line\n" * 2000
        + '"""',
        STEP="loss = loss * X[0] * len(Y)",
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_thousands_of_lines(tmp_path: Path, name: str) -> None:
    source = tmp_path / "model.py"
    source.write_text(LARGE[name])
    start = time.process_time()
    result = run("build", source, "-o", tmp_path / "train.py")
    seconds = time.process_time() - start
    assert result.exit_code == 0, result.output[:2000]
    check_script(tmp_path / "train.py")
    assert seconds < 25, "half of that is usual, on a busy machine"


DEEP: dict[str, str] = {
    "parentheses": "x = " + "(" * 5000 + "1" + ")" * 5000,
    "parentheses that Python takes": "x = " + "(" * 150 + "1" + ")" * 150,
    "lists": "x = " + "[" * 3000 + "]" * 3000,
    "dictionaries": "x = " + "{1: " * 3000 + "1" + "}" * 3000,
    "minus signs": "x = " + "-" * 15_000 + "1",
    "some minus signs": "x = " + "-" * 1500 + "1",
    "not": "x = " + "not " * 15_000 + "1",
    "a sum": "x = " + "1 + " * 9000 + "1",
    "a shorter sum": "x = " + "1 + " * 900 + "1",
    "attributes": "x = a" + ".b" * 9000,
    "calls": "x = f" + "()" * 9000,
    "subscripts": "x = a" + "[0]" * 3000,
    "conditionals": "x = " + "a if b else " * 3000 + "1",
    "lambdas": "x = " + "lambda: " * 5000 + "1",
    "strings": "x = (" + "'a'\n" * 5000 + ")",
    "elif": "if a:\n    pass\n" + "elif a:\n    pass\n" * 3000,
    "blocks": "".join("  " * i + "if a:\n" for i in range(300)) + "  " * 300 + "pass",
    "blocks that Python takes": "".join(" " * i + "if a:\n" for i in range(90)) + " " * 90 + "pass",
    "functions": "".join(" " * i + "def f():\n" for i in range(90)) + " " * 90 + "pass",
    "f-strings": 'x = f"{' + "(" * 1000 + "1" + ")" * 1000 + '}"',
}


@pytest.fixture(scope="module")
def deep_builds(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What one process says that builds them all, for a parser that overflows the stack takes its process with it."""
    folder = tmp_path_factory.mktemp("deep")
    for number, top in enumerate(DEEP.values()):
        (folder / f"{number}.py").write_text(model(TOP=top, STEP="x"))
    code = (
        "from ddpgen.cli import main\n"
        f"for number in range({len(DEEP)}):\n"
        "    print('----', number, flush=True)\n"
        "    try:\n"
        "        main(['build', f'{number}.py', '-o', f'{number}.out'], prog_name='ddpgen')\n"
        "    except SystemExit as end:\n"
        "        print('ended', end.code, flush=True)\n"
    )
    command = [sys.executable, "-c", code]
    output = subprocess.STDOUT
    return subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=output, text=True, timeout=600
    ).stdout


@pytest.mark.processes
@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting(deep_builds: str, name: str) -> None:
    _, begun, said = deep_builds.partition(f"---- {list(DEEP).index(name)}\n")
    assert begun, "one before it took the process with it"
    said = said.partition("---- ")[0]
    assert re.search("^ended [01]$", said, re.MULTILINE), said[-2000:]
    assert "Traceback" not in said
    if "ended 1" in said:
        assert re.search(r"^\d+\.py:\d+:\d+: error\[", said, re.MULTILINE)


# ---- paths that lead nowhere -----------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["build", "inspect"])
@pytest.mark.parametrize(
    "path", ["", ".", "missing.py", "missing/model.py", "/dev/null", "/proc/self/mem", "a" * 300]
)
def test_a_path_to_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, path: str) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(command, path)
    empty_file = (command, path) == ("inspect", "/dev/null")
    assert result.exit_code in ((0, 1) if empty_file else (1, 2))
    assert result.output.strip()
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads and writes everything"
)
def test_files_without_permission(tmp_path: Path) -> None:
    source = tmp_path / "model.py"
    source.write_text(model())
    source.chmod(0)
    assert build(source).codes == {"unreadable"}
    source.chmod(0o644)
    tmp_path.chmod(0o555)
    try:
        assert run("build", source).exit_code in (1, 2)
    finally:
        tmp_path.chmod(0o755)


SPECS: dict[str, str | bytes] = {
    "no YAML": "strategy: [ddp\n",
    "tabs": "strategy:\n\tddp\n",
    "a list": "- strategy: ddp\n",
    "a word": "ddp\n",
    "two documents": "strategy: ddp\n---\nstrategy: single\n",
    "a duplicate key": "strategy: ddp\nstrategy: single\n",
    "an unknown key": "strategie: ddp\n",
    "an unknown value": "strategy: dpd\n",
    "a Python object": '!!python/object/apply:os.system ["touch marker"]\n',
    "a Python object as a value": 'strategy: !!python/object/apply:os.system ["touch marker"]\n',
    "an alias in itself": "model: &a\n  init_args: *a\n",
    "aliases upon aliases": "a: &a [1, 1]\n"
    + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)),
    "deep": "model: " + "[" * 5000,
    "deep blocks": "".join(" " * i + "a:\n" for i in range(2000)),
    "null bytes": b"strategy: ddp\0\n",
    "Latin-1": "strategy: ddp # \u00e9\n".encode("latin-1"),
    "an object file": b"\x7fELF" + bytes(range(256)),
    "Python": model(),
    "JSON unclosed": '{"strategy": "ddp"',
    "epochs below zero": "trainer: {max_epochs: -5}\n",
    "epochs of infinity": "trainer: {max_epochs: .inf}\n",
    "epochs not a number": "trainer: {max_epochs: .nan}\n",
    "epochs in words": "trainer: {max_epochs: ten}\n",
    "epochs too large for C": "trainer: {accumulate_grad_batches: 1.0e+400}\n",
    "a seed below zero": "seed_everything: -1\n",
    "a list for a section": "trainer: [1, 2]\n",
    "an argument that there is not": "model: {init_args: {no_such_argument: 1}}\n",
    "an argument that is no name": 'model: {init_args: {"a b": 1}}\n',
    "an argument that is code": 'model: {init_args: {"x=print(1), y": 1}}\n',
    "a class that there is not": "model: {class_path: Nope}\n",
    "a class that is code": 'model: {class_path: "Tiny(print(1))"}\n',
    "a class path that is a keyword": "model: {class_path: class}\n",
    "a number for a key": "1: 2\n",
    "a directory of null": 'checkpoint: {dir: "\\0"}\n',
}


@pytest.mark.parametrize("name", SPECS)
def test_what_is_no_spec_is_refused(workplace: Workplace, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(workplace.folder)
    built = workplace.build(model(), SPECS[name])
    assert built.exit_code == 1
    assert not (workplace.folder / "marker").exists()


ODD_SPECS: dict[str, str] = {
    "empty": "",
    "comments": "# {{ nothing }}\n",
    "null": "null\n",
    "JSON": '{"strategy": "ddp", "trainer": {"max_epochs": 1}}',
    "a byte-order mark": "\ufeffstrategy: ddp\ntrainer: {max_epochs: 1}\n",
    "CRLF": "strategy: ddp\r\ntrainer: {max_epochs: 1}\r\n",
    "a directory with Jinja": "checkpoint: {dir: '{{ x }}{% raw %}'}\ntrainer: {max_epochs: 1}\n",
    "a directory with quotes": "checkpoint: {dir: 'a\"\"\"b''c'}\ntrainer: {max_epochs: 1}\n",
    "a directory with backslashes": "checkpoint: {dir: 'a\\N\\x\\'}\ntrainer: {max_epochs: 1}\n",
    "a value with quotes": "model: {init_args: {note: 'a\"\"\"b''c\\'}}\ntrainer: {max_epochs: 1}\n",
    "a value of lines": 'model: {init_args: {note: "a\\nb\\r\\0\\u2028"}}\ntrainer: {max_epochs: 1}\n',
    "a value of infinity": "model: {init_args: {note: .inf}}\ntrainer: {max_epochs: 1}\n",
    "a value that is no number": "model: {init_args: {note: .nan}}\ntrainer: {max_epochs: 1}\n",
    "a value of null": "model: {init_args: {note: null}}\ntrainer: {max_epochs: 1}\n",
    "a value that is a list": "model: {init_args: {note: [1, {a: [b]}]}}\ntrainer: {max_epochs: 1}\n",
    "a value of many digits": "model: {init_args: {note: " + "9" * 4000 + "}}\ntrainer: {max_epochs: 1}\n",
    "a value of more digits": "model: {init_args: {note: " + "9" * 9000 + "}}\ntrainer: {max_epochs: 1}\n",
    "a date": "model: {init_args: {note: 2024-01-01}}\ntrainer: {max_epochs: 1}\n",
}


@pytest.mark.parametrize("name", ODD_SPECS)
def test_specs_that_are_odd(workplace: Workplace, name: str) -> None:
    built = workplace.build(model(ARGUMENTS=", note: str = ''"), ODD_SPECS[name])
    # Lightning's default is a thousand epochs
    if built.exit_code == 0 and "max_epochs" in ODD_SPECS[name]:
        workplace.train(built)


@pytest.mark.parametrize(
    "strategy", ["", "nothing", "ddpp", ".", "missing.yaml", "../ddp", "/dev/null", "a/b/c.yaml"]
)
def test_a_strategy_that_there_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: str) -> None:
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "model.py"
    source.write_text(model())
    result = run("build", source, "--strategy", strategy)
    # an empty file is a spec without settings
    assert result.exit_code in ((0, 1) if strategy == "/dev/null" else (1, 2)), result.output


USAGE: list[list[str]] = [
    [],
    ["build"],
    ["bild", "model.py"],
    ["build", "model.py", "--stratgy", "ddp"],
    ["build", "model.py", "--format", "xml"],
    ["build", "model.py", "-o"],
    ["inspect"],
    ["inspect", "model.py", "--yaml"],
    ["strategies", "extra"],
]


@pytest.mark.parametrize("arguments", USAGE, ids=" ".join)
def test_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(model())
    (tmp_path / "other.py").write_text(model())
    assert run(*arguments).exit_code == 2
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("option", ["--model", "--data"])
@pytest.mark.parametrize(
    "name", ["", "Nope", "tiny", "Tiny.layer", "torch", "L.LightningModule", "{{ x }}", "a b"]
)
def test_a_class_that_there_is_not(tmp_path: Path, option: str, name: str) -> None:
    source = tmp_path / "model.py"
    source.write_text(model())
    result = run("build", source, option, name)
    assert result.exit_code in (1, 2), result.output
    assert list(tmp_path.iterdir()) == [source]


# ---- what stands where the script should go --------------------------------------------------------------


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model, whose script is compiled once for all tests: they ask what becomes of it."""
    path = tmp_path / "model.py"
    path.write_text(model())

    def compiled(path: Path, *arguments: Any) -> Compiled:
        text = path.read_text()
        if text not in _scripts:
            _scripts[text] = compile_script(path, *arguments)
        return replace(_scripts[text], files=(path,))

    monkeypatch.setattr("ddpgen.generate.compile_script", compiled)
    return path


_scripts: dict[str, Compiled] = {}


FOREIGN: dict[str, str | bytes] = {
    "empty": "",
    "a script": "print('mine')\n",
    "a letter": "Dear Sir,\n",
    "bytes": b"\xff\xfe\0",
    "a script that mentions us": '"""Not generated by ddpgen 0.1.0 from model.py and ddp."""\n',
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_left_alone_unless_forced(source: Path, name: str) -> None:
    content = FOREIGN[name]
    script = source.with_name("train_ddp.py")
    script.write_bytes(content.encode() if isinstance(content, str) else content)
    before = script.read_bytes()
    result = run("build", source)
    assert result.exit_code == 1, result.output
    assert "--force" in result.output
    assert script.read_bytes() == before
    assert run("build", source, "--force").exit_code == 0
    check_script(script)


EDITS: dict[str, tuple[str, str]] = {
    "a line added": ("\nclass Tiny", "\nprint('mine')\n\n\nclass Tiny"),
    "a number changed": ("lr=0.1", "lr=0.2"),
    "a comment added": ("import torch\n", "import torch  # mine\n"),
    "a blank taken away": ("\n\n\nclass Tiny", "\n\nclass Tiny"),
    "the docstring changed": (
        '"""',
        '"""Mine. ',
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_script_keeps_its_edits_unless_forced(source: Path, name: str) -> None:
    assert run("build", source).exit_code == 0
    script = source.with_name("train_ddp.py")
    fresh = script.read_text()
    edited = fresh.replace(*EDITS[name], 1)
    assert edited != fresh
    script.write_text(edited)
    result = run("build", source)
    assert result.exit_code == 0, result.output
    assert script.read_text() == edited
    assert run("build", source, "--force").exit_code == 0
    assert script.read_text() == fresh


def test_a_script_as_it_was_built_is_built_again(source: Path) -> None:
    assert run("build", source).exit_code == 0
    script = source.with_name("train_ddp.py")
    first = script.read_text()
    source.write_text(model(STEP="loss = loss * 2"))
    assert run("build", source).exit_code == 0
    assert script.read_text() != first


def _files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_failed_build_leaves_the_script_that_was_there(source: Path) -> None:
    assert run("build", source).exit_code == 0
    source.write_text("class M(:\n")
    before = _files(source.parent)
    assert run("build", source).exit_code == 1
    assert _files(source.parent) == before


@pytest.mark.parametrize("options", [[], ["--force"]], ids=["plain", "forced"])
@pytest.mark.parametrize(
    "output", ["folder", "folder/", "missing/train.py", "model.py/train.py", "", "a" * 300]
)
def test_an_output_that_cannot_be_written(
    source: Path, monkeypatch: pytest.MonkeyPatch, output: str, options: list[str]
) -> None:
    monkeypatch.chdir(source.parent)
    (source.parent / "folder").mkdir()
    before = source.read_bytes()
    result = run("build", source, "-o", output, *options)
    created = output == "missing/train.py" and result.exit_code == 0
    assert created or result.exit_code in (1, 2), result.output
    assert source.read_bytes() == before
    assert (source.parent / "folder").is_dir()


@pytest.mark.parametrize("options", [[], ["--force"]], ids=["plain", "forced"])
def test_the_model_itself_is_never_the_output(source: Path, options: list[str]) -> None:
    before = source.read_bytes()
    for output in (
        source,
        source.parent / "." / "model.py",
        source.parent / ".." / source.parent.name / "model.py",
    ):
        assert run("build", source, "-o", output, *options).exit_code in (1, 2)
        assert source.read_bytes() == before


def test_a_link_as_the_output(source: Path) -> None:
    target = source.with_name("elsewhere.py")
    target.write_text("print('mine')\n")
    link = source.with_name("train_ddp.py")
    link.symlink_to(target)
    assert run("build", source).exit_code == 1
    assert target.read_text() == "print('mine')\n"


def test_a_full_disk_leaves_nothing_behind(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last step fails: neither a script nor a part of one is left."""

    def no_space(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("replace", "rename"):
        monkeypatch.setattr(os, name, no_space)
        monkeypatch.setattr(Path, name, no_space)
    result = run("build", source)
    monkeypatch.undo()
    if result.exit_code != 0:
        assert list(_files(source.parent)) == [source]
        assert result.exit_code == 1


@pytest.mark.parametrize(
    "defect", ["\nundefined_name\n", "\nimport lightning\n", "\nimport os\n", "\n)\n", "\nabs(x=1, x=1)\n"]
)
def test_a_defect_of_the_compiler_is_a_sentence(
    source: Path, monkeypatch: pytest.MonkeyPatch, defect: str
) -> None:
    source.write_text(f"{source.read_text()}# {defect!r}\n")  # that no other test has built
    monkeypatch.setattr("ddpgen.compile.render", lambda *_: defect)
    result = CliRunner().invoke(main, ["build", str(source)], catch_exceptions=False)
    assert result.exit_code == 1
    assert result.stderr.startswith("error[broken-script]: The script would be broken: ")
    assert list(_files(source.parent)) == [source]


# ---- real code, damaged at random ------------------------------------------------------------------------

SCRAPS = [
    "None",
    "0",
    "()",
    "self",
    "''",
    "lambda: 0",
    "*x",
    "[]",
    "{}",
    "x.y",
    "L",
    "...",
    "pass",
    "yield",
    "=",
    ":",
]


def _damaged(text: str, seed: int) -> str:
    """`text` with one to three of its words or lines replaced, doubled or taken away."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 3)):
        pieces = re.findall(r"\w+|\s+|[^\w\s]", text)
        words = [i for i, piece in enumerate(pieces) if not piece.isspace()]
        at = chance.choice(words)
        match chance.randrange(4):
            case 0:
                pieces[at] = chance.choice(SCRAPS)
            case 1:
                pieces[at] = ""
            case 2:
                pieces[at] = pieces[chance.choice(words)]
            case 3:
                lines = "".join(pieces).split("\n")
                del lines[chance.randrange(len(lines))]
                pieces = ["\n".join(lines)]
        text = "".join(pieces)
    return text


@pytest.mark.parametrize("example", ["digits", "characters", "vae", "regression", "gan"])
def test_damaged_models(tmp_path: Path, example: str) -> None:
    text = (EXAMPLES / example / "model.py").read_text()
    for seed in range(12):
        folder = tmp_path / str(seed)
        folder.mkdir()
        with _seed_in_failure(seed):
            Workplace(folder).build(_damaged(text, seed))


@pytest.mark.parametrize("example", ["digits", "characters", "vae", "regression", "gan"])
def test_models_cut_short(tmp_path: Path, example: str) -> None:
    lines = (EXAMPLES / example / "model.py").read_text().split("\n")
    for end in range(1, len(lines), 7):
        folder = tmp_path / str(end)
        folder.mkdir()
        with _seed_in_failure(end):
            Workplace(folder).build("\n".join(lines[:end]) + "\n")


@contextlib.contextmanager
def _seed_in_failure(seed: int) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        error.add_note(f"seed or line {seed}") if hasattr(error, "add_note") else None
        raise
