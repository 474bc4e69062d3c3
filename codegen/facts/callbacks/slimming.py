"""What stays of Lightning's callbacks, where the settings and what is run beside training rule out the rest."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from ...lightning import api
from ...spec.trainer_settings import DEFAULTS, OF_VALIDATION_TIMING
from ..facts import Facts
from ..members import called_hooks
from ..optimizers.form import CHANGING_GROUPS
from .callbacks import CallbackFacts, with_kept

GENERAL = {"has_one_optimizer": "False", "has_one_group": "False", "repeats_steps": "True"}
"""What holds of callbacks of which models differ in this."""


def slim_callbacks(facts: Facts) -> CallbackFacts:
    """The callbacks of the model, and of those that the main trains in loops of their own."""
    called = api.CALLBACK_HOOKS - (api.EVALUATION_HOOKS - called_hooks(facts.own_main))
    told = reduce(_common, map(_told, facts.everyone)) | reduce(_common, map(_told_of_steps, facts.trained))
    states = [_states(each) for each in facts.trained]
    common = reduce(_common, states)
    unsure = {name for each in states for name in each} - common.keys()
    common |= {name: GENERAL[name] for name in unsure & GENERAL.keys()}
    asks_for_last = any(map(_gives_checkpoint, facts.everyone))
    kept = with_kept(facts.callbacks, called, told, common, asks_for_last)
    varies = len({each.logged_step for each in facts.trained}) > 1
    return replace(kept, logged_step=facts.logged_step, step_varies=varies)


def _common(one: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in one.items() if other.get(name) == value}


def _gives_checkpoint(facts: Facts) -> bool:
    return any(each.gives_checkpoint for each in (facts.own_main, *facts.evaluations) if each)


def _has_loggers(facts: Facts) -> bool:
    return facts.given_loggers.are_objects or facts.callbacks.given("LearningRateMonitor")


def _told(facts: Facts) -> dict[str, str]:
    """What the trainer says, as code, with its value."""
    told = {} if facts.evaluations else {"trainer.state_fn": '"fit"'}
    for name in OF_VALIDATION_TIMING:
        found, value = getattr(facts.settings, name), getattr(DEFAULTS, name)
        if name not in facts.expressions and type(found) is type(value) and found == value:
            told[f"trainer.{name}"] = repr(value)
    told |= {} if facts.settings.fast_dev_run else {"trainer.fast_dev_run": "False"}
    told |= {} if _gives_checkpoint(facts) else {"trainer.ckpt_path": "None"}
    told |= {} if _has_loggers(facts) else {"trainer.loggers": "()"}
    changed = {f"trainer.{name}" for name in facts.callbacks.mentioned}
    told = {code: value for code, value in told.items() if code not in changed}
    return told if facts.turns_validation_off else {**told, "trainer.limit_val_batches": "1.0"}


def _told_of_steps(facts: Facts) -> dict[str, str]:
    return {"trainer.logged_step": f"trainer.{facts.logged_step}"}


def _states(facts: Facts) -> dict[str, str]:
    """Attributes of callbacks whose values are known when they are read."""
    by_epoch = {f"trainer.{name}" for name in OF_VALIDATION_TIMING} <= _told(facts).keys()
    has_one_group = (
        facts.form.makes_one_group
        and not facts.callbacks.mentioned & CHANGING_GROUPS
        and not facts.callbacks.runtime & api.GROUPING_CALLBACKS
    )
    claims = facts.own_main is None and bool(facts.files_of_run) and not _has_loggers(facts)
    validates = {"_has_validated": "True"} if by_epoch and facts.validates_before_epoch_ends else {}
    # a validation without a batch, which Lightning does not count, has no scores
    return {
        **({"_has_validated": "False"} if facts.val and facts.val.may_be_spent else validates),
        "repeats_steps": str(facts.repeats_steps),
        "is_in_claimed_folder": str(claims and not facts.is_remote),
        "has_one_optimizer": str(facts.form.makes_one_nameless),
        "has_one_group": str(has_one_group),
    }
