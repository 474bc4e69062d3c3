"""The script's Trainer: the fields that the user's code reads, and how it gets their values."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import NamedTuple

from ...facts.facts import Facts
from ...lightning import api
from ...runtime.constructed import fields_behind, fields_of, trainer_writes
from ...source.names import global_names
from ..data.loaders import validation_given
from ..loop.callbacks import callbacks
from ..validation.sanity_check import checks_sanity

ASKED_OF = dict.fromkeys(api.METRICS, "model")
"""Fields that are another's."""

OF_A_CALL = ("datamodule", "ckpt_path", "precision", "enable_validation")
"""Fields whose values are those of one call of `fit` or `test`."""

Fields = tuple[tuple[str, str], ...]


class Trainer(NamedTuple):
    """How a function that trains or evaluates begins with its trainer."""

    is_given: bool
    is_made: bool
    is_updated: bool  # while the training goes on
    is_lent: bool  # to modules that the model holds
    arguments: str  # it is made with
    fields: Fields  # it is given
    own_fields: Fields  # those of this call
    by_function: bool  # what several functions have in common is one
    takes_ranks: bool  # that function
    reads_config: bool
    early: Fields  # that it has from the beginning on

    @property
    def codes(self) -> tuple[str, ...]:
        """The values that stand in the function itself."""
        own = tuple(code for _, code in self.own_fields)
        return own if self.by_function else (*(code for _, code in self.fields), *own)


ASKED_AS_THEY_ARE = (
    *("limit_train_batches", "limit_val_batches", "limit_test_batches", "limit_predict_batches"),
    *("min_steps", "num_sanity_val_steps", "reload_dataloaders_every_n_epochs"),
)
"""Settings of which no feature tells the trainer."""


def told_settings(facts: Facts, options: Container[str]) -> dict[str, str]:
    """What the trainer says of its settings; those that are options may be others when the script runs."""
    values = {name: getattr(facts.settings, name) for name in ASKED_AS_THEY_ARE}
    least = facts.settings.min_epochs
    values["min_epochs"] = int(facts.settings.min_steps is not None) if least is None else least
    values["num_sanity_val_steps"] = (
        "inf" if values["num_sanity_val_steps"] == -1 else values["num_sanity_val_steps"]
    )
    codes = {name: 'float("inf")' if value == "inf" else repr(value) for name, value in values.items()}
    return {name: f"config.{name}" if name in options else code for name, code in codes.items()}


def trainer(facts: Facts, settings: Mapping[str, str]) -> Trainer | None:
    """What `fit` begins with; None: the code reads nothing of it."""
    takes_checkpoint = facts.own_main is not None and facts.own_main.gives_checkpoint
    has_both = facts.own_main is not None and facts.own_main.has_both
    settings = {**settings, "enable_validation": _validates(facts, settings)}
    return trainer_of(facts, settings, takes_checkpoint, told_data(has_both) if facts.data else "None")


def _validates(facts: Facts, settings: Mapping[str, str]) -> str:
    """Whether validation is a part of the training, in code."""
    if not facts.has_validation:
        return "False"
    limit = settings["limit_val_batches"]
    limited = f"{limit} > 0" if limit.startswith("config.") else ""
    return " and ".join(filter(None, (validation_given(facts), limited))) or "True"


def data_parameter(takes_data: bool, may_be_loaders: bool) -> str:
    """The parameter for the data module, or for loaders in its place; empty: there is none."""
    return f"data: __data_class__{' | GivenLoaders' if may_be_loaders else ''}" if takes_data else ""


def told_data(may_be_loaders: bool) -> str:
    """The data module as the trainer tells it, in code: loaders in its place are none."""
    return "None if isinstance(data, GivenLoaders) else data" if may_be_loaders else "data"


def trainer_of(
    facts: Facts, settings: Mapping[str, str], takes_checkpoint: bool, data: str
) -> Trainer | None:
    """What a function begins with that may take a checkpoint; `settings` as the trainer has them, `data` in code."""
    if not facts.has_trainer:
        return None
    values = {**settings, **_objects(facts, takes_checkpoint, data)}
    told, is_own = _told(facts, values), facts.own_main is not None
    own = {name: told.pop(name) for name in OF_A_CALL if is_own and name in told}
    is_made = not is_own and not makes_trainer(facts)
    return Trainer(
        is_given=not is_made,
        is_made=is_made,
        is_updated=_is_updated(facts),
        is_lent=facts.lends_trainer,
        arguments=", ".join(f"{name}={code}" for name, code in told.items()),
        fields=tuple(told.items()),
        own_fields=tuple(own.items()),
        by_function=is_own and _is_long(facts, told),
        takes_ranks=any("ranks." in code for code in told.values()),
        reads_config=any("config." in code for code in told.values()),
        early=tuple(_early(facts, settings).items()),
    )


def makes_trainer(facts: Facts) -> bool:
    """Whether the script's `main` makes the Trainer, with objects that the spec describes."""
    return facts.own_main is None and facts.project.spec_trainer is not None


def _is_long(facts: Facts, told: Mapping[str, str]) -> bool:
    """Whether it is worth a function, for several to call."""
    lines = 1 + len(told) + callbacks(facts).lines
    return facts.trains + len(facts.evaluations) > 1 and lines > 2


def is_read_by_data(facts: Facts) -> bool:
    """Whether the data module reads it."""
    return facts.data is not None and "trainer" in facts.data_usage.reads


def _is_updated(facts: Facts) -> bool:
    """Whether `fit` does more with its Trainer than to make it: changes it, or asks what code has changed."""
    changing = {"current_epoch", "global_step", "num_training_batches", "estimated_stepping_batches"}
    changing |= {"optimizers", "counted_optimizers", "schedulers", "shared", "batch_idx", "loss_scaler"}
    changing |= {"total_batch_idx", "ends_stream", "loggers", "status", "stage", "state_fn"}
    changing |= {"train_dataloader", "val_dataloaders", "num_val_batches", "setup_optimizers"}
    changing |= {"sanity_checking"} if checks_sanity(facts) else set()
    changing |= {"limit_val_batches"} if facts.turns_validation_off else set()
    return bool(changing & facts.trainer_fields or facts.callbacks) or is_read_by_data(facts)


# ---- what it is told -------------------------------------------------------------------------------------


def _told(facts: Facts, values: Mapping[str, str]) -> dict[str, str]:
    """Those of its fields that are set."""
    asked = {name: code for name, code in values.items() if name in facts.trainer_fields}
    early = _early(facts, values)
    defaults = fields_of("Trainer")
    given = (name for name in facts.callbacks.runtime if facts.callbacks.given(name))
    changed = {field for name in given for field in trainer_writes(name)}  # in an earlier run
    changed |= {"max_epochs"} if facts.own_main and facts.own_main.goes_on else set()
    is_set = {name for name, code in asked.items() if code not in (defaults.get(name), early.get(name))}
    told = {name: code for name, code in asked.items() if name in changed | is_set}
    return {ASKED_OF.get(name, name): code for name, code in told.items()}


def _early(facts: Facts, settings: Mapping[str, str]) -> dict[str, str]:
    """What a main may ask of a trainer that has not run yet: all that its settings say."""
    names = facts.own_main.attributes if facts.own_main else {}
    asked = {*names, *(field for name in names for field in fields_behind(name))}
    defaults = fields_of("Trainer")
    found = {name: code for name, code in settings.items() if name in asked and defaults.get(name) != code}
    if facts.is_expression("max_epochs"):
        found |= {"max_epochs": "config.max_epochs"} if "max_epochs" in found else {}
    elif facts.settings.max_epochs is None:
        found.pop("max_epochs", None)  # it is decided when the training begins
    return {name: code for name, code in found.items() if global_names(code) <= {"config", "str"}}


def _objects(facts: Facts, takes_checkpoint: bool, data: str) -> dict[str, str]:
    """What is no setting."""
    makes_loggers = facts.own_main is None and facts.given_loggers.has_default
    return {
        "ckpt_path": "ckpt_path" if takes_checkpoint and not facts.callbacks.saves else "None",
        "world_size": "ranks.world_size",
        "global_rank": "ranks.rank",
        "datamodule": data,
        "callback_metrics": "model",
        "model": "model",
        **({"loggers": "default_loggers(config.out)"} if makes_loggers else {}),
        **({"callbacks": "[ModelCheckpoint()]"} if facts.default_checkpoint.by_script else {}),
    }
