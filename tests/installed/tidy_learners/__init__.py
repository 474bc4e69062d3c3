"""Learners."""

from tidy_learners.callbacks import Noter
from tidy_learners.data import Rows
from tidy_learners.models import Regressor

__all__ = ["Noter", "Regressor", "Rows"]
__version__ = "1.4"
