"""The validation data: how its loader is made, and tried out before training."""

from __future__ import annotations

from ..ir.plans import Lines
from .data import LoaderFacts
from .evaluation_loaders import limit_of, loader_lines, loaders_told, names_of
from .facts import Facts
from .hooks import callback_lines
from .optimizers import indented, under
from .passes import in_stage
from .stages import VALIDATE
from .validation_call import arguments, val_batches


def val_loader_lines(facts: Facts, loader: LoaderFacts) -> Lines:
    """The loader, made, and tried out where a sanity check is wanted."""
    lines = (*_made(facts, loader), *_told(facts, loader))
    steps = _sanity_steps(facts)
    if steps is None:
        return lines
    check = _check_lines(facts, steps)
    reset: Lines = ("set_rng_state(state)",)
    if wanted := " and ".join(_wants_check(facts)):
        check, reset = under(wanted, check), under(wanted, reset)
    trial = ("with torch.no_grad():  # a trial run", *indented((*lines, *check)))
    return "state = rng_state()", *trial, *reset


def _made(facts: Facts, loader: LoaderFacts) -> Lines:
    variable, _ = names_of(facts, VALIDATE, "val_loader")
    lines = loader_lines(facts, VALIDATE, loader, variable)
    if "val_dataloaders" not in facts.trainer_fields:
        return lines
    return (*lines, f"trainer.val_dataloaders = {loaders_told(facts, VALIDATE, variable)}")


def _told(facts: Facts, loader: LoaderFacts) -> Lines:
    """Have the trainer know the number of batches, where it is asked for."""
    if "num_val_batches" not in facts.trainer_fields:
        return ()
    _, each = names_of(facts, VALIDATE, "val_loader")
    unlimited = 'float("inf")' if loader.dataset == "unsized" else f"len({each})"
    count = limit_of(facts, VALIDATE, loader, each) or unlimited
    counts = f"[{count} for loader in val_loaders]" if facts.has_several(VALIDATE) else f"[{count}]"
    return (f"trainer.num_val_batches = {counts}",)


# ---- the check before training ---------------------------------------------------------------------------


def checks_sanity(facts: Facts) -> bool:
    """Whether validation is tried before training."""
    return facts.has_validation and _sanity_steps(facts) is not None


def _sanity_steps(facts: Facts) -> str | None:
    """How many batches of a loader the check takes, or nothing for all; None: there is no check."""
    steps = facts.settings.num_sanity_val_steps
    if steps == 0 or facts.val is None:
        return None
    _, each = names_of(facts, VALIDATE, "val_loader")
    limit = limit_of(facts, VALIDATE, facts.val, each)
    if facts.is_expression("num_sanity_val_steps"):
        count = limit or ("None" if facts.val.dataset == "unsized" else f"len({each})")
        return f"sanity_steps(config.num_sanity_val_steps, {count})"
    if steps == -1:
        return limit or ""
    return f"min(config.num_sanity_val_steps, {limit})" if limit else "config.num_sanity_val_steps"


def _check_lines(facts: Facts, steps: str) -> Lines:
    check = (
        *callback_lines(facts, "on_sanity_check_start"),
        *_trial(facts, steps),
        *callback_lines(facts, "on_sanity_check_end"),
    )
    check = (*in_stage(facts, "sanity_check"), *check, *in_stage(facts, "train"))
    if "sanity_checking" in facts.trainer_fields:
        check = ("trainer.sanity_checking = True", *check, "trainer.sanity_checking = False")
    return (*check, *(["latest.clear()"] if facts.keeps_latest else []))


def _trial(facts: Facts, steps: str) -> Lines:
    batches = val_batches(facts, steps)
    if steps and not facts.has_several(VALIDATE):
        return f"few = {batches}", f"validate({arguments(facts, 'few')})"
    return (f"validate({arguments(facts, batches)})",)


def _wants_check(facts: Facts) -> list[str]:
    """What has to hold for a check before training."""
    conditions = ["config.num_sanity_val_steps"] if facts.is_expression("num_sanity_val_steps") else []
    if facts.is_expression("limit_val_batches"):
        conditions.append("config.limit_val_batches != 0")
    return conditions
