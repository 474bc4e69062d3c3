"""What follows for evaluations, and for what loggers are told."""

from __future__ import annotations

from ..spec.sections.strategy_spec import Logger
from .checkpoint_facts import CheckpointFacts
from .code.stages import VALIDATE, Stage
from .logging.writers import ROWS, SPEC_FILES, writers


class WritingFacts(CheckpointFacts):
    """What is written of training and of evaluations."""

    @property
    def writes_predictions(self) -> bool:
        """Whether a callback may write them."""
        return self.callbacks.given("BasePredictionWriter")

    @property
    def is_written(self) -> bool:
        """Whether there is something to write."""
        logged = self.logging
        in_steps = logged.by_step and self.settings.log_every_n_steps > 0
        in_validation = logged.in_validation and self.has_validation
        return in_steps or logged.by_epoch or in_validation or self.callbacks.given("LearningRateMonitor")

    @property
    def writes(self) -> tuple[Logger, ...]:
        """The spec's loggers, where there is something to write."""
        spec = self.loaded.spec
        given = self.given_loggers
        silent = given.are_known and "logger" not in spec.model_fields_set
        return spec.logger if self.is_written and not silent else ()

    @property
    def writers(self) -> tuple[tuple[str, str], ...]:
        """The variables that hold what writes metrics, and how they are made."""
        return self.writers_of(self.writes) if self.is_written else ()

    def writers_of(self, loggers: tuple[Logger, ...]) -> tuple[tuple[str, str], ...]:
        """The same for these of the spec's, and those that the code gives."""
        return writers(loggers, self.given_loggers, self.of_fit(f'config.out / "{ROWS}"'))

    @property
    def files_of_run(self) -> tuple[str, ...]:
        """What a run writes into its folder, as patterns; first what may go, and no run be another's."""
        kinds = {*self.writes, *(self.evaluation_writes if self.writes_evaluations else ())}
        options = self.loaded.spec.checkpoint
        before = ("last.ckpt.damaged", "last-[0-9]*.ckpt*") if options and options.keep > 1 else ()
        others = ("last-of-fit-*",) if self.trains_again else ()
        rows = ("metrics-of-fit-*",) if self.trains_again and Logger.JSONL in kinds else ()
        kept = (*(("last.ckpt.replaced",) if self.saves_shares else ()), *before, *others, "last.ckpt")
        below = ("checkpoints",) if self.callbacks.saves_below_claimed else ()
        files = (*(SPEC_FILES[each] for each in Logger if each in kinds), *rows, *below)
        return (*files, *(kept if self.writes_last else ()))

    @property
    def draws_graphs(self) -> bool:
        """Whether a logger is to draw the model, and there is an example to draw it of."""
        is_asked = bool(self.callbacks.graphs) or "_log_graph" in self.callbacks.mentioned
        return self.trains and is_asked and "example_input_array" in self.own_names

    @property
    def lends_writers(self) -> bool:
        """Whether callbacks write to the script's own files."""
        return (
            self.callbacks.given("LearningRateMonitor")
            and not self.given_loggers.are_known
            and bool(self.writes)
        )

    # ---- evaluations -------------------------------------------------------------------------------------

    def has_several(self, stage: Stage) -> bool:
        """Whether a stage may have several loaders, wherever it is run."""
        loaders = [each.loader for each in self.evaluations if each.stage is stage]
        loaders += [self.val] if stage is VALIDATE and self.val else []
        return any(loader.several for loader in loaders)

    @property
    def leaves_validation_out(self) -> bool:
        """Whether it is, without batches: Lightning calls no hook then. Without hooks, reading nothing is the same."""
        shows = self.has_several(VALIDATE) or self.has_hooks_round(VALIDATE)
        return self.may_validate_nothing and shows

    @property
    def logs_of_several(self) -> bool:
        """Whether values of several loaders are told apart."""
        return self.has_several(VALIDATE) or any(each.loader.several for each in self.evaluations)

    @property
    def tells_loaders(self) -> bool:
        """Whether results are told loader by loader."""
        return any(
            self.has_several(each.stage) and self.logging.during(each.stage) for each in self.evaluations
        )

    @property
    def writes_validation_steps(self) -> bool:
        """Whether loggers are told the values of single batches of validation."""
        return bool(self.writers) and self.logging.by_validation_step

    @property
    def logs_somewhere(self) -> bool:
        """Whether something is logged in a loop that the script has."""
        logged = self.logging
        evaluated = any(logged.during(each.stage) for each in self.evaluations)
        return logged.in_training or (logged.in_validation and self.has_validation) or evaluated

    @property
    def evaluation_writes(self) -> tuple[Logger, ...]:
        """The spec's loggers, where they are told what evaluations log."""
        spec = self.loaded.spec
        return () if self.given_loggers.are_known and "logger" not in spec.model_fields_set else spec.logger

    @property
    def writes_evaluations(self) -> bool:
        """Whether loggers are told what evaluations log."""
        logged = any(self.logging.during(each.stage) for each in self.evaluations)
        return bool(logged and self.writers_of(self.evaluation_writes))
