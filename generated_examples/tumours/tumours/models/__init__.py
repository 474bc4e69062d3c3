from .classifier import TumourClassifier

__all__ = ["TumourClassifier"]
