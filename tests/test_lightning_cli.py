"""What a LightningCLI in the code says beside its file: defaults, links, callbacks, files of settings."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import runpy
from contextlib import nullcontext
from pathlib import Path
from textwrap import dedent, indent

import lightning as L
import pytest
from click.testing import CliRunner
from ddpgen import CompileError, build
from ddpgen.cli import main as command
from ddpgen.compile import compile_script
from ddpgen.lightning.trainer_names import TRAINER_DEFAULTS
from ddpgen.link.cli.parser import METHODS
from ddpgen.link.cli.read import EMPTY, MAKERS, OPTIMIZER_METHOD, OWN_WAYS
from ddpgen.spec.load import load_spec
from lightning.pytorch.cli import LightningCLI
from worlds import ran

MODEL = """
import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from lightning.pytorch.cli import LightningCLI, SaveConfigCallback
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, width: int, rate: float = 0.1, names: tuple = ("a",), epochs: int = 0):
        super().__init__()
        self.layer = torch.nn.Linear(2, width)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Data(L.LightningDataModule):
    def __init__(self, size: int = 2):
        super().__init__()
        self.size = size

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=self.size)


RATE = 0.5
DEFAULTS = {"max_epochs": 4}


def halved(size):
    return size // 2


class Group:
    def __init__(self, depth: int = 8, name: str = "a"):
        self.depth = depth


"""
CLI = """
class NetCLI(LightningCLI):
    def add_arguments_to_parser(self, parser):
{body}

    def wider(self, size):
        return size + 1


NetCLI(Net, Data{arguments})
"""


def built(folder: Path, body: str, arguments: str = "", settings: str = "{}") -> str:
    """The script for a class derived from LightningCLI, on one line."""
    (folder / "model.py").write_text(
        MODEL
        + CLI.format(body=indent(dedent(body), " " * 8), arguments=f", {arguments}" if arguments else "")
    )
    (folder / "fit.yaml").write_text(settings)
    return " ".join(build(folder / "model.py", str(folder / "fit.yaml")).split())


SAID: dict[str, tuple[str, str, str, str]] = {
    "a default": ('parser.set_defaults({"model.width": 3})', "", "{}", "width: int = 3"),
    "a default by name": ("parser.set_defaults(seed_everything=3)", "", "{model: 3}", "seed: int = 3"),
    "a default of the whole object": (
        'parser.set_defaults({"model": {"init_args": {"width": 3}}})',
        "",
        "{}",
        "width: int = 3",
    ),
    "the file over a default": (
        'parser.set_defaults({"model.width": 3})',
        "",
        "model: {init_args: {width: 4}}",
        "width: int = 4",
    ),
    "a constant of the module's": (
        'parser.set_defaults({"model.rate": RATE, "model.width": 1})',
        "",
        "{}",
        "rate: float = 0.5",
    ),
    "a loop": (
        'for name in ["rate", "width"]:\n    parser.set_defaults({f"model.{name}": 2})',
        "",
        "{}",
        "width: int = 2 rate: float = 2.0",
    ),
    "a method that ends early": (
        """
        parser.set_defaults({"model.width": 3})
        for is_last in [False, True]:
            if is_last:
                return parser
            parser.set_defaults({"model.epochs": 2})
        parser.set_defaults({"model.width": 4})
        """,
        "",
        "{}",
        "width: int = 3 rate: float = 0.1 epochs: int = 2",
    ),
    "a method that only ends": ("return", "", "{model: {width: 1}}", "width: int = 1"),
    "an option, given twice": (
        'parser.link_arguments("data.size", "model.width")',
        "",
        "{}",
        "Net(width=config.size",
    ),
    "a function of an option": (
        'parser.link_arguments("data.size", "model.width", compute_fn=halved)',
        "",
        "{}",
        "Net(width=halved(config.size)",
    ),
    "an attribute of what is made": (
        'parser.link_arguments("data.size", "model.width", apply_on="instantiate")',
        "",
        "{}",
        "data = Data(size=config.size) model = Net(width=data.size",
    ),
    "all of what is made": (
        'parser.link_arguments("data", "model.width", lambda data: data.size + 1, "instantiate")',
        "",
        "{}",
        "Net(width=data.size + 1",
    ),
    "a setting of the Trainer's": (
        'parser.link_arguments("trainer.max_epochs", "model.epochs")',
        "",
        "{model: {width: 1}, trainer: {max_epochs: 3}}",
        "epochs=config.max_epochs",
    ),
    "the seed": (
        'parser.link_arguments("seed_everything", "model.epochs")',
        "seed_everything_default=5",
        "{model: {width: 1}}",
        "epochs=config.seed",
    ),
    "a link to the Trainer": (
        'parser.link_arguments("data.size", "trainer.max_epochs")',
        "",
        "{model: {width: 1}, data: {size: 7}}",
        '"--max-epochs", type=int, default=7',
    ),
    "defaults of the Trainer": (
        "pass",
        "trainer_defaults=DEFAULTS",
        "{model: {width: 1}}",
        "max_epochs: int = 4",
    ),
    "a callback that is always there": (
        "pass",
        'trainer_defaults=dict(callbacks=[ModelCheckpoint("kept", monitor="x")])',
        "{model: {width: 1}}",
        'callbacks=[ModelCheckpoint(dirpath="kept", monitor="x")]',
    ),
    "a callback with a section of its own": (
        'parser.add_lightning_class_args(EarlyStopping, "stop")\nparser.set_defaults({"stop.monitor": "x"})',
        "",
        "{model: {width: 1}, stop: {patience: 9}}",
        'callbacks=[EarlyStopping(monitor="x", patience=9)]',
    ),
    "the optimizer's class": (
        "parser.add_optimizer_args(torch.optim.Adam)",
        "",
        "{model: {width: 1}, optimizer: {lr: 0.25}}",
        "return Adam(self.parameters(), lr=0.25)",
    ),
    "a command's section": ("pass", "", "{fit: {model: {width: 6}}, test: {ckpt_path: x}}", "width: int = 6"),
    "a function of the class": (
        'parser.link_arguments("data.size", "model.width", compute_fn=self.wider)',
        "",
        "{}",
        "Net(width=config.size + 1",
    ),
    "a function in the method": (
        """
        def wider(size):
            return size * 3
        parser.link_arguments("data.size", "model.width", wider)
        """,
        "",
        "{}",
        "Net(width=config.size * 3",
    ),
    "an object with a section of its own": (
        """
        parser.add_subclass_arguments(torch.nn.Module, "tip")
        parser.link_arguments("tip", "model.rate", apply_on="instantiate")
        """,
        "",
        "{model: {width: 1}, tip: {class_path: torch.nn.Dropout, init_args: {p: 0.25}}}",
        "rate=Dropout(p=0.25)",
    ),
    "a class with a section of its own": (
        'parser.add_class_arguments(Group, "group")\nparser.link_arguments("group.depth", "model.width")',
        "",
        "{group: {name: x}}",
        "width: int = 8",
    ),
    "a class of the method's": (
        """
        class Tags:
            \"\"\"What the run is called by.\"\"\"

            def __init__(self, exp: str, depth: int = 8):
                self.exp = exp
        parser.add_class_arguments(Tags, nested_key="tags")
        parser.link_arguments("tags.depth", "model.width")
        """,
        "",
        "{tags: {exp: first}}",
        "width: int = 8",
    ),
    "a section of the code's own": (
        'parser.add_argument("--run.depth", default=1)\nparser.link_arguments("run.depth", "model.width")',
        "",
        "{run: {depth: 6}}",
        "width: int = 6",
    ),
    "an argument of the code's own": (
        'parser.add_argument("--note", default="x")\nparser.link_arguments("note", "model.names")',
        "",
        "{model: {width: 1}, note: of the file}",
        'names: str = "of the file"',
    ),
    "names of other settings": (
        "pass",
        'parser_kwargs={"parser_mode": "omegaconf"}',
        "{model: {width: '${data.size}'}, data: {size: 5}}",
        "width: int = 5",
    ),
    "arguments in the place of a command line": (
        "pass",
        'args=["fit", "--model.width=3", "--data", "Data", "--data.size", "7"]',
        "{data: {size: 5}}",
        "width: int = 3",
    ),
    "settings in that place": ("pass", 'args={"model": {"width": 3}}', "{}", "width: int = 3"),
    "a random seed of the file's": (
        "pass",
        "",
        "{model: {width: 1}, seed_everything: true}",
        "seed: int = 0",
    ),
    "a random seed": ("pass", "seed_everything_default=True", "{model: {width: 1}}", "seed: int = 0"),
}


@pytest.mark.parametrize("name", SAID)
def test_what_the_code_says_beside_its_file(name: str, tmp_path: Path) -> None:
    body, arguments, settings, expected = SAID[name]
    if name == "a default by name":
        settings = "{model: {width: 1}}"
    assert expected in built(tmp_path, body, arguments, settings).replace("( ", "(").replace(", )", ")")


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    main = """
        class Saves(SaveConfigCallback):
            pass


        class NetCLI(LightningCLI):
            def before_test(self):
                print(self.model)


        NetCLI(Net, Data, save_config_callback=Saves)
        """
    (tmp_path / "model.py").write_text(MODEL + dedent(main))
    (tmp_path / "fit.yaml").write_text("{model: {width: 1}}")
    notes = compile_script(tmp_path / "model.py", load_spec(str(tmp_path / "fit.yaml"))).notes
    assert {each.code for each in notes} == {"cli-saves-nothing", "cli-command-left-out"}


def test_no_seed(tmp_path: Path) -> None:
    script = built(tmp_path, "pass", "seed_everything_default=False", "{model: {width: 1}}")
    assert "seed_everything(config.seed)" not in script


def test_files_that_the_code_names(tmp_path: Path) -> None:
    """One over the other, and below the one that is given."""
    (tmp_path / "first.yaml").write_text("{model: {width: 1, rate: 1.5}}")
    (tmp_path / "second.yaml").write_text("model: {class_path: Net, init_args: {width: 2, epochs: 2}}")
    files = 'parser_kwargs={"default_config_files": ["first.yaml"], "fit": {"default_config_files": ["second.yaml"]}}'
    script = built(tmp_path, "pass", files, "{model: {epochs: 3}}")
    assert "width: int = 2 rate: float = 1.5 epochs: int = 3" in script


def test_files_whose_paths_the_code_puts_together(tmp_path: Path) -> None:
    """Those that a pattern stands for are read in turn; a key may say in which section its value belongs."""
    main = """
        from pathlib import Path

        PATTERN = "*.yaml"


        def main():
            found = Path(__file__).resolve().parent / "defaults" / PATTERN
            LightningCLI(Net, Data, parser_kwargs={"default_config_files": [str(found)]})


        main()
        """
    (tmp_path / "defaults").mkdir()
    (tmp_path / "defaults" / "1.yaml").write_text(
        "{fit.model: {width: 5, epochs: 3}, fit.trainer.max_epochs: 2}"
    )
    (tmp_path / "defaults" / "2.yaml").write_text("fit: {model: {width: 6}}")
    script = written(tmp_path, main, "{fit.trainer.max_epochs: 7}")
    for name, value in (("width", 6), ("epochs", 3), ("max_epochs", 7)):
        assert f'"--{name.replace("_", "-")}", type=int, default={value}' in script


def test_a_key_that_a_file_has_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one counts, as for LightningCLI, and this is told; OmegaConf takes neither."""
    (tmp_path / "twice_in_a_file.py").write_text(MODEL)
    monkeypatch.syspath_prepend(tmp_path)
    net = importlib.import_module("twice_in_a_file").Net
    (tmp_path / "model.py").write_text(MODEL + "LightningCLI(Net, Data)\n")
    (tmp_path / "fit.yaml").write_text("model: {width: 1, rate: 1.5, rate: 2.5}")
    compiled = compile_script(
        tmp_path / "model.py", load_spec("ddp"), overrides=["-c", str(tmp_path / "fit.yaml")]
    )
    theirs = LightningCLI(net, run=False, save_config_callback=None, args=["-c", str(tmp_path / "fit.yaml")])
    assert theirs.config.model.rate == 2.5
    assert "rate: float = 2.5" in compiled.text
    said = [each for each in compiled.notes if each.code == "yaml-last-key"]
    assert [(each.severity, each.span.column) for each in said if each.span] == [("warning", 30)]
    omegaconf = 'parser_kwargs={"parser_mode": "omegaconf"}'
    (tmp_path / "model.py").write_text(MODEL + f"LightningCLI(Net, Data, {omegaconf})\n")
    with pytest.raises(CompileError, match=r"yaml-duplicate-key\]: `rate` is given twice"):
        compile_script(tmp_path / "model.py", load_spec("ddp"), overrides=["-c", str(tmp_path / "fit.yaml")])


@pytest.mark.parametrize("text", ["{model: {width: !!set {1, 2}}}", "{model: {width: !mine 1}}"])
def test_what_a_file_has_that_is_no_setting(text: str, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL + "LightningCLI(Net, Data)\n")
    (tmp_path / "fit.yaml").write_text(text)
    with pytest.raises(CompileError, match="yaml-tag"):
        compile_script(tmp_path / "model.py", load_spec("ddp"), overrides=["-c", str(tmp_path / "fit.yaml")])


def test_a_section_with_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "net.yaml").write_text("width: 5")
    assert "width: int = 5" in built(tmp_path, "pass", "", "model: net.yaml")


def test_what_the_command_line_is_given(tmp_path: Path) -> None:
    """After `--`, as LightningCLI is; what comes later wins."""
    (tmp_path / "model.py").write_text(MODEL + "LightningCLI(Net, Data)\n")
    (tmp_path / "fit.yaml").write_text("{model: {width: 1, epochs: 1}, trainer: {max_epochs: 2}}")
    (tmp_path / "more.yaml").write_text("{fit: {model: {epochs: 2}}}")
    given = (
        "fit",
        "--config",
        str(tmp_path / "fit.yaml"),
        "-c",
        str(tmp_path / "more.yaml"),
        "--model.width",
        "4",
    )
    given += ("--trainer.callbacks+=EarlyStopping", "--trainer.callbacks.monitor=x")
    compiled = compile_script(tmp_path / "model.py", load_spec("ddp"), overrides=given)
    script = " ".join(compiled.text.split())
    assert "width: int = 4 rate: float = 0.1 epochs: int = 2" in script
    assert 'callbacks=[EarlyStopping(monitor="x")]' in script.replace("( ", "(")
    assert (tmp_path / "more.yaml").resolve() in compiled.files


@pytest.mark.parametrize("is_in_file", [True, False])
def test_a_strategy_that_shards_is_no_other(is_in_file: bool, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL + "LightningCLI(Net, Data)\n")
    (tmp_path / "fit.yaml").write_text("{model: {width: 1}, trainer: {strategy: fsdp}}")
    given = ["fit", "--config", str(tmp_path / "fit.yaml")]
    given += [] if is_in_file else ["--trainer.strategy=deepspeed_stage_2"]
    with pytest.raises(CompileError) as caught:
        compile_script(tmp_path / "model.py", load_spec("ddp"), overrides=tuple(given))
    code = "strategy-in-spec-shards" if is_in_file else "strategy-in-spec-unsupported"
    assert [each.code for each in caught.value.diagnostics if each.severity == "error"] == [code]
    given.append("--trainer.strategy=ddp")
    assert compile_script(tmp_path / "model.py", load_spec("ddp"), overrides=tuple(given)).text


def test_what_the_constructor_hands_on(tmp_path: Path) -> None:
    main = """
        class NetCLI(LightningCLI):
            def __init__(self, *args, **kwargs):
                super().__init__(Net, Data, *args, seed_everything_default=4, **kwargs)


        NetCLI(save_config_callback=None)
        """
    (tmp_path / "model.py").write_text(MODEL + dedent(main))
    (tmp_path / "fit.yaml").write_text("{model: {width: 1}}")
    assert "seed: int = 4" in build(tmp_path / "model.py", str(tmp_path / "fit.yaml"))


def test_optimizers_that_the_settings_and_the_model_set(tmp_path: Path) -> None:
    """LightningCLI sets its own last, which a method of the class would not be."""
    own = "self.configure_optimizers = lambda: torch.optim.SGD(self.parameters(), 0.2)"
    model = MODEL.replace("super().__init__()", f"super().__init__()\n        {own}", 1)
    (tmp_path / "model.py").write_text(f"{model}\n\nLightningCLI(Net, Data)\n")
    (tmp_path / "fit.yaml").write_text("{model: {width: 1}, optimizer: {class_path: Adam}}")
    with pytest.raises(CompileError, match="`configure_optimizers` is assigned"):
        build(tmp_path / "model.py", str(tmp_path / "fit.yaml"))
    (tmp_path / "fit.yaml").write_text("{model: {width: 1}}")
    assert own in build(tmp_path / "model.py", str(tmp_path / "fit.yaml"))


@pytest.mark.parametrize(
    "given", ["Data, Net, 4", "Data, model_type=Net, seed=4", "Data, Net, save_config_callback=None"]
)
def test_what_the_constructor_takes(given: str, tmp_path: Path) -> None:
    """Its own parameters are what it is given by place or by name, in whichever module it stands."""
    code = """
        from lightning.pytorch.cli import LightningCLI


        class BaseCLI(LightningCLI):
            def __init__(self, model_class, *args, **kwargs):
                super().__init__(model_class, *args, **kwargs)


        class NetCLI(BaseCLI):
            def __init__(self, data_type, model_type, seed=4, **kwargs):
                super().__init__(model_type, data_type, seed_everything_default=seed, **kwargs)
        """
    (tmp_path / "commands.py").write_text(dedent(code))
    (tmp_path / "model.py").write_text(f"{MODEL}\nfrom commands import NetCLI\n\nNetCLI({given})\n")
    (tmp_path / "fit.yaml").write_text("{model: {width: 1}}")
    assert "seed: int = 4" in build(tmp_path / "model.py", str(tmp_path / "fit.yaml"))


CONSTRUCTORS = {
    "in its keywords": """
        def __init__(self, *args, **kwargs):
            kwargs["seed_everything_default"] = 7
            kwargs.setdefault("parser_kwargs", {"parser_mode": "omegaconf"})
            super().__init__(*args, **kwargs)
        """,
    "in variables": """
        def __init__(self, seed_everything_default=7, parser_kwargs=None, **kwargs):
            files = {name: dict(default_config_files=[os.path.join("all", "x.yaml")]) for name in ["fit", "test"]}
            files.update(parser_kwargs or {"parser_mode": "omegaconf"})
            super().__init__(Net, Data, parser_kwargs=files, seed_everything_default=seed_everything_default)
        """,
}


@pytest.mark.parametrize("how", CONSTRUCTORS)
def test_what_the_constructor_sets(how: str, tmp_path: Path) -> None:
    main = f"import os\n\n\nclass NetCLI(LightningCLI):\n{indent(dedent(CONSTRUCTORS[how]), ' ' * 4)}\n\n"
    main += "NetCLI(Net, Data)\n" if "keywords" in how else "NetCLI()\n"
    script = written(tmp_path, main, "{model: {width: 3, epochs: '${model.width}'}}")
    assert "default=7" in script
    assert '"--epochs", type=int, default=3' in script


@pytest.mark.parametrize(
    "statement",
    [
        'if torch.cuda.is_available(): kwargs["seed_everything_default"] = 7',
        'kwargs["parser_kwargs"] = {"parser_mode": name for name in kwargs}',
        "kwargs.update(torch.hub.load(1))",
    ],
)
def test_what_a_constructor_sets_as_it_runs(statement: str, tmp_path: Path) -> None:
    main = f"""
        class NetCLI(LightningCLI):
            def __init__(self, *args, **kwargs):
                {statement}
                super().__init__(*args, **kwargs)


        NetCLI(Net, Data)
        """
    with pytest.raises(CompileError, match="cli-unread"):
        written(tmp_path, main)


UNREAD = {
    "a value of the environment's": ('parser.set_defaults({"model.width": int(os.environ["W"])})', ""),
    "a default of the Trainer's": ("pass", 'trainer_defaults={"max_epochs": len(RATE)}'),
    "a function that is made": (
        'parser.link_arguments("data.size", "model.width", compute_fn=max(halved))',
        "",
    ),
    "a name of the module's in a lambda": (
        'parser.link_arguments("data.size", "model.width", compute_fn=lambda size: RATE * size)',
        "",
    ),
    "another method of the parser's": ('parser.add_subcommands("model")', ""),
    "what is no command line": ("pass", "args=True"),
}


@pytest.mark.parametrize("name", UNREAD)
def test_what_only_a_run_could_tell(name: str, tmp_path: Path) -> None:
    body, arguments = UNREAD[name]
    with pytest.raises(CompileError, match=r"cli-unread\]: What LightningCLI is told here is known only"):
        built(tmp_path, body, arguments, "{model: {width: 1}}")


@pytest.mark.parametrize(
    "width", ["${oc.env:WIDTH,null}", "${data.sizes[0]}", "${model.width}", "a${.width}"]
)
def test_interpolations_that_only_a_run_could_tell(width: str, tmp_path: Path) -> None:
    settings = f"{{model: {{width: {width!r}}}}}"
    with pytest.raises(CompileError, match=r"cli-interpolation\]: What `a?\$\{"):
        built(tmp_path, "pass", 'parser_kwargs={"parser_mode": "omegaconf"}', settings)
    folder = f"{{model: {{width: 1}}, trainer: {{default_root_dir: {width!r}}}}}"
    assert f'Path("{width}")' in built(tmp_path, "pass", "", folder)  # YAML alone resolves nothing


NAMING = """
model: {width: 5, epochs: "${model.width}"}
trainer: {default_root_dir: "runs_${model.width}_${trainer.max_epochs}", max_epochs: 3, logger: false}
"""


@pytest.mark.parametrize(
    ("mode", "epochs", "folder", "options"),
    [
        ("omegaconf", "5", "runs_5_3", {"width", "epochs", "max_epochs"}),
        ("omegaconf+", "7", "runs_7_4", {"epochs"}),
    ],
)
def test_when_interpolations_are_resolved(
    mode: str, epochs: str, folder: str, options: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each file alone, so that nothing follows a command line; or in all that is set, where all would."""
    kwargs = f'parser_kwargs={{"parser_mode": "{mode}"}}'
    (tmp_path / "model.py").write_text(MODEL + f"cli = LightningCLI(Net, Data, run=False, {kwargs})\n")
    (tmp_path / "fit.yaml").write_text(NAMING)
    given = ["--config", str(tmp_path / "fit.yaml"), "--model.width", "7", "--trainer.max_epochs=4"]
    monkeypatch.setattr("sys.argv", ["model.py", *given])
    found = runpy.run_path(str(tmp_path / "model.py"))["cli"].config
    assert (str(found.model.epochs), found.trainer.default_root_dir) == (epochs, folder)
    (tmp_path / "model.py").write_text(MODEL + f"LightningCLI(Net, Data, {kwargs})\n")
    compiled = compile_script(tmp_path / "model.py", load_spec("ddp"), overrides=("fit", *given))
    assert f'"{folder}"' in compiled.text
    assert "fit --config" not in compiled.text  # which has been read
    form = '"--{}", type=int' if "class CommandLine:" in compiled.text else "    {}: int ="
    assert re.search(f"(epochs: int =|--epochs.*default=) ?{epochs}", compiled.text)
    assert {
        each for each in ("width", "epochs", "max_epochs") if form.format(each) in compiled.text
    } == options
    fixed = [each.message for each in compiled.notes if each.code == "cli-options-fixed"]
    assert len(fixed) == (mode == "omegaconf+")


def test_arguments_that_a_constructor_takes_without_naming_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = "class Wide(Data):\n    def __init__(self, name: str = '', **more):\n        super().__init__(**more)\n\n\n"
    (tmp_path / "wide.py").write_text(
        MODEL + wide + "if __name__ == '__main__':\n    cli = LightningCLI(run=False)\n"
    )
    (tmp_path / "fit.yaml").write_text(
        "model: {class_path: wide.Net, init_args: {width: 3}}\n"
        "data: {class_path: wide.Wide, init_args: {name: b}, dict_kwargs: {size: 4}}\ntrainer: {logger: false}\n"
    )
    given = ["--config", str(tmp_path / "fit.yaml")]
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.argv", ["wide.py", *given])
    made = runpy.run_path(str(tmp_path / "wide.py"), run_name="__main__")["cli"].datamodule
    assert made.size == 4
    (tmp_path / "wide.py").write_text(MODEL + wide + "LightningCLI()\n")
    script = compile_script(tmp_path / "wide.py", load_spec("ddp"), overrides=("fit", *given)).text
    assert "Wide(name=config.name, size=4)" in script


def test_variables_of_which_the_type_says_what_they_are(tmp_path: Path) -> None:
    omegaconf = 'parser_kwargs={"parser_mode": "omegaconf"}'
    size = "{model: {width: 1}, data: {size: '${oc.env:SIZE}'}}"
    assert 'Data(size=int(environ["SIZE"]))' in built(tmp_path, "pass", omegaconf, size)
    names = "{model: {width: 1, names: '${oc.env:SIZE}'}}"
    with pytest.raises(
        CompileError, match=r"environment-untyped\]: What becomes of `\$\{oc.env:SIZE\}` depends"
    ):
        built(tmp_path, "pass", omegaconf, names)


def test_a_folder_that_a_run_reads_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the one that Lightning's Trainer has, however the script is started."""
    main = """
        if __name__ == "__main__":
            cli = LightningCLI(
                Net, Data, None, run=False, parser_kwargs={"parser_mode": "omegaconf"}, args=["-c", "fit.yaml"]
            )
            cli.trainer.fit(cli.model, datamodule=cli.datamodule)
            print("in", cli.trainer.default_root_dir, cli.config["trainer"]["logger"]["init_args"]["save_dir"])
    """
    (tmp_path / "model.py").write_text(MODEL + dedent(main))
    folder = "'${oc.env:RUNS}/${oc.env:NAME,short}'"
    logger = "{class_path: CSVLogger, init_args: {save_dir: '${trainer.default_root_dir}'}}"
    trainer = f"{{max_epochs: 1, default_root_dir: {folder}, logger: {logger}}}"
    (tmp_path / "fit.yaml").write_text(f"{{model: {{width: 1}}, trainer: {trainer}}}")
    monkeypatch.chdir(tmp_path)
    text = build(tmp_path / "model.py", "single")
    (tmp_path / "train.py").write_text(text)
    assert 'environ["RUNS"] + "/" + environ.get("NAME", "short")' in text
    monkeypatch.setenv("RUNS", "mine")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    said = []
    for name in ("model.py", "train.py"):
        code, output = ran(name, folder=tmp_path)
        assert code == 0, output
        said.append(Path(output.split()[-1]))
    assert said[0].resolve() == said[1].resolve() == tmp_path / "mine" / "short"
    assert (tmp_path / "mine" / "short" / "last.ckpt").exists()


def of_a_run(folder: Path, defaults: str, before: str = "") -> str:
    """The script where a LightningCLI in a function is given defaults, of which a run alone knows the texts."""
    return written(
        folder,
        f"""
        import datetime
        import os
        from pathlib import Path

        from lightning.pytorch.loggers import CSVLogger


        NOW = datetime.datetime.now().strftime("%H%M")
        RUN = os.path.join("runs", NOW)
        OPEN = input()


        def main():
            {before or "pass"}
            LightningCLI(Net, Data, trainer_defaults={{{defaults}}}, save_config_callback=None)


        if __name__ == "__main__":
            main()
        """,
    )


OF_A_RUN = {
    "a logger's": ('"logger": CSVLogger(RUN, name="a")', 'CSVLogger(save_dir=RUN, name="a")'),
    "a callback's": ('"callbacks": [ModelCheckpoint(dirpath=RUN)]', "ModelCheckpoint(dirpath=RUN)"),
    "a callback's alone": ('"callbacks": ModelCheckpoint(dirpath=RUN)', "ModelCheckpoint(dirpath=RUN)"),
    "the folder": ('"default_root_dir": RUN', "out=Path(RUN)"),
    "a part of a text": ('"callbacks": [ModelCheckpoint(dirpath=f"{RUN}/a")]', 'dirpath=f"{RUN}/a"'),
    "a folder beside": (
        '"logger": CSVLogger(os.path.join(os.path.dirname(__file__), ".."))',
        'save_dir=join(dirname(__file__), "..")',
    ),
    "a path's": ('"logger": CSVLogger(str(Path(RUN).parent / "b"))', 'save_dir=str(Path(RUN).parent / "b")'),
    "a time's": (
        '"logger": CSVLogger(datetime.datetime.now().strftime("%H"))',
        'datetime.now().strftime("%H")',
    ),
}


@pytest.mark.parametrize("name", OF_A_RUN)
def test_texts_of_variables_that_a_run_knows(name: str, tmp_path: Path) -> None:
    defaults, made = OF_A_RUN[name]
    text = of_a_run(tmp_path, defaults)
    assert made in text
    assert (
        "RUN" not in made
        or 'NOW = datetime.datetime.now().strftime("%H%M") RUN = os.path.join("runs", NOW)' in text
    )


def test_a_constant_of_the_code_round_it(tmp_path: Path) -> None:
    defaults = '"callbacks": [ModelCheckpoint(every_n_train_steps=steps)], "max_epochs": steps'
    text = of_a_run(tmp_path, defaults, "steps = 7")
    assert "ModelCheckpoint(every_n_train_steps=7)" in text
    assert 'parser.add_argument("--max-epochs", type=int, default=7)' in text


DEFAULTS_TOGETHER = {
    "a mapping in another": "{**TOLD, 'callbacks': [*STOPS, ModelCheckpoint()]}",
    "one by name": "dict(**TOLD, callbacks=(*STOPS, ModelCheckpoint()))",
    "one by place": "dict(TOLD, callbacks=STOPS + [ModelCheckpoint()])",
    "two": "TOLD | {'callbacks': [EarlyStopping('a')] + [ModelCheckpoint()]}",
    "one over another": "{'max_epochs': 3, **TOLD, 'callbacks': None, **{'callbacks': [*STOPS] + [ModelCheckpoint()]}}",
}


@pytest.mark.parametrize("how", DEFAULTS_TOGETHER)
def test_defaults_that_are_put_together(how: str, tmp_path: Path) -> None:
    before = 'TOLD = {"max_epochs": 7}\nSTOPS = [EarlyStopping("a")]'
    text = written(tmp_path, f"{before}\nLightningCLI(Net, Data, trainer_defaults={DEFAULTS_TOGETHER[how]})")
    assert "max_epochs: int = 7" in text
    assert 'callbacks=[EarlyStopping(monitor="a"), ModelCheckpoint()]' in text


@pytest.mark.parametrize(
    "change",
    [
        "STOPS.append(ModelCheckpoint())",
        "TOLD['max_epochs'] = 7",
        "TOLD.update(max_epochs=7)",
        "TOLD['callbacks'].clear()",
        "STOPS[0].patience = 7",
    ],
)
@pytest.mark.parametrize("given", ["{**TOLD, 'callbacks': STOPS}", "{**TOLD, 'callbacks': [*STOPS]}"])
def test_defaults_that_change(change: str, given: str, tmp_path: Path) -> None:
    before = f'TOLD = {{"max_epochs": 3, "callbacks": []}}\nSTOPS = [EarlyStopping("a")]\n{change}'
    with pytest.raises(CompileError, match="cli-unread"):
        written(tmp_path, f"{before}\nLightningCLI(Net, Data, trainer_defaults={given})")


def test_no_callbacks_by_default(tmp_path: Path) -> None:
    told = "LightningCLI(Net, Data, trainer_defaults={'max_epochs': 7, 'callbacks': None})"
    assert "max_epochs: int = 7" in written(tmp_path, told)


@pytest.mark.parametrize(
    ("does", "acts"),
    [
        ("self.size = max(size, 1)", False),
        ("self.folder = folder or os.getcwd(); assert size in range(9), folder", False),
        ("self.folder = os.path.abspath(folder or '.') if isinstance(size, int) else folder", False),
        ("self.folder = os.makedirs('found') or os.getcwd()", True),
        ("torch.manual_seed(size)", True),
    ],
)
def test_an_object_that_the_script_does_not_make(tmp_path: Path, does: str, acts: bool) -> None:
    code = f"""
        import os

        import torch


        class Kept:
            def __init__(self, size: int = 3, folder: str = None):
                {does}


        class CLI(LightningCLI):
            def add_arguments_to_parser(self, parser):
                parser.add_class_arguments(Kept, "kept")


        if __name__ == "__main__":
            CLI(Net, Data)
        """
    with pytest.raises(CompileError, match="cli-object-acts") if acts else nullcontext():
        assert "fit(" in written(tmp_path, code)


BEYOND_A_RUN = {
    "what decides something": ('"max_epochs": RUN', ""),
    "a number's place": ('"callbacks": [ModelCheckpoint(every_n_epochs=RUN)]', ""),
    "a part that a call gives": ('"callbacks": [ModelCheckpoint(dirpath=f"{input()}/a")]', ""),
    "a path, and no text": ('"callbacks": [ModelCheckpoint(dirpath=Path(RUN))]', ""),
    "a part of the function's": ('"callbacks": [ModelCheckpoint(dirpath=f"{RUN}/a")]', "RUN = input()"),
    "what may be no text": ('"default_root_dir": OPEN', ""),
    "a variable of the function's": ('"default_root_dir": RUN', "RUN = input()"),
    "a constant that is set twice": ('"val_check_interval": steps', "steps = 7; steps += input()"),
    "one in an argument": ('"callbacks": [ModelCheckpoint(dirpath=RUN)]', "RUN = input()"),
}


@pytest.mark.parametrize("name", BEYOND_A_RUN)
def test_what_is_no_text_that_a_run_knows(name: str, tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="cli-unread"):
        of_a_run(tmp_path, *BEYOND_A_RUN[name])


def test_other_settings_are_read_in_the_environment_of_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    omegaconf = 'parser_kwargs={"parser_mode": "omegaconf"}'
    epochs = "max_epochs: '${oc.env:EPOCHS}', limit_train_batches: '${oc.env:SHARE,0.5}'"
    settings = f"{{model: {{width: 1}}, trainer: {{{epochs}, devices: '${{oc.env:DEVICES}}'}}}}"
    with pytest.raises(CompileError, match=r"cli-variable-unset\]: .* Set `EPOCHS` for the build") as wrong:
        built(tmp_path, "pass", omegaconf, settings)
    assert "Set `DEVICES`" not in str(wrong.value)
    monkeypatch.setenv("EPOCHS", "7")
    text = built(tmp_path, "pass", omegaconf, settings)
    assert "max_epochs: int = 7" in text
    assert "limit_train_batches: float = 0.5" in text
    notes = compile_script(tmp_path / "model.py", load_spec(str(tmp_path / "fit.yaml"))).notes
    said = [each.message for each in notes if each.code == "cli-variable-read"]
    assert [each.partition("does not read ")[2].partition(".")[0] for each in said] == ["`EPOCHS`", "`SHARE`"]


SAVED = """
class Saved(SaveConfigCallback):
    {method}(self, trainer, pl_module, stage=None):
        trainer.logger.log_hyperparams(self.config)


class NetCLI(LightningCLI):
    def __init__(self, *args, {parameter}**kwargs):
        {statement}
        super().__init__(*args, **kwargs)

    def after_fit(self):
        print("trained")


if __name__ == "__main__":
    NetCLI(Net, Data{argument})
"""
SAVED_BY: dict[str, tuple[str, str, str]] = {
    "an argument": ("", "pass", ", save_config_callback=Saved"),
    "a default": (
        "save_config_callback=Saved, ",
        "kwargs.update(save_config_callback=save_config_callback)",
        "",
    ),
    "an entry": ("", 'kwargs["save_config_callback"] = Saved', ", save_config_callback=None"),
    "an entry where there is none": ("", 'kwargs.setdefault("save_config_callback", Saved)', ""),
    "what is added": ("", "kwargs.update(save_config_callback=Saved)", ""),
}


@pytest.mark.parametrize("how", SAVED_BY)
def test_the_callback_that_saves_settings(how: str, tmp_path: Path) -> None:
    """The script does without it, however the code hands it on; what more it does is a warning's."""
    parameter, statement, argument = SAVED_BY[how]
    given = {"parameter": parameter, "statement": statement, "argument": argument}
    (tmp_path / "fit.yaml").write_text("{model: {width: 1}}")
    for method, severity in (("save_config", "note"), ("on_train_start", "warning")):
        main = SAVED.format(method=f"def {method}", **given)
        (tmp_path / "model.py").write_text(MODEL + main)
        found = compile_script(tmp_path / "model.py", load_spec(str(tmp_path / "fit.yaml")))
        assert "Saved" not in found.text
        assert "SaveConfigCallback" not in found.text
        said = [each for each in found.notes if each.code == "cli-saves-nothing"]
        assert [each.severity for each in said] == [severity]
        assert ("`on_train_start`" in said[0].message) is (severity == "warning")


ADDING = """
class NetCLI(LightningCLI):
    def add_default_arguments_to_parser(self, parser):
        {first}
        parser.add_argument("--tag", type=str, default="x")

    def add_arguments_to_parser(self, parser):
        parser.add_class_arguments(Group, nested_key="group")
        parser.add_argument("--note", type=int, default=3)


def made(args):
    return NetCLI(Net, Data, save_config_callback=None, run=False, args=args)


if __name__ == "__main__":
    cli = made(["-c", "fit.yaml"])
    print(cli.config.tag, cli.config.note, cli.config.group.name)
    cli.trainer.fit(cli.model, datamodule=cli.datamodule)
"""


def test_arguments_beside_the_default_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings are those of LightningCLI's parser."""
    settings = "{model: {width: 1}, tag: mine, group: {name: b}, seed_everything: 7}"
    main = tmp_path / "added_beside.py"
    main.write_text(MODEL + ADDING.format(first="super().add_default_arguments_to_parser(parser)"))
    (tmp_path / "fit.yaml").write_text(settings)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.argv", ["main.py"])
    text = " ".join(build(main, "single").split())
    config = importlib.import_module("added_beside").made(["-c", "fit.yaml"]).config.as_dict()
    for name in ("tag", "note"):
        assert f'"--{name}", type={type(config[name]).__name__}, default={json.dumps(config[name])}' in text
    for name, value in config["group"].items():
        assert f'"{name}": {json.dumps(value)}' in text
    assert 'parser.add_argument("--seed", type=int, default=7)' in text
    main.write_text(MODEL + ADDING.format(first="pass"))
    with pytest.raises(CompileError, match="cli-unread"):
        build(main, "single")


@pytest.mark.parametrize("mapping", ['{"trainer_defaults": DEFAULTS}', "dict(trainer_defaults=DEFAULTS)"])
def test_a_mapping_that_is_unpacked(mapping: str, tmp_path: Path) -> None:
    """What it holds is not left out."""
    main = """
        def start(**given):
            given = {mapping}
            LightningCLI(Net, Data, **given)


        if __name__ == "__main__":
            start()
    """
    (tmp_path / "fit.yaml").write_text("{model: {width: 1}}")
    (tmp_path / "model.py").write_text(MODEL + dedent(main).format(mapping=mapping))
    assert '"--max-epochs", type=int, default=4)' in build(tmp_path / "model.py", str(tmp_path / "fit.yaml"))
    for unknown in ("given | {}", "{**given}", "dict(given)"):
        (tmp_path / "model.py").write_text(MODEL + dedent(main).format(mapping=unknown))
        with pytest.raises(CompileError, match="cli-unread"):
            build(tmp_path / "model.py", str(tmp_path / "fit.yaml"))


def test_a_checkpoint_to_go_on_from(tmp_path: Path) -> None:
    text = built(tmp_path, "pass", "", "{model: {width: 1}, ckpt_path: begun.ckpt}")
    assert 'parser.add_argument("--ckpt-path", type=str, default="begun.ckpt")' in text
    assert "ckpt_path=options.ckpt_path)" in text
    spec = load_spec(str(tmp_path / "fit.yaml"))
    assert "cli-checkpoint-settings" in {
        each.code for each in compile_script(tmp_path / "model.py", spec).notes
    }
    assert "ckpt_path" not in built(tmp_path, "pass", "", "{model: {width: 1}, ckpt_path: null}")
    with pytest.raises(CompileError, match="the script continues a run with `--resume`"):
        built(tmp_path, "pass", "run=False", "{model: {width: 1}, ckpt_path: begun.ckpt}")


def test_a_checkpoint_on_the_command_line_is_no_file_of_settings(tmp_path: Path) -> None:
    begun = tmp_path / "begun.ckpt"
    begun.write_bytes(b"\x80\x00: [")
    (tmp_path / "model.py").write_text(MODEL + "LightningCLI(Net, Data)\n")
    given = ("fit", "--model.width", "4", "--ckpt_path", str(begun))
    compiled = compile_script(tmp_path / "model.py", load_spec("ddp"), overrides=given)
    assert f'default="{begun}"' in compiled.text
    assert begun.resolve() not in compiled.files


def test_arguments_without_a_type_and_a_default(tmp_path: Path) -> None:
    """They are None where nothing says them, as jsonargparse has it."""
    text = MODEL.replace("size: int = 2):", "root, size: int = 2, *, folder):\n        print('in', folder)")
    (tmp_path / "model.py").write_text(text + 'if __name__ == "__main__":\n    LightningCLI(Net, Data)\n')
    given = ("fit", "--model.width", "4", "--trainer.max_epochs", "1", "--data.root", "here")
    script = compile_script(tmp_path / "model.py", load_spec("single"), overrides=given).text
    (tmp_path / "train.py").write_text(script)
    found = [ran("model.py", *given, folder=tmp_path), ran("train.py", folder=tmp_path)]
    assert [code for code, _ in found] == [0, 0], found
    assert all("in None" in said for _, said in found)


def test_classes_that_a_function_is_given(tmp_path: Path) -> None:
    main = """
        def start(data, *, model):
            cli = LightningCLI(model, data, run=False)
            cli.trainer.fit(cli.model, datamodule=cli.datamodule)


        start({data}, model=Net)
        """
    (tmp_path / "fit.yaml").write_text("{model: {width: 3}}")
    (tmp_path / "model.py").write_text(MODEL + dedent(main.format(data="Data")))
    assert '"--width", type=int, default=3' in build(tmp_path / "model.py", str(tmp_path / "fit.yaml"))
    (tmp_path / "model.py").write_text(MODEL + dedent(main.format(data="*[Data]")))
    with pytest.raises(CompileError, match="cli-without-class"):
        build(tmp_path / "model.py", str(tmp_path / "fit.yaml"))


def test_one_in_a_function_that_the_guard_does_not_call(tmp_path: Path) -> None:
    main = """
        class Other(Net):
            pass


        def by_command_line():
            cli = LightningCLI()


        def by_hand(model):
            trainer = L.Trainer(max_epochs=EPOCHS)
            trainer.fit(model, Data())


        if __name__ == "__main__":
            EPOCHS = 7
            {start}
        """
    (tmp_path / "model.py").write_text(MODEL + dedent(main.format(start="by_hand(Net(3))")))
    assert "fit(model, Data(), trainer)" in build(tmp_path / "model.py")
    (tmp_path / "model.py").write_text(MODEL + dedent(main.format(start="by_command_line()")))
    with pytest.raises(CompileError, match="cli-without-class"):
        build(tmp_path / "model.py")


def test_a_setting_that_no_one_knows(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="There is no setting `nte` here"):
        built(tmp_path, 'parser.add_argument("--note")', "", "{model: {width: 1}, nte: x}")


def test_a_wrong_default_is_shown_where_it_stands(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as failure:
        built(tmp_path, 'parser.set_defaults({"model.wdth": 3})', "", "{model: {width: 1}}")
    (problem,) = failure.value.diagnostics
    assert problem.span is not None
    assert problem.span.path.endswith("model.py")
    assert '"model.wdth": 3' in problem.source_line


# ---- what the code does with it beside -------------------------------------------------------------------


def written(folder: Path, main: str, settings: str = "{model: {width: 1}}") -> str:
    """The script for a main that does more with a LightningCLI than to start it, on one line."""
    (folder / "model.py").write_text(MODEL + dedent(main))
    (folder / "fit.yaml").write_text(settings)
    return " ".join(build(folder / "model.py", str(folder / "fit.yaml")).split())


BY_STEPS = """
    from types import MethodType

    from lightning.pytorch.loops.fetchers import _DataLoaderIterDataFetcher
    from lightning.pytorch.loops.training_epoch_loop import _TrainingEpochLoop


    def in_steps(self: _TrainingEpochLoop, fetcher) -> bool:
        trainer = self.trainer
        if not self._should_check_val_epoch():
            return False
        endless = trainer.val_check_batch == float("inf")
        is_last = self.batch_progress.is_last_batch
        if is_last and (endless or isinstance(fetcher, _DataLoaderIterDataFetcher)):
            return True
        if trainer.should_stop and trainer.fit_loop._can_stop_early:
            return True
        if endless and isinstance(trainer.limit_train_batches, int):
            return (self.batch_idx + 1) % trainer.limit_train_batches == 0
        if endless:
            return is_last
        if trainer.check_val_every_n_epoch is not None:
            return (self.batch_idx + 1) % trainer.val_check_batch == 0
        return self.global_step % trainer.val_check_batch == 0 and not self._should_accumulate()


    class Checked(Net):
        def validation_step(self, batch, batch_idx):
            self.log("loss", self.layer(batch[0]).mean())


    class CheckedData(Data):
        def val_dataloader(self):
            return DataLoader(TensorDataset(torch.ones(4, 2)))


    class StepsCLI(LightningCLI):
        def fit(self, model, **more):
            self.trainer.fit_loop.epoch_loop._should_check_val_fx = MethodType(
                in_steps, self.trainer.fit_loop.epoch_loop
            )
            self.trainer.fit(model, **more)


    StepsCLI(Checked, CheckedData)
    """


@pytest.mark.parametrize(
    ("interval", "due"),
    [
        (
            "val_check_interval: 4, check_val_every_n_epoch: null",
            "if is_last and global_step % config.val_check_interval == 0:",
        ),
        ("val_check_interval: 2", "if (batch_idx + 1) % val_interval == 0:"),
    ],
)
def test_validation_that_its_own_fit_has_counted_in_steps(interval: str, due: str, tmp_path: Path) -> None:
    settings = f"{{model: {{width: 1}}, trainer: {{accumulate_grad_batches: 2, {interval}}}}}"
    text = written(tmp_path, BY_STEPS, settings)
    assert due in text
    assert "in_steps" not in text
    assert "MethodType" not in text


def test_a_time_that_what_its_own_fit_puts_there_does_not_know(tmp_path: Path) -> None:
    settings = '{model: {width: 1}, trainer: {val_check_interval: "00:00:05:00"}}'
    with pytest.raises(CompileError, match=r"check-uncounted\]: .* knows no time"):
        written(tmp_path, BY_STEPS, settings)


WRITTEN = {
    "a hook": (
        """
        class NetCLI(LightningCLI):
            def before_fit(self):
                self.model.layer.requires_grad_(True)


        NetCLI(Net, Data)
        """,
        "self.before_fit() fit(self.model, self.datamodule, self.trainer, ckpt_path=options.ckpt_path)",
    ),
    "a class of a module that is imported, and what its own fit hands on": (
        """
        from lightning.pytorch import cli


        class NetCLI(cli.LightningCLI):
            def fit(self, model, **more):
                print(model)
                self.trainer.fit(model, **more)


        NetCLI(Net, Data)
        """,
        'fit(model, more["datamodule"], self.trainer, ckpt_path=more["ckpt_path"])',
    ),
    "a fit of its own, and more": (
        """
        cli = LightningCLI(Net, Data, run=False, save_config_callback=None)
        print(cli.model)
        cli.trainer.fit(cli.model, datamodule=cli.datamodule)
        cli.trainer.save_checkpoint("end.ckpt")
        """,
        "cli = CommandLine() print(cli.model) fit(cli.model, cli.datamodule, cli.trainer) cli.trainer.save_checkpoint(",
    ),
    "an option": (
        "cli = LightningCLI(Net, run=False)\nprint(cli.model)\ncli.trainer.fit(cli.model, Data())",
        '"--width", type=int, default=1',
    ),
    "what it was told": (
        """
        cli = LightningCLI(Net, Data, run=False)
        print(cli.config["model.width"], cli.config.model)
        cli.trainer.fit(cli.model, datamodule=cli.datamodule)
        """,
        '"model": { "width": options.width,',
    ),
    "what is linked": (
        """
        class NetCLI(LightningCLI):
            def add_arguments_to_parser(self, parser):
                parser.link_arguments("data.size", "model.width", apply_on="instantiate")

            def after_fit(self):
                print(self.trainer.current_epoch)


        NetCLI(Net, Data)
        """,
        "self.model = Net(width=self.datamodule.size",
    ),
    "how objects are made": (
        """
        class NetCLI(LightningCLI):
            def instantiate_classes(self):
                super().instantiate_classes()
                print(self.model)


        NetCLI(Net, Data)
        """,
        "self.instantiate_classes() fit(",
    ),
    "how the Trainer is made": (
        """
        class NetCLI(LightningCLI):
            def instantiate_trainer(self):
                trainer = super().instantiate_trainer()
                print(trainer.max_epochs)
                return trainer


        NetCLI(Net, Data)
        """,
        "self.trainer = self.instantiate_trainer()",
    ),
    "an argument of its own": (
        """
        class NetCLI(LightningCLI):
            def add_arguments_to_parser(self, parser):
                parser.add_argument("--note", default="x")

            def before_fit(self):
                print(self.config["fit"]["note"], self.subcommand)


        NetCLI(Net, Data)
        """,
        '"note": options.note',
    ),
    "an optimizer": (
        """
        class NetCLI(LightningCLI):
            def add_arguments_to_parser(self, parser):
                parser.add_optimizer_args(torch.optim.Adam)

            def before_fit(self):
                print(self.model)


        NetCLI(Net, Data)
        """,
        "return Adam(self.parameters())",
    ),
    "a constructor that takes more": (
        """
        class NetCLI(LightningCLI):
            def __init__(self, title, **others):
                self.title = title
                super().__init__(Net, Data, **others)

            def before_fit(self):
                print(self.title)


        NetCLI("first", save_config_callback=None)
        """,
        "self.title = title super().__init__()",
    ),
    "where it gets to": (
        """
        def run():
            return LightningCLI(Net, Data, run=False)


        def train(cli):
            print(cli.config)
            cli.trainer.fit(cli.model, datamodule=cli.datamodule)


        train(run())
        """,
        "self.config = Settings(",
    ),
    "a function that it hands itself to": (
        """
        def show(told):
            print(told.config)


        class NetCLI(LightningCLI):
            def before_fit(self):
                show(self)


        NetCLI(Net, Data)
        """,
        "self.config = Settings(",
    ),
    "an object that it hands itself to": (
        """
        class Shown:
            def __init__(self, told):
                self.told = told

            def show(self):
                print(self.told.config)


        class NetCLI(LightningCLI):
            def before_fit(self):
                Shown(self).show()


        NetCLI(Net, Data)
        """,
        "self.config = Settings(",
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_the_code_does_with_it_beside(name: str, tmp_path: Path) -> None:
    main, expected = WRITTEN[name]
    assert expected in written(tmp_path, main).replace("( ", "(")


WITHOUT = {
    "settings that change": ('self.config["fit"].trainer["max_epochs"] = 3', "would make no difference"),
    "the parser": ("print(self.parser)", "has no `parser`"),
    "the objects that were made of the settings": ("print(self.config_init)", "has no `config_init`"),
    "the parser, asked by a function": ("show(self)", "has no `parser`"),
}


UNCALLED = {
    "by nothing": ("pass", True),
    "by a hook": ("self.before_instantiate()", False),
    "by what a hook calls": ("self.further()", False),
    "by another object": ("Shown(self)", False),
    "by its name": ("getattr(self, 'before_instantiate')()", False),
    "by some name": ("getattr(self, self.subcommand)()", False),
}


@pytest.mark.parametrize("how", UNCALLED)
def test_methods_that_nothing_calls(how: str, tmp_path: Path) -> None:
    """Lightning calls `before_instantiate_classes`."""
    calls, is_dead = UNCALLED[how]
    main = f"""
        class Shown:
            def __init__(self, told):
                told{".before_instantiate()" if "Shown" in calls else ""}


        class NetCLI(LightningCLI):
            def before_instantiate(self):
                if not self.config.fit.model.width:
                    self.config.fit.model.width = 0

            def further(self):
                {"self.before_instantiate()" if "further" in calls else "pass"}

            def before_fit(self):
                {calls}


        NetCLI(Net, Data)
        """
    with nullcontext() if is_dead else pytest.raises(CompileError, match="would make no difference"):
        assert "fit(" in written(tmp_path, main)
        notes = compile_script(tmp_path / "model.py", load_spec(str(tmp_path / "fit.yaml"))).notes
        assert [each.code for each in notes].count("cli-method-uncalled") == 1


OTHERS = {
    "a section that is not there": ('"test" in told', True),
    "no section that is there": ('"fit" not in self.config', True),
    "an attribute that is not there": ('hasattr(self.config, "test")', True),
    "another command": ('self.subcommand == "test"', True),
    "neither": ('told["subcommand"] != "fit" and self.model', True),
    "the command": ('self.subcommand == "fit"', False),
    "its section": ('"fit" in told', False),
    "what is not known": ('self.subcommand == "test" or self.model', False),
    "something else that has a name": ('"test" in other', False),
}


@pytest.mark.parametrize("how", OTHERS)
def test_what_only_another_command_does(how: str, tmp_path: Path) -> None:
    test, is_idle = OTHERS[how]
    main = f"""
        class NetCLI(LightningCLI):
            def before_fit(self):
                told = self.config
                other = {{}}
                if {test}:
                    told.fit.model.width = 5
                    self.as_saved(self.parser)

            def as_saved(self, parser):
                setattr(self.config.fit.model, "width", parser.get_default("model.width"))


        NetCLI(Net, Data)
        """
    with nullcontext() if is_idle else pytest.raises(CompileError, match="would make no difference"):
        assert "fit(" in written(tmp_path, main)


@pytest.mark.parametrize("given", ["Net(3), Data", "Net, Data()", "net, Data"])
def test_an_object_in_the_place_of_a_class(given: str, tmp_path: Path) -> None:
    main = f"""
        net = Net(3)


        class NetCLI(LightningCLI):
            def before_fit(self):
                print(self)


        NetCLI({given})
        """
    with pytest.raises(CompileError, match=r"cli-given-object\]: LightningCLI stops here"):
        written(tmp_path, main)
    main = f"net = Net(3)\nLightningCLI({given})"
    with pytest.raises(CompileError, match=r"cli-given-object\]: LightningCLI stops here"):
        written(tmp_path, main)


@pytest.mark.parametrize("name", WITHOUT)
def test_members_that_a_command_line_does_not_have(name: str, tmp_path: Path) -> None:
    code, expected = WITHOUT[name]
    main = f"class NetCLI(LightningCLI):\n    def before_fit(self):\n        {code}\n\n\nNetCLI(Net, Data)\n"
    main = f"def show(told):\n    print(told.parser)\n\n\n{main}"
    with pytest.raises(CompileError, match=expected):
        written(tmp_path, main)


def test_a_way_of_its_own_to_parse(tmp_path: Path) -> None:
    main = """
        class NetCLI(LightningCLI):
            def parse_arguments(self, parser, args):
                print(args)


        NetCLI(Net, Data)
        """
    with pytest.raises(CompileError, match="no part that `parse_arguments` could change"):
        written(tmp_path, main)


def test_where_its_class_comes_from(tmp_path: Path) -> None:
    written(tmp_path, WRITTEN["a hook"][0])
    model, script = tmp_path / "model.py", tmp_path / "train.py"
    told = ["build", str(model), "--strategy", str(tmp_path / "fit.yaml"), "-o", str(script)]
    CliRunner().invoke(command, told, catch_exceptions=False)
    line = script.read_text().split("\n").index("class CommandLine:") + 3
    result = CliRunner().invoke(command, ["explain", f"{script}:{line}"], catch_exceptions=False)
    assert "Settings, written out as code" in result.output


# ---- the program's arguments -----------------------------------------------------------------------------

ARGV = {
    "handed on": ("LightningCLI(Net, Data, args=sys.argv[1:])", ["fit", "--model.width", "4"], 4),
    "with more before": (
        'LightningCLI(Net, Data, args=["fit", "--model.width", "2", *sys.argv[2:]])',
        ["fit", "--model.width=5"],
        5,
    ),
    "added up": (
        'args = sys.argv[1:] + ["--model.width", "3"]\nLightningCLI(Net, Data, args=args)',
        ["fit"],
        3,
    ),
    "by a branch": (
        """
        def start():
            command, rest = "fit", sys.argv[1:]
            if rest and rest[0] in {"fit", "validate"}:
                command, rest = rest[0], rest[1:]
                width = 6
            else:
                width = 7
            given = [command]
            if len(rest) == 0 or "--model.width" not in rest:
                given.append(f"--model.width={width}")
            given += rest
            LightningCLI(Net, Data, args=given)


        start()
        """,
        ["fit"],
        6,
    ),
    "of nothing": (
        'args = sys.argv[1:] or ["fit", "--model.width", "8"]\nLightningCLI(Net, Data, args=args)',
        [],
        8,
    ),
}


@pytest.mark.parametrize("name", ARGV)
def test_what_the_code_makes_of_its_arguments(name: str, tmp_path: Path) -> None:
    main, argv, width = ARGV[name]
    (tmp_path / "model.py").write_text(f"import sys\n{MODEL}{dedent(main)}")
    compiled = compile_script(tmp_path / "model.py", load_spec("ddp"), overrides=tuple(argv))
    assert re.search(rf"width: int = {width}\n|\"--width\", type=int, default={width}\)", compiled.text)


def test_arguments_that_only_a_run_could_tell(tmp_path: Path) -> None:
    main = "args = [each for each in sys.argv]\nLightningCLI(Net, Data, args=args)\n"
    (tmp_path / "model.py").write_text(f"import sys\n{MODEL}{main}")
    with pytest.raises(CompileError, match=r"model.py:44:8: error\[cli-unread\]"):
        compile_script(tmp_path / "model.py", load_spec("ddp"))


# ---- the optimizer ---------------------------------------------------------------------------------------


def without_optimizer(folder: Path) -> Path:
    start, end = MODEL.index("    def configure_optimizers"), MODEL.index("class Data(")
    (folder / "model.py").write_text(MODEL[:start] + MODEL[end:] + "LightningCLI(Net, Data)\n")
    return folder / "model.py"


def test_an_optimizer_on_the_command_line_is_one_in_the_file(tmp_path: Path) -> None:
    model = without_optimizer(tmp_path)
    (tmp_path / "fit.yaml").write_text(
        "model: {width: 2}\n"
        "optimizer: {class_path: Adam, init_args: {lr: 0.02}}\n"
        "lr_scheduler: {class_path: ExponentialLR, init_args: {gamma: 0.9}}\n"
    )
    given = "fit --model.width 2 --optimizer Adam --optimizer.lr 0.02 --lr_scheduler=ExponentialLR"
    told = compile_script(model, load_spec("ddp"), overrides=(*given.split(), "--lr_scheduler.gamma=0.9"))
    of_file = compile_script(model, load_spec(str(tmp_path / "fit.yaml")))
    assert "optimizer = Adam(self.parameters(), lr=0.02)" in told.text
    ours, theirs = (each.text.partition("import ")[2] for each in (told, of_file))
    assert ours.replace("from ddp.yaml", "from fit.yaml") == theirs


OF_PARSER = "parser.add_optimizer_args(torch.optim.Adam)"


@pytest.mark.parametrize(
    ("body", "settings", "made"),
    [
        ("pass", "{zero: true}", "torch.optim.SGD(self.parameters(), lr=0.1)"),
        ("pass", "{class_path: Adam, zero: true}", "return Adam(self.parameters())"),
        (OF_PARSER, "{zero: true}", "return Adam(self.parameters())"),
        (OF_PARSER, "{lr: 0.5, zero: true}", "return Adam(self.parameters(), lr=0.5)"),
    ],
)
def test_whose_states_are_shared_out(body: str, settings: str, made: str, tmp_path: Path) -> None:
    """That is said beside an optimizer, and is no argument of its own."""
    text = built(tmp_path, body, "", f"{{model: {{width: 1}}, optimizer: {settings}}}")
    assert made in text
    assert "shard_states(optimizer)" in text


def test_where_an_optimizer_may_be_said(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as raised:
        compile_script(without_optimizer(tmp_path), load_spec("ddp"), overrides=("fit", "--model.width=2"))
    (said,) = (each for each in raised.value.diagnostics if each.severity == "error")
    assert "`--strategy FILE.yaml`, in which `optimizer: {class_path: Adam" in said.message
    assert "model.py -- fit --optimizer Adam --optimizer.lr 0.001`" in said.message


def test_what_a_class_lacks_is_said_at_the_class(tmp_path: Path) -> None:
    main = "class NetCLI(LightningCLI):\n    def before_fit(self):\n        print(self.model)\n\n\nNetCLI(Net, Data)\n"
    text = MODEL.replace("width: int, rate", "width: dict, depth: list, rate")
    (tmp_path / "model.py").write_text(text + main)
    with pytest.raises(CompileError) as raised:
        compile_script(tmp_path / "model.py", load_spec("ddp"))
    (said,) = raised.value.diagnostics
    assert said.code == "missing-cli-argument"
    assert said.source_line == "class Net(L.LightningModule):"
    assert (
        "`Net` needs a value for `width`, `depth`. Build with the file that LightningCLI is given"
        in said.message
    )


# ---- commands --------------------------------------------------------------------------------------------


def test_another_command(tmp_path: Path) -> None:
    """The one that is named after `--`, with the file for it, and what is called round it."""
    main = """
        class NetCLI(LightningCLI):
            def before_fit(self):
                print("fits")

            def before_validate(self):
                print(self.subcommand)


        NetCLI(Net, Data, parser_kwargs={"validate": {"default_config_files": ["validate.yaml"]}})
        """
    steps = "    def validation_step(self, batch, batch_idx):\n        self.log('x', batch[0].mean())\n\n"
    text = MODEL.replace("    def configure_optimizers", f"{steps}    def configure_optimizers")
    text = text.replace("def train_dataloader", "def val_dataloader").replace(
        "\n\nRATE", TRAINING + "\n\nRATE"
    )
    (tmp_path / "model.py").write_text(text + dedent(main))
    (tmp_path / "validate.yaml").write_text("{model: {width: 3}, validate: {ckpt_path: kept.ckpt}}")
    compiled = compile_script(
        tmp_path / "model.py", load_spec("ddp"), overrides=("validate", "--data.size=4")
    )
    script = " ".join(compiled.text.split()).replace("( ", "(").replace(" )", ")")
    assert 'parser.add_argument("--ckpt-path", type=str, default="kept.ckpt")' in script
    assert "default=3" in script
    assert "default=4" in script
    assert (
        "self.before_validate() validate_model(self.model, self.datamodule, self.trainer, ckpt_path=options.ckpt_path)"
        in script
    )
    assert "fits" not in script
    assert [each.code for each in compiled.notes if "before_fit" in each.message] == ["cli-command-left-out"]


TRAINING = """
    def train_dataloader(self):
        return self.val_dataloader()
"""


COMMANDS = """
class Own(L.Trainer):
    def reindex(self, model, datamodule=None):
        print(model)


class NetCLI(LightningCLI):
    @staticmethod
    def subcommands():
        {body}

    def before_fit(self):
        print(self.trainer.max_epochs)

    def after_reindex(self):
        pass


NetCLI(Net, Data, trainer_class=Own)
"""
TABLES = {
    "in a copy": 'every = LightningCLI.subcommands(); every["reindex"] = {"model", "datamodule"}; return every',
    "in a table of its own": 'return {"fit": LightningCLI.subcommands()["fit"], "reindex": {"model"}}',
    "over Lightning's": 'return {**LightningCLI.subcommands(), "reindex": {"model"}}',
    "by an update": 'every = LightningCLI.subcommands(); every.update({"reindex": {"model"}}); return every',
}


@pytest.mark.parametrize("body", TABLES.values(), ids=TABLES)
def test_commands_of_its_own_are_left_out(body: str, tmp_path: Path) -> None:
    """The Trainer's class that has them is Lightning's, as it only adds methods."""
    (tmp_path / "main.py").write_text(MODEL + COMMANDS.format(body=body))
    (tmp_path / "ddp.yaml").write_text("model: {width: 1}\n")
    compiled = compile_script(tmp_path / "main.py", load_spec(str(tmp_path / "ddp.yaml")))
    assert "self.before_fit()" in compiled.text
    assert "reindex" not in compiled.text.replace("after_reindex", "")
    assert [each.code for each in compiled.notes if "`reindex`" in each.message] == ["cli-own-commands"]


MADE = {
    "of what is known": (
        """
        class NetCLI(LightningCLI):
            def instantiate_trainer(self, **kwargs):
                settings = self._get(self.config_init, "trainer")
                if settings["callbacks"] is None:
                    settings["callbacks"] = []
                settings["callbacks"].append(EarlyStopping("loss"))
                kwargs = {**kwargs, "max_epochs": 7}
                kwargs["default_root_dir"] = "runs/" + str(self.config.fit.data.size)
                return super().instantiate_trainer(**kwargs)


        NetCLI(Net, Data)
        """,
        'out: Path = Path("runs/2")',
    ),
    "as LightningCLI does": (
        """
        class NetCLI(LightningCLI):
            def instantiate_trainer(self, **kwargs):
                more = [self._get(self.config_init, c) for c in self._parser(self.subcommand).callback_keys]
                more.append(EarlyStopping("loss"))
                told = {**self._get(self.config_init, "trainer", default={}), **kwargs}
                return self._instantiate_trainer(told, more)


        NetCLI(Net, Data)
        """,
        "EarlyStopping(",
    ),
    "and the rest of the method stays": (
        """
        import os


        class NetCLI(LightningCLI):
            def instantiate_trainer(self, **kwargs):
                root = self._get(self.config_init, "trainer").get("default_root_dir")
                goes_on = self._get(self.config_init, "ckpt_path")
                if not goes_on and os.path.exists(str(root)):
                    root = os.path.join(str(root), "again")
                self.config_init.fit.trainer.default_root_dir = root
                kwargs["max_epochs"] = 7
                trainer = super().instantiate_trainer(**kwargs)
                print(trainer.max_epochs, self.model)
                return trainer


        NetCLI(Net, Data)
        """,
        "trainer = super().instantiate_trainer(default_root_dir=root)",
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_how_the_trainer_is_made(name: str, tmp_path: Path) -> None:
    main, expected = MADE[name]
    script = written(tmp_path, main)
    assert expected in script
    assert "config_init" not in script
    assert ("def instantiate_trainer" in script) == ("stays" in name)


def test_what_the_trainer_has_by_default() -> None:
    takes = inspect.signature(L.Trainer).parameters
    assert {name: takes[name].default for name in TRAINER_DEFAULTS} == TRAINER_DEFAULTS
    assert takes.keys() - TRAINER_DEFAULTS.keys() == {"enable_autolog_hparams"}


def test_settings_that_code_asks_for_are_there_by_default(tmp_path: Path) -> None:
    """As jsonargparse has them; those that nothing names are not written out."""
    main = """
        class Told(LightningCLI):
            def before_fit(self):
                told = self.config.fit.trainer
                print(told.limit_train_batches, told["num_nodes"], told.max_epochs)

        Told(Net, Data)
        """
    script = written(tmp_path, main, "{model: {width: 1}, trainer: {max_epochs: 1}}")
    for told in ('"num_nodes": 1,', '"limit_train_batches": None,', '"max_epochs": options.max_epochs,'):
        assert told in script
    assert "gradient_clip_val" not in script


# ---- what is not read ------------------------------------------------------------------------------------

REFUSED = {
    "a Trainer's class": (
        "class Own(L.Trainer):\n    def save_checkpoint(self, *given): pass\n\n\n"
        "LightningCLI(Net, Data, trainer_class=Own, run=False)",
        "cli-trainer-class",
    ),
    "a Trainer that is made in part": (
        "from functools import partial\n\nLightningCLI(Net, Data, trainer_class=partial(L.Trainer, max_epochs=1))",
        "cli-trainer-class",
    ),
    "a parser's class": ("LightningCLI(Net, Data, parser_class=print)", "cli-parser-class"),
    "settings that change under another name": (
        """
        class NetCLI(LightningCLI):
            def before_instantiate_classes(self):
                given = self.config[self.subcommand]
                data = given.data
                data.size = torch.get_num_threads()


        NetCLI(Net, Data)
        """,
        "cli-config-set",
    ),
    "optimizers of the project's for arguments": (
        """
        class Slow(torch.optim.SGD):
            pass


        class NetCLI(LightningCLI):
            def add_arguments_to_parser(self, parser):
                parser.add_optimizer_args(Slow, "first", link_to="model.names")


        NetCLI(Net, Data)
        """,
        "cli-optimizer-linked",
    ),
    "settings that change behind a getter": (
        """
        class NetCLI(LightningCLI):
            def before_instantiate_classes(self):
                trainer = self._get(self.config, "trainer", default={})
                trainer.max_epochs = torch.get_num_threads()


        NetCLI(Net, Data)
        """,
        "cli-config-set",
    ),
    "settings that change once they are noted": (
        """
        class NetCLI(LightningCLI):
            def before_instantiate_classes(self):
                size = "of " + str(self.config.fit.data.size)
                self.config.fit.data.size = 3
                print(size)


        NetCLI(Net, Data)
        """,
        "cli-config-set",
    ),
    "a getter of other settings": (
        """
        class NetCLI(LightningCLI):
            def after_fit(self):
                print(self._get(self.config_init, "trainer"))


        NetCLI(Net, Data)
        """,
        "cli-member",
    ),
    "a Trainer that is made of more": (
        """
        class NetCLI(LightningCLI):
            def instantiate_trainer(self, **kwargs):
                kwargs["max_epochs"] = torch.get_num_threads()
                return super().instantiate_trainer(**kwargs)


        NetCLI(Net, Data)
        """,
        "cli-unread",
    ),
    "a Trainer of another kind than the settings are for": (
        """
        class NetCLI(LightningCLI):
            def instantiate_trainer(self, **kwargs):
                return L.Trainer(max_epochs=3)


        NetCLI(Net, Data, trainer_defaults={"limit_train_batches": 1})
        """,
        "cli-method",
    ),
    "settings of the Trainer's that only change where they are told": (
        """
        class NetCLI(LightningCLI):
            def instantiate_trainer(self, **kwargs):
                self.config.fit.trainer.max_epochs = 3
                return super().instantiate_trainer(**kwargs)


        NetCLI(Net, Data)
        """,
        "cli-config-set",
    ),
    "settings that change behind what may leave": (
        """
        class NetCLI(LightningCLI):
            def before_instantiate_classes(self):
                if torch.get_num_threads() > 99:
                    return
                self.config.fit.model.width = 7


        NetCLI(Net, Data)
        """,
        "cli-config-set",
    ),
    "settings that a base may have changed": (
        """
        class BaseCLI(LightningCLI):
            def widen(self):
                self.config["fit.model.width"] += torch.get_num_threads()


        class NetCLI(BaseCLI):
            def before_instantiate_classes(self):
                super().widen()
                self.config.fit.data.size = self.config.fit.model.width


        NetCLI(Net, Data)
        """,
        "cli-config-set",
    ),
    "settings that change to what is changed": (
        """
        class NetCLI(LightningCLI):
            def before_instantiate_classes(self):
                width = 1
                for width in range(torch.get_num_threads()):
                    print(width)
                self.config.fit.model.width = width


        NetCLI(Net, Data)
        """,
        "cli-config-set",
    ),
    "settings that change by a method": (
        """
        class NetCLI(LightningCLI):
            def before_instantiate_classes(self):
                self.config.fit.model.names.append("b")


        NetCLI(Net, Data)
        """,
        "cli-config-set",
    ),
    "settings that others have been computed from": (
        """
        class NetCLI(LightningCLI):
            def add_arguments_to_parser(self, parser):
                parser.link_arguments("data.size", "model.width")

            def before_instantiate_classes(self):
                self.config.fit.data.size = 3


        NetCLI(Net, Data)
        """,
        "cli-config-set",
    ),
    "commands of its own": (
        """
        class NetCLI(LightningCLI):
            @staticmethod
            def subcommands():
                return {"fit": {"model"}}


        NetCLI(Net, Data)
        """,
        "cli-method",
    ),
    "another way to call the trainer": (
        """
        class NetCLI(LightningCLI):
            def _prepare_subcommand_kwargs(self, subcommand):
                return {**super()._prepare_subcommand_kwargs(subcommand), "ckpt_path": "last"}


        NetCLI(Net, Data)
        """,
        "cli-method",
    ),
    "an attribute of an object with a section of its own": (
        """
        class NetCLI(LightningCLI):
            def add_arguments_to_parser(self, parser):
                parser.add_class_arguments(Group, "group")
                parser.link_arguments("group.depth", "model.width", apply_on="instantiate")


        NetCLI(Net, Data)
        """,
        "cli-unread",
    ),
}


def test_a_link_is_passed_over_where_the_base_takes_no_such_argument(tmp_path: Path) -> None:
    """As in jsonargparse, for a class that hands what it is given beside its own arguments to its base."""
    deep = """
        class Deep(Net):
            def __init__(self, depth: int = 2, **others):
                super().__init__(width=3, **others)


        class NetCLI(LightningCLI):
            def add_arguments_to_parser(self, parser):
                parser.link_arguments("data.size", "model.init_args.scale")
                parser.link_arguments("data.size", "model.init_args.epochs")


        NetCLI(Net, Data, subclass_mode_model=True)
        """
    (tmp_path / "model.py").write_text(MODEL + dedent(deep))
    (tmp_path / "fit.yaml").write_text("model: {class_path: Deep}")
    script = build(tmp_path / "model.py", str(tmp_path / "fit.yaml"))
    assert "scale" not in script
    assert re.search(r"epochs=config\.(data_)?size", script)


def test_a_link_is_passed_over_where_an_object_takes_no_such_argument(tmp_path: Path) -> None:
    tipped = """
        class Tipped(Net):
            def __init__(self, tip: torch.nn.Module, **others):
                super().__init__(width=3, **others)


        class Tip(torch.nn.Module):
            def __init__(self, depth: int = 2):
                super().__init__()


        class NetCLI(LightningCLI):
            def add_arguments_to_parser(self, parser):
                parser.link_arguments("data.size", "model.init_args.tip.init_args.scale")
                parser.link_arguments("data.size", "model.init_args.tip.init_args.depth")


        NetCLI(Tipped, Data, subclass_mode_model=True)
        """
    script = written(tmp_path, tipped, "model: {class_path: Tipped, init_args: {tip: {class_path: Tip}}}")
    assert "tip=Tip(depth=config.size)" in script


def test_the_script_has_a_part_of_each_method_or_none() -> None:
    """What Lightning's class calls, and a class of the user's may override."""
    theirs = {name for name in vars(LightningCLI) if callable(getattr(LightningCLI, name))}
    with_a_part = {*MAKERS, *EMPTY, OPTIMIZER_METHOD, *METHODS}
    assert {name for name in theirs if not name.startswith("__")} == with_a_part | OWN_WAYS


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_script_has_no_part_of(name: str, tmp_path: Path) -> None:
    main, code = REFUSED[name]
    with pytest.raises(CompileError) as raised:
        written(tmp_path, main)
    assert {each.code for each in raised.value.diagnostics if each.severity == "error"} == {code}


IN_PLACE_OF_PARSER = {
    "self.parser.dump(self.config, skip_none=False)": "copy the file that they come from",
    "self.parser.save(self.config, 'run.yaml', overwrite=True)": "copy the file that they come from",
    "self.parser": "It has `config`",
}


@pytest.mark.parametrize("asked", IN_PLACE_OF_PARSER)
def test_what_to_write_in_the_place_of_the_parser(asked: str, tmp_path: Path) -> None:
    main = f"""
        class NetCLI(LightningCLI):
            def after_fit(self):
                print({asked})


        NetCLI(Net, Data)
        """
    with pytest.raises(CompileError) as raised:
        written(tmp_path, main)
    assert [IN_PLACE_OF_PARSER[asked] in each.message for each in raised.value.diagnostics] == [True]
    main = main.replace(asked, "'#'.join(sys.argv[1:])").replace("class", "import sys\n\n\n        class", 1)
    script = written(tmp_path, main)
    assert '"#".join(sys.argv[1:])' in script


@pytest.mark.parametrize("imports", ["import sys", "import os", "from os import path  # of files"])
def test_what_the_program_is_called_with(imports: str, tmp_path: Path) -> None:
    main = f"""
        {imports}


        class NetCLI(LightningCLI):
            def after_fit(self):
                print("#".join(self.parser.args), self.parser.args)


        NetCLI(Net, Data)
        """
    assert 'print("#".join(sys.argv[1:]), sys.argv[1:])' in written(tmp_path, main)
    notes = compile_script(tmp_path / "model.py", load_spec(str(tmp_path / "fit.yaml"))).notes
    assert "cli-program-arguments" in [each.code for each in notes]
    with pytest.raises(CompileError, match="what you give as `args`"):
        written(tmp_path, main.replace("Data)", 'Data, args=["fit", "--data.size=4"])'))


# ---- optimizers that its class configures ----------------------------------------------------------------

CONFIGURED = """
    class NetCLI(LightningCLI):
        @staticmethod
        def configure_optimizers(module, opt, sched=None):
            \"\"\"Ours.\"\"\"
            if isinstance(sched, torch.optim.lr_scheduler.ReduceLROnPlateau):
                return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "monitor": sched.monitor}}
            if sched is not None:
                return [opt], [{"scheduler": sched, "interval": "step", "frequency": halved(4)}]
            warm = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: RATE * step / module.layer.out_features)
            return [opt], [{"scheduler": warm, "interval": "step"}]


    NetCLI(Net, Data)
    """
SCHEDULERS = {
    "": "warm = LambdaLR(opt, lambda step: RATE * step / self.layer.out_features) return",
    "lr_scheduler: {class_path: ExponentialLR, init_args: {gamma: 0.9}}": (
        'sched = ExponentialLR(opt, gamma=0.9) return ([opt], [{"scheduler": sched, "interval": "step", "frequency": '
    ),
    "lr_scheduler: {class_path: ReduceLROnPlateau, init_args: {monitor: x}}": (
        'sched = ReduceLROnPlateau(opt) return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "monitor": "x"}'
    ),
}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_what_its_class_makes_of_an_optimizer(scheduler: str, tmp_path: Path) -> None:
    settings = f"model: {{width: 1}}\noptimizer: {{class_path: SGD, init_args: {{lr: 0.25}}}}\n{scheduler}"
    script = written(tmp_path, CONFIGURED, settings).replace("( ", "(").replace(", )", ")").replace("{ ", "{")
    assert "opt = SGD(self.parameters(), lr=0.25) " + SCHEDULERS[scheduler] in re.sub(
        r",? ([}\]])", r"\1", script
    )
    assert "Ours" not in script


def test_parsers_alone(tmp_path: Path) -> None:
    main = """
        from lightning.pytorch.cli import LightningArgumentParser

        parser = LightningArgumentParser()
        parser.add_lightning_class_args(Net, "model")
        parser.{0}
        L.Trainer(max_epochs=1).fit({1}, Data())
        """
    open_class = 'add_lightning_class_args(Data, "data", subclass_mode=True)'
    with pytest.raises(CompileError, match="does not take `subclass_mode`"):
        written(tmp_path, main.format(open_class, "Net()"), "{}")
    with pytest.raises(CompileError, match="has no `add_optimizer_args`"):
        written(tmp_path, main.format("add_optimizer_args(torch.optim.SGD)", "Net()"), "{}")
    with pytest.raises(CompileError, match="Make one where the program starts"):
        written(tmp_path, main.format("parse_args()", "Net(type(LightningArgumentParser))"), "{}")


def test_a_trainer_that_a_parser_makes(tmp_path: Path) -> None:
    main = """
        from jsonargparse import ArgumentParser

        parser = ArgumentParser()
        parser.add_class_arguments(L.Trainer, "trainer")
        parser.instantiate(parser.parse_args()).trainer.fit(Net(), Data())
        """
    with pytest.raises(CompileError, match="The parser makes this Trainer"):
        written(tmp_path, main, "{}")


def test_a_trainer_that_a_function_is_given_by_a_command_line(tmp_path: Path) -> None:
    main = """
        from jsonargparse import CLI


        def main(trainer: L.Trainer, model: Net):
            trainer.fit(model, Data())


        CLI(main)
        """
    with pytest.raises(CompileError, match="Take its settings as parameters"):
        written(tmp_path, main, "{}")


# ---- what changes before anything is made ----------------------------------------------------------------

CHANGED = {
    "by keys": (
        """
        class NetCLI(LightningCLI):
            def before_instantiate_classes(self):
                self.config["fit"]["trainer"]["max_epochs"] = 3
                self.config.fit.model.width = 7


        NetCLI(Net, Data)
        """,
        "width: int = 7 rate: float = 0.1 epochs: int = 0 # Data size: int = 2 # training max_epochs: int = 3",
    ),
    "from others": (
        """
        class NetCLI(LightningCLI):
            def before_instantiate_classes(self):
                super().before_instantiate_classes()
                given = self.config[self.subcommand]
                data = given.data
                size = data.size
                data.size = 3
                data.size += 2
                given.model.width = size * 10


        NetCLI(Net, Data)
        """,
        "self.datamodule = Data(size=5)",
    ),
    "by the getter": (
        """
        class NetCLI(LightningCLI):
            def before_instantiate_classes(self):
                trainer = self._get(self.config, "trainer", default={})
                if self.subcommand == "predict":
                    trainer.logger = None
                trainer.max_epochs = self._get(self.config, "model.width") + 1


        NetCLI(Net, Data)
        """,
        '"--max-epochs", type=int, default=2',
    ),
    "without a command": (
        """
        class NetCLI(LightningCLI):
            def before_instantiate_classes(self):
                self.config["trainer.max_epochs"] = 2


        cli = NetCLI(Net, Data, run=False)
        cli.trainer.fit(cli.model, cli.datamodule)
        """,
        '"--max-epochs", type=int, default=2)',
    ),
    "beside what stays": (
        """
        class NetCLI(LightningCLI):
            def before_instantiate_classes(self):
                for size in (1, 2):
                    if size > 1:
                        break
                size = self.config["fit.data.size"]
                print(f"made for {size}")
                self.config["fit.model.width"] = size + 4


        NetCLI(Net, Data)
        """,
        '"--width", type=int, default=6',
    ),
    "and the rest of the method stays": (
        """
        class NetCLI(LightningCLI):
            def before_instantiate_classes(self):
                data = self.config.fit.data
                data.size = 1
                self.config.fit.data.size += 2
                print(self.config.fit.data.size)


        NetCLI(Net, Data)
        """,
        "self): data = self.config.fit.data pass pass print(self.config.fit.data.size)",
    ),
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_changes_before_objects_are_made(name: str, tmp_path: Path) -> None:
    main, expected = CHANGED[name]
    script = written(tmp_path, main)
    assert expected in script
    assert ("before_instantiate_classes" in script) == ("stays" in name)


PUT_TOGETHER = """
import os


class NetCLI(LightningCLI):
    def add_arguments_to_parser(self, parser):
        class Tags:
            def __init__(self, name: str, size: int | str, rate: float, depth: int = 3): ...

        parser.add_class_arguments(Tags, nested_key="tags")
        parser.add_argument("--hub", type=str, default=None)

    def before_instantiate_classes(self):
        super().before_instantiate_classes()
        command = self.subcommand
        self.config[command]["tags"]["size"] = str(self.config[command]["tags"]["size"]) + "x1"
        folder = self.config[command]["trainer"]["default_root_dir"]
        if folder is None:
            folder = os.path.join(os.getcwd(), "runs")
        name = ""
        for key, value in self.config[command]["tags"].items():
            name += f"_{key}{value}"
        self.config[command]["trainer"]["default_root_dir"] = os.path.join(folder, name[1:])
        if command == "predict":
            self.config[command]["trainer"]["logger"] = None

    def instantiate_trainer(self, **kwargs):
        trainer = super().instantiate_trainer(**kwargs)
        return trainer

    def instantiate_classes(self):
        print(self._get(self.config, "hub"), self._get(self.config, "none", default=4))
        super().instantiate_classes()


NetCLI(Net, Data)
"""


def test_a_folder_that_is_put_together(tmp_path: Path) -> None:
    """Of what a section holds, in the order in which its class takes that, as the parser has it."""
    tags = "tags: {rate: 2, size: 4, name: first}"
    script = written(
        tmp_path, PUT_TOGETHER, f"{{model: {{width: 1}}, {tags}, trainer: {{default_root_dir: null}}}}"
    )
    assert 'self.text_of_folder = join(getcwd(), "runs")' in script
    assert 'out=Path(join(self.text_of_folder, "namefirst_size4x1_rate2.0_depth3"))' in script
    assert "before_instantiate_classes" not in script
    assert "return config.get(str(self.subcommand), config).get(key, default)" in script
    given = f"{{model: {{width: 1}}, {tags}, trainer: {{default_root_dir: kept}}}}"
    assert re.search(
        r'Path\( ?"kept/namefirst_size4x1_rate2.0_depth3"', written(tmp_path, PUT_TOGETHER, given)
    )


def test_a_folder_of_which_not_all_is_known(tmp_path: Path) -> None:
    settings = "{model: {width: 1}, tags: {rate: 2, size: 4, name: first}, trainer: {default_root_dir: null}}"
    for known, unknown in (("is None", "> 3"), ("{value}", "{value:>5}"), ("name[1:]", "name[RATE:]")):
        assert known in PUT_TOGETHER
        with pytest.raises(CompileError, match="cli-config-set"):
            written(tmp_path, PUT_TOGETHER.replace(known, unknown), settings)


MACHINE = """
    LightningCLI(
        Net,
        Data,
        trainer_defaults={
            "devices": torch.cuda.device_count(),
            "accelerator": "gpu" if torch.cuda.is_available() else "cpu",
            "max_epochs": 2,
        },
    )
    """


def test_defaults_that_depend_on_the_machine(tmp_path: Path) -> None:
    assert "max_epochs: int = 2" in written(tmp_path, MACHINE)
    other = MACHINE.replace('"max_epochs": 2', '"max_epochs": torch.cuda.device_count()')
    with pytest.raises(CompileError, match="known only when the code runs"):
        written(tmp_path, other)


def test_one_whose_code_loads_a_file(tmp_path: Path) -> None:
    """What is written out stays so, once it is known what the file holds."""
    main = """
        import json

        NAMES = json.load(open("names.json"))


        class NetCLI(LightningCLI):
            def before_fit(self):
                print(NAMES)


        NetCLI(Net, Data)
        """
    (tmp_path / "names.json").write_text('["a"]')
    assert "self.before_fit() fit(" in written(tmp_path, main)


def test_the_settings_are_lightning_clis_alone(tmp_path: Path) -> None:
    """What else the spec says is not among them, unless an argument is called so."""
    main = """
        class NetCLI(LightningCLI):
            def add_arguments_to_parser(self, parser):
                parser.add_argument("--sync", default="often")

            def before_fit(self):
                print(self.config["fit"])


        NetCLI(Net, Data)
        """
    script = written(tmp_path, main)
    assert '"sync": options.sync' in script
    assert '"strategy":' not in script


NAMED = """
import lightning as L
import torch
from sklearn import preprocessing


class Net(L.LightningModule):
    def __init__(self, width: int = 1):
        super().__init__()
        self.layer = torch.nn.Linear(2, width)

    def scaled(self, x, by=preprocessing.scale):
        return by(x)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 2))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)
"""


def test_what_a_file_names_is_imported_where_the_command_line_is_read(tmp_path: Path) -> None:
    """Before the training, also where that is under no guard."""
    (tmp_path / "named.py").write_text(NAMED)
    main = "import lightning as L\nfrom lightning.pytorch.cli import LightningCLI\n\n"
    (tmp_path / "main.py").write_text(
        f"{main}cli = LightningCLI(L.LightningModule, subclass_mode_model=True)\nprint(cli.trainer.global_step)\n"
    )
    (tmp_path / "ddp.yaml").write_text("model: {class_path: named.Net}\n")
    script = compile_script(tmp_path / "main.py", load_spec(str(tmp_path / "ddp.yaml"))).text
    assert script.index("from sklearn import preprocessing") < script.index("\ncli = CommandLine()")


COMPUTING = """
    class NetCLI(LightningCLI):
        def add_arguments_to_parser(self, parser):
            parser.add_argument("--project", default="moons")
            parser.add_argument("--note", default="none")
            parser.add_argument("--often", type=int, default=1)
            parser.add_argument("--sync", default="rarely")
            parser.add_argument("--steps", type=int, default=3)
            parser.link_arguments("often", "trainer.log_every_n_steps")

        def before_instantiate_classes(self):
            config = self.config.fit
            {method}


    NetCLI(Net, Data)
    """

COMPUTED = {
    "config.model.names = (config.project,)": {"project", "often"},
    "config.model.names = (config.note,)": {"note", "often"},
    "project = config.project\n            config.model.names = (project + 'x',)": {"project", "often"},
    "project = config.project": {"often"},
    "config.model.epochs = config.model.width": {"model.width", "often"},
    "config.model.width = 2 * config.model.width": {"often"},
    "config.model.epochs = config.trainer.max_epochs": {"trainer.max_epochs", "often"},
    "if config.sync == 'often':\n                config.trainer.check_val_every_n_epoch = 1": {
        "sync",
        "often",
    },
    "if config.steps == 3:\n                config.steps = 5": {"often"},
}
"""What the method does, and what of the settings is no option of the script then."""


@pytest.mark.parametrize("method", COMPUTED)
def test_what_others_are_computed_from_is_no_option(method: str, tmp_path: Path) -> None:
    """What has been computed when building would not follow it."""
    (tmp_path / "model.py").write_text(MODEL + dedent(COMPUTING.format(method=method)))
    (tmp_path / "fit.yaml").write_text("{model: {width: 1}, trainer: {max_epochs: 4}}")
    compiled = compile_script(tmp_path / "model.py", load_spec(str(tmp_path / "fit.yaml")))
    (note,) = (each for each in compiled.notes if each.code == "cli-options-fixed")
    assert set(re.findall("`(.*?)`", note.message)) == COMPUTED[method]
    options = {"project", "note", "often", "sync", "steps", "model.width", "trainer.max_epochs"}
    for name in options:
        flag = f'"--{name.rpartition(".")[2].replace("_", "-")}"'
        assert (f"add_argument({flag}" in compiled.text) is (name not in COMPUTED[method])


KEPT_AS_IT_IS = {
    "def _parse_ckpt_path(self):\n    'Leaves the settings alone.'\n    return": True,
    "def _parse_ckpt_path(self):\n    try:\n        return super()._parse_ckpt_path()\n    except SystemExit:\n"
    "        return None": True,
    "def _add_configure_optimizers_method_to_model(self, command):\n    import warnings\n"
    "    with warnings.catch_warnings():\n        warnings.simplefilter('ignore')\n"
    "        return super()._add_configure_optimizers_method_to_model(command)": True,
    "def _parse_ckpt_path(self):\n    self.config.fit.model.width = 3": False,
    "def _add_configure_optimizers_method_to_model(self, command):\n    return": False,
    "def _add_configure_optimizers_method_to_model(self, command):\n"
    "    super()._add_configure_optimizers_method_to_model(None)": False,
    "def _set_seed(self):\n    return": False,
}
"""Methods of a class's, and whether LightningCLI's own do the same, as far as the script has them."""


@pytest.mark.parametrize("method", KEPT_AS_IT_IS)
def test_methods_that_leave_lightning_clis_as_they_are(method: str, tmp_path: Path) -> None:
    main = f"class NetCLI(LightningCLI):\n{indent(method, ' ' * 4)}\n\n\nNetCLI(Net, Data)\n"
    if KEPT_AS_IT_IS[method]:
        script = written(tmp_path, main)
        assert "_ckpt_path(" not in script
        assert "_method_to_model" not in script
    else:
        with pytest.raises(CompileError, match="cli-method"):
            written(tmp_path, main)


@pytest.mark.parametrize("kwargs", ['{"default_env": True}', '{"fit": {"default_env": True}}'])
def test_settings_in_the_environment_are_told_of(kwargs: str, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL + f"LightningCLI(Net, Data, parser_kwargs={kwargs})\n")
    compiled = compile_script(tmp_path / "model.py", load_spec("ddp"), overrides=("fit",))
    assert "cli-environment" in {each.code for each in compiled.notes}
    (tmp_path / "model.py").write_text(MODEL + "LightningCLI(Net, Data)\n")
    compiled = compile_script(tmp_path / "model.py", load_spec("ddp"), overrides=("fit",))
    assert "cli-environment" not in {each.code for each in compiled.notes}


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL + "LightningCLI(Net, Data)\n")
    given = ("fit", "--config", str(tmp_path / "absent.yaml"))
    with pytest.raises(CompileError, match="LightningCLI's file cannot be read"):
        compile_script(tmp_path / "model.py", load_spec("ddp"), overrides=given)


LOGGING = MODEL.replace(
    "        return self.layer(batch[0]).mean()",
    '        loss = self.layer(batch[0]).mean()\n        self.log("loss", loss)\n        return loss',
)

ASKED_LATER = {
    "in a function": """
        def trained():
            best = ModelCheckpoint(dirpath="kept", monitor="loss")
            last = ModelCheckpoint(dirpath="last")
            callbacks = [last, best]
            cli = LightningCLI(Net, Data, trainer_defaults={"callbacks": callbacks, "max_epochs": 2})
            return cli, best


        if __name__ == "__main__":
            print(trained()[1].best_model_path)
        """,
    "of the module's": """
        best = ModelCheckpoint(dirpath="kept", monitor="loss")


        def trained():
            LightningCLI(Net, Data, trainer_defaults={"callbacks": best, "max_epochs": 2})


        if __name__ == "__main__":
            trained()
            print(best.best_model_path)
        """,
    "with objects that a method makes": """
        class NetCLI(LightningCLI):
            def instantiate_classes(self):
                print("made")
                super().instantiate_classes()


        if __name__ == "__main__":
            options = ModelCheckpoint(dirpath="kept", monitor="loss")
            NetCLI(Net, Data, trainer_defaults={"callbacks": [options], "max_epochs": 2})
            print(options.best_model_path)
        """,
}
"""Callbacks that are made once, for a LightningCLI, and of which code asks once it has trained."""


@pytest.mark.parametrize("case", ASKED_LATER)
def test_a_callback_of_which_code_asks_more(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    main = LOGGING + dedent(ASKED_LATER[case])
    said = []
    for name, arguments in (("model.py", ("fit", "--config", "fit.yaml")), ("train.py", ())):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "model.py").write_text(main)
        (folder / "fit.yaml").write_text("{seed_everything: 1, model: {width: 1}, trainer: {logger: false}}")
        if name == "train.py":
            (folder / name).write_text(build(folder / "model.py", str(folder / "fit.yaml")))
        code, output = ran(name, *arguments, folder=folder)
        assert code == 0, output
        said.append(Path(output.split()[-1]).relative_to(folder))
        assert (folder / said[-1]).exists()
    assert said[0] == said[1]


NAMED_AT_RUN = {
    "a time in it": """
        custom_name = f"{self.config.fit.model.width}_{datetime.now().strftime('%H%M%S%f')}"
        self.config.fit.trainer.logger.init_args.name = custom_name
        self.config.fit.trainer.default_root_dir = os.path.join("logs", custom_name)
        self.config.fit.trainer.callbacks[0].init_args.dirpath = self.config.fit.trainer.default_root_dir
        """,
    "and what says so stays": """
        now = datetime.now()
        config = self.config.fit
        custom_name = f"{config.model.width}_{now:%H%M%S}"
        custom_name += now.strftime("%f")
        print("called", custom_name)
        config.trainer.logger.init_args.name = custom_name
        config.trainer.default_root_dir = os.path.join("logs", custom_name)
        config.trainer.callbacks[0].init_args.dirpath = config.trainer.default_root_dir
        """,
}
NAMED_FILE = """
seed_everything: 1
model: {width: 3}
trainer:
  max_epochs: 1
  log_every_n_steps: 1
  logger: {class_path: CSVLogger, init_args: {save_dir: runs, name: other}}
  callbacks: [{class_path: ModelCheckpoint, init_args: {filename: best}}]
"""


@pytest.mark.parametrize("case", NAMED_AT_RUN)
def test_a_run_that_is_named_when_it_starts(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders of logs and checkpoints have the same name, which is made once."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    body = indent(dedent(NAMED_AT_RUN[case]), " " * 8)
    main = "import os\nfrom datetime import datetime\n" + LOGGING
    main += f"class NetCLI(LightningCLI):\n    def before_instantiate_classes(self):{body}\n\n"
    main += 'if __name__ == "__main__":\n    NetCLI(Net, Data)\n'
    for name, arguments in (("model.py", ("fit", "--config", "fit.yaml")), ("train.py", ())):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "model.py").write_text(main)
        (folder / "fit.yaml").write_text(NAMED_FILE)
        if name == "train.py":
            (folder / name).write_text(build(folder / "model.py", str(folder / "fit.yaml")))
        code, output = ran(name, *arguments, folder=folder)
        assert code == 0, output
        (checkpoint,) = (folder / "logs").rglob("best.ckpt")
        (metrics,) = (folder / "runs").rglob("metrics.csv")
        called = checkpoint.parent.name
        assert re.fullmatch(r"3_\d{12}", called)
        assert metrics.relative_to(folder / "runs").parts[0] == called
        assert ("called" not in output) or f"called {called}" in output


@pytest.mark.parametrize(
    "changed",
    [
        "trainer.max_epochs = len(os.listdir())",
        "trainer.callbacks[1].init_args.dirpath = os.getcwd()",
        "trainer.callbacks[1] = None",
    ],
)
def test_what_decides_the_script_is_not_set_when_it_starts(changed: str, tmp_path: Path) -> None:
    main = "import os\n\nclass NetCLI(LightningCLI):\n    def before_instantiate_classes(self):\n"
    main += f"        self.config.fit.{changed}\n"
    with pytest.raises(CompileError, match="cli-config-set"):
        written(tmp_path, main + "\n\nNetCLI(Net, Data)\n", NAMED_FILE)
