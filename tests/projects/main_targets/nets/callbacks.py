from lightning.pytorch.callbacks import Callback


class Count(Callback):
    def __init__(self, every: int = 1):
        self.every, self.epochs = every, 0

    def on_train_epoch_end(self, trainer, model):
        self.epochs += self.every
        model.log("epochs", float(self.epochs))
