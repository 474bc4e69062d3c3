from .data import CellData
from .models import TumourClassifier

__all__ = ["CellData", "TumourClassifier"]
