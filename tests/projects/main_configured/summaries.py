from lightning.pytorch.callbacks import ModelSummary


class Short(ModelSummary):
    """Says how large the model is, and no more."""

    def __init__(self, unit: int = 1):
        super().__init__()
        self.unit = unit

    def on_fit_start(self, trainer, pl_module):
        if trainer.is_global_zero:
            print(sum(each.numel() for each in pl_module.parameters()) // self.unit)
