"""What the compiler knows of the runtime's callbacks is what stands in them."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from pathlib import Path

import lightning.pytorch
import pytest
from ddpgen.ir.script import Constructed, Kept
from ddpgen.lightning import api, internals
from ddpgen.lightning.trainer_names import TRAINER_NAMES
from ddpgen.runtime.constructed import (
    OF_THE_SCRIPT,
    base_of,
    fields_of,
    kept_of,
    known_of,
    members_of,
    module_reads,
    trainer_members,
    trainer_reads,
)
from ddpgen.runtime.definitions import load_runtime
from ddpgen.runtime.folding.known import Known
from ddpgen.runtime.loggers import known_of_logger
from ddpgen.runtime.shake import slimmed
from lightning.pytorch import callbacks, loggers

CODE = {name: definition.code for name, definition in load_runtime().definitions.items()}
MADE_OF = {
    "LearningRateMonitor": ["named_optimizers"],
}
"""Functions that read the trainer for a callback."""
GIVEN = "LambdaCallback"
"""Its hooks are what it is given: any."""


def methods_of(name: str) -> set[str]:
    (node,) = ast.parse(CODE[name]).body
    assert isinstance(node, ast.ClassDef)
    own = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    base = base_of(name)
    return own | methods_of(base) if base else own


OF_CHECKPOINT_IO = {"checkpoint_io"}
"""What is asked only in scripts whose trainers have such an object."""


@pytest.mark.parametrize("name", sorted(api.CALLBACKS.keys() - {"Callback", GIVEN}))
def test_hooks_and_reads(name: str) -> None:
    assert api.CALLBACKS[name] == methods_of(name) & api.CALLBACK_HOOKS
    code = "\n".join(CODE[each] for each in [name, *MADE_OF.get(name, [])])
    found = set(re.findall(r"\btrainer\.(\w+)", code)) - OF_CHECKPOINT_IO
    assert found <= trainer_reads(name) <= trainer_members() | OF_THE_SCRIPT


def test_what_lightnings_callbacks_set_on_themselves() -> None:
    made = [getattr(callbacks, name, None) for name, hooks in api.CALLBACKS.items() if hooks]
    lineage = {base for cls in made if cls for base in cls.__mro__ if base.__module__.startswith("lightning")}
    setting = r"\bself\.(\w+)(?:\s*:[^=\n]+)?\s*[-+*/|]?=(?!=)"
    names = (name for base in lineage for name in re.findall(setting, inspect.getsource(base)))
    assert {*names} == api.SET_BY_CALLBACKS


def test_what_the_trainer_has_for_itself_is_there() -> None:
    assert members_of("Trainer") | fields_of("Trainer").keys() >= OF_THE_SCRIPT


def test_what_lightnings_trainer_has_is_known() -> None:
    made = lightning.pytorch.Trainer(accelerator="cpu", logger=False, enable_progress_bar=False)
    code = "".join(each.read_text() for each in Path(lightning.pytorch.__path__[0]).rglob("*.py"))
    found = {*dir(made), *vars(made), *re.findall(r"\btrainer\.(\w+) = ", code)}
    assert {name for name in found if not name.startswith("_")} == TRAINER_NAMES


def test_what_a_method_of_the_module_asks_of_the_trainer() -> None:
    clips = {"gradient_clip_val", "gradient_clip_algorithm", "loss_scaler"}
    assert module_reads("clip_gradients") == module_reads("configure_gradient_clipping") == clips


# ---- what classes that derive from Lightning's cannot rely on -------------------------------------------


def names_in(code: str) -> set[str]:
    """The members of a class, and the attributes that its methods set."""
    (node,) = ast.parse(textwrap.dedent(code)).body
    assert isinstance(node, ast.ClassDef)
    methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    fields = {ast.unparse(part.target) for part in node.body if isinstance(part, ast.AnnAssign)}
    values = {
        ast.unparse(each) for part in node.body if isinstance(part, ast.Assign) for each in part.targets
    }
    set_ = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute) if is_set_of_self(each)}
    return {name for name in methods | fields | values | set_ if not name.startswith("__")}


def is_set_of_self(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == "self"


def names_of_lightnings(name: str) -> set[str]:
    cls = getattr(callbacks if name in api.CALLBACKS else loggers, name)
    parts = [part for part in cls.__mro__ if part.__module__.startswith("lightning")]
    return set().union(*(names_in(inspect.getsource(part)) for part in parts))


def names_of_the_scripts(name: str) -> set[str]:
    base = base_of(name)
    return names_in(CODE[name]) | (names_of_the_scripts(base) if base else set())


NOT_DERIVED_FROM = {"Callback", "DummyLogger", "PyTorchLightningPruningCallback"}
LENT = {"log", "log_dict"}
"""Methods that the script's Callback has, where one calls them."""
TOLD = {"after_save_checkpoint", "_legacy_state_key"}
"""Methods that a derived class's are called of, and one that only Lightning calls."""


@pytest.mark.parametrize("name", sorted((api.CALLBACKS.keys() | api.LOGGERS) - NOT_DERIVED_FROM))
def test_names_in_which_the_classes_differ(name: str) -> None:
    theirs = names_of_lightnings(name)
    ours = names_of_the_scripts(name) | (names_of_the_scripts("Callback") if name in api.CALLBACKS else set())
    assert internals.THEIRS.get(name, set()) == theirs - ours - TOLD
    assert internals.OURS.get(name, set()) == ours - theirs - LENT


@pytest.mark.parametrize("name", sorted(internals.SETTINGS))
def test_what_only_asking_code_gets_is_lightnings(name: str) -> None:
    assert internals.lent_by(name) <= names_of_lightnings(name) & names_of_the_scripts(name)
    code = kept(name, told={}).members
    assert not internals.lent_by(name) & code


HANDED = {"trainer": "trainer", "pl_module": "model"}


@pytest.mark.parametrize("name", sorted(api.CALLBACKS.keys() - NOT_DERIVED_FROM))
def test_what_methods_that_both_classes_have_are_handed(name: str) -> None:
    """Of these, which a derived class may override, it is known where the trainer and the model stand."""
    cls = getattr(callbacks, name)
    both = methods_of(name) & vars(cls).keys() - api.CALLBACK_HOOKS - {"__init__"}
    both -= internals.lent_by(name)  # which none may override
    for method in (each for each in both if not isinstance(vars(cls)[each], property)):
        taken = [HANDED.get(each, "") for each in inspect.signature(getattr(cls, method)).parameters]
        is_static = isinstance(vars(cls)[method], staticmethod)
        asked = [place for place, each in enumerate(taken if is_static else taken[1:]) if each]
        _, handed = api.CALLBACK_PARTS.get(method, ("", ()))
        known = [place for place, each in enumerate(handed) if each in HANDED.values()]
        assert known == asked, method


@pytest.mark.parametrize("hook", sorted(api.CALLBACK_HOOKS))
def test_a_callback_has_each_hook_that_is_called(hook: str) -> None:
    assert hook in methods_of("Callback")


# ---- what stays of a class in a script -------------------------------------------------------------------

EVERY_EPOCH = {"trainer.check_val_every_n_epoch": "1", "trainer.val_check_interval": "1.0"}
ONLY_FIT = {"trainer.state_fn": '"fit"'}


def kept(name: str, *passed: str, told: dict[str, str], mentioned: frozenset[str] = frozenset()) -> Kept:
    made = Constructed(name, (((), dict.fromkeys(passed, "value")),))
    return kept_of(
        made, api.CALLBACKS[name], mentioned, told, {"tells_loggers": "False", "_is_alone": "False"}
    )


FOLDED = sorted(
    name for name in api.CALLBACKS.keys() - {"Callback", "Checkpoint", GIVEN} if base_of(name) is None
)


@pytest.mark.parametrize("name", FOLDED)
def test_all_stays_where_nothing_is_known(name: str) -> None:
    made = re.findall(r"^    (\w+):", CODE[name], re.M)
    found = kept(
        name, *made, told={}, mentioned=frozenset({"lrs", *internals.lent_by(name)})
    )  # which only others read
    assert found.hooks == api.CALLBACKS[name]
    assert found.reads <= trainer_reads(name)


def test_a_check_waits_for_the_epochs_end_where_validation_is_once_in_each() -> None:
    """Semantics 11: it is decided by the Trainer's settings whether validation is followed by a check."""
    stops = kept("EarlyStopping", "monitor", told=EVERY_EPOCH)
    assert stops.hooks == {"on_train_epoch_end"}
    assert not stops.reads & {"check_val_every_n_epoch", "val_check_interval", "sanity_checking", "state_fn"}
    told = kept("EarlyStopping", "monitor", "check_on_train_epoch_end", told=EVERY_EPOCH)
    assert told.hooks == {"on_train_epoch_end", "on_validation_end"}
    one = {"trainer.check_val_every_n_epoch": "1"}
    shares = kept("EarlyStopping", "monitor", told=one | ONLY_FIT)
    assert shares.hooks == {"on_train_epoch_end", "on_validation_end"}
    assert {"val_check_interval", "sanity_checking"} <= shares.reads
    assert not shares.reads & {"check_val_every_n_epoch", "state_fn"}


def test_checkpoints_are_saved_when_they_may_be_due() -> None:
    """Semantics 10."""
    plain = kept("ModelCheckpoint", "monitor", told=EVERY_EPOCH | ONLY_FIT)
    assert plain.hooks == {"setup", "on_train_epoch_end", "on_validation_end"}
    assert not plain.reads & {"num_training_batches", "state_fn"}
    by_steps = kept("ModelCheckpoint", "every_n_train_steps", told=EVERY_EPOCH)
    assert by_steps.hooks == plain.hooks | {"on_train_batch_end"}
    by_time = kept("ModelCheckpoint", "train_time_interval", told=EVERY_EPOCH)
    assert by_time.hooks == by_steps.hooks | {"on_train_start"}
    last = kept("ModelCheckpoint", "save_last", told=EVERY_EPOCH)
    assert last.hooks == plain.hooks | {"on_train_end"}
    failing = kept("ModelCheckpoint", "save_on_exception", told=EVERY_EPOCH)
    assert failing.hooks == plain.hooks | {"on_exception"}


def test_what_is_never_passed_is_decided_unless_code_sets_it() -> None:
    plain = kept("ModelCheckpoint", "monitor", told=EVERY_EPOCH)
    assert {"mode": "'min'", "save_top_k": "1", "save_last": "None"}.items() <= plain.values.items()
    assert not plain.values.keys() & {"monitor", "dirpath", "best_model_path"}
    assert "mode" not in kept("ModelCheckpoint", "mode", told=EVERY_EPOCH).values
    assert "patience" not in kept("EarlyStopping", "monitor", told=EVERY_EPOCH).values


@pytest.mark.parametrize(
    ("calls", "mentioned", "fills", "counts"),
    [
        ([{"filename": "'best'", "monitor": "'loss'"}], "", False, False),
        (
            [{"filename": "'best'", "monitor": "'loss'"}, {"filename": "'b'", "monitor": "'y'"}],
            "",
            False,
            False,
        ),
        ([{"filename": "'best'", "monitor": "'step'"}], "", False, True),
        ([{"filename": "'best'", "monitor": "name"}], "", False, True),
        ([{"filename": "'best'", "monitor": "'loss'", "verbose": "True"}], "", False, True),
        ([{"filename": "'best'"}], "", False, True),
        ([{"filename": "'best'"}, {}], "", True, True),
        ([{"filename": "''", "monitor": "'loss'"}], "", True, True),
        ([{"filename": "'{epoch}'", "monitor": "'loss'"}], "", True, True),
        ([{"filename": "name", "monitor": "'loss'"}], "", True, True),
        ([{"filename": "'best'", "monitor": "'loss'"}], "filename", True, True),
        ([{"filename": "'best'", "monitor": "'loss'"}], "CHECKPOINT_NAME_LAST", True, True),
        ([{"filename": "'best'", "monitor": "'loss'"}], "monitor", True, True),
    ],
)
def test_names_are_filled_where_one_may_have_fields(
    calls: list[dict[str, str]], mentioned: str, fills: bool, counts: bool
) -> None:
    """Semantics 10: the epoch and the step are asked for by names of files, scores and messages."""
    made = Constructed("ModelCheckpoint", tuple(((), each) for each in calls))
    found = kept_of(made, frozenset({"on_train_epoch_end"}), frozenset({mentioned}), EVERY_EPOCH, {})
    assert found.values["fills_names"] == str(fills)
    assert found.values["needs_counts"] == str(counts)
    assert ("current_epoch" in found.reads) is counts


def test_a_folder_below_the_claimed_one_is_not_looked_at_again() -> None:
    states = {"is_in_claimed_folder": "True"}
    made = Constructed("ModelCheckpoint", (((), {"monitor": "'loss'"}),))
    alone = kept_of(made, frozenset({"setup"}), frozenset(), ONLY_FIT | {"trainer.loggers": "()"}, states)
    assert alone.reads & {"default_root_dir", "global_rank"} == {"default_root_dir"}
    elsewhere = Constructed("ModelCheckpoint", (*made.calls, ((), {"dirpath": "'kept'"})))
    for each, mentioned in ((made, {"dirpath"}), (elsewhere, set[str]())):
        found = kept_of(each, frozenset({"setup"}), frozenset(mentioned), ONLY_FIT, states)
        assert found.values["is_in_claimed_folder"] == "False"
        assert "global_rank" in found.reads


@pytest.mark.parametrize(
    ("calls", "is_one"),
    [
        ([{"filename": "'best'", "monitor": "'loss'"}], True),
        ([{"filename": "'best'", "monitor": "'loss'", "save_top_k": "1"}], False),
        ([{"filename": "'best'", "monitor": "'loss'", "save_last": "True"}], False),
        ([{"filename": "'{epoch}'", "monitor": "'loss'"}], False),
        ([{"filename": "'best'", "monitor": "name"}], False),
        ([{"filename": "'best'"}], False),
        ([{"filename": "'best'", "monitor": "'loss'", "dirpath": "'kept'"}], False),
        ([{"filename": "'best'", "monitor": "'loss'"}, {"filename": "'two'", "monitor": "'acc'"}], False),
    ],
)
def test_one_file_below_the_claimed_folder_is_written_over(calls: list[dict[str, str]], is_one: bool) -> None:
    """Whatever has its name is the run's own: several callbacks, or scores in names, would need versions."""
    made = Constructed("ModelCheckpoint", tuple(((), each) for each in calls))
    states = {"is_in_claimed_folder": "True", "repeats_steps": "True"}
    found = kept_of(made, frozenset({"on_train_epoch_end"}), frozenset(), EVERY_EPOCH, states)
    assert found.values["keeps_one_file"] == str(is_one)
    code = slimmed("ModelCheckpoint", found.members, known_of(found)).code
    assert ("file_exists" not in code) is is_one


@pytest.mark.parametrize("is_claimed", [True, False])
def test_a_folder_is_found_once(is_claimed: bool) -> None:
    """By each `fit` and evaluation that sets the callback up: the loggers that it is named by may be others then."""
    made = Constructed("ModelCheckpoint", (((), {"monitor": "'loss'"}),))
    states = {"is_in_claimed_folder": str(is_claimed)}
    found = kept_of(made, frozenset({"setup"}), frozenset(), ONLY_FIT, states)
    code = slimmed("ModelCheckpoint", found.members, known_of(found)).code
    assert ("if self.dirpath is None:" in code) is not is_claimed


def test_a_monitor_of_rates_keeps_them_for_whoever_asks() -> None:
    alone = kept("LearningRateMonitor", told={})
    assert "on_train_start" not in alone.hooks
    asked = kept("LearningRateMonitor", told={}, mentioned=frozenset({"lrs"}))
    assert "on_train_start" in asked.hooks


def test_a_logger_keeps_what_it_is_passed_and_what_others_read() -> None:
    made = Constructed("TensorBoardLogger", ((("logs",), {"name": "'x'"}),))
    known = known_of_logger(made, frozenset())
    assert known.attributes == {
        "_default_hp_metric": "True",
        "_log_graph": "False",
        "lends_experiment": "False",
        "_prefix": "''",
        "sub_dir": "None",
        "takes_anything": "False",
        "takes_objects": "True",
        "writer_options": "{}",
    }
    assert known_of_logger(made, frozenset(), takes_objects=False).attributes["takes_objects"] == "False"
    calls = known_of_logger(made, frozenset({"log_hyperparams"}), takes_objects=False)
    assert calls.attributes["takes_objects"] == "True"
    assert "log_hyperparams" not in calls.methods
    assert "_prefix" not in known_of_logger(made, frozenset({"_prefix"})).attributes
    asked = known_of_logger(made, frozenset({"experiment", "log_metrics"})).attributes
    assert asked["lends_experiment"] == asked["takes_anything"] == "True"
    options = Constructed("TensorBoardLogger", ((("logs",), {"max_queue": "3"}),))
    assert "**writer_options" not in known_of_logger(options, frozenset()).methods["__init__"]


def test_options_that_a_logger_works_with_stay() -> None:
    known = known_of_logger(Constructed("WandbLogger", (((), {"project": "'x'"}),)), frozenset())
    assert "**init_options" not in known.methods["__init__"]
    assert "_wandb_init" not in known.attributes


def test_a_hook_that_other_code_calls_stays() -> None:
    found = kept("EarlyStopping", "monitor", told=EVERY_EPOCH, mentioned=frozenset({"on_validation_end"}))
    assert "on_validation_end" in found.hooks


@pytest.mark.parametrize("name", sorted(api.LOGGERS - {"DummyLogger"}))  # it has no code
def test_a_logger_that_draws_no_graphs_is_whole_otherwise(name: str) -> None:
    """Callbacks and the user's code read attributes that the class itself does not."""
    graphs = re.search(r"    def log_graph\((?:.*\n)+?\n", CODE[name])
    assert graphs is not None
    without = slimmed(name, members_of(name) - {"log_graph"}, Known()).code
    assert without == CODE[name].replace(graphs[0], "")


# ---- what calls pass -------------------------------------------------------------------------------------


def made_of(name: str, *calls: dict[str, str], mentioned: frozenset[str] = frozenset()) -> Kept:
    made = Constructed(name, tuple(((), passed) for passed in calls))
    return kept_of(made, api.CALLBACKS[name], mentioned, EVERY_EPOCH, {})


def test_an_option_that_all_calls_pass_alike_is_in_the_class_alone() -> None:
    """Such a call goes without the argument, which no longer says anything."""
    monitor = made_of("LearningRateMonitor", {"logging_interval": "'epoch'"})
    assert monitor.folded == {"logging_interval"}
    assert monitor.hooks == {"on_train_epoch_start"}
    step, epoch = {"logging_interval": "'step'"}, {"logging_interval": "'epoch'"}
    for calls in ((step, epoch), (step, {}), ({"logging_interval": "args.when"},)):
        assert not made_of("LearningRateMonitor", *calls).folded
    read = made_of("LearningRateMonitor", step, mentioned=frozenset({"logging_interval"}))
    assert not read.folded


def test_what_calls_always_pass_is_not_none() -> None:
    joined = made_of("ModelCheckpoint", {"monitor": "'x'", "dirpath": "root / 'x'"})
    assert joined.present == {"monitor", "dirpath"}
    assert not made_of("ModelCheckpoint", {"monitor": "args.x", "dirpath": "args.y"}).present
    assert not made_of("ModelCheckpoint", {"monitor": "'x'", "dirpath": "'y'"}, {}).present


def test_what_is_passed_as_true_or_false_is_no_text() -> None:
    assert made_of("ModelCheckpoint", {"save_last": "True"}, {}).flags == {"save_last"}
    for passed in ("'link'", "args.last"):
        assert not made_of("ModelCheckpoint", {"save_last": "True"}, {"save_last": passed}).flags


def test_a_reason_that_no_one_hears_is_not_worded() -> None:
    assert made_of("EarlyStopping", {"monitor": "'x'"}).values["says_why"] == "False"
    for asked in ("args.v", "True"):
        assert "says_why" not in made_of("EarlyStopping", {"monitor": "'x'", "verbose": asked}).values
    heard = made_of("EarlyStopping", {"monitor": "'x'"}, mentioned=frozenset({"stopping_reason_message"}))
    assert "says_why" not in heard.values
