NETS = {}


def register(name):
    def entered(cls):
        assert name not in NETS
        NETS[name] = cls
        return cls

    return entered
