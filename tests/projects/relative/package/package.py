"""A module with its package's name."""

from .lightning import Classifier

__all__ = ["Classifier"]
