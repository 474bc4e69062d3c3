"""What little of the other modules needs several ranks: together, so that they start once."""

from __future__ import annotations

import os
import random
import re
import time
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch
import torch.distributed as dist
from ddpgen.strategies.callbacks.model_checkpoint import ModelCheckpoint
from ddpgen.strategies.checkpoints.appointments import SharedClock
from ddpgen.strategies.checkpoints.randomness import (
    gather_from_ranks,
    rng_state,
    seed_everything,
    set_rng_state,
)
from ddpgen.strategies.data.data import lookahead_together, require_even_batches
from ddpgen.strategies.distributed.process_group import own_store
from ddpgen.strategies.distributed.ranks import Ranks
from ddpgen.strategies.loggers.csv_logger import CSVLogger
from ddpgen.strategies.loggers.logger_objects import open_experiments
from ddpgen.strategies.loggers.tensorboard_logger import TensorBoardLogger
from ddpgen.strategies.loop.module import Trainer, TrainModule

pytestmark = pytest.mark.processes


# ---- times to save ---------------------------------------------------------------------------------------


def each_rank_clock(ranks: Ranks) -> list[int]:
    """The steps at which it is time; gradients are shared in each, and one rank comes to them late."""
    with patch.object(SharedClock, "PAUSE", 0.01):
        clock, due = SharedClock(ranks, 0.1), []
        for step in range(60):
            time.sleep(0.01 * ranks.rank)
            dist.barrier()
            due += [step] if clock.is_due() else []
        clock.end()
    return due


def test_ranks_save_at_the_same_steps_by_one_clock(two_ranks: Any) -> None:
    first, second = two_ranks(each_rank_clock)
    assert first == second
    assert len(first) > 1


# ---- numbers of batches ----------------------------------------------------------------------------------


def each_rank_count(ranks: Ranks) -> str:
    require_even_batches(3, ranks)
    with pytest.raises(SystemExit) as stopped:
        require_even_batches(3 + ranks.rank, ranks)
    return str(stopped.value)


def test_ranks_with_different_numbers_of_batches_stop_together(two_ranks: Any) -> None:
    for sentence in two_ranks(each_rank_count):
        assert "(3 on rank 0, 4 on rank 1): limit_train_batches=3" in sentence


def each_rank_stream(ranks: Ranks) -> list[str]:
    """As many batches, then one more on each rank in turn; each step waits for the other's, while it is there."""
    said, store = [], dist.PrefixStore("steps", own_store(ranks))
    for turn, lengths in enumerate(((3, 3), (3, 4), (3, 1))):
        try:
            for batch, _ in lookahead_together(range(lengths[ranks.rank]), ranks):
                store.set(f"{turn}-{batch}-{ranks.rank}", "")
                with suppress(RuntimeError):  # the other rank has stopped
                    store.wait([f"{turn}-{batch}-{1 - ranks.rank}"], timedelta(seconds=1))
            said.append("")
        except SystemExit as stopped:
            said.append(str(stopped))
        dist.barrier()
    return said


def test_streams_of_different_lengths_stop_at_the_first_batch_too_many(two_ranks: Any) -> None:
    first, second = two_ranks(each_rank_stream)
    assert first[:2] == ["", ""]
    assert second[0] == second[2] == ""
    # whether rank 1 sees what rank 0 told before its own third batch or after it, is chance
    assert re.match("rank 0 has 3 batches, rank 1 (more|4): limit_train_batches would do", second[1])
    assert first[2].startswith("rank 1 has 1 batches, rank 0 more:")


# ---- random states ---------------------------------------------------------------------------------------


def draws() -> list[float]:
    return [random.random(), float(np.random.rand()), torch.rand(()).item()]


def each_rank_gather(ranks: Ranks) -> list[Any]:
    seed_everything(ranks.rank)
    return [gather_from_ranks(rng_state(), ranks), gather_from_ranks(ranks.rank * 10, ranks), draws()]


def test_every_rank_has_all_states_in_the_ranks_order(two_ranks: Any) -> None:
    found = two_ranks(each_rank_gather)
    for states, numbers, _ in found:
        assert numbers == [0, 10]
        for state, (_, _, drawn) in zip(states, found, strict=True):
            set_rng_state(state)
            assert draws() == drawn


# ---- ranks -----------------------------------------------------------------------------------------------


def each_rank_look(ranks: Ranks) -> int:
    return TrainModule().global_rank


def test_a_models_rank_is_the_process_groups(two_ranks: Any) -> None:
    assert two_ranks(each_rank_look) == [0, 1]


# ---- folders of loggers ----------------------------------------------------------------------------------


def each_rank_number(ranks: Ranks) -> list[str]:
    """Rank 0's loggers make their folders before the other asks for theirs."""
    os.environ["RANK"] = str(ranks.rank)
    kinds = TensorBoardLogger, CSVLogger, partial(CSVLogger, version="mine")
    loggers = [kind("numbered") for kind in kinds]
    open_experiments(loggers)
    return [logger.log_dir for logger in loggers]


def test_all_ranks_have_one_folder(two_ranks: Any) -> None:
    folders = [f"numbered/lightning_logs/{name}" for name in ("version_0", "version_1", "mine")]
    assert two_ranks(each_rank_number) == [folders, folders]


# ---- a rank that fails -----------------------------------------------------------------------------------


def each_rank_fail(ranks: Ranks) -> list[str]:
    """One rank fails after the other, as they would wait for each other for ever."""
    names = []
    for failing in range(2):
        trainer = Trainer(failed=True, state_fn="fit", global_step=1, global_rank=ranks.rank)
        trainer.dump_checkpoint = lambda: {"rng_states": [0]}
        saving = ModelCheckpoint(f"failed-{failing}", "{step}", save_on_exception=True, save_last=True)
        saving._monitor_candidates = lambda trainer: {"step": torch.tensor(1)}  # type: ignore[method-assign]
        if ranks.rank == failing:
            saving.on_exception(trainer, None, ValueError("no"))
        dist.barrier()
        names.append(" ".join(sorted(os.listdir(f"failed-{failing}")) if failing == 0 else []))
    return [*names, str(Path("failed-1").exists())]


def test_a_rank_that_fails_alone_saves_alone(two_ranks: Any) -> None:
    assert two_ranks(each_rank_fail) == [["last.ckpt step=1.ckpt", "", "False"]] * 2
