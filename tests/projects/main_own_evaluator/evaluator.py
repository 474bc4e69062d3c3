from lightning.pytorch import Callback, Trainer


class Told(Callback):
    def __init__(self):
        self.seen = []

    def on_test_end(self, trainer, pl_module):
        self.seen += sorted(trainer.callback_metrics)


class Evaluator:
    def __init__(self, callbacks=None, **trainer_kwargs):
        self.callbacks = callbacks or []
        self.evaluator = Trainer(callbacks=self.callbacks, **trainer_kwargs)

    def run(self, model, loader):
        return self.evaluator.test(model, loader, verbose=False)
