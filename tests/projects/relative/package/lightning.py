"""A module with Lightning's name."""

from .nets.classifier import Classifier

__all__ = ["Classifier"]
