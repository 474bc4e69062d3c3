"""What is made by its name: each kind of things has a registry of its own."""


class Registry:
    def __init__(self, kind):
        self.kind = kind
        self.entries = {}

    def register(self, name):
        def enter(cls):
            if name in self.entries:
                raise ValueError(f"there is a {self.kind} {name} already")
            self.entries[name] = cls
            return cls

        return enter

    def get(self, name):
        return self.entries[name]


MODELS, LOSSES, CALLBACKS = Registry("model"), Registry("loss"), Registry("callback")


def make(registry, name, **params):
    factory = registry.get(name)
    return factory(**params)
