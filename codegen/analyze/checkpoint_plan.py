"""What a checkpoint holds, when it is written, and how a run goes on from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..ir.plans import CheckpointPlan, Lines
from .facts import Facts
from .hooks import callback_lines
from .logging_plan import drop_rows
from .saved import SavedHyperparameters
from .stages import VALIDATE
from .train_step import step_count
from .training_length import has_max_epochs
from .validation_call import written_batches


@dataclass(frozen=True)
class _Kept:
    """Something that a run goes on with: its entries in a checkpoint, and the statements that restore it."""

    entries: Lines = ()
    restore: Lines = ()


def checkpoint_plan(facts: Facts, saved: SavedHyperparameters) -> CheckpointPlan | None:
    """What a checkpoint holds beside weights and optimizer."""
    if not facts.writes_last and not facts.dumps:
        return None
    kept = (_latest(facts), _written(facts), *_counts(facts), _generators(facts))
    states = (line for each in kept for line in each.entries)
    return CheckpointPlan(
        found=_found_checkpoint(facts),
        must_agree=facts.is_ddp,
        is_due=_is_due(facts),
        entries=_hyperparameters(saved),
        restore=(*(line for each in kept for line in each.restore), *_restore(facts)),
        rng_states=_of_ranks(facts, "rng_state()"),
        writes_last=facts.writes_last,
        dumps=facts.dumps,
        state_entries=(*_callback_entries(facts), *states, *_within_epoch(facts)),
        load_callbacks=_loaded_callbacks(facts),
    )


def _hyperparameters(saved: SavedHyperparameters) -> Lines:
    if not saved.name:
        return ()
    named = (f'"hparams_name": "{saved.name}",',) if saved.name != "kwargs" else ()
    if saved.are_plain:
        return (*named, '"hyper_parameters": dict(model.hparams),')
    kept = '"hyper_parameters": plain_entries(model.hparams),'
    return (*named, kept, '"left_out": left_out(model),')


def _is_due(facts: Facts) -> str | None:
    """The epochs after which one is written; None: all of them."""
    options = facts.loaded.spec.checkpoint
    if not options or options.every_n_epochs == 1:
        return None
    conditions = {
        "(epoch + 1) % config.checkpoint_every_n_epochs == 0": True,
        "epoch + 1 == config.max_epochs": has_max_epochs(facts),
        facts.steps_reached: facts.has_max_steps,
        "trainer.should_stop": facts.may_stop,
    }
    return " or ".join(condition for condition, may_hold in conditions.items() if may_hold)


# ---- what a run goes on with -----------------------------------------------------------------------------


def _latest(facts: Facts) -> _Kept:
    if not facts.keeps_latest:
        return _Kept()
    return _Kept(('"callback_metrics": dict(latest),',), ('latest.update(checkpoint["callback_metrics"])',))


def _written(facts: Facts) -> _Kept:
    """The batches of validation whose values were written."""
    if not (facts.logging.by_validation_step and facts.has_validation):
        return _Kept()
    written, kept = written_batches(facts, "val_logs"), 'checkpoint["val_batches_written"]'
    if facts.has_several(VALIDATE):
        return _Kept((f'"val_batches_written": dict({written}),',), (f"{written}.update({kept})",))
    return _Kept((f'"val_batches_written": {written},',), (f"{written} = {kept}",))


def _counts(facts: Facts) -> Iterator[_Kept]:
    """Batches over all epochs."""
    counted = {
        "batches_seen": facts.counts_batches,
        "batches_done": step_count(facts) == "batches_done",
    }
    for name, is_counted in counted.items():
        if is_counted:
            yield _Kept((f'"{name}": {name},',), (f'{name} = checkpoint["{name}"]',))


def _of_ranks(facts: Facts, state: str) -> str:
    """Every rank's state; one that failed may be the only one that saves."""
    if not facts.is_ddp:
        return f"[{state}]"
    gathered = f"gather_from_ranks({state}, ranks)"
    return f"[{state}] if trainer.failed else {gathered}" if "failed" in facts.trainer_fields else gathered


def _generators(facts: Facts) -> _Kept:
    """The states of loaders' own generators, each rank's; another world size shares them."""
    loaders = ", ".join(_with_generators(facts))
    if not loaders:
        return _Kept()
    state = _of_ranks(facts, f"generator_states({loaders})")
    rank = 'ranks.rank % len(checkpoint["generator_states"])' if facts.is_ddp else "0"
    restored = f'checkpoint["generator_states"][{rank}]'
    return _Kept((f'"generator_states": {state},',), (f"set_generator_states({restored}, {loaders})",))


def _restore(facts: Facts) -> Lines:
    """What else is put right, the state of random numbers last."""
    rng: Lines = ('set_rng_state(checkpoint["rng_states"][0])',)
    if facts.is_ddp:
        rng = (
            'states = checkpoint["rng_states"]  # another world size shares them',
            "set_rng_state(states[ranks.rank % len(states)])",
        )
    return (
        *(drop_rows(facts) if facts.own_main else ()),
        *rng,
        *(["batches = None  # those of the first epoch"] if facts.starts_early else []),
    )


def _within_epoch(facts: Facts) -> Lines:
    """Whether it was written before an epoch's end, where none goes on from it."""
    if not facts.saves_inside:
        return ()
    within = "batch_idx + 1 < num_batches" if facts.is_sized else "not is_last_batch"
    within = f"trainer.failed or {within}" if "failed" in facts.trainer_fields else within
    return (f'"within_epoch": {within},',)


def _with_generators(facts: Facts) -> Iterator[str]:
    """The loaders that may draw from generators of their own."""
    if facts.train.has_generator:
        yield "*train_loader.loaders" if facts.train.together else "train_loader"
    if facts.has_validation and facts.val and facts.val.has_generator:
        yield "*val_loaders" if facts.has_several(VALIDATE) else "val_loader"


def _callback_entries(facts: Facts) -> Lines:
    return ('"callbacks": callback_states(trainer.callbacks),',) if facts.callbacks.has_state else ()


def _loaded_callbacks(facts: Facts) -> Lines:
    """What callbacks are told of a checkpoint, after the weights are loaded."""
    told = callback_lines(facts, "on_load_checkpoint", "checkpoint")
    load = (
        ('load_callback_states(trainer.callbacks, checkpoint["callbacks"])',)
        if facts.callbacks.has_state
        else ()
    )
    whole = ("require_whole_epoch(checkpoint)",) if facts.saves_inside else ()
    return (*whole, *told, *load)


# ---- the checkpoint to go on from ------------------------------------------------------------------------


def _found_beside_callbacks(facts: Facts) -> Lines:
    """The checkpoint that is asked for, or the newest that callbacks have saved before torchrun restarts the run."""
    given = facts.own_main is not None and facts.own_main.gives_checkpoint
    asked = "checkpoint_asked_for(trainer, ckpt_path)"
    noted: Lines = (
        "trainer.note = note_of_fit(config.out)",
        "path = noted_checkpoint(trainer.note, ranks)",
    )
    lines = noted if facts.notes_newest else ()
    if given:
        lines += (f"path = path or {asked}" if lines else f"path = {asked}", "trainer.ckpt_path = path")
    return (*lines, "checkpoint = read_checkpoint(path) if path else None") if lines else ()


def _found_checkpoint(facts: Facts) -> Lines:
    if facts.resumes_when_told:
        return ("checkpoint = read_checkpoint(last) if config.resume and last.exists() else None",)
    is_given = facts.own_main is not None and facts.own_main.gives_checkpoint
    if facts.callbacks.saves and not facts.writes_last:
        return _found_beside_callbacks(facts)
    if not facts.may_resume:
        given_alone = "checkpoint = read_checkpoint(Path(ckpt_path)) if ckpt_path else None"
        return (given_alone,) if is_given else ()
    given = "ckpt_path" if is_given else "None"
    given = "checkpoint_asked_for(trainer, ckpt_path)" if is_given and facts.callbacks.saves else given
    return (
        f"path = checkpoint_to_resume(last, {given})",
        "checkpoint = read_checkpoint(path) if path else None",
    )
