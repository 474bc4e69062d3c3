class Scalars:
    def __init__(self, module, prefix):
        self.module = module
        self.prefix = prefix

    def log(self, name, value):
        self.module.log(f"{self.prefix}/{name}", value, on_step=False, on_epoch=True)
