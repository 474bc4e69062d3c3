BLOCKS = {}


def register(name):
    def note(cls):
        BLOCKS[name] = cls
        return cls

    return note
