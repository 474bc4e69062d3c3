from lightning import Callback


class Slower(Callback):
    def __init__(self, factor):
        self.factor = factor

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        for group in trainer.optimizers[0].param_groups:
            group["lr"] *= self.factor


class Agent:
    def __init__(self, factor):
        self.factor = factor

    def get_training_callbacks(self):
        return []


class SlowingAgent(Agent):
    def get_training_callbacks(self):
        return [Slower(self.factor)]
