from lightning.pytorch import Trainer

from .options import Options


class Engine:
    """Trains what it is given."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.trainer = Trainer(max_epochs=options.epochs, enable_progress_bar=False)

    def run(self, module) -> None:
        self.trainer.fit(model=module)
