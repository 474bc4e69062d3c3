"""What a checkpoint has of the model and its optimizer: `checkpoint.state` of the spec (12, 20.4)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class SavedState(NamedTuple):
    """How it is written and read, as code."""

    is_shared: bool  # each rank writes what it has
    weights: str
    states: str  # of the optimizer
    read_weights: str
    read_states: str
    each_state: str  # of several optimizers
    read_each: str
    read: str  # the function that reads a checkpoint of the script's
    load: str  # the one that reads any checkpoint
    reader: str  # who reads Lightning's version in it
    may_hold_objects: bool = False  # by code of the user's
    by_objects: bool = False  # that trainers are given, checkpoints are written and read
    told: str = ""  # what these are told beside the path, as code
    strict: str = ""  # what the model's own `load_state_dict` is told, as Lightning tells it

    def reads(self, path: str, as_told: bool) -> str:
        """A checkpoint of the script's, as code; `as_told`, code in it may be run."""
        return f"{self.read}({path}{SAFELY if as_told else self.told})"

    def loads(self, as_told: bool) -> str:
        """Any checkpoint, as code."""
        return f"{self.load}(path{SAFELY if as_told else self.told})"


WEIGHTS, STATES = 'checkpoint["state_dict"]', 'checkpoint["optimizer_states"][0]'

SAFELY = ", safely=weights_only"

READER = "load_from_checkpoint reads this file"

OF_ONE = SavedState(
    is_shared=False,
    weights="model.state_dict()",
    states="optimizer.state_dict()",
    read_weights=WEIGHTS,
    read_states=STATES,
    each_state="each.state_dict()",
    read_each="state",
    read="read_checkpoint",
    load="load_checkpoint",
    reader=READER,
)
OF_SHARDED_MODEL = OF_ONE._replace(
    weights="whole(model.state_dict())",
    states="whole(optimizer.state_dict())",
    read_weights=f"shares_of_model(model, {WEIGHTS})",
    read_states=f"shares_of_states(optimizer, {STATES})",
    each_state="whole(each.state_dict())",
    read_each="shares_of_states(each, state)",
)
OF_SHARES = OF_ONE._replace(
    is_shared=True,
    read_weights="stored_weights(model, checkpoint)",
    read_states="stored_states(optimizer, checkpoint)",
    read_each="stored_states(each, checkpoint, number)",
    read="read_shares_of",
    load="load_shares_of",
    reader="for load_from_checkpoint, once it is a file",
)

BY_OBJECT = "trainer.checkpoint_io.load_checkpoint"


def saved_state(facts: Facts) -> SavedState:
    """By the rank that has it, by one that is handed it, or by all."""
    state = OF_SHARDED_MODEL if facts.is_sharded else OF_ONE
    state = OF_SHARES if facts.saves_shares else state
    if facts.shares_out:
        state = state._replace(states="optimizer_state(optimizer)", each_state="optimizer_state(each)")
    if facts.checkpoint_io is not None:
        told = ", weights_only=None" if facts.checkpoint_io.takes_weights_only else ""
        state = state._replace(read=BY_OBJECT, load=BY_OBJECT, by_objects=True, told=told)
    strict = ", strict=True" if facts.loads_own_way else ""
    tells_objects = facts.may_hold_objects and not facts.resumes_as_told
    return state._replace(may_hold_objects=tells_objects, strict=strict)


SAVED_STATE = Feature(
    "saved_state",
    saved_state,
    ("What a checkpoint has of the model and its optimizer.", "spec checkpoint"),
    {"is_shared": ("Each rank writes what it has of a checkpoint.", "spec checkpoint.state")},
)
