"""What this module is told of, it makes: by a decorator, by a base, or of what derives from one."""

known = {}


def register(name):
    def keep(found):
        known[name] = found
        return found

    return keep


class Told:
    parts = []

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        Told.parts.append(cls)


class Asked:
    @classmethod
    def all(cls):
        return [found.scale for found in cls.__subclasses__()]


def layer(name):
    return known[name]()


def timed(function):
    def call(*arguments):
        return function(*arguments)

    return call
