"""Models; those of `deep` are found by their names."""

from . import deep, losses  # noqa: F401
from .base import MODELS, Model  # noqa: F401
