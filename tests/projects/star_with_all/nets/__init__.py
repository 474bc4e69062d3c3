from .classifier import *
from .blocks import *

__all__ = ["Classifier"]
