"""What hydra makes of a configuration, of the script's own classes."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass

import pytest
from ddpgen.lightning.api import CALLBACKS
from ddpgen.runtime.definitions import load_runtime
from ddpgen.strategies.command_line.hydra_targets import WITH_FIELDS, instantiated
from omegaconf import OmegaConf


@dataclass(eq=False)
class Timer:
    """As a script has that of Lightning."""

    interval: str = "step"


class Late(Timer): ...


@dataclass
class Options:
    """Of the user's."""

    size: int = 1


TARGETS = {
    "lightning.pytorch.callbacks.Timer": Timer,
    "own.Holder": dict,
    "own.Late": Late,
    "own.Options": Options,
}


def test_the_callbacks_that_are_dataclasses_are_those() -> None:
    found = load_runtime().definitions
    named = CALLBACKS.keys() & found.keys()
    assert {each for each in named if "@dataclass" in found[each].code} == WITH_FIELDS


def test_objects_in_containers_are_what_lightnings_would_be() -> None:
    config = {
        "timer": {"_target_": "lightning.pytorch.callbacks.Timer", "interval": "epoch"},
        "listed": [{"_target_": "own.Late"}],
    }
    made = instantiated(config, TARGETS)
    assert type(made.timer) is Timer
    assert made.timer.interval == "epoch"
    made["listed"] = [*made["listed"], made.timer]
    assert [type(each) for each in made.listed] == [Late, Timer]


def test_dataclasses_of_the_users_become_configurations_as_under_lightning() -> None:
    made = instantiated({"options": {"_target_": "own.Options"}}, TARGETS)
    assert not isinstance(made.options, Options)
    assert is_dataclass(Options)


def test_a_dataclass_of_the_users_that_is_given_becomes_a_configuration_as_under_hydra() -> None:
    config = {"_target_": "own.Holder", "options": {"size": 2, "depth": 3}}
    made = instantiated(config, TARGETS, options=Options(5), late=Late())
    assert OmegaConf.is_config(made["options"])
    assert made["options"] == {"size": 5, "depth": 3}
    assert type(made["late"]) is Late


def test_a_class_that_the_script_was_not_built_with() -> None:
    with pytest.raises(SystemExit, match=r"was not built for own\.Other"):
        instantiated({"_target_": "own.Other"}, TARGETS)
