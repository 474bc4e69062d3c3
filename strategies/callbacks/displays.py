"""In the place of callbacks that show something, for code that asks which it has: they do nothing."""

from .callbacks import Callback


class ProgressBar(Callback):
    """Says that a bar is wanted."""


class TQDMProgressBar(ProgressBar):
    """Says that it is tqdm's."""


class RichProgressBar(ProgressBar):
    """Says that it is rich's."""


class SummaryCallback(Callback):
    """Says that a summary of the model is wanted."""


class RichModelSummary(SummaryCallback):
    """Says that it is a table of rich's."""


class DeviceStatsMonitor(Callback):
    """Says that the devices' use is to be logged."""
