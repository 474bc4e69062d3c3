from .parts import Block  # isort: skip
from .classifier import Lit as Classifier
