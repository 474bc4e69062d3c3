from torch import distributions


def made(loc):
    kind = next(each for each in distributions.Normal.__subclasses__() if each.__name__ == "Narrow")
    return kind(loc, 1.0)
