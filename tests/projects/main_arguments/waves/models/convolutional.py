from torch import nn

from .base import WaveClassifier


class Convolutional(WaveClassifier):
    """Two convolutions, and the mean over time."""

    def __init__(self, channels=8, **kwargs):
        super().__init__(**kwargs)
        self.save_hyperparameters()
        self.layers = nn.Sequential(
            nn.Conv1d(1, channels, 5), nn.BatchNorm1d(channels), nn.ReLU(), nn.Conv1d(channels, 3, 3)
        )

    @classmethod
    def add_model_options(cls, parser):
        super().add_model_options(parser)
        parser.add_argument_group("convolutional").add_argument("--channels", type=int, default=8)

    @classmethod
    def from_args(cls, args):
        return cls(channels=args.channels, lr=args.lr, warmup=args.warmup, smoothing=args.smoothing)

    def forward(self, waves):
        return self.layers(waves.unsqueeze(1)).mean(-1)
