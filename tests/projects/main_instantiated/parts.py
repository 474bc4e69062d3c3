class How:
    def __init__(self, factor):
        self.factor = factor


class Scale:
    def fit(self, values):
        self.mean = sum(values) / len(values)
