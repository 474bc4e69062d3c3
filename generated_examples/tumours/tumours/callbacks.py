from typing import Any

import lightning.pytorch as pl


class ReportMistakes(pl.Callback):
    """Says how many tumours of the last validation were taken for the other kind."""

    def on_validation_epoch_end(self, trainer: pl.Trainer, pl_module: Any) -> None:
        if trainer.is_global_zero and not trainer.sanity_checking:
            print(f"mistakes: {pl_module.confusion.mistakes}")
