class Registry:
    """Classes by the names that decorators give them."""

    known = {}

    @classmethod
    def register(cls, name):
        def keep(found):
            cls.known[name] = found
            return found

        return keep

    @classmethod
    def get(cls, name):
        return cls.known[name]
