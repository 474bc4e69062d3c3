"""ModelCheckpoint beside Lightning's: the same files, names, paths and scores after every hook of many runs."""

from __future__ import annotations

import inspect
import random
from copy import deepcopy
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ddpgen.strategies.callbacks.model_checkpoint as our_module
import libcst as cst
import lightning.pytorch.callbacks.model_checkpoint as their_module
import pytest
import torch
from ddpgen.runtime.constructed import unasked_flags, unasked_members
from ddpgen.runtime.folding.fold import fold
from ddpgen.runtime.folding.inline import inlined
from ddpgen.runtime.folding.known import Known
from ddpgen.strategies.callbacks.model_checkpoint import ModelCheckpoint
from hypothesis import given, settings
from hypothesis import strategies as st
from lightning.pytorch.callbacks import ModelCheckpoint as LightningCheckpoint
from lightning.pytorch.utilities.exceptions import MisconfigurationException
from lightning_callbacks import Event, FakeTrainer, World, events, files, plain, play, random_schedule

Arguments = dict[str, Any]

STATE = (
    "best_model_path",
    "best_model_score",
    "best_k_models",
    "kth_best_model_path",
    "kth_value",
    "last_model_path",
    "current_score",
    "dirpath",
    "state_key",
)

VALUES = [0.1, 0.25, 0.25, 0.5, 0.5, 1.5, float("nan"), float("inf"), -1.0]

FILENAMES = [
    None,
    None,
    "best",
    "{epoch}-{val_loss:.2f}",
    "{epoch:02d}-{step:03d}",
    "model_{val/acc:.3f}",
    "{train_loss}-{missing}",
    "{epoch}{epoch_time:.1f}_{epoch}",
    "sub/{step}",
]


class Side:
    """One of the two callbacks, with a trainer and a folder of its own."""

    def __init__(self, kind: type, root: Path, arguments: dict[str, Any], constants: dict[str, Any]) -> None:
        self.kind, self.root, self.arguments, self.constants = kind, root, arguments, constants
        self.clock = SimpleNamespace(now=100.0)
        root.mkdir()

    def start(self, world: World, logger: dict[str, Any], **settings: Any) -> None:
        """A run with a callback as the user's code makes it."""
        arguments = dict(self.arguments)
        if "dirpath" in arguments:
            arguments["dirpath"] = self.root / arguments["dirpath"]
        self.callback = self.kind(**arguments)
        vars(self.callback).update(self.constants)
        self.trainer = FakeTrainer(self.root, world, callbacks=[self.callback], **settings)
        self.uploaded: list[Any] = []
        if logger:
            self.trainer.loggers = [self.logger(**logger), SimpleNamespace(after_save_checkpoint=id)]

    def logger(self, save_dir: str | None, name: str, version: int | str) -> Any:
        """One that notes which checkpoint it was told of."""
        folder = save_dir and str(self.root / save_dir)
        tell = lambda saved: self.uploaded.append(plain(saved.state_dict(), self.root))  # noqa: E731
        return SimpleNamespace(save_dir=folder, name=name, version=version, after_save_checkpoint=tell)

    def play(self, event: Event, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
        clock = SimpleNamespace(monotonic=lambda: self.clock.now)
        world = self.trainer.world
        for module in (our_module, their_module):
            monkeypatch.setattr(module, "time", clock)
        if hasattr(self.callback, "_is_alone"):  # Lightning's asks the others even as it fails
            monkeypatch.setattr(type(self.callback), "_is_alone", property(lambda _: False, lambda *_: None))
        monkeypatch.setattr(our_module, "any_rank", world.any_rank)
        monkeypatch.setattr(our_module, "every_rank", world.every_rank)
        monkeypatch.setattr(our_module, "from_rank_zero", world.broadcast)
        outcome: dict[str, Any] = {"raised": play(event, self.callback, self.trainer, self.clock)}
        outcome |= {name: plain(getattr(self.callback, name), self.root) for name in STATE}
        state = plain(self.callback.state_dict(), self.root)
        outcome |= {"files": files(self.root), "state": state, "uploaded": self.uploaded}
        return outcome | {"collectives": world.collectives}


def random_arguments(choose: random.Random) -> dict[str, Any]:
    monitor = choose.choice([None, None, "val_loss", "val_loss", "val_loss", "train_loss", "step", "val/acc"])
    several = [1, 1, 2, 3, 0, -1] if monitor else [1, 1, 1, 0, -1]
    arguments: dict[str, Any] = {
        "monitor": monitor,
        "mode": choose.choice(["min", "max"]),
        "save_top_k": choose.choice(several),
        "filename": choose.choice(FILENAMES),
        "save_last": choose.choice([None, None, True, False, "link", "link"]),
        "save_weights_only": choose.random() < 0.2,
        "auto_insert_metric_name": choose.random() < 0.8,
        "enable_version_counter": choose.random() < 0.8,
        "save_on_train_epoch_end": choose.choice([None, None, True, False]),
        "save_on_exception": choose.random() < 0.3,
        "verbose": choose.random() < 0.2,
    }
    trigger, values = choose.choice(
        [
            ("every_n_epochs", [None, None, 1, 2, 0]),
            ("every_n_train_steps", [1, 2, 3, 4, 0]),
            ("train_time_interval", [timedelta(seconds=seconds) for seconds in (0, 1, 4)]),
        ]
    )
    arguments[trigger] = choose.choice(values)
    if choose.random() < 0.7:
        arguments["dirpath"] = choose.choice(["checkpoints", "a/../b"])
    return arguments


def random_constants(choose: random.Random) -> dict[str, Any]:
    if choose.random() < 0.8:
        return {}
    return {
        "CHECKPOINT_NAME_LAST": choose.choice(["{epoch}-last", "newest", "last-{step}-{val_loss:.1f}"]),
        "CHECKPOINT_EQUALS_CHAR": choose.choice(["=", "_"]),
        "CHECKPOINT_JOIN_CHAR": choose.choice(["-", "+"]),
        "FILE_EXTENSION": choose.choice([".ckpt", ".pt"]),
        "STARTING_VERSION": choose.choice([1, 0]),
    }


def random_logger(choose: random.Random) -> dict[str, Any]:
    return {
        "save_dir": choose.choice(["logs", None]),
        "name": choose.choice(["digits", ""]),
        "version": choose.choice([3, "mine"]),
    }


def random_log(choose: random.Random) -> Any:
    """What each stage logs: sometimes nothing, sometimes under the names of the counters."""
    names = {"train": ["train_loss"], "val": ["val_loss", "val/acc"], "epoch": ["train_loss_epoch"]}
    if choose.random() < 0.15:
        names["val"] = ["val_los"]
    if choose.random() < 0.1:
        names["train"] += ["epoch", "step"]
    return lambda stage: {name: choose.choice(VALUES) for name in names[stage]}


def cut(run: list[Event], choose: random.Random) -> list[Event]:
    """The run as far as an error in it, and the hook that is called then."""
    if choose.random() < 0.6:
        return run
    return [*run[: choose.randrange(1, len(run))], Event("on_exception")]


@pytest.mark.parametrize("seed", range(250))
@pytest.mark.filterwarnings("ignore")
def test_the_same_files_as_lightnings(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Semantics 10, in runs of all kinds, half of them resumed."""
    choose = random.Random(seed)
    arguments, constants = random_arguments(choose), random_constants(choose)
    compare(ModelCheckpoint, arguments, constants, seed, tmp_path, monkeypatch)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.filterwarnings("ignore")
def test_what_scripts_get_saves_the_same_files(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script's class knows what its arguments are that are never passed."""
    choose = random.Random(seed)
    defaults = {field.name: field.default for field in fields(ModelCheckpoint)}
    arguments = {
        name: value
        for name, value in random_arguments(choose).items()
        if value is not defaults[name] and choose.random() < 0.7
    }
    if "monitor" not in arguments:
        arguments.pop("save_top_k", None)
    kind = folded(arguments, defaults, monkeypatch)
    compare(kind, arguments, {}, seed, tmp_path, monkeypatch)


def folded(passed: Arguments, defaults: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The class with the values in it of those flags and options that are not passed, in few methods."""
    known = {
        name: repr(default)
        for name, default in defaults.items()
        if name not in (*passed, "dirpath") and (default is None or isinstance(default, bool))
    }
    if not {"every_n_train_steps", "train_time_interval"} & passed.keys():
        known["_defer_save_until_validation"] = "False"
    known |= dict.fromkeys(unasked_flags("ModelCheckpoint", frozenset()), "False")
    node = cst.ensure_type(cst.parse_statement(inspect.getsource(ModelCheckpoint)), cst.ClassDef)
    unasked = unasked_members("ModelCheckpoint", frozenset())
    parts = [
        each
        for each in node.body.body
        if not isinstance(each, cst.FunctionDef) or each.name.value not in unasked
    ]
    node = node.with_deep_changes(node.body, body=parts)
    flags = frozenset(name for name in ("save_last",) if isinstance(passed.get(name), bool))
    slim = fold(node, Known(attributes=known, flags=flags))
    kept = {name for name in dir(LightningCheckpoint) if not name.startswith("_")}
    code = cst.Module([inlined(slim, kept)]).code
    assert "def _check_arguments" not in code
    for name in known.keys() & {"verbose", "monitor", "every_n_train_steps", "save_last"}:
        assert f"self.{name}" not in code
    monkeypatch.setattr(our_module, "ModelCheckpoint", None)  # it comes back when the test is over
    exec(code, vars(our_module))
    return our_module.ModelCheckpoint


def compare(
    kind: Any,
    arguments: Arguments,
    constants: dict[str, Any],
    seed: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Run Lightning's callback and `kind` side by side."""
    choose = random.Random(f"run {seed}")
    theirs = Side(LightningCheckpoint, tmp_path / "theirs", arguments, constants)
    ours = Side(kind, tmp_path / "ours", arguments, constants)
    agreeing, logs, resumes = (choose.random() < share for share in (0.7, 0.5, 0.5))
    logger = random_logger(choose) if logs else {}
    for part in range(1 + resumes):
        schedule = random_schedule(choose)
        first = part * choose.randint(0, 3)
        run = cut(list(events(schedule, choose, random_log(choose), first)), choose)
        before = [deepcopy(side.callback.state_dict()) if part else {} for side in (theirs, ours)]
        moved = {"dirpath": "moved"} if part and choose.random() < 0.3 else {}
        for side in (theirs, ours):
            side.arguments = arguments | moved
            side.start(World(seed, agreeing), logger, **schedule.settings)
        for number, event in enumerate(run):
            expected, found = theirs.play(event, monkeypatch), ours.play(event, monkeypatch)
            assert found == expected, (arguments, schedule, event)
            if expected["raised"]:
                break
            if part and number == 0:
                resume(theirs, ours, before, choose)


def resume(theirs: Side, ours: Side, states: list[dict[str, Any]], choose: random.Random) -> None:
    """Go on from one of the files."""
    saved = sorted(files(theirs.root))
    chosen = choose.choice(saved) if saved else None
    for side, state in zip((theirs, ours), states, strict=True):
        side.trainer.ckpt_path = str(side.root / chosen) if chosen else None
        side.callback.load_state_dict(state)


# ---- one by one ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        {"mode": "auto"},
        {"monitor": "loss", "save_top_k": -2},
        {"save_top_k": 2},
        {"every_n_train_steps": 2, "every_n_epochs": 1},
        {"every_n_train_steps": 2, "train_time_interval": timedelta(0)},
        {"every_n_epochs": 2, "train_time_interval": timedelta(0)},
    ],
)
def test_what_contradicts_itself_is_refused(arguments: Arguments) -> None:
    with pytest.raises(MisconfigurationException):
        LightningCheckpoint(**arguments)
    with pytest.raises(ValueError, match=r"mode|save"):
        ModelCheckpoint(**arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"every_n_train_steps": 0, "every_n_epochs": 2},
        {"every_n_train_steps": 3, "every_n_epochs": 0},
        {"every_n_train_steps": 0, "every_n_epochs": 0, "train_time_interval": timedelta(0)},
        {"monitor": "loss", "save_top_k": 7, "mode": "max"},
        {"every_n_train_steps": 0},
    ],
)
def test_the_same_state_keys_as_lightnings(arguments: Arguments) -> None:
    """Semantics 10.10."""
    assert ModelCheckpoint(**arguments).state_key == LightningCheckpoint(**arguments).state_key


def test_a_place_that_is_no_folder_is_refused() -> None:
    callback = ModelCheckpoint("s3://bucket/checkpoints")
    with pytest.raises(ValueError, match=r"saved in folders, not at .*s3:/bucket/checkpoints"):
        callback.setup(None, None, "fit")


NAMES = st.sampled_from(["epoch", "step", "val_loss", "val/acc", "epoch_loss", "a.b", "missing"])
FORMATS = st.sampled_from(["", ":.2f", ":03d", ":d", ":>8.3f", ":e"])
FIELDS = st.builds(lambda name, form: "{" + name + form + "}", NAMES, FORMATS)
TEMPLATES = st.lists(FIELDS | st.sampled_from(["-", "_", "model", "=", "epoch", "v1", ".", "/"])).map("".join)


def named(callback: Any, template: str, ver: int | None, prefix: str | None) -> str:
    values = {"epoch": 3, "step": 12, "val_loss": 0.125, "val/acc": 0.5, "epoch_loss": 2.5, "a.b": 1.0}
    metrics = {name: torch.tensor(value) for name, value in values.items()}
    try:
        return str(callback.format_checkpoint_name(metrics, template, ver, prefix))
    except (ValueError, KeyError) as error:
        return type(error).__name__


@given(
    template=TEMPLATES,
    auto_insert=st.booleans(),
    filename=st.none() | TEMPLATES,
    ver=st.none() | st.integers(0, 3),
    prefix=st.none() | st.sampled_from(["", "test"]),
)
@settings(max_examples=150, deadline=None)
def test_the_same_names_as_lightnings(
    template: str, auto_insert: bool, filename: str | None, ver: int | None, prefix: str | None
) -> None:
    """Semantics 10.6."""
    arguments: Any = {"auto_insert_metric_name": auto_insert, "filename": filename}
    theirs, ours = LightningCheckpoint(**arguments), ModelCheckpoint(**arguments)
    assert named(ours, template, ver, prefix) == named(theirs, template, ver, prefix)


def trained(root: Path, losses: list[float], **arguments: Any) -> tuple[ModelCheckpoint, FakeTrainer]:
    """The callback after epochs of one step with these losses."""
    callback = ModelCheckpoint(monitor="loss", **arguments)
    trainer = FakeTrainer(root, World(), callbacks=[callback])
    callback.setup(trainer, None, "fit")
    for epoch, loss in enumerate(losses):
        trainer.current_epoch, trainer.global_step = epoch, epoch + 1
        trainer.callback_metrics["loss"] = torch.tensor(loss)
        callback.on_train_epoch_end(trainer, None)
    return callback, trainer


def test_a_folder_that_cannot_be_written_to_is_found_before_the_training(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=r"^cannot save checkpoints: .*Not a directory: .*file/kept"):
        trained(tmp_path, [], dirpath=tmp_path / "file" / "kept")


def test_the_best_two_are_kept_and_a_link_to_the_newest(tmp_path: Path) -> None:
    callback, _ = trained(tmp_path, [3.0, 1.0, 2.0, 4.0], save_top_k=2, save_last="link", filename="{epoch}")
    kept = files(tmp_path / "checkpoints")
    assert sorted(kept) == ["epoch=1.ckpt", "epoch=2.ckpt", "last.ckpt"]
    assert kept["last.ckpt"] == "-> epoch=2.ckpt"
    assert callback.best_model_path == str(tmp_path / "checkpoints" / "epoch=1.ckpt")
    assert callback.best_model_score == 1.0


def test_a_run_killed_as_it_links_keeps_the_link_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(*paths: Any) -> None:
        raise KeyboardInterrupt

    callback, _ = trained(tmp_path, [1.0], save_top_k=-1, save_last="link", filename="{epoch}")
    monkeypatch.setattr(Path, "replace", kill)
    with pytest.raises(KeyboardInterrupt):
        callback._link_checkpoint(SimpleNamespace(global_rank=0), "x.ckpt", callback.last_model_path)
    assert Path(callback.last_model_path).resolve().name == "epoch=0.ckpt"


def test_a_copy_where_links_are_forbidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("a required privilege is not held by the client")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    trained(tmp_path, [1.0], save_last="link", filename="best")
    kept = files(tmp_path / "checkpoints")
    assert kept["last.ckpt"] == kept["best.ckpt"]


def test_nothing_is_saved_outside_of_training(tmp_path: Path) -> None:
    """Semantics 10.4."""
    callback = ModelCheckpoint(save_on_train_epoch_end=False)
    trainer = FakeTrainer(tmp_path, World(), global_step=3)
    callback.setup(trainer, None, "fit")
    for trial in ({"state_fn": "validate"}, {"state_fn": "fit", "sanity_checking": True}):
        vars(trainer).update(trial)
        callback.on_validation_end(trainer, None)
        assert files(tmp_path) == {}
    trainer.sanity_checking = False
    callback.on_validation_end(trainer, None)
    assert list(files(tmp_path)) == ["checkpoints/epoch=0-step=3.ckpt"]


def test_it_says_what_it_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trained(tmp_path, [0.5, 1.0], verbose=True, filename="best")
    path = str(tmp_path / "checkpoints" / "best.ckpt")
    assert capsys.readouterr().out.splitlines() == [
        f"Epoch 0, global step 1: 'loss' reached 0.50000 (best 0.50000), saving {path!r} as top 1",
        "Epoch 1, global step 2: 'loss' was not in top 1",
    ]


def test_a_score_that_is_missing(tmp_path: Path) -> None:
    """Semantics 10.5: it may still come, until validation has run."""
    callback, trainer = trained(tmp_path, [])
    trainer.global_step = 1
    trainer.callback_metrics["los"] = torch.tensor(1.0)
    with pytest.warns(UserWarning, match=r"no 'loss' to choose by among \['epoch', 'los', 'step'\]"):
        callback.on_train_epoch_end(trainer, None)
    for trainer.state_fn, trainer.sanity_checking in ("fit", True), ("validate", False):
        callback.on_validation_end(trainer, None)
        with pytest.warns(UserWarning, match="no 'loss'"):
            callback.on_train_epoch_end(trainer, None)
    trainer.state_fn = "fit"
    callback.on_validation_end(trainer, None)
    with pytest.raises(RuntimeError, match="'loss'"):
        callback.on_train_epoch_end(trainer, None)
    assert files(tmp_path) == {}


class Restarted(FakeTrainer):
    """It trains epochs of one step, and goes on from the first file of the epoch before."""

    def __init__(self, root: Path, world: World) -> None:
        super().__init__(root, world)
        self.states: dict[int, dict[str, Any]] = {}

    def save_checkpoint(self, path: str, weights_only: bool = False) -> None:
        torch.save({"run": self.run, "global_step": self.global_step}, path)
        self.states.setdefault(self.global_step, deepcopy(self.callbacks[0].state_dict()))

    def train(self, run: str, epochs: range, **arguments: Any) -> list[str]:
        """The names of what is there then."""
        self.run, self.callback_metrics["loss"] = run, torch.tensor(1.0)
        self.first_step = epochs.start
        self.callbacks = [ModelCheckpoint(**{"monitor": "loss", "save_top_k": -1, **arguments})]
        self.callbacks[0].setup(self, None, "fit")
        if state := self.states.get(epochs.start):
            self.callbacks[0].load_state_dict(state)
        for self.current_epoch in epochs:
            self.global_step = self.current_epoch + 1
            self.callbacks[0].on_train_epoch_end(self, None)
        ModelCheckpoint._saved.clear()  # another process goes on
        return sorted(path.name for path in (self.root / "checkpoints").iterdir())


def test_what_a_stopped_run_saved_later_is_written_over(tmp_path: Path) -> None:
    """But not what another run has saved."""
    trainer = Restarted(tmp_path, World())
    names = trainer.train("one", range(4), filename="{epoch}")
    assert names == ["epoch=0.ckpt", "epoch=1.ckpt", "epoch=2.ckpt", "epoch=3.ckpt"]
    assert trainer.train("one", range(2, 4), filename="{epoch}") == names
    assert "epoch=3-v1.ckpt" in trainer.train("two", range(3, 4), filename="{epoch}")


def test_what_it_saved_before_is_kept(tmp_path: Path) -> None:
    trainer = Restarted(tmp_path, World())
    names = trainer.train("one", range(3), filename="model")
    assert names == ["model-v1.ckpt", "model-v2.ckpt", "model.ckpt"]
    assert trainer.train("one", range(2, 4), filename="model") == [
        "model-v1.ckpt",
        "model-v2.ckpt",
        "model-v3.ckpt",
        "model.ckpt",
    ]
    steps = {path.name: torch.load(path)["global_step"] for path in (tmp_path / "checkpoints").iterdir()}
    assert steps == {"model.ckpt": 1, "model-v1.ckpt": 2, "model-v2.ckpt": 3, "model-v3.ckpt": 4}


def test_the_last_of_a_run_that_was_stopped_as_it_had_saved_it_is_written_over(tmp_path: Path) -> None:
    """The state with which the run goes on was saved before it, and knows nothing of it."""
    trainer = Restarted(tmp_path, World())
    arguments: dict[str, Any] = {"monitor": None, "save_top_k": 1, "filename": "{epoch}", "save_last": True}
    assert trainer.train("one", range(1), **arguments) == ["epoch=0.ckpt", "last.ckpt"]
    assert trainer.states[1]["last_model_path"] == ""
    assert trainer.train("one", range(1, 3), **arguments) == ["epoch=2.ckpt", "last.ckpt"]


def test_lightning_reads_our_state_and_we_read_its(tmp_path: Path) -> None:
    callback, _ = trained(tmp_path, [3.0, 1.0, 2.0], save_top_k=2)
    theirs = LightningCheckpoint(tmp_path / "checkpoints", monitor="loss", save_top_k=2)
    theirs.load_state_dict(callback.state_dict())
    again = ModelCheckpoint(tmp_path / "checkpoints", monitor="loss", save_top_k=2)
    again.load_state_dict(theirs.state_dict())
    assert again.state_dict() | {"current_score": 2.0} == callback.state_dict()


def test_a_state_can_be_read_without_running_code(tmp_path: Path) -> None:
    callback, _ = trained(tmp_path, [3.0, 1.0], save_top_k=2)
    torch.save(callback.state_dict(), tmp_path / "state")
    assert torch.load(tmp_path / "state", weights_only=True) == callback.state_dict()
