"""A main that stays the user's: what changes in it, what stays, and what its script does."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner
from ddpgen import CompileError, build
from ddpgen.cli import main
from ddpgen.compile import compile_script
from ddpgen.ir.project import Asked
from ddpgen.spec.load import load_spec

MODEL = """
import argparse

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


"""


def script(folder: Path, main: str, spec: str = "strategy: ddp\n") -> str:
    """The script of the model with this main."""
    model, strategy = folder / "model.py", folder / "spec.yaml"
    model.write_text(MODEL.lstrip() + dedent(main).lstrip())
    strategy.write_text(spec)
    return build(model, str(strategy))


def main_of(text: str) -> str:
    """What is left of the user's main: its definitions, and what runs at the end."""
    _, *sections = re.split(r"\n# ---- (.+?) -+\n", text)
    named = dict(zip(sections[::2], sections[1::2], strict=True))
    found = [named[title] for title in ("main, from model.py", "run, from model.py") if title in named]
    _, guard, run = sections[-1].partition("\nif __name__")
    found += [guard + run] if sections[-2] not in ("main, from model.py", "run, from model.py") else []
    return "\n\n\n".join(part.strip("\n") for part in found if part)


def test_everything_else_stays_word_for_word(tmp_path: Path) -> None:
    main = '''
        def parse():
            """Options."""
            parser = argparse.ArgumentParser(  # of the command line
                description="a net",
            )
            parser.add_argument('--epochs', default = 3, type = int)
            return parser.parse_args()


        if __name__ == '__main__':
            args = parse()
            trainer = L.Trainer(
                max_epochs=args.epochs + 1,  # the last is for luck
                accelerator="auto",
            )
            if args.epochs: trainer.fit(Net())
        '''
    assert main_of(script(tmp_path, main)) == dedent('''
        def parse():
            """Options."""
            parser = argparse.ArgumentParser(  # of the command line
                description="a net",
            )
            parser.add_argument("--epochs", default=3, type=int)
            return parser.parse_args()


        if __name__ == "__main__":
            args = parse()
            trainer = Config(max_epochs=args.epochs + 1)
            if args.epochs:
                fit(Net(), trainer)
        ''').strip("\n")


FITS = {
    "the model": ("trainer.fit(Net())", "fit(Net(), trainer)"),
    "by keyword": ("trainer.fit(model=Net())", "fit(Net(), trainer)"),
    "a loader": ("trainer.fit(Net(), [1])", "fit(Net(), trainer, [1])"),
    "two loaders": ("trainer.fit(Net(), a, b)", "fit(Net(), trainer, a, b)"),
    "loaders by keyword": (
        "trainer.fit(Net(), val_dataloaders=b, train_dataloaders=a)",
        "fit(Net(), trainer, a, b)",
    ),
    "nothing": ("trainer.fit(Net(), None, datamodule=None)", "fit(Net(), trainer)"),
    "a checkpoint": (
        "trainer.fit(Net(), ckpt_path=args.last)",
        "fit(Net(), trainer, ckpt_path=args.last)",
    ),
}


@pytest.mark.parametrize(("written", "expected"), FITS.values(), ids=FITS)
def test_calls_of_fit(tmp_path: Path, written: str, expected: str) -> None:
    main = f"""
        def run(args, a, b):
            trainer = L.Trainer(max_epochs=args.epochs)
            {written}


        run(None, 1, 2)
        """
    assert f"    {expected}\n" in main_of(script(tmp_path, main))


@pytest.mark.parametrize(("interval", "stops"), [("0.5", True), ("3", False), ("1.0", False)])
def test_a_share_of_all_epochs_stops_the_script(tmp_path: Path, interval: str, stops: bool) -> None:
    """Of batches that are counted over all epochs none can be had, whose number a run alone knows."""
    main = f"""
        class Validated(Net):
            def validation_step(self, batch, batch_idx):
                self.log("loss", self.layer(batch[0]).mean())

            def val_dataloader(self):
                return self.train_dataloader()


        def run(each):
            every = 1 if each else None
            trainer = L.Trainer(max_epochs=2, val_check_interval={interval}, check_val_every_n_epoch=every)
            trainer.fit(Validated())


        run(argparse.ArgumentParser().parse_args().each)
        """
    assert ("check_val_every_n_epoch is to be a number" in script(tmp_path, main)) is stops


def test_a_trainer_that_is_asked_for_more_than_to_fit(tmp_path: Path) -> None:
    text = script(
        tmp_path,
        """
        trainer = L.Trainer(max_epochs=int("3"))
        if trainer.is_global_zero:
            print("start")
        trainer.fit(Net())
        print(trainer.current_epoch)
        """,
    )
    assert main_of(text) == dedent("""
        trainer = Trainer(Config(max_epochs=int("3")))
        if ranks_from_env().rank == 0:
            print("start")
        fit(Net(), trainer)
        print(trainer.current_epoch)
        """).strip("\n")


PLAIN = """
    trainer = L.Trainer(max_epochs=int("3"), default_root_dir="here")
    trainer.fit(Net())
    """


def test_the_spec_wins(tmp_path: Path) -> None:
    text = script(tmp_path, PLAIN, "seed_everything: 3\ntrainer: {max_epochs: 7}\n")
    assert "    max_epochs: int = 7\n" in text
    assert main_of(text) == dedent("""
        seed_run(3)

        trainer = Config(out=Path("here"))
        fit(Net(), trainer)
        """).strip("\n")


OWN = "Config.out"
MADE_LOGGERS = {
    "none given": ("", f"default_loggers({OWN})"),
    "none given, a folder": ("default_root_dir='runs'", "default_loggers('runs')"),
    "none given, a folder or not": ("default_root_dir=args.folder", f"default_loggers(args.folder or {OWN})"),
    "one or what it makes": (
        "logger=csv if args.log else None",
        f"loggers_or_default(csv if args.log else None, {OWN})",
    ),
    "surely one": ("logger=csv", "[csv]"),
    "one or none": ("logger=csv if args.log else False", "logger_list(csv if args.log else False)"),
}


@pytest.mark.parametrize("name", MADE_LOGGERS)
def test_loggers_that_a_trainer_makes_by_itself(name: str, tmp_path: Path) -> None:
    """Of None and of True, in its folder; where that is None, in the script's own."""
    given, expected = MADE_LOGGERS[name]
    main = f"""
        from lightning.pytorch.loggers import CSVLogger

        parser = argparse.ArgumentParser()
        parser.add_argument("--folder")
        parser.add_argument("--log", action="store_true")
        args = parser.parse_args()
        csv = CSVLogger("a")
        trainer = L.Trainer({given})
        trainer.fit(Net())
        print(trainer.loggers)
        """
    text = " ".join(main_of(script(tmp_path, main)).replace('"', "'").split())
    assert f"loggers={expected}" in text


def test_a_logger_that_a_mapping_may_lack(tmp_path: Path) -> None:
    """Without it, the Trainer makes one by itself."""
    main = """
        from lightning.pytorch.loggers import CSVLogger

        options = {"max_epochs": 2}
        if os.environ.get("LOG"):
            options["logger"] = CSVLogger("a")
        trainer = L.Trainer(**options)
        trainer.fit(Net())
        """
    text = " ".join(main_of(script(tmp_path, main)).replace('"', "'").split())
    assert f"loggers=loggers_or_default(options.get('logger'), {OWN})" in text


@pytest.mark.parametrize("resume", ["auto", "never"])
def test_going_on_after_a_restart(tmp_path: Path, resume: str) -> None:
    text = script(tmp_path, PLAIN, f"checkpoint: {{resume: {resume}}}\n")
    assert ("read_checkpoint(last) if last.exists()" in text) == (resume == "auto")
    assert ("read_checkpoint" in text) == (resume == "auto")


FIT = "L.Trainer(max_epochs=int('3')).fit(Net())"
TRAINING = {
    "once": FIT,
    "in a function": f"def main():\n    {FIT}\n\nif __name__ == '__main__':\n    main()",
    "this or that": f"if open:\n    {FIT}\nelse:\n    {FIT}",
}
TRAINING_AGAIN = {
    "twice": f"{FIT}\n{FIT}",
    "in a loop": f"for _ in range(2):\n    {FIT}",
    "in a loop of calls": f"def main():\n    {FIT}\n\nfor _ in range(2):\n    main()",
    "called twice": f"def main():\n    {FIT}\n\nmain()\nmain()",
    "by a table": f"def main():\n    {FIT}\n\nfor each in [main, main]:\n    each()",
    "in each branch of a loop": f"for this in (True, False):\n    if this:\n        {FIT}\n    else:\n        {FIT}",
    "by a decorator": f"def twice(f):\n    f()\n    return f\n\n@twice\ndef main():\n    {FIT}\n\nmain()",
    "by another": f"def main():\n    {FIT}\n\nrun = main\nrun()\nrun()",
    "recursively": f"def main(n):\n    {FIT}\n    if n:\n        main(n - 1)\n\nmain(2)",
}


@pytest.mark.parametrize(
    "main", [*TRAINING.values(), *TRAINING_AGAIN.values()], ids=[*TRAINING, *TRAINING_AGAIN]
)
def test_a_main_that_may_train_twice_keeps_its_folder(tmp_path: Path, main: str) -> None:
    text = script(tmp_path, f"{main}\n")
    assert ("keeps_folder(" in text) == (main in TRAINING_AGAIN.values())


def test_names_of_the_scripts_give_way(tmp_path: Path) -> None:
    text = script(
        tmp_path,
        """
        def fit(trainer):
            trainer.fit(Net())


        class Config:
            epochs = 3


        fit(L.Trainer(max_epochs=Config.epochs))
        """,
    )
    assert main_of(text) == dedent("""
        def fit(trainer):
            fit_(Net(), trainer)


        class Config:
            epochs = 3


        fit(Config_(max_epochs=Config.epochs))
        """).strip("\n")


def test_a_trainer_that_is_handed_on(tmp_path: Path) -> None:
    text = script(
        tmp_path,
        """
        class Run:
            def __init__(self, pl_trainer):
                self.trainer = pl_trainer

            def go(self):
                self.trainer.fit(Net())


        def make(epochs):
            return L.Trainer(max_epochs=epochs)


        Run(pl_trainer=make(3)).go()
        """,
    )
    assert "fit(Net(), self.trainer)" in main_of(text)


def test_a_trainer_that_is_a_property(tmp_path: Path) -> None:
    text = script(
        tmp_path,
        """
        from functools import cached_property


        class Run:
            @cached_property
            def trainer(self):
                return L.Trainer(max_epochs=int("3"))

            def go(self):
                self.trainer.fit(Net())


        Run().go()
        """,
    )
    assert "fit(Net(), self.trainer)" in main_of(text)


def test_what_main_alone_asks_of_its_ranks(tmp_path: Path) -> None:
    main = """
        trainer = L.Trainer(max_epochs=1, enable_progress_bar=False)
        if trainer.is_global_zero:
            print("begins")
        trainer.fit(Net())
        """
    text = script(tmp_path, main, "strategy: ddp\ncheckpoint: false\nlogger: false\n")
    assert "if ranks_from_env().rank == 0:" in main_of(text)


def test_a_folder_that_is_asked_for_before_the_training(tmp_path: Path) -> None:
    main = """
        trainer = L.Trainer(max_epochs=1)
        print(trainer.log_dir)
        trainer.fit(Net())
        """
    text = script(tmp_path, main)
    assert "made.default_root_dir = str(config.out)" in text


def test_what_follows_the_training_stays_behind_it(tmp_path: Path) -> None:
    text = script(tmp_path, "L.Trainer(max_epochs=1).fit(Net())\nprint('trained')\n")
    assert main_of(text).endswith('print("trained")')


DOCSTRINGS = {
    "one line": "Train a net.",
    "several": "Train.\n\nUsage:\n    train.py [--lr=<lr>]\n",
    "odd characters": 'A "quoted" \\d+ pattern, three """ quotes, \0 and \x1b[0m, café.',
}


@pytest.mark.parametrize("docstring", DOCSTRINGS.values(), ids=DOCSTRINGS)
@pytest.mark.parametrize("is_read", [True, False])
def test_a_docstring_that_the_code_reads_begins_the_scripts(
    tmp_path: Path, docstring: str, is_read: bool
) -> None:
    read = "__doc__, " if is_read else ""
    model = tmp_path / "model.py"
    main = f"trainer = L.Trainer(max_epochs=1)\ntrainer.fit(Net())\nprint({read}trainer.global_step)\n"
    model.write_text(f"{docstring!r}\n{MODEL}\n{main}")
    said = ast.get_docstring(ast.parse(build(model, "ddp")))
    assert said
    assert said.startswith(docstring.rstrip() if is_read else "Train Net with ")
    assert "\nTrain Net with DistributedDataParallel.\n" in f"\n{said}"


LOADS = {
    "a call": ("Net.load_from_checkpoint(path)", True),
    "by name": ("getattr(Net, 'load_from_checkpoint')(path)", True),
    "in a comment": ("Net()  # nothing for load_from_checkpoint", False),
    "in a text": ("print('load_from_checkpoint is for others')", False),
}


@pytest.mark.parametrize(("written", "loads"), LOADS.values(), ids=LOADS)
def test_models_that_are_loaded_from_checkpoints(tmp_path: Path, written: str, loads: bool) -> None:
    main = f"""
        def again(path):
            return {written}


        if __name__ == "__main__":
            trainer = L.Trainer(max_epochs=1)
            trainer.fit(Net())
            again("last.ckpt")
        """
    assert ("def load_from_checkpoint(" in script(tmp_path, main)) is loads


@pytest.mark.parametrize("arguments", ["path, None, 'hparams.yaml'", "path, hparams_file='hparams.yaml'"])
def test_a_file_of_hyperparameters_is_refused(tmp_path: Path, arguments: str) -> None:
    main = f"""
        def again(path):
            return Net.load_from_checkpoint({arguments})


        if __name__ == "__main__":
            trainer = L.Trainer(max_epochs=1)
            trainer.fit(Net())
            again("last.ckpt")
        """
    with pytest.raises(CompileError, match="`hparams_file` is not read"):
        script(tmp_path, main)


def test_code_in_checkpoints(tmp_path: Path) -> None:
    """A model's is run where the code asks for it; that of a run's is not, which a note says."""
    main = """
        if __name__ == "__main__":
            trainer = L.Trainer(max_epochs=1)
            trainer.fit(Net(), ckpt_path="some.ckpt", weights_only=False)
            Net.load_from_checkpoint("some.ckpt", weights_only=False)
        """
    text = script(tmp_path, main)
    assert 'fit(Net(), trainer, ckpt_path="some.ckpt")' in text
    assert 'Net.load_from_checkpoint("some.ckpt", weights_only=False)' in text
    (note,) = compile_script(tmp_path / "model.py", load_spec(str(tmp_path / "spec.yaml"))).notes
    assert note.message.startswith(
        "The script does without `weights_only`: the script's checkpoints are read without"
    )


def test_names_in_annotations_are_whole_ones(tmp_path: Path) -> None:
    """`L.Callback` is one of them, where `Callback` is imported too; `others.Trainer` is not Lightning's."""
    main = """
        import types
        from lightning.pytorch import Trainer
        from lightning.pytorch.callbacks import Callback

        others = types.SimpleNamespace(Trainer=int)


        class Silent(Callback):
            def on_fit_start(self, trainer, pl_module): ...


        def callbacks(count: others.Trainer, trainer: Trainer = None) -> list[L.Callback]:
            return [Silent()]


        if __name__ == "__main__":
            trainer = L.Trainer(max_epochs=1, callbacks=callbacks(1))
            trainer.fit(Net())
        """
    text = script(tmp_path, main)
    assert "def callbacks(count: others.Trainer, trainer: Any = None) -> list[Callback]:" in text


CHOICE = """
    import sys


    class Other(Net):
        def on_train_start(self):
            print("other")


    def main(name):
        other = {"other": Other}.get(name)
        model = other() if other else Net()
        L.Trainer(max_epochs=2).fit(model)


    if __name__ == "__main__":
        main(sys.argv[1])
"""


@pytest.mark.parametrize("name", ["Net", "Other"])
def test_a_model_that_may_be_of_another_class_is_checked(tmp_path: Path, name: str) -> None:
    model = tmp_path / "model.py"
    model.write_text(MODEL.lstrip() + dedent(CHOICE).lstrip())
    text = build(model, "single", name)
    assert f'    require_class(model, "{name}")\n' in text
    assert ("model.on_train_start()" in text) == (name == "Other")


ELSEWHERE = {
    "loaded by path": """
        import sys
        from importlib.util import module_from_spec, spec_from_file_location


        def made():
            spec = spec_from_file_location("network", sys.argv[1])
            network = module_from_spec(spec)
            spec.loader.exec_module(network)
            return network.make()
    """,
    "loaded by name": """
        import sys
        from importlib import import_module


        def made():
            return import_module(sys.argv[1]).make()
    """,
    "made by what is not read": """
        from making import made
    """,
    "of a library": """
        from collections import Counter as made
    """,
}


REFUSED = {"loaded by path": "module-of-file-unknown", "loaded by name": "module-name-unknown"}
"""Why, where that is a module of which it is not known which it is."""


def elsewhere(folder: Path, case: str, model: str) -> None:
    """A model with a main that may give another than its own."""
    (folder / "making.py").write_text("def made(model=None):\n    return model\n")
    fit = f"model = Net()\nif len(sys.argv) > 1:\n    model = {model}\nL.Trainer(max_epochs=2).fit(model)\n"
    code = f"import sys\n{MODEL.lstrip()}{dedent(ELSEWHERE[case]).lstrip()}\n\n{fit}"
    (folder / "model.py").write_text(code)


@pytest.mark.parametrize("case", ELSEWHERE)
def test_a_model_that_surely_is_not_the_scripts_is_refused(tmp_path: Path, case: str) -> None:
    elsewhere(tmp_path, case, "made()")
    told = REFUSED.get(case, "What `fit` is given here cannot be told: it is what `")
    with pytest.raises(CompileError, match=told):
        build(tmp_path / "model.py", "single")


def test_a_model_that_may_come_back_is_checked(tmp_path: Path) -> None:
    elsewhere(tmp_path, "made by what is not read", "made(model)")
    assert '    require_class(model, "Net")\n' in build(tmp_path / "model.py", "single")


MAKE = """
    def make():
        return L.Trainer(max_epochs=2)


"""


@pytest.mark.parametrize(
    ("main", "is_checked"),
    [
        ("for _ in range(2):\n    trainer = make()\n    trainer.fit(Net())\n", False),
        ("for net in [Net(), Net()]:\n    L.Trainer(max_epochs=2).fit(net)\n", False),
        ("a = make()\nb = make()\na.fit(Net())\nb.fit(Net())\n", False),
        ("a, b = make(), make()\na.fit(Net())\nb.fit(Net())\n", True),
        ("for t in [L.Trainer(max_epochs=2) for _ in range(2)]:\n    t.fit(Net())\n", True),
        ("for trainer in [make()] * 2:\n    trainer.fit(Net())\n", True),
        ("def train(t):\n    t.fit(Net())\n\n\ntrain(make())\n", False),
        ("def train(t):\n    t.fit(Net())\n\n\nt = make()\nfor _ in range(2):\n    train(t)\n", True),
        ("t = make()\nrun = lambda: t.fit(Net())\nfor _ in range(2):\n    run()\n", True),
        ("t = make()\nif t.is_global_zero:\n    t.fit(Net())\nelse:\n    t.fit(Net())\n", False),
        ("t = make()\nif t.is_global_zero:\n    t.fit(Net())\nt.fit(Net())\n", True),
        ("import functools\nmake = functools.lru_cache(make)\nmake().fit(Net())\nmake().fit(Net())\n", True),
        ("t = make()\nt.fit(Net())\nt = make()\nt.fit(Net())\n", False),
        (
            "import functools\nmake = functools.cache(make)\nt = make()\nt.fit(Net())\nt = make()\nt.fit(Net())\n",
            True,
        ),
    ],
)
def test_a_trainer_that_may_fit_twice_is_checked(tmp_path: Path, main: str, is_checked: bool) -> None:
    """Under Lightning it would go on from its last epoch."""
    model = tmp_path / "model.py"
    model.write_text(MODEL.lstrip() + dedent(MAKE) + main)
    assert ("    require_first_fit(" in build(model, "single")) == is_checked


def test_a_trainer_that_fits_in_a_condition_and_below_it_goes_on(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(
        MODEL.lstrip() + dedent(MAKE) + "t = make()\nif t.fit(Net()) is None:\n    t.fit(Net())\n"
    )
    assert "first_epoch, global_step = trainer.current_epoch, trainer.global_step" in build(model, "single")


def test_a_trainer_that_gets_more_epochs_goes_on(tmp_path: Path) -> None:
    """From the epoch that it has reached, if there are more."""
    model = tmp_path / "model.py"
    main = "t = make()\nt.fit(Net())\nt.fit_loop.max_epochs = t.max_epochs + 2\nt.fit(Net())\n"
    model.write_text(MODEL.lstrip() + dedent(MAKE) + main)
    text = build(model, "single")
    assert "t.config.max_epochs = t.config.max_epochs + 2" in text
    assert "    epochs = range(first_epoch, config.max_epochs)\n" in text
    assert "first_epoch, global_step = trainer.current_epoch, trainer.global_step" in text


KEEPING = """
    class Experiment:
        trainer = None

        def run(self):
            if self.trainer is None:
                self.trainer = L.Trainer(max_epochs=2)
            self.trainer.fit(Net())


    if __name__ == "__main__":
        experiment = Experiment()
        for _ in range(2):
            experiment.run()
"""


def test_a_trainer_that_is_made_once_for_several_runs_is_checked(tmp_path: Path) -> None:
    assert "    require_first_fit(" in script(tmp_path, KEEPING)


def test_variables_of_one_name_in_several_functions(tmp_path: Path) -> None:
    main = """
        class Other(Net):
            def on_train_start(self):
                print("other")


        def export():
            model = Other()
            torch.save(model.state_dict(), "other.pt")


        def train():
            model = Net()
            L.Trainer(max_epochs=torch.cuda.device_count()).fit(model)


        if __name__ == "__main__":
            train()
            export()
    """
    text = script(tmp_path, main)
    assert "require_class" not in text
    assert "model.on_train_start()" not in text


def test_a_trainer_and_a_model_that_a_function_returns_together(tmp_path: Path) -> None:
    main = """
        def build(epochs):
            net = Net()
            return net, L.Trainer(max_epochs=epochs)


        def main():
            model, trainer = build(2)
            trainer.fit(model)


        if __name__ == "__main__":
            main()
    """
    text = script(tmp_path, main)
    assert "    return net, Config(max_epochs=epochs)\n" in text
    assert "    fit(model, trainer)\n" in text


def test_a_class_of_its_own_may_have_a_method_called_fit(tmp_path: Path) -> None:
    main = """
        class Experiment:
            def __enter__(self):
                self.trainer = L.Trainer(max_epochs=2)
                return self

            def __exit__(self, *error): ...

            def fit(self, model):
                self.trainer.fit(model)


        if __name__ == "__main__":
            with Experiment() as experiment:
                experiment.fit(Net())
    """
    text = script(tmp_path, main)
    assert "        experiment.fit(Net())\n" in text
    assert "        fit(model, self.trainer)\n" in text


def test_what_a_main_asks_of_the_model_is_there(tmp_path: Path) -> None:
    main = """
        if __name__ == "__main__":
            model = Net()
            L.Trainer(max_epochs=len("ab")).fit(model)
            print(torch.ones(4).to(model.device), model.global_step)
    """
    text = script(tmp_path, main)
    assert "    model.device = device\n" in text
    assert "    def global_step(self) -> int:" in text


RESUMING = {
    "a simple main": ("trainer = L.Trainer(max_epochs=1)\ntrainer.fit(Net())\n", "config.resume"),
    "a main of one's own": (
        "for _ in range(2):\n    L.Trainer(max_epochs=1).fit(Net())\n",
        "checkpoint_after_restart(",
    ),
    "with a ModelCheckpoint": (
        "saving = L.pytorch.callbacks.ModelCheckpoint()\n"
        "for _ in range(2):\n    L.Trainer(max_epochs=1, callbacks=[saving]).fit(Net())\n",
        "noted(trainer.note)",
    ),
}


@pytest.mark.parametrize(("main", "resumes"), RESUMING.values(), ids=RESUMING)
def test_a_script_never_resumes_where_the_spec_says_so(tmp_path: Path, main: str, resumes: str) -> None:
    spec = "strategy: ddp\ncheckpoint: {resume: %s}\n"
    assert resumes in script(tmp_path, main, spec % "auto")
    never = script(tmp_path, main, spec % "never")
    assert "is_started_again(" not in never
    assert "read_checkpoint(" not in never
    assert "--resume" not in never
    assert "write_checkpoint(" in never


def test_names_that_only_look_like_lightnings(tmp_path: Path) -> None:
    main = """
        class Scaler:
            def fit(self, values):
                return self


        def scaled(values):
            trainer = Scaler()
            return trainer.fit(values)


        def run(epochs):
            scaled([1, 2])
            trainer = L.Trainer(max_epochs=epochs)
            trainer.fit(Net())


        run(int("3"))
        """
    text = script(tmp_path, main)
    assert "    return trainer.fit(values)\n" in text
    assert "    fit(Net(), trainer)\n" in text


def test_variables_with_names_of_lightnings(tmp_path: Path) -> None:
    main = """
        class Library:
            Trainer = dict


        def described(L):
            return L.Trainer(max_epochs=3)


        def run(epochs):
            print(described(Library))
            L.Trainer(max_epochs=epochs).fit(Net())


        run(int("3"))
        """
    text = script(tmp_path, main)
    assert "    return L.Trainer(max_epochs=3)\n" in text
    assert "    fit(Net(), Config(max_epochs=epochs))\n" in text


def test_progress_bars_leave_lists_of_callbacks(tmp_path: Path) -> None:
    main = """
        from lightning.pytorch.callbacks import LearningRateMonitor, RichProgressBar, TQDMProgressBar
        bars = [RichProgressBar()]
        trainer = L.Trainer(callbacks=[RichProgressBar(), LearningRateMonitor(), TQDMProgressBar(3)])
        trainer.fit(Net())
    """
    text = script(tmp_path, main)
    assert "callbacks=[LearningRateMonitor()]" in text
    assert "bars = [Callback()]" in text


@pytest.mark.parametrize(
    ("settings", "waits"), [("", False), (", max_steps=3", True), (", check_val_every_n_epoch=2", True)]
)
def test_a_score_is_waited_for_where_an_epoch_may_end_without_validation(
    settings: str, waits: bool, tmp_path: Path
) -> None:
    """Semantics 10: it is a warning that there is none yet, until there was a validation."""
    main = f"""
        from lightning.pytorch.callbacks import ModelCheckpoint
        trainer = L.Trainer(max_epochs=2, callbacks=[ModelCheckpoint("x", monitor="y")]{settings})
        trainer.fit(Validated())
    """
    validated = """
        class Validated(Net):
            def validation_step(self, batch, batch_idx):
                self.log("y", self(batch).mean())

            def val_dataloader(self):
                return DataLoader(torch.ones(4, 4))
    """
    assert ("_has_validated" in script(tmp_path, dedent(validated) + dedent(main))) is waits


def test_progress_bars_keep_their_places_where_callbacks_may_be_asked_for_by_number(tmp_path: Path) -> None:
    main = """
        from lightning.pytorch.callbacks import LearningRateMonitor, RichProgressBar
        trainer = L.Trainer(callbacks=[RichProgressBar(), LearningRateMonitor("step")])
        trainer.fit(Net())
        print(trainer.callbacks[1])
    """
    text = script(tmp_path, main)
    assert "callbacks=[Callback(), LearningRateMonitor()]" in text


def test_one_module_has_one_name(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        MODEL.replace("from torch import nn", "import torch.nn as nn").lstrip()
    )
    text = build(tmp_path / "model.py", "ddp")
    assert "import torch.nn as nn\n" in text
    assert "nn_" not in text
    assert "import nn\n" not in text


SCHEDULES = {
    "of objects": ("[torch.optim.lr_scheduler.StepLR(optimizer, 1)]", False),
    "of a dict": ('[{"scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 1)}]', False),
    "of a dict that says when": (
        '[{"scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 1), "interval": "step"}]',
        True,
    ),
    "of what stands elsewhere": ("[schedule_of(optimizer)]", True),
    "of a dict with others": (
        '[{"scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 1), **OPTIONS}]',
        True,
    ),
}


@pytest.mark.parametrize(("schedules", "within_epochs"), SCHEDULES.values(), ids=SCHEDULES)
def test_schedules_of_several_forms_step_where_one_may(
    tmp_path: Path, schedules: str, within_epochs: bool
) -> None:
    """Semantics 7: by the epoch, unless a dict says otherwise."""
    returns = f"        if optimizer.defaults:\n            return optimizer\n        return [optimizer], {schedules}\n"
    model = MODEL.replace("        return torch.optim.SGD", "        optimizer = torch.optim.SGD")
    model = model.replace("lr=0.1)\n", f"lr=0.1)\n{returns}").replace(
        "\n\nclass Net", "\nfrom elsewhere import OPTIONS, schedule_of\n\n\nclass Net"
    )
    (tmp_path / "model.py").write_text(model.lstrip())
    text = build(tmp_path / "model.py", "ddp")
    assert 'step_schedules(schedules, "epoch", epoch, step_scheduler)' in text
    assert ('step_schedules(schedules, "step", batch_idx, step_scheduler)' in text) == within_epochs


def test_objects_that_an_entry_makes_beside_stay(tmp_path: Path) -> None:
    main = """
        if __name__ == "__main__":
            first = Net()
            model = Net()
            trainer = L.Trainer(max_epochs=2)
            trainer.fit(model)
        """
    text = script(tmp_path, main)
    assert "    first = Net()\n    model = Net()\n" in text


OTHERS = """
class Square:
    def __call__(self, values): return values.square()
class Answers(Square):
    def __getattr__(self, name): return print
class Hooked(Square):
    def on_train_end(self, trainer, module): print("over")
class Idle(L.Callback): pass
class Counts(L.Callback):
    def on_train_end(self, trainer, module): print(trainer.global_step)
def make(name):
    return {"loss": nn.MSELoss, "first": FIRST, "second": SECOND}[name]()
if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=2, callbacks=[make(input())])
    trainer.fit(Net())
"""


@pytest.mark.parametrize(
    ("first", "second", "is_told"),
    [
        ("Counts", "Square", False),  # at whose first hook both trainings end
        ("Idle", "Square", True),  # of which no hook is called
        ("Counts", "Answers", True),
        ("Counts", "Hooked", True),
    ],
)
def test_what_is_made_beside_callbacks_and_has_no_hooks_is_none(
    tmp_path: Path, first: str, second: str, is_told: bool
) -> None:
    main = OTHERS.replace("FIRST", first).replace("SECOND", second)
    if not is_told:
        assert "make(" in script(tmp_path, main)
        return
    with pytest.raises(CompileError) as refused:
        script(tmp_path, main)
    assert {each.code for each in refused.value.diagnostics} == {"callback-unread"}


@pytest.mark.parametrize(
    ("listed", "written"),
    {
        "variables move": ("[saving, Timer(), other]", "[Timer(), other, saving]"),
        "a comment stands by its callback": (
            "[\n            saving,  # the best\n            Timer(),\n        ]",
            "checkpoints_last(",
        ),
        "calls are made in their order": (
            "[ModelCheckpoint('y'), Timer()]",
            'checkpoints_last([ModelCheckpoint("y"), Timer()])',
        ),
        "a variable that may change": ("[changed, Timer()]", "checkpoints_last([changed, Timer()])"),
    }.values(),
)
def test_callbacks_that_save_come_last(listed: str, written: str, tmp_path: Path) -> None:
    main = f"""
        from lightning.pytorch.callbacks import ModelCheckpoint, Timer

        saving, other = ModelCheckpoint("x"), Timer()
        changed = ModelCheckpoint("a")
        changed = ModelCheckpoint("b")
        trainer = L.Trainer(max_epochs=2, callbacks={listed})
        trainer.fit(Net())
        """
    assert f"callbacks={written}" in script(tmp_path, main)


@pytest.mark.parametrize(
    ("given", "shares"),
    {
        "a number": ("version=3", False),
        "none": ("", True),
        "what may be None": ("version=None if torch.cuda.is_available() else 3", True),
        "anything": ("version=torch.get_num_threads()", True),
    }.values(),
)
def test_ranks_share_the_versions_that_they_look_for(given: str, shares: bool, tmp_path: Path) -> None:
    main = f"""
        from lightning.pytorch.loggers import TensorBoardLogger

        trainer = L.Trainer(max_epochs=2, logger=TensorBoardLogger("x", {given}))
        trainer.fit(Net())
        """
    text = script(tmp_path, main)
    assert ("share_versions(loggers)" in text) is shares
    assert "open_experiments(trainer.loggers)" in text


def test_callbacks_log_by_a_method_of_the_models(tmp_path: Path) -> None:
    main = """
        class Logs(L.Callback):
            def on_train_epoch_end(self, trainer, pl_module):
                self.log("epoch", 1.0)


        trainer = L.Trainer(max_epochs=2, callbacks=[Logs()])
        trainer.fit(Net())
        """
    text = script(tmp_path, main)
    assert "callback.log = model.log" in text
    assert "def log(" in text


def test_commands_for_other_classes_say_what_the_build_was_told(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parent / "cases" / "main-several-data-modules-in-turn" / "model.py", tmp_path)
    (tmp_path / "of ours").mkdir()
    options = ["--strategy", "single", "--root", str(tmp_path / "of ours")]
    result = CliRunner().invoke(main, ["build", str(tmp_path / "model.py"), *options])
    found = re.findall(r"`ddpgen build \S+ ([^`]*)`", " ".join(result.output.split()))
    root = f"--strategy single --root '{tmp_path / 'of ours'}'"
    assert found == [f"{root} --data {name} -o train_{name.lower()}.py" for name in ("Ones", "Others")]
    asked = Asked((Path("src"),), ("model=small", "note=two words"))
    assert (asked.options, asked.rest) == (" --root src", " -- model=small 'note=two words'")


STATES = {
    "of two metrics": ('EarlyStopping("a"), EarlyStopping("b")', False),
    "of two modes": ('EarlyStopping("a"), EarlyStopping("a", mode="max")', False),
    "by steps and by epochs": ('ModelCheckpoint(every_n_train_steps=2), ModelCheckpoint("kept")', False),
    "of one metric": ('EarlyStopping("a"), EarlyStopping("a", patience=9)', True),
    "of what a run knows": ("EarlyStopping(args.metric), EarlyStopping('a')", True),
    "of one's own": ("Counts(), Counts()", True),
    "of one's own without states": ("Quiet(), Quiet()", False),
}


@pytest.mark.parametrize(("callbacks", "is_asked"), STATES.values(), ids=STATES)
def test_callbacks_that_may_keep_their_states_under_one_key(
    tmp_path: Path, callbacks: str, is_asked: bool
) -> None:
    main = f"""
        from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint


        class Counts(L.Callback):
            def state_dict(self):
                return {{"count": 1}}


        class Quiet(L.Callback):
            pass


        if __name__ == "__main__":
            parser = argparse.ArgumentParser()
            parser.add_argument("--metric")
            args = parser.parse_args()
            trainer = L.Trainer(max_epochs=1, callbacks=[{callbacks}])
            trainer.fit(Net())
        """
    assert ("    require_own_states(trainer.callbacks)" in script(tmp_path, main)) is is_asked


SACRED = """
    from sacred import Experiment

    ex = Experiment("a net")


    @ex.config
    def config():
        epochs = 2


    @ex.{starts}
    def main(epochs):
        L.Trainer(max_epochs=epochs).fit(Net())
    """
GUARD = '\n\nif __name__ == "__main__":\n    ex.run_commandline()\n'


def test_a_main_of_sacreds_is_started_at_the_end(tmp_path: Path) -> None:
    """`automain` runs a function where it stands, above what the script has for it."""
    told = script(tmp_path, SACRED.format(starts="automain"))
    assert told == script(tmp_path, dedent(SACRED.format(starts="main")) + GUARD)
    assert told.endswith(GUARD)


@pytest.mark.parametrize(
    ("where", "follows"),
    [("", False), (', map_location="cpu"', False), (", torch.device('cuda')", True), (", **more", True)],
)
def test_a_loaded_model_goes_where_its_weights_are(where: str, follows: bool, tmp_path: Path) -> None:
    main = f"""
        more = {{}}
        trainer = L.Trainer(max_epochs=1)
        trainer.fit(Net())
        trainer.save_checkpoint("net.ckpt")
        print(Net.load_from_checkpoint("net.ckpt"{where}).layer)
        """
    assert ("def moved_to_loaded" in script(tmp_path, main)) == follows


@pytest.mark.parametrize(
    ("name", "made"), [("Config", "Trainer(Config_(max_epochs=1))"), ("fit", "fit_(Net()")]
)
def test_a_name_of_the_scripts_that_only_a_dropped_argument_has(name: str, made: str, tmp_path: Path) -> None:
    """The script's own keeps out of its way all the same, in the main as where it is defined."""
    (tmp_path / "settings.py").write_text(f"class {name}:\n    devices = 1\n")
    main = f"""
        from settings import {name}

        if __name__ == "__main__":
            trainer = L.Trainer(max_epochs=1, devices={name}.devices)
            trainer.fit(Net())
            print(trainer.current_epoch)
        """
    text = script(tmp_path, main)
    assert made in text
    assert re.search(rf"^(class|def) {name}_\b", text, re.MULTILINE)
    assert f"import {name}" not in text


SET_BY_NAME = """
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trial", action="store_true")
    args = parser.parse_args()
    options = {held}
    if args.trial:
        options["fast_dev_run"] = True
    trainer = L.Trainer(max_epochs=1)
    for key, value in options.items():
        setattr(trainer, key, value)
    trainer.fit(Net())


if __name__ == "__main__":
    main()
"""


def test_what_options_set_of_a_trainer_ends_the_run(tmp_path: Path) -> None:
    text = script(tmp_path, SET_BY_NAME.format(held="{}"))
    assert 'stop(\n            "fast_dev_run: the script does not follow' in text
    assert "setattr" not in text


def test_what_is_set_of_a_trainer_in_any_case_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as error:
        script(tmp_path, SET_BY_NAME.format(held="{'overfit_batches': 1}"))
    assert [each.code for each in error.value.diagnostics] == ["trainer-set-by-name"]


EXPECTED = """
def checked(value, kind=None):
    {check}
    return value


trainer = checked(L.Trainer(max_epochs=1), L.Trainer)
trainer.fit(checked(Net(), kind=L.LightningModule))
"""


def test_classes_that_a_function_checks_for_are_the_scripts(tmp_path: Path) -> None:
    check = "assert kind is None or isinstance(value, kind), f'no {kind}'"
    text = main_of(script(tmp_path, EXPECTED.format(check=check)))
    assert "checked(Config(max_epochs=1), Config)" in text
    assert "checked(Net(), kind=TrainModule)" in text


@pytest.mark.parametrize(
    "check", ["print(kind)", "assert isinstance([*value.parameters()], kind) or other(kind)"]
)
def test_classes_that_a_function_does_more_with_have_nothing_in_their_place(
    tmp_path: Path, check: str
) -> None:
    with pytest.raises(CompileError) as error:
        script(tmp_path, EXPECTED.format(check=check))
    assert {each.code for each in error.value.diagnostics} >= {"unsupported-lightning-name"}


WITHOUT_TEST_DATA = """
class Tested(Net):
    def test_step(self, batch, batch_idx):
        return self.layer(batch[0]).sum()


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def main():
    model, data, trainer = Tested(), Data(), L.Trainer(max_epochs=1)
    trainer.fit(model, datamodule=data)
    trainer.test(model, datamodule=data)


if __name__ == "__main__":
    main()
"""


def test_a_loader_that_a_data_module_lacks_is_its_own(tmp_path: Path) -> None:
    assert 'stop("test needs a test_dataloader, which Data has not")' in script(tmp_path, WITHOUT_TEST_DATA)
