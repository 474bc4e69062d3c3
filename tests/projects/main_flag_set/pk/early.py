from pk.flags import timed


@timed
def squared(x):
    return x.square()
