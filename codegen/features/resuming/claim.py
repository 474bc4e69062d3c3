"""Whose the folder is that a run writes into: what an earlier run left there is set aside."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class Claim(NamedTuple):
    """How a run takes its folder."""

    locks: bool  # no second job takes it
    restarts: bool  # torchrun may have started the run again
    keep: str  # whether the folder's run goes on, as code; empty: not unless torchrun has started it again
    files: str  # what a run leaves there, as patterns
    is_named: bool  # in checkpoints
    is_required: bool  # of the checkpoint that is resumed
    tells_callbacks: bool

    @property
    def named(self) -> str:
        """What is told the run, as code."""
        is_kept = self.is_named or self.is_required
        return ("run = trainer.run = " if self.tells_callbacks else "run = ") if is_kept else ""


def claim(facts: Facts) -> Claim | None:
    """None: the script itself leaves nothing there."""
    if not facts.files_of_run:
        return None
    options = facts.loaded.spec.checkpoint
    return Claim(
        locks=options is not None and options.lock,
        restarts=facts.may_resume and not facts.goes_on_in_folder,
        keep=_keep(facts),
        files=", ".join(f'"{each}"' for each in facts.files_of_run),
        is_named=(facts.writes_last or facts.dumps) and not facts.notes_newest,
        is_required=facts.resumes_when_told,
        tells_callbacks=facts.resumes_when_told and facts.repeats_steps,
    )


def _keep(facts: Facts) -> str:
    """Whether the run goes on that the folder is of, as code; empty: not unless torchrun has started it again."""
    if facts.resumes_when_told:
        return "config.resume"
    if facts.own_main is None or facts.goes_on_in_folder:
        return ""
    given = "ckpt_path" if facts.own_main.gives_checkpoint else "None"
    return f"keeps_folder(config.out, {given})"


CLAIM = Feature(
    "claim",
    claim,
    ("What an earlier run left in the folder is set aside.", "spec checkpoint.dir"),
    {
        "locks": ("A second job in the folder is refused.", "spec checkpoint.lock"),
        "is_named": ("A checkpoint tells of which run it is.", "spec checkpoint"),
        "is_required": ("A run goes on from its own checkpoints.", "spec checkpoint"),
    },
)
