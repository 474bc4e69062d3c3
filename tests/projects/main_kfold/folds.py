class KFold:
    """Every so many-th item is kept for validation."""

    def __init__(self, count):
        self.count = count

    def split(self, size):
        for fold in range(self.count):
            yield [i for i in range(size) if i % self.count != fold], list(range(fold, size, self.count))
