LAYERS = {}


def entered(cls):
    LAYERS[cls.__name__] = cls
    return cls
