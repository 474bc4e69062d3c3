"""From facts to the script: every decision, one module for each feature.

Their order is that in which they fill a slot of the loop's that several of them have code for.
"""

from .accumulation import ACCUMULATION
from .callbacks import CALLBACKS
from .clipping import CLIPPING
from .closure import CLOSURE
from .determinism import DETERMINISM
from .dumping import DUMPING
from .example import EXAMPLE
from .failure import FAILURE
from .feature import Feature
from .fused import FUSED
from .grad_sync import GRAD_SYNC
from .hooks import HOOKS
from .hyperparameters import HYPERPARAMETERS
from .last_checkpoint import LAST_CHECKPOINT
from .length import LENGTH
from .loggers import LOGGERS
from .logging import LOGGING
from .manual import MANUAL
from .optimization import OPTIMIZATION
from .optimizer import OPTIMIZER
from .output_folder import OUTPUT_FOLDER
from .precision import PRECISION
from .progress_bar import PROGRESS_BAR
from .randomness import RANDOMNESS
from .resuming import RESUMING
from .sanity_check import SANITY_CHECK
from .schedules import SCHEDULES
from .seeding import SEEDING
from .stopping import STOPPING
from .train_data import TRAIN_DATA
from .training_step import TRAINING_STEP
from .transfer import TRANSFER
from .validation import VALIDATION
from .validation_timing import VALIDATION_TIMING

FEATURES: tuple[Feature, ...] = (
    HOOKS,
    LENGTH,
    PRECISION,
    DETERMINISM,
    OPTIMIZATION,
    EXAMPLE,
    HYPERPARAMETERS,
    CALLBACKS,
    TRAINING_STEP,
    ACCUMULATION,
    GRAD_SYNC,
    TRAIN_DATA,
    TRANSFER,
    LOGGING,
    CLIPPING,
    LAST_CHECKPOINT,
    SEEDING,
    OUTPUT_FOLDER,
    VALIDATION,
    SANITY_CHECK,
    VALIDATION_TIMING,
    OPTIMIZER,
    MANUAL,
    FUSED,
    CLOSURE,
    PROGRESS_BAR,
    SCHEDULES,
    STOPPING,
    RANDOMNESS,
    LOGGERS,
    DUMPING,
    RESUMING,
    FAILURE,
)
