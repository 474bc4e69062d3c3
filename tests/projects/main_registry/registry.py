"""Tables by name; nothing in here knows of Lightning."""


class Registry:
    def __init__(self, name):
        self.name, self._items = name, {}

    def register(self, name=None):
        def add(made):
            self._items[name or made.__name__] = made
            return made

        return add

    def get(self, name):
        return self._items[name]

    def build(self, name, *args, **kwargs):
        return self.get(name)(*args, **kwargs)


MODELS = Registry("models")
DATA = Registry("data")
LAYERS = Registry("layers")


def register_data(name):
    return DATA.register(name)
