FACTOR = 0.5


def scaled(value):
    return value * FACTOR
