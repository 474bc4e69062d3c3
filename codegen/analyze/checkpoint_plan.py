"""What a checkpoint holds, when it is written, and how a run goes on from it."""

from __future__ import annotations

from collections.abc import Iterator

from ..script import (
    CheckpointPlan,
    Lines,
)
from ..spec_sections import Logger
from . import loop
from .facts import Facts
from .hooks import callback_lines
from .saved import SavedHyperparameters
from .stages import VALIDATE


def checkpoint_plan(facts: Facts, saved: SavedHyperparameters) -> CheckpointPlan | None:
    """What a checkpoint holds beside weights and optimizer."""
    options = facts.loaded.spec.checkpoint
    if not facts.writes_last and not facts.dumps:
        return None
    entries, states, restore = [], [], []
    if saved.name:
        if saved.name != "kwargs":
            entries.append(f'"hparams_name": "{saved.name}",')
        values = "dict(model.hparams)" if saved.are_plain else "plain_entries(model.hparams)"
        entries.append(f'"hyper_parameters": {values},')
    if facts.keeps_latest:
        states.append('"callback_metrics": dict(latest),')
        restore.append('latest.update(checkpoint["callback_metrics"])')
    if facts.logging.by_validation_step and facts.has_validation:
        written, kept = loop.written_batches(facts, "val_logs"), 'checkpoint["val_batches_written"]'
        several = facts.has_several(VALIDATE)
        states.append(f'"val_batches_written": {f"dict({written})" if several else written},')
        restore.append(f"{written}.update({kept})" if several else f"{written} = {kept}")
    if facts.counts_batches:
        states.append('"batches_seen": batches_seen,')
        restore.append('batches_seen = checkpoint["batches_seen"]')
    if loop.step_count(facts) == "batches_done":
        states.append('"batches_done": batches_done,')
        restore.append('batches_done = checkpoint["batches_done"]')
    if loaders := ", ".join(_with_generators(facts)):
        state = f"generator_states({loaders})"
        states.append(
            f'"generator_states": {f"gather_from_ranks({state}, ranks)" if facts.is_ddp else f"[{state}]"},'
        )
        rank = 'ranks.rank % len(checkpoint["generator_states"])' if facts.is_ddp else "0"
        restore.append(f'set_generator_states(checkpoint["generator_states"][{rank}], {loaders})')
    if facts.logging.logged and Logger.JSONL in facts.writes:
        restore.append("metrics_file.drop_from(first_epoch)")
    if facts.is_ddp:
        restore.append('states = checkpoint["rng_states"]  # another world size shares them')
        restore.append("set_rng_state(states[ranks.rank % len(states)])")
    else:
        restore.append('set_rng_state(checkpoint["rng_states"][0])')
    restore += ["batches = None  # those of the first epoch"] if facts.starts_early else []
    rng = "gather_from_ranks(rng_state(), ranks)" if facts.is_ddp else "[rng_state()]"
    due = None
    if options and options.every_n_epochs > 1:
        due = "(epoch + 1) % config.checkpoint_every_n_epochs == 0"
        due += " or epoch + 1 == config.max_epochs" if loop.has_max_epochs(facts) else ""
        due += f" or {facts.steps_reached}" if facts.has_max_steps else ""
        due += " or trainer.should_stop" if facts.may_stop else ""
    if facts.saves_inside:
        within = "batch_idx + 1 < num_batches" if facts.is_sized else "not is_last_batch"
        within = f"trainer.failed or {within}" if "failed" in facts.trainer_fields else within
        states.append(f'"within_epoch": {within},')
    return CheckpointPlan(
        found=_found_checkpoint(facts),
        must_agree=facts.is_ddp,
        is_due=due,
        entries=tuple(entries),
        restore=tuple(restore),
        rng_states=rng,
        writes_last=facts.writes_last,
        dumps=facts.dumps,
        state_entries=(*_callback_entries(facts), *states),
        load_callbacks=_loaded_callbacks(facts),
    )


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
