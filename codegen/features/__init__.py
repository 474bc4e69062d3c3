"""From facts to the script: every decision, one module for each feature.

Their order is that in which they fill a slot of the loop's that several of them have code for.
"""

from .checkpoints.background import BACKGROUND
from .checkpoints.data_hyperparameters import DATA_HYPERPARAMETERS
from .checkpoints.dumping import DUMPING
from .checkpoints.finite_weights import FINITE_WEIGHTS
from .checkpoints.hyperparameters import HYPERPARAMETERS
from .checkpoints.last_checkpoint import LAST_CHECKPOINT
from .checkpoints.output_folder import OUTPUT_FOLDER
from .checkpoints.preemption import PREEMPTION
from .checkpoints.remote import REMOTE
from .checkpoints.saved_state import SAVED_STATE
from .checkpoints.step_checkpoints import STEP_CHECKPOINTS
from .checkpoints.waiting_saves import WAITING_SAVES
from .data.overfitting import OVERFITTING
from .data.reloading import RELOADING
from .data.train_data import TRAIN_DATA
from .data.transfer import TRANSFER
from .data_parallel.comm_hook import COMM_HOOK
from .data_parallel.grad_sync import GRAD_SYNC
from .data_parallel.join import JOIN
from .data_parallel.layer_sync import LAYER_SYNC
from .data_parallel.local_sgd import LOCAL_SGD
from .data_parallel.sync_batchnorm import SYNC_BATCHNORM
from .data_parallel.wrapper import WRAPPER
from .distributed.accelerator import ACCELERATOR
from .distributed.ending import ENDING
from .distributed.hanging import HANGING
from .distributed.launch import LAUNCH
from .distributed.replicas import REPLICAS
from .feature import Feature
from .logging.graphs import GRAPHS
from .logging.loggers import LOGGERS
from .logging.logging import LOGGING
from .loop.callbacks import CALLBACKS
from .loop.example import EXAMPLE
from .loop.failure import FAILURE
from .loop.hooks import HOOKS
from .loop.length import LENGTH
from .loop.profiler import PROFILER
from .loop.progress_bar import PROGRESS_BAR
from .loop.seeding import SEEDING
from .loop.stopping import STOPPING
from .loop.time_limit import TIME_LIMIT
from .numerics.anomalies import ANOMALIES
from .numerics.benchmark import BENCHMARK
from .numerics.determinism import DETERMINISM
from .numerics.on_nan import ON_NAN
from .numerics.precision import PRECISION
from .optimization.accumulation import ACCUMULATION
from .optimization.automatic_optimization import AUTOMATIC_OPTIMIZATION
from .optimization.awaited_steps import AWAITED_STEPS
from .optimization.clipping import CLIPPING
from .optimization.closure import CLOSURE
from .optimization.compilation import COMPILATION
from .optimization.fused import FUSED
from .optimization.grad_mode import GRAD_MODE
from .optimization.manual import MANUAL
from .optimization.microbatch import MICROBATCH
from .optimization.optimizer import OPTIMIZER
from .optimization.schedules import SCHEDULES
from .optimization.training_step import TRAINING_STEP
from .resuming.claim import CLAIM
from .resuming.randomness import RANDOMNESS
from .resuming.resuming import RESUMING
from .resuming.within_epoch import WITHIN_EPOCH
from .script.trial import TRIAL
from .sharding.fsdp import FSDP
from .sharding.model_parallel import MODEL_PARALLEL
from .sharding.zero import ZERO
from .validation.sanity_check import SANITY_CHECK
from .validation.validation import VALIDATION
from .validation.validation_timing import VALIDATION_TIMING

FEATURES: tuple[Feature, ...] = (
    HOOKS,
    PROFILER,
    ACCELERATOR,
    LAUNCH,
    REPLICAS,
    ENDING,
    HANGING,
    JOIN,
    LENGTH,
    TRIAL,
    OVERFITTING,
    PRECISION,
    DETERMINISM,
    BENCHMARK,
    ANOMALIES,
    MODEL_PARALLEL,
    SYNC_BATCHNORM,
    LAYER_SYNC,
    AUTOMATIC_OPTIMIZATION,
    EXAMPLE,
    HYPERPARAMETERS,
    DATA_HYPERPARAMETERS,
    TIME_LIMIT,
    CALLBACKS,
    TRAINING_STEP,
    ACCUMULATION,
    COMPILATION,
    GRAD_MODE,
    GRAD_SYNC,
    WRAPPER,
    MICROBATCH,
    COMM_HOOK,
    RELOADING,
    WITHIN_EPOCH,
    TRAIN_DATA,
    TRANSFER,
    LOGGING,
    CLIPPING,
    REMOTE,
    LAST_CHECKPOINT,
    SEEDING,
    OUTPUT_FOLDER,
    VALIDATION,
    SANITY_CHECK,
    VALIDATION_TIMING,
    OPTIMIZER,
    MANUAL,
    FUSED,
    FSDP,
    ZERO,
    LOCAL_SGD,
    ON_NAN,
    FINITE_WEIGHTS,
    CLOSURE,
    PROGRESS_BAR,
    SCHEDULES,
    AWAITED_STEPS,
    WAITING_SAVES,
    STOPPING,
    RANDOMNESS,
    SAVED_STATE,
    BACKGROUND,
    LOGGERS,
    GRAPHS,
    CLAIM,
    DUMPING,
    PREEMPTION,
    STEP_CHECKPOINTS,
    RESUMING,
    FAILURE,
)
