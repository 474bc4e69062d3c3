import random


class Trainer:
    """Trains a scale."""

    def __init__(self, name):
        self.name = name

    def fit(self, values):
        return sum(values) / len(values)


def seed_everything(seed):
    random.seed(seed)
