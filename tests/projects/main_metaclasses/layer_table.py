LAYERS = {}


class Listed(type):
    def __init__(cls, name, bases, namespace):
        super().__init__(name, bases, namespace)
        LAYERS[name] = cls
