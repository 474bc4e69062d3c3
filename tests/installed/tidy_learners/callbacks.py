from lightning.pytorch.callbacks import Callback


class Noter(Callback):
    def __init__(self):
        self.noted = []

    def on_train_epoch_end(self, trainer, pl_module):
        self.noted.append(trainer.callback_metrics["train_loss"])
