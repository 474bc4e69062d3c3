"""A metaclass that knows nothing of Lightning: it notes the classes that it makes."""

TABLE = {}


class Noted(type):
    def __new__(mcs, name, bases, namespace, **options):
        made = super().__new__(mcs, name, bases, namespace)
        made.about = (namespace.get("__doc__") or name).strip()
        return made

    def __init__(cls, name, bases, namespace, *, label=None):
        super().__init__(name, bases, namespace)
        TABLE[label or name.lower()] = cls

    @property
    def words(cls):
        return cls.about.split()
