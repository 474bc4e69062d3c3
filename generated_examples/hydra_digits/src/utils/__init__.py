from src.utils.instantiators import instantiate_callbacks, instantiate_loggers
from src.utils.logging_utils import log_hyperparameters
from src.utils.ranked_logger import RankedLogger
from src.utils.rich_utils import enforce_tags, print_config_tree
from src.utils.task import extras, get_metric_value, task_wrapper
