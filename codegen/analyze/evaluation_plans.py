"""The functions that take the place of `trainer.validate`, `test` and `predict`."""

from __future__ import annotations

from dataclasses import dataclass

from ..plans import DATA, LOGS, MODEL, EvaluationPlan, Lines, PassPlan
from .evaluated import Evaluation
from .evaluation_loaders import cut_short, limit_of, loader_lines, loaders_told, names_of, set_epoch_lines
from .facts import Facts
from .hook_plan import logger_lines, preparing_lines, stage_lines
from .hooks import callback_lines
from .main_plan import barrier_lines
from .optimizers import indented
from .passes import pass_plan, step_values
from .stages import PREDICT, Stage
from .trainer_plan import trainer_plan
from .writers import writers

SUMMARIES = {
    "validate": "One pass over the validation data; what it logged, for each loader.",
    "test": "One pass over the test data; what it logged, for each loader.",
    "predict": "What the model makes of the data, batch by batch.",
}


def evaluation_plans(facts: Facts) -> tuple[EvaluationPlan, ...]:
    """The functions that take the place of `trainer.validate`, `test` and `predict`."""
    return tuple(_Planner(facts, each).plan() for each in facts.evaluations)


@dataclass(frozen=True)
class _Planner:
    """Plans the function of one evaluation."""

    facts: Facts
    evaluation: Evaluation

    @property
    def stage(self) -> Stage:
        return self.evaluation.stage

    @property
    def predicts(self) -> bool:
        return self.stage is PREDICT

    @property
    def has_data(self) -> bool:
        """Whether it is given a data module."""
        return self.evaluation.gives("datamodule")

    @property
    def logs(self) -> bool:
        return self.facts.logging.during(self.stage) and not self.predicts

    @property
    def several(self) -> bool:
        """Whether there may be several loaders."""
        return self.facts.has_several(self.stage)

    @property
    def variable(self) -> str:
        """What the loader is called, or the loaders are."""
        return names_of(self.facts, self.stage, "loader")[0]

    @property
    def limit(self) -> str | None:
        """How many batches of a loader are read; None: as many as it has."""
        each = names_of(self.facts, self.stage, "loader")[1]
        return limit_of(self.facts, self.stage, self.evaluation.loader, each)

    @property
    def writers(self) -> tuple[tuple[str, str], ...]:
        """The variables that hold what writes metrics, and how they are made."""
        facts = self.facts
        return writers(facts.evaluation_writes, facts.given_loggers) if self.logs else ()

    def plan(self) -> EvaluationPlan:
        """The plan of the function."""
        return EvaluationPlan(
            function=self.stage.function,
            parameters=self._parameters(),
            returns="Any" if self.predicts else "list[dict[str, float]]",
            summary=SUMMARIES[self.stage.method],
            start=self._start(),
            setup=self._setup(),
            load=self._load(),
            loader=self._loader(),
            logs=self._begin(),
            run=self._run(),
            end=(*self._results(), *self._teardown()),
            result=self._result(),
        )

    def _parameters(self) -> Lines:
        gives = self.evaluation.gives
        return (
            f"model: {MODEL}",
            *([f"data: {DATA}"] if self.has_data else []),
            "trainer: Trainer" if self.facts.has_trainer else "config: Config",
            *([f"{self.variable}: Any"] if gives("dataloaders") else []),
            *(["ckpt_path: str | Path | None = None"] if self.evaluation.gives_checkpoint else []),
            *(["verbose: bool = True"] if gives("verbose") else []),
            *(["return_predictions: bool = True"] if gives("return_predictions") else []),
        )

    # ---- before ------------------------------------------------------------------------------------------

    def _start(self) -> Lines:
        told = self._told_trainer()
        used = " ".join((*told, *self._load(), self.limit or "", *(made for _, made in self.writers)))
        needs_config = self.facts.has_trainer and "config." in used
        return (*(["config = trainer.config"] if needs_config else []), "ranks, device = start()", *told)

    def _told_trainer(self) -> Lines:
        """What the trainer is told, of the data where this evaluation is given some."""
        plan = trainer_plan(self.facts, self.evaluation.gives_checkpoint)
        lines = plan.start if plan else ()
        attaches = self.has_data and "trainer" in self.facts.data_usage.reads
        return (
            *self.facts.checks_of_settings,
            *(line for line in lines if self.has_data or not line.endswith(" = data")),
            *self._in_stage(self.stage.method, self.stage.method),
            *(["data.trainer = trainer"] if attaches else []),
        )

    def _in_stage(self, function: str, stage: str) -> Lines:
        """Have the trainer know what is being done, where it is asked."""
        values = {"state_fn": function, "stage": stage}
        asked = self.facts.trainer_fields
        return tuple(f'trainer.{name} = "{value}"' for name, value in values.items() if name in asked)

    def _setup(self) -> Lines:
        return (
            *preparing_lines(self.facts, self.has_data),
            *logger_lines(self.facts)["open_loggers"],
            *stage_lines(self.facts, "setup", f'"{self.stage.method}"', self.has_data),
        )

    def _load(self) -> Lines:
        facts = self.facts
        if not self.evaluation.gives_checkpoint:
            return ()
        hook = ["    model.on_load_checkpoint(checkpoint)"] if facts.has_hook("on_load_checkpoint") else []
        states = (
            *callback_lines(facts, "on_load_checkpoint", "checkpoint"),
            'load_callback_states(trainer.callbacks, checkpoint["callbacks"])',
        )
        told = ('if "callbacks" in checkpoint:', *indented(states)) if facts.callbacks.has_state else ()
        return (
            self._path(),
            "if path is not None:",
            '    checkpoint = torch.load(path, map_location="cpu", weights_only=True)',
            *hook,
            '    model.load_state_dict(checkpoint["state_dict"])',
            *indented(told),
        )

    def _path(self) -> str:
        """Where the checkpoint is that was asked for."""
        if self.facts.callbacks.saves:
            return "path = checkpoint_asked_for(trainer, ckpt_path)"
        return 'path = checkpoint_to_load(config.out / "last.ckpt", ckpt_path)'

    def _loader(self) -> Lines:
        """The loaders, once loggers have noted hyperparameters."""
        return (
            *logger_lines(self.facts, self.has_data)["log_hyperparameters"],
            *loader_lines(self.facts, self.stage, self.evaluation.loader, self.variable),
            *self._told_loaders(),
            *self._epoch_lines(),
        )

    def _told_loaders(self) -> Lines:
        """Have the trainer know the loaders, where the code asks for them."""
        name = f"{self.stage.loader}s"
        loaders = loaders_told(self.facts, self.stage, self.variable)
        return (f"trainer.{name} = {loaders}",) if name in self.facts.trainer_fields else ()

    def _epoch_lines(self) -> Lines:
        """Predictions are ordered when their loader is made."""
        if self.predicts:
            return ()
        loader, epoch = self.evaluation.loader, "trainer.current_epoch"
        return set_epoch_lines(self.facts, self.stage, loader, self.variable, epoch)

    def _begin(self) -> Lines:
        """What keeps the results."""
        if self.predicts:
            return ("predictions: list[Any] = " + ("[[] for _ in loaders]" if self.several else "[]"),)
        if not self.logs:
            return ()
        opened = [f"{variable} = {made}" for variable, made in self.writers]
        files = any("config.out" in made for _, made in self.writers)
        folder = ["config.out.mkdir(parents=True, exist_ok=True)"] if files else []
        return (f"logs = model.{LOGS} = Logs(training=False, device=device)", *folder, *opened)

    # ---- the pass ----------------------------------------------------------------------------------------

    def _run(self) -> PassPlan:
        facts, stage = self.facts, self.stage
        takes_outputs = facts.calls(f"on_{stage.name}_batch_end") or self.predicts
        return pass_plan(
            facts,
            stage,
            called=f"model.{stage.step}" if stage.step in facts.model.methods else "model",
            evaluated="model",
            batches=self._batches(),
            outputs="outputs" if takes_outputs else None,
            after_batch=self._keep() if self.predicts else self._write_steps(),
            logs=self.logs,
            write=self._write() if self.logs else (),
            data="data" if self.has_data else "",
        )

    def _batches(self) -> str:
        batches = cut_short("loader", self.limit)
        looks_ahead = self.evaluation.loader.dataset == "unsized" and not self.limit and not self.predicts
        return f"lookahead({batches})" if looks_ahead else batches

    def _keep(self) -> Lines:
        keeper = "predictions[dataloader_idx]" if self.several else "predictions"
        line = f'{keeper}.append(to_device(outputs, torch.device("cpu")))'
        if not self.evaluation.gives("return_predictions"):
            return (line,)
        return ("if return_predictions:", f"    {line}")

    def _write_steps(self) -> Lines:
        """Write what each batch logs for itself."""
        facts = self.facts
        if not (self.logs and facts.logging.by_step_of(self.stage)):
            return ()
        values = step_values(facts)
        call = f"write({values}, trainer.current_epoch, batch_idx)"
        if facts.given_loggers.are_objects:
            call = f"write_batch({values}, batch_idx)"
        return tuple(f"{variable}.{call}" for variable, _ in self.writers)

    def _write(self) -> Lines:
        metrics = self._written
        count = "batches_done" if self.facts.manual else "global_step"
        step = f"trainer.current_epoch, trainer.{count}"
        return (
            *(["written = logs.written(metrics)"] if metrics == "written" else []),
            *(f"{variable}.write({metrics}, {step})" for variable, _ in self.writers),
        )

    @property
    def _written(self) -> str:
        """The variable that holds what loggers are told."""
        return "metrics" if "logger" in self.facts.logging.unused_options else "written"

    # ---- after -------------------------------------------------------------------------------------------

    def _results(self) -> Lines:
        """The results, shown."""
        if self.predicts:
            return ()
        if not self.logs:
            return (
                "results: list[dict[str, float]] = " + ("[{} for _ in loaders]" if self.several else "[{}]"),
            )
        results = f"[{{name: value.item() for name, value in {self._written}.items()}}]"
        if self.several:
            results = f"logs.by_loader({self._written}, len(loaders))"
        shown = "ranks.is_main and verbose" if self.evaluation.gives("verbose") else "ranks.is_main"
        title = self.stage.method.capitalize()
        return f"results = {results}", f"if {shown}:", f'    show_results(results, "{title}")'

    def _teardown(self) -> Lines:
        return (
            *stage_lines(self.facts, "teardown", f'"{self.stage.method}"', self.has_data),
            *logger_lines(self.facts)["close_loggers"],
            *self._in_stage("fit", "train"),
            *barrier_lines(self.facts),
        )

    def _result(self) -> str:
        if not self.predicts:
            return "results"
        value = "predictions if len(loaders) > 1 else predictions[0]" if self.several else "predictions"
        if not self.evaluation.gives("return_predictions"):
            return value
        return f"{f'({value})' if self.several else value} if return_predictions else None"
