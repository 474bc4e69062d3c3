"""The order of `main`, and what `fit` is given."""

from __future__ import annotations

from ..ir.plans import DATA, MODEL, ConfigGroup, Construction, FitPlan, Lines, MainPlan
from ..spec.sections import Backend
from .facts import Facts
from .hooks import callback_lines
from .manual_plans import shared_backward
from .own_main import OwnMain
from .trainer_plan import makes_trainer


def fit_plan(facts: Facts) -> FitPlan:
    """What `fit` is given, and what it does first and last."""
    own = facts.own_main
    # what DDP holds is to go before its process group does
    released = ("trainer.shared = None",) if shared_backward(facts) else ()
    # an option that names a folder makes it
    makes_folder = own is None or facts.writes_last or any("config.out" in made for _, made in facts.writers)
    given = (f"model: {MODEL}", *([f"data: {DATA}"] if facts.data else []))
    if own is None:
        given += ("trainer: Trainer",) if makes_trainer(facts) else ()
        given += ("config: Config", "ranks: Ranks", "device: torch.device")
        return FitPlan(True, makes_folder, given, (), released)
    given += _parameters(facts, own)
    return FitPlan(facts.trains, makes_folder, given, _start(facts), _end(facts, released))


def _parameters(facts: Facts, own: OwnMain) -> Lines:
    """What a main of the user's own gives to `fit` beside the model and the data."""
    return (
        "trainer: Trainer" if facts.has_trainer else "config: Config",
        *(["train_loader: Any"] if own.gives_train else []),
        *(["val_loader: Any"] if own.gives_val else []),
        *(["ckpt_path: str | Path | None = None"] if own.gives_checkpoint else []),
    )


def _start(facts: Facts) -> Lines:
    return (
        *(["config = trainer.config"] if facts.has_trainer else []),
        *(["trainer.should_stop = False"] if facts.may_stop else []),
        *(["trainer.failed = False"] if "failed" in facts.trainer_fields else []),
        *facts.checks_of_classes("model", "data"),
        *facts.checks_of_settings,
        "ranks, device = start()",
    )


def _end(facts: Facts, released: Lines) -> Lines:
    told = ("trainer.batches_done = batches_done",) if "batches_done" in facts.trainer_fields else ()
    return (*told, *released, *barrier_lines(facts))


def barrier_lines(facts: Facts) -> Lines:
    """Have ranks wait for each other, so that a main of the user's own may read what one has written."""
    if not facts.is_ddp:
        return ()
    return "if ranks.world_size > 1:", "    dist.barrier()  # none goes on before the slowest"


def failure_lines(facts: Facts) -> Lines:
    """What is done when a run fails; nothing: it just ends."""
    if not facts.reports:
        return ()
    callbacks = callback_lines(facts, "on_exception", "error")
    data = facts.data is not None and "on_exception" in facts.data.methods
    loggers = ("for logger in trainer.loggers:", '    logger.finalize("failed")')
    return (
        *(["trainer.failed = True"] if "failed" in facts.trainer_fields else []),
        *callbacks,
        *(
            ["if trainer.datamodule is not None:", "    trainer.datamodule.on_exception(error)"]
            if data
            else []
        ),
        *(loggers if facts.given_loggers.are_objects else []),
    )


def main_plan(
    facts: Facts, config: tuple[ConfigGroup, ...], constructions: tuple[tuple[str, Construction], ...]
) -> MainPlan:
    """The order of `main`."""
    group = facts.loaded.spec.process_group
    given = [*(variable for variable, _ in constructions), *(["trainer"] if makes_trainer(facts) else [])]
    return MainPlan(
        required=_required(config),
        is_own=facts.own_main is not None,
        first=_seeding(facts) if facts.own_main else (),
        ranks="ranks_from_env()" if facts.is_ddp else "sole_rank()",
        constructions=constructions,
        makes_trainer=makes_trainer(facts),
        fit_arguments="".join(f"{variable}, " for variable in given),
        seeds=facts.has_seed,
        prologue=_prologue(facts),
        is_distributed=facts.is_ddp,
        backend=_backend(group.backend),
        timeout=_timeout(group.timeout.total_seconds()),
    )


def _required(config: tuple[ConfigGroup, ...]) -> str:
    required = [field for group in config for field in group.fields if field.default is None]
    return "{" + ", ".join(f'"{field.name}": {field.type}' for field in required) + "}" if required else ""


def _seeding(facts: Facts) -> Lines:
    return (f"seed_run({facts.seed}, workers={facts.seeds_workers})",) if facts.seed is not None else ()


def _prologue(facts: Facts) -> Lines:
    """What makes for the same bits in every run."""
    if not facts.settings.deterministic or facts.is_expression("deterministic"):
        return ()
    only_warn = ", warn_only=True" if facts.settings.deterministic == "warn" else ""
    return (
        'os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")',
        f"torch.use_deterministic_algorithms(True{only_warn})",
        "torch.backends.cudnn.benchmark = False",
    )


def _backend(backend: Backend) -> str:
    return '"nccl" if device.type == "cuda" else "gloo"' if backend is Backend.AUTO else f'"{backend.value}"'


def _timeout(seconds: float) -> str:
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds % length == 0:
            return f"timedelta({unit}={seconds / length:.0f})"
    return f"timedelta(seconds={seconds:g})"
