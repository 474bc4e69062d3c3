SCALE = 2
SEEN: list[float] = []


def weighted(x):
    return x


def made(layer):
    return layer(4, 1)
